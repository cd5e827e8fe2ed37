import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import Provider, { type ClientMetadata, type Configuration } from 'oidc-provider';

/** What the provider says of a user beside the name. */
type Claims = Readonly<Record<string, unknown>>;

/** A certified identity provider in this process, whose users have any password. */
export interface OpenIdProvider {
  readonly issuer: string;
  /** The users by their names; others are unknown. */
  readonly users: Map<string, Claims>;
  /** How it answers: as it does, not at all, or where tokens are asked for, as the test says. */
  mood: 'well' | 'away' | RequestListener;
  /** Signs a token with its key, as only it can. */
  readonly sign: (claims: JWTPayload) => Promise<string>;
  /** The requests that it has got, such as `POST /token`. */
  readonly requests: string[];
  /** Makes it know these clients. */
  readonly register: (clients: readonly ClientMetadata[], more?: Configuration) => void;
  readonly close: () => Promise<void>;
}

/** The gateway as the provider knows it, at some addresses. */
export function gatewayClient(...addresses: readonly string[]): ClientMetadata {
  return {
    client_id: 'gateway',
    client_secret: 'the secret of the gateway',
    redirect_uris: addresses.map((address) => `${address}/oidc/callback`),
    post_logout_redirect_uris: addresses.map((address) => `${address}/explore/`),
    ...(addresses[0] && { backchannel_logout_uri: `${addresses[0]}/oidc/backchannel-logout` }),
    backchannel_logout_session_required: true,
  };
}

/** The settings `authentication.oidc` of such a gateway. */
export function oidcSettings(issuer: string): object {
  return { issuer, clientId: 'gateway', clientSecret: 'the secret of the gateway', title: 'Acme' };
}

/** How long an access token lives, in seconds. */
export const TOKEN_LIFE = 600;

/** Told, so that the provider does not advise to tell it. */
const TTL = {
  AuthorizationCode: 60,
  Grant: 86_400,
  IdToken: 600,
  Interaction: 3600,
  RefreshToken: 86_400,
  Session: 86_400,
};

/** Starts a provider, which knows no client yet. @param port where it ran before, if it did */
export async function startOpenIdProvider(port = 0): Promise<OpenIdProvider> {
  let serve: RequestListener = (_request, response) => response.writeHead(503).end();
  const requests: string[] = [];
  const server: Server = createServer((request, response) => {
    requests.push(`${request.method ?? ''} ${request.url?.split('?', 1)[0] ?? ''}`);
    if (provider.mood === 'away') request.socket.destroy();
    else if (provider.mood === 'well' || !request.url?.startsWith('/token'))
      serve(request, response);
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
    sign: (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'first' }).sign(privateKey),
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
        // Its own connection would ask nothing of this machine.
        fetch: (url, { method = 'GET', headers = {}, body = null } = {}) =>
          fetch(url, { method, headers, body }),
        issueRefreshToken: () => true,
        ttl: { ...TTL, AccessToken: TOKEN_LIFE },
        rotateRefreshToken: true,
        ...more,
        features: {
          devInteractions: { enabled: true },
          rpInitiatedLogout: { enabled: true },
          backchannelLogout: { enabled: true },
          ...more.features,
        },
      });
      const callback = served.callback();
      serve = (request, response) => void callback(request, response);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}
