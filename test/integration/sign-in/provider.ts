import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import Provider, { type ClientMetadata, type Configuration } from 'oidc-provider';

/** What the provider says of a user beside the name. */
type Claims = Readonly<Record<string, unknown>>;

/** A certified identity provider in this process, whose users have any password. */
export interface OpenIdProvider {
  readonly issuer: string;
  /** The users by their names; others are unknown. */
  readonly users: Map<string, Claims>;
  /** How it answers: as it does, not at all, or as the test says. */
  mood: 'well' | 'away' | RequestListener;
  /** The requests that it has got, such as `POST /token`. */
  readonly requests: string[];
  /** Makes it know these clients. */
  readonly register: (clients: readonly ClientMetadata[], more?: Configuration) => Promise<void>;
  readonly close: () => Promise<void>;
}

export const CLIENT = { client_id: 'gateway', client_secret: 'the secret of the gateway' };

/** Starts a provider, which knows no client yet. @param port where it ran before, if it did */
export async function startOpenIdProvider(port = 0): Promise<OpenIdProvider> {
  let serve: RequestListener = (_request, response) => response.writeHead(503).end();
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url?.split('?', 1)[0] ?? ''}`);
    if (provider.mood === 'away') request.socket.destroy();
    else if (provider.mood === 'well') serve(request, response);
    else provider.mood(request, response);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const key = { ...(await exportJWK(privateKey)), kid: 'first', use: 'sig', alg: 'RS256' };
  const provider: OpenIdProvider = {
    issuer,
    users: new Map(),
    mood: 'well',
    requests,
    register: (clients, more = {}) => {
      const served = new Provider(issuer, {
        clients: clients.map((client) => ({
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
          ...client,
        })),
        jwks: { keys: [key] },
        cookies: { keys: ['a key of the provider'] },
        scopes: ['openid', 'profile', 'offline_access'],
        claims: { openid: ['sub'], profile: ['name', 'roles', 'region'] },
        conformIdTokenClaims: false,
        findAccount: (_context, name) => {
          const claims = provider.users.get(name);
          return claims && { accountId: name, claims: () => ({ sub: name, ...claims }) };
        },
        issueRefreshToken: () => true,
        rotateRefreshToken: true,
        ...more,
        features: {
          devInteractions: { enabled: true },
          rpInitiatedLogout: { enabled: true },
          backchannelLogout: { enabled: true },
          ...more.features,
        },
      });
      serve = served.callback();
      return Promise.resolve();
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}
