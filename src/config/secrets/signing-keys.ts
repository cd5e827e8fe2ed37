import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';

/** The key of an algorithm: a kind of public key, with its curve where it is elliptic, or a shared secret of so many bytes. */
type KeyNeed =
  | { readonly kind: 'rsa' | 'ed25519' }
  | { readonly kind: 'ec'; readonly curve: string }
  | { readonly kind: 'secret'; readonly bytes: number };

/** Signature algorithms (RFC 7518 §3.1, RFC 8037, RFC 9864), without `none`. A secret has at least as many bytes as its hash (RFC 7518 §3.2). */
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

export type Algorithm = keyof typeof needs;

export const algorithms = Object.keys(needs) as [Algorithm, ...Algorithm[]];

/** The algorithms whose signatures are checked with a public key. */
export const publicAlgorithms = algorithms.filter((name) => needs[name].kind !== 'secret');

/** The shortest key of RSA, in bits (https://www.rfc-editor.org/rfc/rfc7518#section-3.3). */
const RSA_BITS = 2048;

/** Returns the shortest secret for an algorithm, in bytes; null where it takes none. */
export function secretBytes(algorithm: Algorithm): number | null {
  const need: KeyNeed = needs[algorithm];
  return need.kind === 'secret' ? need.bytes : null;
}

/** Returns the algorithms that a public key can check. */
export function algorithmsOf(key: KeyObject): readonly Algorithm[] {
  return publicAlgorithms.filter((name) => {
    const need: KeyNeed = needs[name];
    if (need.kind !== key.asymmetricKeyType) return false;
    return need.kind !== 'ec' || need.curve === key.asymmetricKeyDetails?.namedCurve;
  });
}

/** Returns what is wrong with a PEM text as the public key of an issuer, or null. Private keys, which contain the public one, are refused. */
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
  return kindProblem(key);
}

/** Returns what is wrong with a PEM text as the private key that the gateway signs with, or null. */
export function privateKeyProblem(pem: string): string | null {
  try {
    const key = createPrivateKey(pem);
    const problem = kindProblem(key);
    return problem ?? (certificateIn(pem)?.checkPrivateKey(key) === false ? OTHER : null);
  } catch {
    return 'is not a private key: expected PEM text without a passphrase, which begins with -----BEGIN PRIVATE KEY-----';
  }
}

const OTHER = 'has the certificate of another key beside it';

/** The certificate that stands beside a key in PEM text; null where there is none. @throws Error where it cannot be read */
export function certificateIn(pem: string): X509Certificate | null {
  return pem.includes('-----BEGIN CERTIFICATE-----') ? new X509Certificate(pem) : null;
}

/** Returns what is wrong with a key as one of signatures, or null. */
export function kindProblem(key: KeyObject): string | null {
  if (algorithmsOf(key).length === 0) {
    return 'is a key of a kind that tokens are not signed with: expected RSA, P-256, P-384, P-521 or Ed25519';
  }
  const bits = key.asymmetricKeyDetails?.modulusLength ?? RSA_BITS;
  return bits < RSA_BITS
    ? `has ${bits} bits: a key of RSA has ${RSA_BITS} or more to be safe`
    : null;
}
