import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { AuthClock } from '../../base/time.ts';
import type { Principal } from '../../base/principal.ts';
import type { Config } from '../../config/config.ts';
import {
  type Cost,
  COST,
  decoyHash,
  type PasswordHash,
  passwordHashText,
  preparedName,
} from './password-hash.ts';
import { checkUserRoles } from './given-roles.ts';
import { principalOf } from './principal.ts';
import { readUsersFile, type User } from './users-file.ts';

/** How often requests have the file checked for changes, in milliseconds. */
const CHECK_INTERVAL = 1000;

/** A user found by name. */
interface FoundUser {
  /** Null where there is no such user, or the user is disabled. */
  readonly user: Principal | null;
  /** The hash to check the password with; one that no password has where there is no user, so that the check takes as long. */
  readonly stored: PasswordHash;
}

/** Where users come from. */
interface UsersSource {
  readonly path: string;
  readonly config: Pick<Config, 'roles'>;
  readonly clock: AuthClock;
  /** Is told when the file has become wrong. */
  readonly onProblem: (problem: Error) => void;
}

/** The users of a file that is read again when it changes. When it has become wrong, the problem is reported and the users stay as they were. */
export class Users {
  readonly #source: UsersSource;
  /** The entries when the file was opened, by the users' names, as texts. */
  definitions: ReadonlyMap<string, () => string> = new Map();
  #users: ReadonlyMap<string, FoundUser> = new Map();
  #decoy = decoyHash(COST);
  #version = '';
  #checking: Promise<void> = Promise.resolve();
  #checkedAt: number;

  private constructor(source: UsersSource) {
    this.#source = source;
    this.#checkedAt = source.clock.steady();
  }

  /** Reads the file. @throws StartupError with every problem found and its position */
  static async open(source: UsersSource): Promise<Users> {
    const users = new Users(source);
    users.#version = await versionOf(source.path);
    const entries = await users.#read();
    users.definitions = new Map(entries.map((entry) => [entry.name, () => JSON.stringify(entry)]));
    return users;
  }

  /** Finds a user by name. The principal stays the same object as long as the file does not change. */
  async find(name: string): Promise<FoundUser> {
    const now = this.#source.clock.steady();
    if (now - this.#checkedAt >= CHECK_INTERVAL) {
      this.#checkedAt = now;
      this.#checking = this.#checking.then(() => this.#readChanges());
    }
    await this.#checking;
    return this.#users.get(preparedName(name)) ?? { user: null, stored: this.#decoy };
  }

  /** Returns a logged-in user with the roles and claims of now; null where the user is gone, disabled, or has another password. */
  async renewed(login: Principal): Promise<Principal | null> {
    const { user } = await this.find(login.name ?? '');
    return user?.passwordVersion === login.passwordVersion ? user : null;
  }

  async #readChanges(): Promise<void> {
    const version = await versionOf(this.#source.path);
    if (version === this.#version) return;
    this.#version = version;
    try {
      await this.#read();
    } catch (cause) {
      const message = 'The users file cannot be read; the users stay as they were.';
      this.#source.onProblem(new Error(message, { cause }));
    }
  }

  async #read(): Promise<readonly User[]> {
    const file = await readUsersFile(this.#source.path);
    checkUserRoles(file, this.#source.config);
    const all = [...file.users.values()];
    this.#decoy = decoyHash(commonCost(all));
    const users = new Map<string, FoundUser>();
    for (const { disabled, password: stored, ...entry } of all) {
      if (disabled) continue;
      const passwordVersion = hash('sha256', passwordHashText(stored), 'base64url');
      users.set(entry.name, { user: { ...principalOf(entry), passwordVersion }, stored });
    }
    this.#users = users;
    return all;
  }
}

/** A text that changes when the file is written. It is taken before the file is read, so that a write meanwhile counts as a change. */
async function versionOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** The cost that most of the users' hashes have. */
function commonCost(users: readonly User[]): Cost {
  const counts = new Map<string, { readonly cost: Cost; count: number }>();
  for (const { password } of users) {
    const { ln, r, p } = password.cost;
    const key = `${ln} ${r} ${p}`;
    const entry = counts.get(key) ?? { cost: password.cost, count: 0 };
    entry.count += 1;
    counts.set(key, entry);
  }
  const [most] = [...counts.values()].toSorted((a, b) => b.count - a.count);
  return most?.cost ?? COST;
}
