import { createPublicKey, type KeyObject } from 'node:crypto';

/** What an algorithm of signatures needs: a kind of public key, of a curve where it is elliptic, or a shared secret of so many bytes. */
type KeyNeed =
  | { readonly kind: 'rsa' | 'ed25519' }
  | { readonly kind: 'ec'; readonly curve: string }
  | { readonly kind: 'secret'; readonly bytes: number };

/**
 * The algorithms that tokens may be signed by (https://www.rfc-editor.org/rfc/rfc7518#section-3.1, RFC 8037, RFC 9864). `none` is not
 * among them: it signs nothing. A secret has at least as many bytes as its hash (RFC 7518 §3.2).
 */
const needs = {
  RS256: { kind: 'rsa' },
  RS384: { kind: 'rsa' },
  RS512: { kind: 'rsa' },
  PS256: { kind: 'rsa' },
  PS384: { kind: 'rsa' },
  PS512: { kind: 'rsa' },
  ES256: { kind: 'ec', curve: 'prime256v1' },
  ES384: { kind: 'ec', curve: 'secp384r1' },
  ES512: { kind: 'ec', curve: 'secp521r1' },
  EdDSA: { kind: 'ed25519' },
  Ed25519: { kind: 'ed25519' },
  HS256: { kind: 'secret', bytes: 32 },
  HS384: { kind: 'secret', bytes: 48 },
  HS512: { kind: 'secret', bytes: 64 },
} as const satisfies Record<string, KeyNeed>;

/** The name of an algorithm of signatures (`RS256`). */
export type Algorithm = keyof typeof needs;

/** All algorithms that tokens may be signed by. */
export const algorithms = Object.keys(needs) as [Algorithm, ...Algorithm[]];

/** Those whose signatures anybody may check who has the public key. */
export const publicAlgorithms = algorithms.filter((name) => needs[name].kind !== 'secret');

/** How many bits a key of RSA has at least (https://www.rfc-editor.org/rfc/rfc7518#section-3.3). */
const RSA_BITS = 2048;

/** How many bytes a secret for an algorithm has at least; null where the algorithm takes none. */
export function secretBytes(algorithm: Algorithm): number | null {
  const need: KeyNeed = needs[algorithm];
  return need.kind === 'secret' ? need.bytes : null;
}

/** The algorithms that a public key can check, by its kind; none where tokens are not signed by keys of that kind. */
export function algorithmsOf({
  asymmetricKeyType,
  asymmetricKeyDetails,
}: KeyObject): readonly Algorithm[] {
  return publicAlgorithms.filter((name) => {
    const need: KeyNeed = needs[name];
    return (
      need.kind === asymmetricKeyType &&
      (need.kind !== 'ec' || need.curve === asymmetricKeyDetails?.namedCurve)
    );
  });
}

/**
 * What is wrong with a PEM text as the public key of an issuer of tokens, or null where nothing is. A private key would do as well, as the public one is
 * a part of it, but has no business here.
 */
export function publicKeyProblem(pem: string): string | null {
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(pem)) {
    return 'is a private key: give the public one, and keep this one to who signs the tokens';
  }
  let key: KeyObject;
  try {
    key = createPublicKey(pem);
  } catch {
    return 'is not a public key: expected PEM text, which begins with -----BEGIN PUBLIC KEY----- or -----BEGIN CERTIFICATE-----';
  }
  if (algorithmsOf(key).length === 0) {
    return 'is a key of a kind that tokens are not signed with: expected RSA, P-256, P-384, P-521 or Ed25519';
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? RSA_BITS;
  return bits < RSA_BITS
    ? `has ${bits} bits: a key of RSA has ${RSA_BITS} or more to be safe`
    : null;
}
