import { z } from 'zod';
import { privateKeyProblem } from '../secrets/signing-keys.ts';
import { checkedText, overlapProblems, reporting, type SettingProblem, text } from './fields.ts';
import {
  claimReading,
  clockSkewSeconds,
  isProviderUrl,
  scopeSetting,
} from './identity-provider.ts';

/** Where people sign in, where the provider leads them back to, and where it tells that they have signed out. */
export const SIGN_IN_PATH = '/oidc/sign-in';
export const CALLBACK_PATH = '/oidc/callback';
export const LOGOUT_PATH = '/oidc/backchannel-logout';

/** The parameters of a request to sign in that the gateway sets (OpenID Connect Core 1.0 §3.1.2.1). */
const OWN_PARAMETERS: ReadonlySet<string> = new Set([
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
]);

/** `authentication.oidc`: how people sign in with a browser at an identity provider (OpenID Connect Core 1.0, authorization code with PKCE). */
export const oidcSetting = z
  .strictObject({
    issuer: z
      .string()
      .refine(
        (url) => isProviderUrl(url) && !url.includes('/.well-known/'),
        'is not the address of a provider to trust: expected https://… without a login and /.well-known/…, or http:// of this machine',
      )
      .describe(
        'The identity provider, as it names itself; its configuration is read from /.well-known/openid-configuration below.',
      ),
    clientId: text.describe('The name under which the gateway is registered there.'),
    clientSecret: text.optional().describe('The secret of the gateway, if it has one.'),
    privateKey: checkedText(privateKeyProblem)
      .optional()
      .describe(
        'Instead of clientSecret: the private key, as PEM text, that the gateway signs its requests with; its public key is registered. With its certificate in the same text, as Entra ID wants it.',
      ),
    title: text
      .optional()
      .describe('Who signs users in, for the explorer’s button: Acme. Default: the issuer’s host.'),
    scopes: z
      .array(scopeSetting)
      .default(['openid', 'profile'])
      .describe(
        'What the provider is asked for; with offline_access most providers let a session outlive their first token.',
      ),
    parameters: z
      .record(text, z.string())
      .default({})
      .describe('What the provider is asked besides, as it understands it: { prompt: consent }.'),
    clockSkewSeconds,
    ...claimReading,
  })
  .superRefine(
    reporting(function* ({ scopes, clientSecret, privateKey, parameters }) {
      for (const name of Object.keys(parameters)) {
        if (!OWN_PARAMETERS.has(name)) continue;
        yield { path: ['parameters', name], message: 'is what the gateway itself says' };
      }
      if (!scopes.includes('openid')) {
        yield { path: ['scopes'], message: 'lacks openid, without which nobody says who signs in' };
      }
      if (clientSecret !== undefined && privateKey !== undefined) {
        yield {
          path: ['privateKey'],
          message: 'is there beside clientSecret: give one of them, as it is registered',
        };
      }
    }),
  );

export type OidcSettings = z.output<typeof oidcSetting>;

interface SettingsBeside {
  readonly authentication?: { readonly oidc?: OidcSettings | undefined } | undefined;
  readonly proxy: readonly { readonly prefix: string }[];
}

/** Finds what in the rest of the configuration contradicts `authentication.oidc`. */
export function* oidcProblems({
  authentication,
  proxy,
}: SettingsBeside): Generator<SettingProblem> {
  if (authentication?.oidc === undefined) return;
  yield* overlapProblems(proxy, '/oidc', 'where authentication.oidc has people sign in');
}
