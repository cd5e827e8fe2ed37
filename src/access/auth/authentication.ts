import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type AuthClock, systemClock } from '../../base/time.ts';
import { NOBODY, type Principal } from '../../base/principal.ts';
import type { Config } from '../../config/config.ts';
import { ApiKeys, looksLikeApiKey } from './api-keys.ts';
import { PasswordChecks } from './password-checks.ts';
import { preparedName, preparedPassword } from './password-hash.ts';
import { refused } from './principal.ts';
import type { ProviderKeys } from './provider-keys.ts';
import { type Issuers, issuersOf } from '../../config/settings/authentication.ts';
import type { SignIn } from './sign-in.ts';
import { Users } from './users.ts';

/** Finds out who sends a request. */
export interface Authentication {
  /**
   * Returns the principal of `api-key` or `Authorization`; null where the headers hold neither. Wrong credentials are an error, never treated as none.
   * @param isForAgents whether the request is for agents: a token may be for them alone, or for the others
   * @throws ProtocolError notLoggedIn, tooManyAttempts, authenticationBusy, identityProviderAway
   */
  readonly authenticate: (
    headers: IncomingHttpHeaders,
    address: string,
    isForAgents?: boolean,
  ) => Promise<Principal | null>;
  /** Logs a user in; null where the name or the password is wrong. @throws ProtocolError tooManyAttempts, authenticationBusy */
  readonly logIn: (user: string, password: string, address: string) => Promise<Principal | null>;
  /** Returns a logged-in user with the roles and claims of now; null where the user is gone, disabled, or has another password. */
  readonly renewed: (login: Principal) => Promise<Principal | null>;
  /** The ways in which users can say who they are; none where nobody is asked. */
  readonly logins: readonly ('password' | 'apiKey' | 'token' | 'oidc')[];
  /** Signs people in at an identity provider; null where that is not configured. */
  readonly signIn: SignIn | null;
  /** Who issues the tokens that are accepted; null where clients can ask nobody for one. */
  readonly issuers: Issuers | null;
  /** The principal of requests without credentials; null where they are refused. */
  readonly anonymous: Principal | null;
  /** The values of `WWW-Authenticate` of an answer with 401. */
  readonly challenges: readonly string[];
  /** The users of the users file and the API keys when they were read, by their names, each with a text that is another one for another entry. */
  readonly definitions: Readonly<Record<'users' | 'apiKeys', ReadonlyMap<string, () => string>>>;
}

/** What authentication needs besides the configuration; tests pass their own. */
export interface AuthenticationDependencies {
  /** Is told of problems that stop nothing: an identity provider that does not answer, a changed users file that cannot be read. They hold no secret. */
  readonly onProblem: (problem: Error) => void;
  readonly clock?: AuthClock;
  readonly checks?: PasswordChecks;
  /** The keys of identity providers by their URLs, which outlive a configuration: a provider may be unavailable when it is read again. */
  readonly providerKeys?: Map<string, ProviderKeys>;
  /** Returns the key of what browsers and the state store keep of sign-ins, 32 bytes in hexadecimal digits: the same in all gateways. By default it is random. */
  readonly signInKey?: () => string;
}

/** Opens the configured authentication, and reads the users file. @throws StartupError with the problems of the users file */
export async function openAuthentication(
  config: Pick<Config, 'authentication' | 'application' | 'roles'>,
  {
    onProblem,
    clock = systemClock,
    checks = new PasswordChecks(clock),
    providerKeys,
    signInKey = randomKey(),
  }: AuthenticationDependencies,
): Promise<Authentication> {
  const { authentication, application } = config;
  if (authentication === undefined) return unasked;
  const { anonymous, apiKeys, users: usersFile, jwt, oidc } = authentication;
  const keys = apiKeys === undefined ? null : new ApiKeys(apiKeys, clock);
  // The JWT library is loaded only where tokens are configured.
  const tokens =
    jwt === undefined
      ? null
      : new (await import('./tokens.ts')).Tokens(jwt, clock, onProblem, providerKeys);
  const signIn =
    oidc === undefined
      ? null
      : new (await import('./sign-in.ts')).SignIn(oidc, clock, signInKey, onProblem, providerKeys);
  const users =
    usersFile === undefined
      ? null
      : await Users.open({ path: usersFile, config, clock, onProblem });

  const logIn: Authentication['logIn'] = async (name, sent, address) => {
    const password = preparedPassword(sent);
    if (users === null || password === null) return null;
    const { user, stored } = await users.find(name);
    const claimant = { user: preparedName(name), password, stored, address };
    return (await checks.check(claimant)) ? user : null;
  };

  return {
    authenticate: async (headers, address, isForAgents = false) => {
      const credentials = credentialsOf(headers);
      switch (credentials?.kind) {
        case undefined:
          return null;
        case 'apiKey':
          if (keys === null) throw refused('The gateway does not accept API keys.');
          return keys.holder(credentials.key);
        case 'token':
          if (tokens === null) throw refused('The gateway does not accept tokens.');
          return tokens.holder(credentials.token, isForAgents);
        case 'password': {
          if (users === null) throw refused('The gateway does not accept users’ passwords.');
          const user = await logIn(credentials.user, credentials.password, address);
          if (user === null) throw refused('The user’s name or the password is wrong.');
          return user;
        }
      }
    },
    logIn,
    renewed: async (login) => (await users?.renewed(login)) ?? null,
    logins: [
      ...(users === null ? [] : (['password'] as const)),
      ...(keys === null ? [] : (['apiKey'] as const)),
      ...(tokens === null ? [] : (['token'] as const)),
      ...(signIn === null ? [] : (['oidc'] as const)),
    ],
    signIn,
    issuers: jwt === undefined ? null : issuersOf(jwt),
    anonymous: anonymous === undefined ? null : { ...NOBODY, roles: anonymous },
    challenges: [
      ...(keys === null && tokens === null ? [] : [`Bearer ${realm(application)}`]),
      ...(users === null ? [] : [`Basic ${realm(application)}, charset="UTF-8"`]),
      // No scheme is registered for sessions; a 401 names one nevertheless (RFC 9110 §15.5.2).
      ...(signIn !== null && [keys, tokens, users].every((other) => other === null)
        ? [`Cookie ${realm(application)}`]
        : []),
    ],
    definitions: {
      users: users?.definitions ?? new Map(),
      apiKeys: new Map((apiKeys ?? []).map((key) => [key.name, () => JSON.stringify(key)])),
    },
  };
}

/** Without `authentication` in the configuration everybody is let in; clients that log in first succeed. */
export const unasked: Authentication = {
  authenticate: () => Promise.resolve(null),
  logIn: () => Promise.resolve(NOBODY),
  renewed: () => Promise.resolve(NOBODY),
  logins: [],
  signIn: null,
  issuers: null,
  anonymous: NOBODY,
  challenges: [],
  definitions: { users: new Map(), apiKeys: new Map() },
};

function randomKey(): () => string {
  const key = randomBytes(32).toString('hex');
  return () => key;
}

/** https://www.rfc-editor.org/rfc/rfc9110#section-11.5; a header holds ASCII only. */
function realm(application: string): string {
  const text = application.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&');
  return `realm="${text}"`;
}

type Credentials =
  | { readonly kind: 'apiKey'; readonly key: string }
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  | { readonly kind: 'token'; readonly token: string };

/** Reads the credentials of a request; null where there are none. @throws ProtocolError notLoggedIn where they cannot be read, or there are two */
export function credentialsOf(headers: IncomingHttpHeaders): Credentials | null {
  const { authorization } = headers;
  const key = headers['api-key'];
  if (key === undefined) return authorization === undefined ? null : authorized(authorization);
  if (authorization !== undefined) {
    // Nobody can tell which of the two counts.
    throw refused('The headers api-key and Authorization both hold credentials: send one of them.');
  }
  // Node joins headers of one name.
  if (typeof key !== 'string' || key.includes(','))
    throw refused('The header api-key was sent more than once.');
  return { kind: 'apiKey', key };
}

function authorized(authorization: string): Credentials {
  // https://www.rfc-editor.org/rfc/rfc9110#section-11.4
  const [, scheme = '', given = ''] = /^([\w!#$%&'*+.^`|~-]+) +(\S+) *$/.exec(authorization) ?? [];
  switch (scheme.toLowerCase()) {
    case 'basic':
      return { kind: 'password', ...readBasic(given) };
    case 'bearer':
      return looksLikeApiKey(given)
        ? { kind: 'apiKey', key: given }
        : { kind: 'token', token: given };
    default:
      // The message does not repeat the value: it may be a key without its scheme.
      throw refused(
        'The header Authorization cannot be read: expected Basic or Bearer, a blank, and the credentials.',
      );
  }
}

/** Reads the credentials behind `Basic` (RFC 7617): the base64 of `user:password` in UTF-8, without control characters. Only a password may hold a colon. */
export function readBasic(encoded: string): { readonly user: string; readonly password: string } {
  const bytes = Buffer.from(encoded, 'base64');
  const isText = /^[A-Za-z\d+/]+={0,2}$/.test(encoded) && isUtf8(bytes);
  const text = isText ? bytes.toString('utf8') : '';
  const colon = text.indexOf(':');
  if (colon === -1 || /\p{Cc}/u.test(text)) {
    throw refused(
      'The header Authorization holds no name and password: expected Basic and the base64 of name:password in UTF-8.',
    );
  }
  return { user: text.slice(0, colon), password: text.slice(colon + 1) };
}
