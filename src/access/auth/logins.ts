import type { Principal } from '../../base/principal.ts';
import { passwordHashText } from './password-hash.ts';
import { principalOf } from './principal-of.ts';
import type { User } from './users-file.ts';
import type { Users } from './users.ts';

/** Whom users become when they log in, and whether they still are. */
export class Logins {
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
