import { EncryptJWT, jwtDecrypt } from 'jose';

/** The use of an encrypted text, which is accepted for no other. */
type Purpose = 'sign-in' | 'refresh token';

/** Encrypts what others keep for the gateway, a browser or a store, who can neither read nor change it (JWE, RFC 7516). */
export class Sealing {
  readonly #key: () => string;

  /** @param key returns 32 bytes in hexadecimal digits, the same in all gateways that share what is sealed */
  constructor(key: () => string) {
    this.#key = key;
  }

  async seal(purpose: Purpose, content: Readonly<Record<string, unknown>>): Promise<string> {
    return new EncryptJWT({ content })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(purpose)
      .encrypt(Buffer.from(this.#key(), 'hex'));
  }

  /** Returns what was sealed; null where another key sealed it, or nobody. */
  async open(purpose: Purpose, text: string): Promise<Readonly<Record<string, unknown>> | null> {
    try {
      const { payload } = await jwtDecrypt(text, Buffer.from(this.#key(), 'hex'), {
        audience: purpose,
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: ['A256GCM'],
      });
      return payload['content'] as Readonly<Record<string, unknown>>;
    } catch {
      return null;
    }
  }
}
