import { EncryptJWT, jwtDecrypt } from 'jose';

/** What a sealed text is for: one is not taken for the other. */
type Purpose = 'sign-in' | 'refresh token';

/** Encrypts what others keep for the gateway, a browser or a store, who can neither read nor change it (JWE, RFC 7516). */
export class Sealing {
  readonly #key: () => Uint8Array;

  /** @param key returns 32 bytes, the same in all gateways that share what is sealed */
  constructor(key: () => Uint8Array) {
    this.#key = key;
  }

  async seal(purpose: Purpose, content: Readonly<Record<string, unknown>>): Promise<string> {
    return new EncryptJWT({ content })
      .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
      .setAudience(purpose)
      .encrypt(this.#key());
  }

  /** Returns what was sealed; null where another key sealed it, or nobody. */
  async open(purpose: Purpose, text: string): Promise<Readonly<Record<string, unknown>> | null> {
    try {
      const { payload } = await jwtDecrypt(text, this.#key(), {
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
