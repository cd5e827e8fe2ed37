import type { IncomingHttpHeaders } from 'node:http';
import { NOBODY, type Principal } from '../../base/principal.ts';
import type { Config } from '../../config/config.ts';
import { ApiKeys } from './api-keys.ts';
import { type AuthClock, systemClock } from '../../base/clock.ts';
import { credentialsOf } from './credentials.ts';
import { PasswordChecks } from './password-checks.ts';
import {
  type isPassword,
  passwordHashText,
  preparedName,
  preparedPassword,
} from './password-hash.ts';
import { principalOf, refused } from './principal.ts';
import type { AttemptNews } from './throttle.ts';
import { type CheckUsers, Users } from './users.ts';
import type { User } from './users-file.ts';

/** Whom users become when they log in, and whether they still are. */
class Logins {
  readonly #users: Users | null;
  readonly #principals = new WeakMap<User, Principal>();
  /** What the password was like of whoever logged in, by what they became. */
  readonly #passwords = new WeakMap<Principal, string>();

  /** @param users null where there are none */
  constructor(users: Users | null) {
    this.#users = users;
  }

  /** Who a user is: the same as long as the users file stays as it is. */
  of(user: User): Principal {
    const known = this.#principals.get(user);
    if (known !== undefined) return known;
    const principal = principalOf(user);
    this.#principals.set(user, principal);
    this.#passwords.set(principal, passwordHashText(user.password));
    return principal;
  }

  /** Who somebody that has logged in is by now; null where they could not log in any more as they did. */
  async renewed(login: Principal): Promise<Principal | null> {
    const found = login.name === null ? null : await this.#users?.find(login.name);
    const user = found?.user ?? null;
    if (user === null) return null;
    const isSame = passwordHashText(user.password) === this.#passwords.get(login);
    return isSame ? this.of(user) : null;
  }
}

/** Tells who asks. */
export interface Authentication {
  /**
   * Who sends these credentials, `api-key` or `Authorization`; null where the headers hold none. Credentials that are wrong are an error, and never taken for none.
   * @param address the client's, by which attempts are counted
   * @throws ProtocolError notLoggedIn, tooManyAttempts, authenticationBusy, identityProviderAway
   */
  readonly authenticate: (
    headers: IncomingHttpHeaders,
    address: string,
  ) => Promise<Principal | null>;
  /**
   * Who has this name and password, for a login; null where nobody has.
   * @throws ProtocolError tooManyAttempts, authenticationBusy
   */
  readonly logIn: (user: string, password: string, address: string) => Promise<Principal | null>;
  /**
   * Who somebody is by now that has logged in: with the roles and claims of today; null where the user is not there any more, may not log in, or has
   * another password.
   */
  readonly renewed: (login: Principal) => Promise<Principal | null>;
  /** Whether anybody can log in, by a name and a password. */
  readonly hasLogins: boolean;
  /** Who sends no credentials; null where such requests are refused. */
  readonly anonymous: Principal | null;
  /** The values of `WWW-Authenticate` of an answer with 401, by what is configured. */
  readonly challenges: readonly string[];
}

/** What authentication is opened with besides the configuration; tests pass their own. */
export interface AuthenticationSurroundings {
  /**
   * Hears of what is wrong and stops nothing: an identity provider that does not answer while its keys serve on, a users file that was changed and cannot be
   * taken over. There is no secret in it.
   */
  readonly onProblem: (problem: Error) => void;
  /** What is asked of the users of the users file, whenever it is read: whether there are their roles. */
  readonly checkUsers: CheckUsers;
  readonly clock?: AuthClock;
  readonly check?: typeof isPassword;
  /** The other processes in which attempts to log in count; null where there are none. */
  readonly attemptNews?: AttemptNews | null;
}

/**
 * Opens what the configuration says of authentication, and reads the users file; where it says nothing, nobody is asked who they are.
 * @throws StartupError with the problems of the users file and their places
 */
export async function openAuthentication(
  { authentication, application }: Pick<Config, 'authentication' | 'application'>,
  { onProblem, checkUsers, clock = systemClock, check, attemptNews }: AuthenticationSurroundings,
): Promise<Authentication> {
  if (authentication === undefined) return unasked;
  const { anonymous, apiKeys, users: usersFile, jwt } = authentication;
  const keys = apiKeys === undefined ? null : new ApiKeys(apiKeys, clock);
  // What reads tokens is loaded where they are taken.
  const tokens =
    jwt === undefined ? null : new (await import('./tokens.ts')).Tokens(jwt, clock, onProblem);
  const users =
    usersFile === undefined ? null : await Users.open(usersFile, clock, onProblem, checkUsers);
  const checks = new PasswordChecks(clock, check, attemptNews);

  const logins = new Logins(users);

  const logIn: Authentication['logIn'] = async (name, sent, address) => {
    const password = preparedPassword(sent);
    if (users === null || password === null) return null;
    const { user, stored } = await users.find(name);
    const claimant = { user: preparedName(name), password, stored, address };
    const isRight = await checks.check(claimant);
    return isRight && user !== null ? logins.of(user) : null;
  };

  return {
    authenticate: async (headers, address) => {
      const credentials = credentialsOf(headers);
      switch (credentials?.kind) {
        case undefined:
          return null;
        case 'apiKey':
          if (keys === null) throw refused('API keys are not configured.');
          return keys.holder(credentials.key);
        case 'token':
          if (tokens === null) throw refused('Tokens are not configured.');
          return tokens.holder(credentials.token);
        case 'password': {
          if (users === null) throw refused('Users with passwords are not configured.');
          const user = await logIn(credentials.user, credentials.password, address);
          if (user === null) throw refused('The user’s name or the password is wrong.');
          return user;
        }
      }
    },
    logIn,
    renewed: (login) => logins.renewed(login),
    hasLogins: users !== null,
    anonymous: anonymous === undefined ? null : { ...NOBODY, roles: anonymous },
    challenges: [
      ...(keys === null && tokens === null ? [] : [`Bearer ${realm(application)}`]),
      ...(users === null ? [] : [`Basic ${realm(application)}, charset="UTF-8"`]),
    ],
  };
}

/** Where the configuration asks nobody who they are. */
export const unasked: Authentication = {
  authenticate: () => Promise.resolve(null),
  // Where nobody is asked everybody is let in: clients that log in first go on.
  logIn: () => Promise.resolve(NOBODY),
  renewed: () => Promise.resolve(NOBODY),
  hasLogins: false,
  anonymous: NOBODY,
  challenges: [],
};

/** https://www.rfc-editor.org/rfc/rfc9110#section-11.5; a header holds ASCII only. */
function realm(application: string): string {
  const text = application.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, '\\$&');
  return `realm="${text}"`;
}
