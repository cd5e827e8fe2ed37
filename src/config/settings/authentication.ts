import { createPublicKey } from 'node:crypto';
import { z } from 'zod';
import { checkedText, matching, repeated, reporting, type SettingProblem, text } from './fields.ts';
import {
  claimReading,
  clockSkewSeconds,
  givenRolesSetting,
  isProviderUrl,
  scopeSetting,
} from './identity-provider.ts';
import { oidcSetting } from './oidc.ts';
import {
  algorithms,
  algorithmsOf,
  publicAlgorithms,
  publicKeyProblem,
  secretBytes,
  type Algorithm,
} from '../secrets/signing-keys.ts';

/** The name of a user or an API key, as logs and `$claims.user` show it. */
export const nameSetting = z
  .string()
  .min(1)
  .max(256)
  .regex(/^\P{Cc}*$/u, 'holds a control character');

const claimName = matching(
  /^[\p{L}\p{N}_.:/-]+$/u,
  'is not a name of a claim, as filters name them: expected letters, digits and _ . : / -',
).refine((name) => name !== 'user', 'is reserved for the user’s name');

/** Claims by their names: texts and lists of texts. Numbers are refused: YAML would read 0042 as 42. */
export const claimsSetting = z.record(claimName, z.union([z.string(), z.array(z.string())]));

/** An API key, as `authentication.apiKeys` has it. */
export const apiKeySetting = z.strictObject({
  name: nameSetting.describe('Who sends the key, for logs and $claims.user.'),
  hash: matching(
    /^sha256:[\da-f]{64}$/i,
    'is not a hash of an API key: expected sha256: and 64 hexadecimal digits, as entitygate key prints them',
  ).describe('The SHA-256 of the key, which is itself nowhere stored: entitygate key prints it.'),
  roles: givenRolesSetting.default([]).describe('The roles of who sends the key.'),
  claims: claimsSetting.default({}).describe('What row policies compare with.'),
  expires: z
    .string()
    .refine(isInstant, 'is not a date such as 2027-01-31 or 2027-01-31T18:00:00Z')
    .optional()
    .describe('From then on the key is refused; a date is its beginning in UTC.'),
});

const textOrTexts = z.union([text, z.array(text).min(1)]);

const jwt = z
  .strictObject({
    jwks: z
      .string()
      .refine(
        isProviderUrl,
        'is not a URL to fetch keys from safely: expected https://… without a login, or http:// of this machine',
      )
      .optional()
      .describe(
        'The URL of the issuer’s public keys (JSON Web Key Set): https, or http on this machine.',
      ),
    key: checkedText(publicKeyProblem)
      .optional()
      .describe('Instead of jwks: the issuer’s public key or certificate as PEM text.'),
    secret: z
      .string()
      .optional()
      .describe('Instead of jwks: a secret that the issuer shares, of 32 bytes or more.'),
    issuer: textOrTexts.describe('The claim iss that tokens must have; one of a list.'),
    audience: textOrTexts.describe(
      'The audience that tokens must be for (claim aud); one of a list. https://…/mcp counts for agents alone, https://…/rest for all but agents.',
    ),
    algorithms: z
      .array(z.enum(algorithms))
      .min(1)
      .optional()
      .describe(
        'The signing algorithms that are accepted. Default: what key can check, all public-key algorithms with jwks, HS256 with secret.',
      ),
    scopes: z
      .array(scopeSetting)
      .optional()
      .describe(
        'What clients ask the issuer for, as they find it in the metadata of the API. Default: the words of roles where rolesClaim is scope or scp.',
      ),
    clockSkewSeconds,
    ...claimReading,
  })
  .superRefine(reporting(jwtProblems));

const logins = z.strictObject({
  anonymous: givenRolesSetting
    .optional()
    .describe('The roles of requests without credentials. By default these are refused.'),
  apiKeys: z
    .array(apiKeySetting)
    .min(1)
    .optional()
    .describe('The API keys: name, hash, roles, claims and expires of each.'),
  users: text.optional().describe('The file of users with passwords.'),
  jwt: jwt.optional(),
  oidc: oidcSetting
    .optional()
    .describe(
      'Where people sign in with a browser: by OpenID Connect, such as Entra ID or Keycloak.',
    ),
});

/** `authentication`: who may send requests, and how they identify themselves. */
export const authenticationSchema = logins.superRefine(reporting(loginProblems));

export type ApiKeySettings = z.output<typeof apiKeySetting>;

export type JwtSettings = z.output<typeof jwt>;

/** Claims of an API key or a user, by their names. */
export type ClaimsSettings = z.output<typeof claimsSetting>;

/** Returns the allowed algorithms of signatures: those named, or all that are safe with the kind of key. */
export function acceptedAlgorithms(
  given: Pick<JwtSettings, 'algorithms' | 'key' | 'secret'>,
): readonly Algorithm[] {
  const { algorithms: named, key, secret } = given;
  if (named !== undefined) return named;
  if (secret !== undefined) return ['HS256'];
  return key === undefined ? publicAlgorithms : algorithmsOf(createPublicKey(key));
}

/** Who issues tokens for the gateway. */
export interface Issuers {
  /** Their addresses. */
  readonly urls: readonly string[];
  /** What clients ask them for (RFC 6749 §3.3). */
  readonly scopes: readonly string[];
}

/** The issuers of tokens that clients can ask: those whose name is an address, and who sign by keys of their own. */
export function issuersOf({
  issuer,
  secret,
  scopes,
  rolesClaim,
  roles,
}: JwtSettings): Issuers | null {
  const urls = [issuer].flat().filter(isProviderUrl);
  if (urls.length === 0 || secret !== undefined) return null;
  const isByScope = rolesClaim === 'scope' || rolesClaim === 'scp';
  const words = scopes ?? (isByScope ? Object.keys(roles ?? {}) : []);
  return { urls, scopes: words.filter((word) => scopeSetting.safeParse(word).success) };
}

/** Warns where an identity provider decides alone who may do everything; null where roles say who may do what. */
export function openRightsWarning(config: {
  readonly authentication?: { readonly jwt?: unknown; readonly oidc?: unknown } | undefined;
  readonly roles?: unknown;
}): string | null {
  const { jwt, oidc } = config.authentication ?? {};
  if ((jwt ?? oidc) === undefined || config.roles !== undefined) return null;
  return 'Everybody whom the identity provider lets in may read and write what the mapping files expose: with roles, the configuration says who may do what';
}

function* loginProblems(given: z.input<typeof logins>): Generator<SettingProblem> {
  if (Object.values(given).every((value) => value === undefined)) {
    const message =
      'lets nobody in: expected one or more of apiKeys, users, jwt, oidc and anonymous';
    yield { path: [], message };
  }
  const { apiKeys = [] } = given;
  const repeatedHashes = repeated(apiKeys.map(({ hash }) => hash));
  for (const [index, { name }] of apiKeys.entries()) {
    if (apiKeys.findIndex((other) => other.name === name) < index) {
      const message = 'is the name of another key, too: logs could not tell them apart';
      yield { path: ['apiKeys', index, 'name'], message };
    }
    if (repeatedHashes.includes(index)) {
      const message = 'is the hash of another key, too: make a key for each with entitygate key';
      yield { path: ['apiKeys', index, 'hash'], message };
    }
  }
}

function* jwtProblems(given: JwtSettings): Generator<SettingProblem> {
  const { jwks, key, secret, algorithms: named = [] } = given;
  if ([jwks, key, secret].filter((one) => one !== undefined).length !== 1) {
    const message =
      'says by what the signatures of tokens are checked: expected one of jwks, key and secret';
    yield { path: [], message };
  } else if (secret !== undefined) {
    yield* secretProblems(secret, given.algorithms);
  } else {
    const isUsable = key !== undefined && publicKeyProblem(key) === null;
    const possible = isUsable ? algorithmsOf(createPublicKey(key)) : publicAlgorithms;
    // HS256 would take the public key, which everybody knows, for the secret.
    for (const [index, name] of named.entries()) {
      if (possible.includes(name)) continue;
      const by = key === undefined ? 'public keys' : 'the key';
      const message = `${name} is not allowed with ${by}: expected ${possible.join(', ')}`;
      yield { path: ['algorithms', index], message };
    }
  }
}

function* secretProblems(
  secret: string,
  named: readonly Algorithm[] = ['HS256'],
): Generator<SettingProblem> {
  for (const [index, name] of named.entries()) {
    const needed = secretBytes(name);
    if (needed === null) {
      const message = `${name} is not allowed with a secret: expected HS256, HS384 or HS512`;
      yield { path: ['algorithms', index], message };
    } else if (Buffer.byteLength(secret) < needed) {
      const message = `is too short for ${name}: expected ${needed} bytes or more`;
      yield { path: ['secret'], message };
    }
  }
}

function isInstant(text: string): boolean {
  return (
    z.iso.date().safeParse(text).success || z.iso.datetime({ offset: true }).safeParse(text).success
  );
}
