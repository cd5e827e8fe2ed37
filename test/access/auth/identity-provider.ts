import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type JWK, type JWTPayload } from 'jose';

/** A pair of keys, and tokens that are signed with it. */
export interface Signer {
  readonly jwk: JWK;
  /** A token with these claims; its header may be another one. */
  readonly sign: (claims: JWTPayload, header?: { readonly kid?: string }) => Promise<string>;
}

/** Makes a pair of keys, which tokens name by `kid`. */
export async function signer(kid: string, alg = 'ES256'): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return {
    jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig' },
    sign: (claims, header = { kid }) =>
      new SignJWT(claims).setProtectedHeader({ alg, ...header }).sign(privateKey),
  };
}

/** How the provider answers. */
export type Mood = 'well' | 'away' | 'failing' | 'babbling' | 'silent';

/** An identity provider that listens on this machine. */
export interface IdentityProvider {
  readonly url: string;
  /** How often it was asked. */
  readonly asked: () => number;
  keys: readonly JWK[];
  mood: Mood;
  readonly close: () => Promise<void>;
}

/** Starts an identity provider with these keys. */
export async function startProvider(...keys: readonly JWK[]): Promise<IdentityProvider> {
  let asked = 0;
  const server = createServer((request, response) => {
    asked += 1;
    switch (provider.mood) {
      case 'well':
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ keys: provider.keys }));
        return;
      case 'away':
        request.socket.destroy();
        return;
      case 'failing':
        response.statusCode = 500;
        response.end();
        return;
      case 'babbling':
        response.end('<html>');
        return;
      case 'silent':
        return;
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const provider: IdentityProvider = {
    url: `http://127.0.0.1:${port}/jwks.json`,
    asked: () => asked,
    keys,
    mood: 'well',
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
  return provider;
}
