import { createPrivateKey, createPublicKey, hash } from 'node:crypto';
import { importPKCS8, jwtVerify } from 'jose';
import * as oidc from 'openid-client';
import { isRecord } from '../../base/collections.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { Claims, Grant, Granted, Principal } from '../../base/principal.ts';
import { excerpt } from '../../base/text.ts';
import type { AuthClock, Awaitable } from '../../base/time.ts';
import { isProviderUrl } from '../../config/settings/identity-provider.ts';
import type { OidcSettings } from '../../config/settings/oidc.ts';
import {
  algorithmsOf,
  certificateIn,
  publicAlgorithms,
} from '../../config/secrets/signing-keys.ts';
import { refused } from './principal.ts';
import { keysAt, type ProviderKeys, providerProblem } from './provider-keys.ts';
import { Sealing } from './sealing.ts';
import { claimsPrincipal, flatClaims } from './tokens.ts';

/** How long the provider may take to answer, in seconds. */
const TIMEOUT = 5;

/** How long the provider's configuration is used before it is read again, in milliseconds. */
const REREAD_AGE = 3_600_000;

/** After the provider has let a question go unanswered, nobody waits for it again within this time, in milliseconds. */
const COOLDOWN = 10_000;

/** How long a sign-in may take from its beginning to its end, in milliseconds: people look for their second factor. */
export const SIGN_IN_TIME = 15 * 60_000;

/** A grant is renewed in the last part of its life, at most in its last minute. */
const RENEWED_PART = 0.2;
const RENEWED_BEFORE = 60_000;

/** How long a grant lasts at least, whatever the provider says, in milliseconds: otherwise each request would ask for another one. */
const SHORTEST_GRANT = 60_000;

/** The parameters of a provider's answer that count (OpenID Connect Core 1.0 §3.1.2.5, RFC 9207); others are ignored (RFC 6749 §4.1.2). */
const ANSWERED: ReadonlySet<string> = new Set(['code', 'state', 'iss', 'error']);

/** The age up to which a message of the provider that a user has signed out counts, in seconds (OpenID Connect Back-Channel Logout 1.0 §2.6). */
const LOGOUT_TOKEN_AGE = 300;

const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout';

/** A sign-in that has begun. */
export interface BegunSignIn {
  /** Where the provider asks the user. */
  readonly url: string;
  /** The parameter `state`, which the provider's answer repeats. */
  readonly state: string;
  /** The encrypted value of a cookie, by which the browser goes on with this sign-in. */
  readonly sealed: string;
}

/** The content of that cookie. */
export interface KeptSignIn {
  readonly state: string;
  readonly nonce: string;
  /** The secret of PKCE. */
  readonly verifier: string;
  readonly returnTo: string;
  readonly redirectUri: string;
  /** When it has begun, in milliseconds since 1970. */
  readonly at: number;
}

/** Signs people in at an identity provider (OpenID Connect Core 1.0 §3.1, with PKCE, RFC 7636, and the issuer of answers, RFC 9207). */
export class SignIn {
  readonly #settings: OidcSettings;
  readonly #clock: AuthClock;
  readonly #onProblem: (problem: Error) => void;
  readonly #sealing: Sealing;
  #client: Promise<oidc.Configuration> | null = null;
  #readAt = -Infinity;
  readonly #providerKeys: Map<string, ProviderKeys>;
  /** Why the provider did not answer, and until when it is not asked again, by the steady clock. */
  #away: { readonly until: number; readonly error: ProtocolError } | null = null;

  /**
   * @param key as {@link Sealing} takes it
   * @param onProblem is called where a provider does not answer, refuses the gateway, or answers what cannot be trusted
   * @param providerKeys the keys of identity providers that are known already, by their addresses
   */
  constructor(
    settings: OidcSettings,
    clock: AuthClock,
    key: () => string,
    onProblem: (problem: Error) => void,
    providerKeys = new Map<string, ProviderKeys>(),
  ) {
    this.#settings = settings;
    this.#clock = clock;
    this.#sealing = new Sealing(key);
    this.#onProblem = onProblem;
    this.#providerKeys = providerKeys;
  }

  /** Who signs users in, as they know it. */
  get title(): string {
    return this.#settings.title ?? new URL(this.#settings.issuer).host;
  }

  /**
   * Begins a sign-in. @param redirectUri where the provider leads the browser then, as it is registered there
   * @param returnTo where the user goes on at last
   * @throws ProtocolError identityProviderAway
   */
  async begin(redirectUri: string, returnTo: string): Promise<BegunSignIn> {
    const client = await this.#discovered();
    const [state, nonce] = [oidc.randomState(), oidc.randomNonce()];
    const verifier = oidc.randomPKCECodeVerifier();
    const challenge = await oidc.calculatePKCECodeChallenge(verifier);
    const url = await this.#asked(() =>
      oidc.buildAuthorizationUrl(client, {
        ...this.#settings.parameters,
        redirect_uri: redirectUri,
        scope: this.#settings.scopes.join(' '),
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      }),
    );
    const at = this.#clock.wall();
    const kept: KeptSignIn = { state, nonce, verifier, returnTo, redirectUri, at };
    return { url: url.href, state, sealed: await this.#sealing.seal('sign-in', { ...kept }) };
  }

  /** Reads what a browser has kept of a sign-in. @param sealed as {@link BegunSignIn} has it @throws ProtocolError notLoggedIn where it is too old, or not the gateway's */
  async kept(sealed: string): Promise<KeptSignIn> {
    const begun = (await this.#sealing.open('sign-in', sealed)) as KeptSignIn | null;
    if (begun === null || this.#clock.wall() - begun.at > SIGN_IN_TIME) {
      throw refused('The sign-in has taken too long, or the gateway has been restarted meanwhile.');
    }
    return begun;
  }

  /**
   * Ends a sign-in by the provider's answer. @param query that of the request that brings it
   * @throws ProtocolError notLoggedIn where the provider refuses, or somebody else has begun it; identityProviderAway
   */
  async complete(query: URLSearchParams, begun: KeptSignIn): Promise<Granted> {
    const answer = new URL(begun.redirectUri);
    answer.search = new URLSearchParams(
      [...query].filter(([name]) => ANSWERED.has(name)),
    ).toString();
    const client = await this.#discovered();
    const tokens = await this.#asked(() =>
      oidc.authorizationCodeGrant(client, answer, {
        expectedState: begun.state,
        expectedNonce: begun.nonce,
        pkceCodeVerifier: begun.verifier,
      }),
    );
    const claims = flatClaims(tokens.claims() ?? {});
    return this.#granted(tokens, claims, null);
  }

  /** Whether a grant is to be renewed, and whether it has ended. */
  ageOf({ renewAt, expiresAt }: Grant): { readonly isDue: boolean; readonly isOver: boolean } {
    const now = this.#clock.wall();
    return { isDue: now >= renewAt, isOver: now >= expiresAt };
  }

  /** Renews a grant. @returns null where the provider refuses it: the user is no longer signed in @throws ProtocolError identityProviderAway */
  async renewed(login: Principal, grant: Grant): Promise<Granted | null> {
    const { refreshToken } = grant;
    const kept =
      refreshToken === null ? null : await this.#sealing.open('refresh token', refreshToken);
    if (kept === null || !this.#isOwn(grant)) return null;
    const client = await this.#discovered();
    try {
      const tokens = await this.#asked(() => oidc.refreshTokenGrant(client, String(kept['token'])));
      const told = tokens.claims();
      // OpenID Connect Core 1.0 §12.2: the user stays the same.
      if (told !== undefined && told.sub !== login.claims.get('sub')) return null;
      const claims = told === undefined ? login.claims : flatClaims(told);
      const renewed = await this.#granted(tokens, claims, grant);
      // The session is that of the name.
      return renewed.login.name === login.name ? renewed : null;
    } catch (error) {
      if (error instanceof ProtocolError && error.errorName === 'notLoggedIn') return null;
      throw error;
    }
  }

  /** Returns the user of a session with the roles that the settings give at the moment; null where they no longer trust who signed the user in. */
  current(login: Principal, grant: Grant): Principal | null {
    return this.#isOwn(grant) ? claimsPrincipal(login.claims, this.#settings) : null;
  }

  /**
   * Returns where a browser signs out at the provider (OpenID Connect RP-Initiated Logout 1.0); null where the provider does not offer it, or does not
   * answer. The ID token stays here: a URL is no place for it.
   */
  async endUrl(returnTo: string): Promise<string | null> {
    const client = await this.#discovered().catch(() => null);
    if (client === null || !isProviderUrl(client.serverMetadata().end_session_endpoint ?? '')) {
      return null;
    }
    return oidc.buildEndSessionUrl(client, { post_logout_redirect_uri: returnTo }).href;
  }

  /**
   * Reads the provider's message that a user has signed out of one session, or of all (OpenID Connect Back-Channel Logout 1.0 §2.6).
   * @returns whether a login ends by it
   * @throws ProtocolError badRequest where it is not one, or not for this gateway; identityProviderAway
   */
  async signedOut(token: string): Promise<(login: Granted) => boolean> {
    const client = await this.#discovered();
    const { jwks_uri: jwks = '', issuer } = client.serverMetadata();
    const keys = keysAt(jwks, this.#providerKeys, this.#clock, this.#onProblem);
    try {
      const { payload } = await jwtVerify(token, keys.find, {
        issuer,
        audience: this.#settings.clientId,
        algorithms: [...publicAlgorithms],
        clockTolerance: this.#settings.clockSkewSeconds,
        currentDate: new Date(this.#clock.wall()),
        maxTokenAge: LOGOUT_TOKEN_AGE,
        requiredClaims: ['iat', 'exp', 'jti', 'events'],
      });
      const { events, nonce, sub, sid } = payload;
      const isLogout = isRecord(events) && isRecord(events[LOGOUT_EVENT]) && nonce === undefined;
      const named = Object.entries({ sub, sid }).filter(([, value]) => value !== undefined);
      const isText = named.every(([, value]) => typeof value === 'string');
      if (isLogout && isText && named.length > 0) {
        return ({ login: { claims }, grant }) =>
          this.#isOwn(grant) && named.every(([name, value]) => claims.get(name) === value);
      }
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
    }
    throw new ProtocolError('badRequest', 'This is not a logout token for this gateway.');
  }

  #isOwn({ issuer }: Grant): boolean {
    return issuer === this.#settings.issuer;
  }

  /** The grant of an answer with tokens. @param before the grant that it renews */
  async #granted(
    tokens: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers,
    claims: Claims,
    before: Grant | null,
  ): Promise<Granted> {
    const { refresh_token: token } = tokens;
    const now = this.#clock.wall();
    const seconds = tokens.expiresIn() ?? (tokens.claims()?.exp ?? 0) - now / 1000;
    const life = Math.max(SHORTEST_GRANT, seconds * 1000);
    const refreshToken =
      token === undefined
        ? (before?.refreshToken ?? null)
        : await this.#sealing.seal('refresh token', { token });
    const expiresAt = now + life;
    return {
      login: claimsPrincipal(claims, this.#settings),
      grant: {
        issuer: this.#settings.issuer,
        refreshToken,
        renewAt:
          refreshToken === null
            ? expiresAt
            : expiresAt - Math.min(RENEWED_BEFORE, RENEWED_PART * life),
        expiresAt,
      },
    };
  }

  /** The provider's configuration (OpenID Connect Discovery 1.0), which is read when it is first needed, and again from time to time. */
  async #discovered(): Promise<oidc.Configuration> {
    const known = this.#client;
    if (known !== null && this.#clock.steady() - this.#readAt < REREAD_AGE) return known;
    this.#readAt = this.#clock.steady();
    const reading = this.#asked(() => discovered(this.#settings));
    this.#client = reading;
    try {
      return await reading;
    } catch (error) {
      this.#client = known;
      if (known === null) this.#readAt = -Infinity;
      else return known;
      throw error;
    }
  }

  /** Asks the provider, or prepares that by what it has told. @throws ProtocolError notLoggedIn where it refuses, identityProviderAway where it does not answer as a provider does */
  async #asked<Result>(ask: () => Awaitable<Result>): Promise<Result> {
    if (this.#away !== null && this.#clock.steady() < this.#away.until) throw this.#away.error;
    try {
      const result = await ask();
      this.#away = null;
      return result;
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      const { host } = new URL(this.#settings.issuer);
      const refusal = refusalOf(error);
      if (refusal !== null) {
        if (isDistrusted(error)) {
          const what = `An answer of the identity provider at ${host} is not trusted`;
          this.#onProblem(providerProblem(what, error));
        }
        throw refused(refusal);
      }
      const what = `The identity provider at ${host} does not sign anybody in`;
      this.#onProblem(providerProblem(what, error));
      if (isRefusalOfGateway(error)) {
        const message = 'The identity provider refuses the gateway. Tell its operator.';
        throw new ProtocolError('identityProviderAway', message, undefined, error);
      }
      const message = 'The identity provider does not answer at the moment. Try again later.';
      const away = new ProtocolError('identityProviderAway', message, undefined, error);
      // An answer that fails may fail for this user alone.
      if (isUnanswered(error)) this.#away = { until: this.#clock.steady() + COOLDOWN, error: away };
      throw away;
    }
  }
}

/** Reads a provider's configuration. @param send sends the requests in place of `fetch` @throws the errors of openid-client */
export async function discovered(
  settings: OidcSettings,
  send?: oidc.CustomFetch,
): Promise<oidc.Configuration> {
  const { issuer, clientId, clockSkewSeconds } = settings;
  const url = new URL(issuer);
  return oidc.discovery(
    url,
    clientId,
    { [oidc.clockTolerance]: clockSkewSeconds },
    await clientAuthentication(settings),
    {
      timeout: TIMEOUT,
      ...(send && { [oidc.customFetch]: send }),
      execute: [
        // The signature of an ID token is checked, too, though it comes from the provider itself.
        oidc.enableNonRepudiationChecks,
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- only of this machine, as the setting says
        ...(url.protocol === 'http:' ? [oidc.allowInsecureRequests] : []),
      ],
    },
  );
}

/** How the gateway proves to be who is registered (OpenID Connect Core 1.0 §9). */
async function clientAuthentication({
  clientSecret,
  privateKey,
}: OidcSettings): Promise<oidc.ClientAuth> {
  if (privateKey !== undefined) {
    const key = createPrivateKey(privateKey);
    const [usual = ''] = algorithmsOf(createPublicKey(key));
    const certificate = certificateIn(privateKey);
    // Entra ID knows the key by its certificate, and wants PSS (https://learn.microsoft.com/entra/identity-platform/certificate-credentials).
    const algorithm = certificate !== null && usual === 'RS256' ? 'PS256' : usual;
    const pem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
    return oidc.PrivateKeyJwt(await importPKCS8(pem, algorithm), {
      [oidc.modifyAssertion]: (header) => {
        if (certificate !== null) header['x5t#S256'] = hash('sha256', certificate.raw, 'base64url');
      },
    });
  }
  if (clientSecret === undefined) return oidc.None();
  const [basic, post] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)];
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    (methods.includes('client_secret_basic') ? basic : post)(server, ...rest);
  };
}

/** What users are told where the provider has answered that it does not sign them in; null where it has not answered so. */
function refusalOf(error: unknown): string | null {
  if (error instanceof oidc.AuthorizationResponseError) {
    const why =
      error.error === 'access_denied'
        ? 'the sign-in was cancelled, or is not allowed'
        : excerpt(error.error, 100);
    return `The identity provider did not sign you in: ${why}.`;
  }
  if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') {
    return 'The identity provider no longer accepts this sign-in.';
  }
  return isDistrusted(error) ? 'The identity provider’s answer cannot be trusted.' : null;
}

/** Whether a request has brought no whole answer: `fetch` tells so by a cause, or has waited for too long. */
function isUnanswered(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof TypeError && error.cause !== undefined) return true;
  return error.name === 'TimeoutError' || isUnanswered(error.cause);
}

/** Whether the provider does not know the gateway as it is configured, such as after its secret has expired. */
function isRefusalOfGateway(error: unknown): boolean {
  const isAnswer =
    error instanceof oidc.ResponseBodyError || error instanceof oidc.WWWAuthenticateChallengeError;
  return isAnswer && [400, 401, 403].includes(error.status);
}

function isDistrusted(error: unknown): boolean {
  return error instanceof oidc.ClientError && DISTRUSTED.has(error.code ?? '');
}

/** The codes of errors that say that an answer is somebody else's, is altered, or is for another sign-in. */
const DISTRUSTED: ReadonlySet<string> = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JWT_TIMESTAMP_CHECK_FAILED',
  'OAUTH_KEY_SELECTION_FAILED',
]);
