import { createPublicKey } from 'node:crypto';
import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { isRecord } from '../../base/collections.ts';
import type { AuthClock } from '../../base/time.ts';
import { ProtocolError } from '../../base/errors.ts';
import { ADMIN, type Claims, type Principal } from '../../base/principal.ts';
import { acceptedAlgorithms, type JwtSettings } from '../../config/settings/authentication.ts';
import { refused } from './principal.ts';
import { keysAt, type ProviderKeys } from './provider-keys.ts';

const MAX_TOKEN_LENGTH = 16_384;

/** How many claims a token may have; nested ones count one by one. */
const MAX_CLAIMS = 256;

const MAX_DEPTH = 8;

/** Checks the tokens of an identity provider (JWT, RFC 7519; best practices: RFC 8725). */
export class Tokens {
  readonly #settings: JwtSettings;
  readonly #clock: AuthClock;
  readonly #onProblem: (problem: Error) => void;
  readonly #algorithms: string[];
  /** Whom tokens may be for, with requests of agents and with others. */
  readonly #audiences: Readonly<Record<'agents' | 'others', string[]>>;
  readonly #key: JWTVerifyGetKey;

  /**
   * @param onProblem is called when the identity provider does not answer, or its keys cannot be used
   * @param providerKeys the keys of identity providers that are known already
   */
  constructor(
    settings: JwtSettings,
    clock: AuthClock,
    onProblem: (problem: Error) => void,
    providerKeys = new Map<string, ProviderKeys>(),
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#onProblem = onProblem;
    this.#algorithms = [...acceptedAlgorithms(settings)];
    const audiences = [settings.audience].flat();
    this.#audiences = {
      agents: audiences.filter((audience) => !isResource(audience, 'rest')),
      others: audiences.filter((audience) => !isResource(audience, 'mcp')),
    };
    this.#key = keyOf(settings, (jwks) => keysAt(jwks, providerKeys, clock, onProblem));
  }

  /**
   * Returns the principal of a token. @param isForAgents as in {@link Authentication.authenticate}
   * @throws ProtocolError notLoggedIn, without a part of the token; identityProviderAway where it cannot be checked
   */
  async holder(token: string, isForAgents = false): Promise<Principal> {
    if (token.length > MAX_TOKEN_LENGTH) {
      throw refused(`The token is longer than ${MAX_TOKEN_LENGTH} characters.`);
    }
    let payload: JWTPayload;
    try {
      payload = await this.#verified(token, this.#audiences[isForAgents ? 'agents' : 'others']);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      const message = complaint(error);
      if (message !== null) throw refused(message);
      const unusable = 'The token’s signing key cannot be used.';
      this.#onProblem(new Error(unusable, { cause: error }));
      throw refused(unusable);
    }
    return claimsPrincipal(flatClaims(payload), this.#settings);
  }

  async #verified(token: string, audience: string[]): Promise<JWTPayload> {
    try {
      return await this.#verifiedBy(token, audience, this.#key);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      // A token need not name its key: then each that fits is tried.
      for await (const key of error) {
        try {
          return await this.#verifiedBy(token, audience, () => key);
        } catch (other) {
          if (!(other instanceof errors.JWSSignatureVerificationFailed)) throw other;
        }
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  async #verifiedBy(token: string, audience: string[], key: JWTVerifyGetKey): Promise<JWTPayload> {
    const { issuer, clockSkewSeconds } = this.#settings;
    const { payload, protectedHeader } = await jwtVerify(token, key, {
      issuer,
      audience,
      algorithms: this.#algorithms,
      clockTolerance: clockSkewSeconds,
      currentDate: new Date(this.#clock.wall()),
      requiredClaims: ['exp'],
    });
    // What the provider tells of a logout lets nobody in (RFC 8725 §3.11).
    if (protectedHeader.typ?.toLowerCase() === 'logout+jwt') throw new errors.JWTInvalid();
    return payload;
  }
}

/** Whether an audience is the address of one of the gateway's resources, for which a token is good alone (RFC 8707 §2). */
function isResource(audience: string, name: 'rest' | 'mcp'): boolean {
  return new RegExp(`^https?://[^?#]*/${name}/?$`, 'i').test(audience);
}

function keyOf(
  { jwks, key, secret }: JwtSettings,
  keysOf: (jwks: string) => ProviderKeys,
): JWTVerifyGetKey {
  if (jwks !== undefined) return keysOf(jwks).find;
  const known = key === undefined ? Buffer.from(secret ?? '') : createPublicKey(key);
  return () => known;
}

const NOT_ACCEPTED = 'The token’s signing algorithm is not accepted.';
const NOT_A_TOKEN = 'This is neither an API key nor a token (JWT).';

/** The messages to the sender of a refused token, by the codes of jose's errors. */
const COMPLAINTS: Readonly<Record<string, string>> = {
  [errors.JWTExpired.code]: 'The token has expired.',
  [errors.JWSSignatureVerificationFailed.code]: 'The token’s signature is wrong.',
  [errors.JOSEAlgNotAllowed.code]: NOT_ACCEPTED,
  [errors.JOSENotSupported.code]: NOT_ACCEPTED,
  [errors.JWKSNoMatchingKey.code]:
    'The token is signed by a key that the identity provider does not have.',
  [errors.JWSInvalid.code]: NOT_A_TOKEN,
  [errors.JWTInvalid.code]: NOT_A_TOKEN,
};

/** The same for claims with a wrong value. */
const CLAIM_COMPLAINTS: Readonly<Record<string, string>> = {
  aud: 'The token is for another audience.',
  iss: 'The token is from another issuer.',
  nbf: 'The token is not valid yet.',
};

/** Explains to the sender why a token is refused; null where that is not the token's fault. */
function complaint(error: unknown): string | null {
  if (!(error instanceof errors.JOSEError)) return null;
  if (!(error instanceof errors.JWTClaimValidationFailed)) return COMPLAINTS[error.code] ?? null;
  const { claim, reason } = error;
  if (reason === 'missing') return `The token has no claim ${claim}.`;
  return CLAIM_COMPLAINTS[claim] ?? `The token’s claim ${claim} is of the wrong type.`;
}

/** The settings by which a token's claims become a principal. */
export type TokenReading = Pick<JwtSettings, 'nameClaim' | 'rolesClaim' | 'roles' | 'defaultRoles'>;

/** Makes the principal of a token with these claims. @throws ProtocolError notLoggedIn where they name no user */
export function claimsPrincipal(
  claims: Claims,
  { nameClaim, rolesClaim, roles, defaultRoles }: TokenReading,
): Principal {
  const name = claims.get(nameClaim);
  const nameless = `The token does not name its user: its claim ${nameClaim}`;
  if (typeof name !== 'string' || name === '') throw refused(`${nameless} is not text.`);
  if (/[\p{Cc}\p{Cs}]/u.test(name)) throw refused(`${nameless} holds a control character.`);
  const given = wordsOf(claims, rolesClaim).flatMap((word) => {
    // "admin" is a common word that may mean less elsewhere: only the configuration makes administrators.
    if (roles === undefined) return word === ADMIN ? [] : [word];
    // Every object has a member "constructor".
    return Object.hasOwn(roles, word) ? [roles[word] ?? word] : [];
  });
  return {
    name,
    roles: [...new Set([...given, ...defaultRoles])],
    claims: new Map([...claims, ['user', name]]),
  };
}

/** The words of a claim: a list, or a text of words that blanks separate, such as `scope` (RFC 8693 §4.2). */
function wordsOf(claims: Claims, name: string): readonly string[] {
  const value = claims.get(name) ?? [];
  return typeof value === 'string' ? value.split(/\s+/).filter((word) => word !== '') : value;
}

/**
 * Flattens a token's claims for row policies: nested ones get names with dots (`address.country`), numbers and booleans become text. Nulls, and lists
 * with anything else, are left out. @throws ProtocolError notLoggedIn for too many claims, and for two of one name: nobody can tell which one counts
 */
export function flatClaims(payload: Readonly<Record<string, unknown>>): Claims {
  const claims = new Map<string, string | readonly string[]>();
  const add = (name: string, value: unknown, depth: number): void => {
    if (isRecord(value)) {
      if (depth === MAX_DEPTH) throw refused('The token’s claims are nested too deeply.');
      for (const [key, inner] of Object.entries(value)) add(`${name}.${key}`, inner, depth + 1);
      return;
    }
    const text = Array.isArray(value) ? textsOf(value) : textOf(value);
    if (text === null) return;
    if (claims.has(name)) throw refused('The token has two claims of one name.');
    if (claims.size === MAX_CLAIMS) throw refused(`The token has more than ${MAX_CLAIMS} claims.`);
    claims.set(name, text);
  };
  for (const [name, value] of Object.entries(payload)) add(name, value, 1);
  return claims;
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}

function textsOf(values: readonly unknown[]): readonly string[] | null {
  const texts = values.map(textOf);
  return texts.every((text) => text !== null) ? texts : null;
}
