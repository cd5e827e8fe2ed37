import { createPublicKey } from 'node:crypto';
import { createRemoteJWKSet, type JWK } from 'jose';
import type { ServerMetadata } from 'openid-client';
import { excerpt } from '../../base/text.ts';
import { isProviderUrl } from '../../config/settings/identity-provider.ts';
import { algorithmsOf, kindProblem, publicAlgorithms } from '../../config/secrets/signing-keys.ts';
import type { OidcSettings } from '../../config/settings/oidc.ts';
import { reasonsOf } from './provider-keys.ts';
import { discovered } from './sign-in.ts';

/** The header `Date` tells whole seconds, of when the answer began, in seconds. */
const DATE_PRECISION = 2;

/** The faults of a provider, as far as they show before anybody signs in. */
export interface CheckedProvider {
  /** Those that stop each sign-in. */
  readonly problems: readonly string[];
  /** Those that may stop sign-ins. */
  readonly doubts: readonly string[];
}

/** Asks a provider for its configuration and its keys. */
export async function checkIssuer(settings: OidcSettings): Promise<CheckedProvider> {
  const seen: { response?: Response } = {};
  try {
    const client = await discovered(settings, async (url, options) => {
      seen.response = await fetch(url, options as RequestInit);
      return seen.response;
    });
    const clock = clockProblem(seen.response?.headers, settings.clockSkewSeconds);
    const metadata = client.serverMetadata();
    const problems = [
      clock,
      ...(await metadataProblems(metadata)),
      clientProblem(settings, metadata),
    ];
    return {
      problems: problems.filter((problem) => problem !== null),
      doubts: scopeDoubts(settings.scopes, metadata),
    };
  } catch (error) {
    return { problems: [discoveryProblem(error, settings.issuer, seen.response)], doubts: [] };
  }
}

/** The ways in which the gateway can prove who it is, by its settings (OpenID Connect Discovery 1.0 §3, token_endpoint_auth_methods_supported). */
function clientProblem(
  { clientSecret, privateKey }: OidcSettings,
  {
    token_endpoint_auth_methods_supported: known = [
      'client_secret_basic',
      'private_key_jwt',
      'none',
    ],
  }: ServerMetadata,
): string | null {
  const [setting, ways] =
    privateKey !== undefined
      ? (['privateKey', ['private_key_jwt']] as const)
      : clientSecret !== undefined
        ? (['clientSecret', ['client_secret_basic', 'client_secret_post']] as const)
        : (['neither clientSecret nor privateKey', ['none']] as const);
  return ways.some((way) => known.includes(way))
    ? null
    : `the provider knows clients by ${excerpt(known.join(', '), 200)}, and the configuration has ${setting}: register the gateway with ${ways.join(' or ')}`;
}

/** A provider may know more scopes than it lists (OpenID Connect Discovery 1.0 §3). */
function scopeDoubts(
  scopes: readonly string[],
  { scopes_supported: known }: ServerMetadata,
): string[] {
  const unknown = known === undefined ? [] : scopes.filter((scope) => !known.includes(scope));
  return unknown.length === 0
    ? []
    : [
        `The identity provider does not list ${unknown.join(', ')} among its scopes: where it refuses sign-ins with invalid_scope, leave that out of authentication.oidc.scopes.`,
      ];
}

async function metadataProblems({
  authorization_endpoint,
  token_endpoint,
  jwks_uri,
  end_session_endpoint,
  response_types_supported: types = ['code'],
  grant_types_supported: grants = ['authorization_code'],
  require_pushed_authorization_requests: isPushed = false,
  code_challenge_methods_supported: challenges = ['S256'],
  id_token_signing_alg_values_supported: algorithms = publicAlgorithms,
}: ServerMetadata): Promise<(string | null)[]> {
  const needed = Object.entries({ authorization_endpoint, token_endpoint, jwks_uri });
  const lacking = needed.flatMap(([name, url]) => (url === undefined ? name : []));
  const missing = [
    ...lacking,
    ...(types.includes('code') ? [] : ['the response type code']),
    ...(grants.includes('authorization_code') ? [] : ['the grant type authorization_code']),
  ];
  const unsafe = [...needed, ['end_session_endpoint', end_session_endpoint] as const].flatMap(
    ([name, url]) =>
      url === undefined || isProviderUrl(url) ? [] : `${name} ${excerpt(url, 200)}`,
  );
  const signed = publicAlgorithms.filter((name) => algorithms.includes(name));
  return [
    missing.length === 0
      ? null
      : `the provider’s configuration lacks ${missing.join(', ')}: allow the authorization code flow of OpenID Connect there`,
    isPushed
      ? 'the provider wants pushed authorization requests, which the gateway does not send: allow others there'
      : null,
    unsafe.length === 0
      ? null
      : `the provider’s configuration names ${unsafe.join(', ')}: expected https://…`,
    challenges.includes('S256')
      ? null
      : 'the provider does not offer PKCE with S256, by which the gateway signs people in: allow it there',
    signed.length === 0
      ? `the provider signs ID tokens by ${excerpt(algorithms.join(', '), 200)} alone: let it sign by RS256, or another algorithm with a public key`
      : null,
    jwks_uri === undefined || !isProviderUrl(jwks_uri) || signed.length === 0
      ? null
      : await keysProblem(jwks_uri, signed),
  ];
}

/** Returns why the keys at an address (JSON Web Key Set, RFC 7517) can check no signature by the accepted algorithms, or null. */
export async function keysProblem(
  jwks: string,
  accepted: readonly string[],
): Promise<string | null> {
  const { host, href } = new URL(jwks);
  const set = createRemoteJWKSet(new URL(jwks));
  try {
    await set.reload();
  } catch (error) {
    return `the signing keys at ${href} cannot be fetched: ${reasonsOf(error)}. ${remedy(reasonsOf(error))}`;
  }
  return set.jwks()?.keys.some((key) => isUsable(key, accepted)) === true
    ? null
    : `${host} has no signing key for ${accepted.join(', ')}: let the provider sign by one of them`;
}

function isUsable({ use = 'sig', alg, ...jwk }: JWK, accepted: readonly string[]): boolean {
  try {
    const key = createPublicKey({ key: jwk, format: 'jwk' });
    const algorithms = algorithmsOf(key).filter((name) => accepted.includes(name));
    const isNamed = alg === undefined || algorithms.some((name) => name === alg);
    return use === 'sig' && kindProblem(key) === null && algorithms.length > 0 && isNamed;
  } catch {
    return false;
  }
}

function discoveryProblem(error: unknown, issuer: string, response: Response | undefined): string {
  if (response === undefined) {
    const why = reasonsOf(error);
    return `the identity provider at ${new URL(issuer).host} does not answer: ${why}. ${remedy(why)}`;
  }
  const { cause } = error as { readonly cause?: { readonly body?: { readonly issuer?: unknown } } };
  return typeof cause?.body?.issuer === 'string'
    ? `the identity provider names itself ${excerpt(cause.body.issuer, 200)}: write its name as it does`
    : `${response.url} answers ${response.status} without the configuration of an identity provider: ${response.status < 500 ? 'correct the address' : 'try again later'}`;
}

function remedy(why: string): string {
  return /certificate/i.test(why)
    ? 'NODE_EXTRA_CA_CERTS=FILE trusts its authority'
    : 'Correct the address, or let this machine reach it; HTTPS_PROXY is not used';
}

/** Compares a provider's clock with this machine's by the header `Date` of an answer (RFC 9110 §6.6.1), which a cache may have kept for a while. */
function clockProblem(headers: Headers | undefined, skewSeconds: number): string | null {
  const keptSeconds = Number(headers?.get('age') ?? 0);
  const now = Date.now() / 1000 - keptSeconds;
  const ahead = Math.round(Date.parse(headers?.get('date') ?? '') / 1000 - now);
  const difference = Math.abs(ahead);
  return difference > skewSeconds + DATE_PRECISION
    ? `the provider’s clock is ${difference} seconds ${ahead > 0 ? 'ahead of' : 'behind'} this machine’s, more than clockSkewSeconds allows (${skewSeconds}): set the clocks`
    : null;
}
