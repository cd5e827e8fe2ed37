import { stat } from 'node:fs/promises';
import type { AuthClock } from '../../base/clock.ts';
import { type Cost, COST, decoyHash, type PasswordHash, preparedName } from './password-hash.ts';
import { readUsersFile, type User, type UsersFile } from './users-file.ts';

/** How often the file is looked at while requests come, in milliseconds. */
const LOOK_INTERVAL = 1000;

/** Whether the users of a file can be taken. @throws StartupError with every problem and its place */
export type CheckUsers = (file: UsersFile) => void;

/** The users of a file, as it is now. A file that has become wrong, or is gone, is told of, and the users stay those that it had. */
export class Users {
  readonly #path: string;
  readonly #clock: AuthClock;
  readonly #onProblem: (problem: Error) => void;
  readonly #check: CheckUsers;
  #users: ReadonlyMap<string, User>;
  #decoy: PasswordHash;
  #version: string;
  #looking: Promise<void> = Promise.resolve();
  #lookedAt: number;

  private constructor(
    path: string,
    clock: AuthClock,
    onProblem: (problem: Error) => void,
    check: CheckUsers,
    read: Read,
  ) {
    this.#path = path;
    this.#clock = clock;
    this.#onProblem = onProblem;
    this.#check = check;
    this.#users = read.users;
    this.#version = read.version;
    this.#decoy = decoyHash(commonCost(read.users));
    this.#lookedAt = clock.steady();
  }

  /**
   * Reads the file.
   * @param onProblem hears of a file that has become wrong
   * @param check what is asked of its users besides, whenever it is read
   * @throws StartupError with every problem found and its place
   */
  static async open(
    path: string,
    clock: AuthClock,
    onProblem: (problem: Error) => void,
    check: CheckUsers,
  ): Promise<Users> {
    return new Users(path, clock, onProblem, check, await read(path, check));
  }

  /**
   * Looks a user up: who it is, or null where there is none of that name, or one who may not log in; and the hash to check the password by,
   * which no password has where there is none, so that both take as long.
   */
  async find(name: string): Promise<{ readonly user: User | null; readonly stored: PasswordHash }> {
    await this.#look();
    const user = this.#users.get(preparedName(name));
    return user === undefined || user.disabled
      ? { user: null, stored: this.#decoy }
      : { user, stored: user.password };
  }

  #look(): Promise<void> {
    const now = this.#clock.steady();
    if (now - this.#lookedAt >= LOOK_INTERVAL) {
      this.#lookedAt = now;
      this.#looking = this.#looking.then(() => this.#readAgain());
    }
    return this.#looking;
  }

  async #readAgain(): Promise<void> {
    const version = await versionOf(this.#path);
    if (version === this.#version) return;
    this.#version = version;
    try {
      this.#users = await checkedUsers(this.#path, this.#check);
      this.#decoy = decoyHash(commonCost(this.#users));
    } catch (error) {
      this.#onProblem(
        new Error('The users file cannot be read; the users stay as they were.', {
          cause: error,
        }),
      );
    }
  }
}

interface Read {
  readonly users: ReadonlyMap<string, User>;
  readonly version: string;
}

/** What is written to the file while it is read makes another version, which is read then. */
async function read(path: string, check: CheckUsers): Promise<Read> {
  const version = await versionOf(path);
  return { version, users: await checkedUsers(path, check) };
}

/** @throws StartupError with what is wrong with the file, or its users */
async function checkedUsers(path: string, check: CheckUsers): Promise<Read['users']> {
  const file = await readUsersFile(path);
  check(file);
  return file.users;
}

/** What is another one when the file has been written to. */
async function versionOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true });
    return [ino, size, mtimeNs, ctimeNs].join(' ');
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code);
  }
}

/** What most of the users' hashes cost. */
function commonCost(users: ReadonlyMap<string, User>): Cost {
  const numbers = new Map<string, { readonly cost: Cost; number: number }>();
  for (const { password } of users.values()) {
    const { ln, r, p } = password.cost;
    const key = `${ln} ${r} ${p}`;
    const entry = numbers.get(key) ?? { cost: password.cost, number: 0 };
    entry.number += 1;
    numbers.set(key, entry);
  }
  const [most] = [...numbers.values()].toSorted((a, b) => b.number - a.number);
  return most?.cost ?? COST;
}
