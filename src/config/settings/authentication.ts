import { createPublicKey } from 'node:crypto';
import { z } from 'zod';
import {
  algorithms,
  algorithmsOf,
  publicAlgorithms,
  publicKeyProblem,
  secretBytes,
  type Algorithm,
} from '../secrets/signing-keys.ts';

/** The name of somebody who may ask, as logs and `$claims.user` have it. */
export const nameSetting = z
  .string()
  .min(1)
  .max(256)
  .regex(/^\P{Cc}*$/u, 'holds a control character');

/** Names of roles. */
export const givenRolesSetting = z.array(z.string().min(1));

const claimName = z
  .string()
  .regex(
    /^[\p{L}\p{N}_.:/-]+$/u,
    'is not a name of a claim, as filters name them: expected letters, digits and _ . : / -',
  )
  .refine((name) => name !== 'user', 'is reserved for the user’s name');

/** Claims by their names: texts and lists of texts. Numbers are none: YAML would read 0042 as 42. */
export const claimsSetting = z.record(claimName, z.union([z.string(), z.array(z.string())]));

/** An API key, as `authentication.apiKeys` has it. */
export const apiKeySetting = z.strictObject({
  name: nameSetting.describe('Who sends the key, for logs and $claims.user.'),
  hash: z
    .string()
    .regex(
      /^sha256:[\da-f]{64}$/i,
      'is not a hash of an API key: expected sha256: and 64 hexadecimal digits, as entitygate key prints them',
    )
    .describe('The SHA-256 of the key, which is itself nowhere stored: entitygate key prints it.'),
  roles: givenRolesSetting.default([]).describe('The roles of who sends the key.'),
  claims: claimsSetting.default({}).describe('What row policies compare with.'),
  expires: z
    .string()
    .refine(isInstant, 'is not a date such as 2027-01-31 or 2027-01-31T18:00:00Z')
    .optional()
    .describe('From then on the key is refused; a date is its beginning in UTC.'),
});

const textOrTexts = z.union([z.string().min(1), z.array(z.string().min(1)).min(1)]);

const jwt = z
  .strictObject({
    jwks: z
      .string()
      .refine(
        isSafeUrl,
        'is not a URL to fetch keys from safely: expected https://… without a login, or http:// of this machine',
      )
      .optional()
      .describe('Where the issuer’s public keys are: the URL of its JSON Web Key Set.'),
    key: z
      .string()
      .superRefine((pem, context) => {
        const message = publicKeyProblem(pem);
        if (message !== null) context.addIssue({ code: 'custom', message });
      })
      .optional()
      .describe('Instead of jwks: the issuer’s public key or certificate as PEM text.'),
    secret: z
      .string()
      .optional()
      .describe('Instead of jwks: a secret that the issuer shares, of 32 bytes or more.'),
    issuer: textOrTexts.describe('The claim iss of tokens that are taken; one, or a list.'),
    audience: textOrTexts.describe(
      'What tokens that are taken are for: their claim aud is or holds it; one, or a list.',
    ),
    algorithms: z
      .array(z.enum(algorithms))
      .min(1)
      .optional()
      .describe(
        'What tokens may be signed by. Where it is left out: what the key can check; of jwks all with public keys; HS256 of a secret.',
      ),
    clockSkewSeconds: z
      .int()
      .min(0)
      .max(600)
      .default(60)
      .describe('How far the issuer’s clock may be from the gateway’s.'),
    nameClaim: z.string().min(1).default('sub').describe('The claim that is the user’s name.'),
    rolesClaim: z
      .string()
      .min(1)
      .default('roles')
      .describe(
        'The claim with the roles, a list, or a text of words that blanks separate; realm_access.roles for one inside another.',
      ),
    roles: z
      .record(z.string().min(1), z.string().min(1))
      .optional()
      .describe('The roles that the token’s words stand for; other words then stand for none.'),
    defaultRoles: givenRolesSetting.default([]).describe('Roles of everybody with a valid token.'),
  })
  .superRefine((given, context) => {
    for (const { path, message } of jwtProblems(given)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  });

/** `authentication`: who may ask, and how they show who they are. */
export const authenticationSchema = z
  .strictObject({
    anonymous: givenRolesSetting
      .optional()
      .describe('The roles of who sends no credentials; where it is left out, they are refused.'),
    apiKeys: z.array(apiKeySetting).min(1).optional().describe('The keys of programs.'),
    users: z
      .string()
      .min(1)
      .optional()
      .describe('The file of the users who log in with a name and a password.'),
    jwt: jwt.optional(),
  })
  .superRefine((given, context) => {
    if (Object.values(given).every((value) => value === undefined)) {
      const message = 'lets nobody in: expected one or more of apiKeys, users, jwt and anonymous';
      context.addIssue({ code: 'custom', message });
    }
    const { apiKeys = [] } = given;
    for (const [index, { name, hash }] of apiKeys.entries()) {
      const before = apiKeys.slice(0, index);
      if (before.some((other) => other.name === name)) {
        const message = 'is the name of another key, too: logs could not tell them apart';
        context.addIssue({ code: 'custom', path: ['apiKeys', index, 'name'], message });
      }
      if (before.some((other) => other.hash.toLowerCase() === hash.toLowerCase())) {
        const message = 'is the hash of another key, too: make a key for each with entitygate key';
        context.addIssue({ code: 'custom', path: ['apiKeys', index, 'hash'], message });
      }
    }
  });

/** What `authentication` says, with all defaults. */
export type AuthenticationSettings = z.output<typeof authenticationSchema>;

/** An API key of the configuration. */
export type ApiKeySettings = z.output<typeof apiKeySetting>;

/** How tokens are checked and read. */
export type JwtSettings = z.output<typeof jwt>;

/** Claims of an API key or a user, by their names. */
export type ClaimsSettings = z.output<typeof claimsSetting>;

/** The algorithms that tokens may be signed by: those that are named, or all that are safe with the kind of key. */
export function acceptedAlgorithms({
  algorithms: named,
  key,
  secret,
}: Pick<JwtSettings, 'algorithms' | 'key' | 'secret'>): readonly Algorithm[] {
  if (named !== undefined) return named;
  if (secret !== undefined) return ['HS256'];
  return key === undefined ? publicAlgorithms : algorithmsOf(createPublicKey(key));
}

interface JwtProblem {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

function jwtProblems(given: JwtSettings): readonly JwtProblem[] {
  const { jwks, key, secret } = given;
  if ([jwks, key, secret].filter((one) => one !== undefined).length !== 1) {
    const message =
      'says by what the signatures of tokens are checked: expected one of jwks, key and secret';
    return [{ path: [], message }];
  }
  if (secret !== undefined) return secretProblems(secret, given.algorithms);
  const possible =
    key === undefined || publicKeyProblem(key) !== null
      ? publicAlgorithms
      : algorithmsOf(createPublicKey(key));
  const { algorithms: named = [] } = given;
  // With a public key taken for a secret, whoever knows it, and that is everybody, could sign.
  return named.flatMap((name, index) =>
    possible.includes(name)
      ? []
      : [
          {
            path: ['algorithms', index],
            message: `${name} is not allowed with ${key === undefined ? 'public keys' : 'the key'}: expected ${possible.join(', ')}`,
          },
        ],
  );
}

function secretProblems(secret: string, named: readonly Algorithm[] = ['HS256']): JwtProblem[] {
  const given = Buffer.byteLength(secret);
  return named.flatMap((name, index): JwtProblem[] => {
    const needed = secretBytes(name);
    if (needed === null) {
      const message = `${name} is not allowed with a secret: expected HS256, HS384 or HS512`;
      return [{ path: ['algorithms', index], message }];
    }
    return given < needed
      ? [
          {
            path: ['secret'],
            message: `is too short for ${name}: expected ${needed} bytes or more`,
          },
        ]
      : [];
  });
}

/** A key that came by http could be anybody's, but from the machine itself. A login in the URL would end up in messages. */
function isSafeUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username, password } = new URL(text);
  if (username !== '' || password !== '') return false;
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
  return protocol === 'https:' || (protocol === 'http:' && isHere);
}

function isInstant(text: string): boolean {
  return (
    z.iso.date().safeParse(text).success || z.iso.datetime({ offset: true }).safeParse(text).success
  );
}
