import { createPublicKey } from 'node:crypto';
import { errors, jwtVerify, type JWTPayload, type JWTVerifyGetKey } from 'jose';
import { ProtocolError } from '../../base/errors.ts';
import type { Principal } from '../../base/principal.ts';
import { acceptedAlgorithms, type JwtSettings } from '../../config/settings/authentication.ts';
import type { AuthClock } from '../../base/clock.ts';
import { ProviderKeys } from './provider-keys.ts';
import { refused } from './principal.ts';
import { tokenPrincipal } from './token-principal.ts';

/** How long a token may be, in characters. */
const MOST_CHARACTERS = 16_384;

/** The tokens of an identity provider (JWT, RFC 7519; RFC 8725 for what to mind). */
export class Tokens {
  readonly #settings: JwtSettings;
  readonly #clock: AuthClock;
  readonly #onProblem: (problem: Error) => void;
  readonly #algorithms: string[];
  readonly #key: JWTVerifyGetKey;

  /** @param onProblem hears of an identity provider that does not answer, or whose keys are of no use */
  constructor(settings: JwtSettings, clock: AuthClock, onProblem: (problem: Error) => void) {
    this.#settings = settings;
    this.#clock = clock;
    this.#onProblem = onProblem;
    this.#algorithms = [...acceptedAlgorithms(settings)];
    this.#key = keyOf(settings, clock, onProblem);
  }

  /**
   * Who has a token.
   * @throws ProtocolError notLoggedIn for one that is not taken, without a part of it; identityProviderAway where that cannot be told
   */
  async holder(token: string): Promise<Principal> {
    if (token.length > MOST_CHARACTERS) {
      throw refused(`The token is longer than ${MOST_CHARACTERS} characters.`);
    }
    let payload: JWTPayload;
    try {
      payload = await this.#verified(token);
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      const message = complaint(error);
      if (message !== null) throw refused(message);
      const unusable = 'The token’s signing key cannot be used.';
      this.#onProblem(new Error(unusable, { cause: error }));
      throw refused(unusable);
    }
    return tokenPrincipal(payload, this.#settings);
  }

  async #verified(token: string): Promise<JWTPayload> {
    try {
      return await this.#verifiedBy(token, this.#key);
    } catch (error) {
      if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
      // A token need not name its key: then each that fits is tried.
      for await (const key of error) {
        try {
          return await this.#verifiedBy(token, () => key);
        } catch (other) {
          if (!(other instanceof errors.JWSSignatureVerificationFailed)) throw other;
        }
      }
      throw new errors.JWSSignatureVerificationFailed();
    }
  }

  async #verifiedBy(token: string, key: JWTVerifyGetKey): Promise<JWTPayload> {
    const { issuer, audience, clockSkewSeconds } = this.#settings;
    const { payload } = await jwtVerify(token, key, {
      issuer,
      audience,
      algorithms: this.#algorithms,
      clockTolerance: clockSkewSeconds,
      currentDate: new Date(this.#clock.wall()),
      requiredClaims: ['exp'],
    });
    return payload;
  }
}

function keyOf(
  { jwks, key, secret }: JwtSettings,
  clock: AuthClock,
  onProblem: (problem: Error) => void,
): JWTVerifyGetKey {
  if (jwks !== undefined) return new ProviderKeys(jwks, clock, onProblem).find;
  const known = key === undefined ? Buffer.from(secret ?? '') : createPublicKey(key);
  return () => known;
}

/** Why a token is not taken, in words for who sent it; null where that is not the token's fault. */
function complaint(error: unknown): string | null {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed) return claimComplaint(error);
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return 'The token’s signature is wrong.';
  }
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) {
    return 'The token’s signing algorithm is not accepted.';
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return 'The token is signed by a key that the identity provider does not have.';
  }
  if (error instanceof errors.JWSInvalid || error instanceof errors.JWTInvalid) {
    return 'This is neither an API key nor a token (JWT).';
  }
  return null;
}

function claimComplaint({ claim, reason }: errors.JWTClaimValidationFailed): string {
  if (reason === 'missing') return `The token has no claim ${claim}.`;
  switch (claim) {
    case 'aud':
      return 'The token is for another audience.';
    case 'iss':
      return 'The token is from another issuer.';
    case 'nbf':
      return 'The token is not valid yet.';
    default:
      return `The token’s claim ${claim} is of the wrong type.`;
  }
}
