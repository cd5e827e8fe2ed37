import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Database, DedicatedConnection } from '../../database/database.ts';
import { gatewayContext } from '../../base/observe/observer.ts';
import type { LockStatements } from '../../sql/dialect.ts';
import { plainStatement } from '../../sql/ir/statement.ts';
import { withoutPadding } from '../../base/text.ts';

/**
 * The longest name: `sp_getapplock` would cut longer ones, and different names become equal
 * (https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-getapplock-transact-sql).
 */
const LONGEST = 255;

/**
 * The name of a row's lock in the database, for all instances and other programs (docs/reference/locks.md): `entitygate:HR.TBL_EMP:126`, for a key of several parts
 * `entitygate:SALES.ORD_LN:7;2`. A name that would be too long is a hash.
 */
export function lockName(
  table: { readonly schema: string; readonly name: string },
  key: readonly string[],
): string {
  const parts = key.map((part) => withoutPadding(part));
  const [only = '', ...more] = parts;
  const text = more.length === 0 ? only : parts.map(escaped).join(';');
  const name = `entitygate:${table.schema}.${table.name}:${text}`;
  if (name.length <= LONGEST) return name;
  return `entitygate:#${createHash('sha256').update(name).digest('hex')}`;
}

function escaped(part: string): string {
  return part.replaceAll('%', '%25').replaceAll(';', '%3B');
}

/** Keeps locks where all who respect them see them. */
export interface LockKeeper {
  /** Takes a lock; returns false where another instance or program has it. @throws ProtocolError databaseUnavailable, and what {@link Database.run} throws */
  readonly acquire: (name: string) => Promise<boolean>;
  /** Tells whether another instance or program has a lock. @throws ProtocolError as {@link acquire} */
  readonly isHeld: (name: string) => Promise<boolean>;
  /** Gives up a lock. Where that fails, all locks are given up. */
  readonly release: (name: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Pauses between attempts to take a lock, in milliseconds: a save shares the locks of its rows while its statement runs, but holds none. */
const PAUSES = [10, 20, 40];

/** Takes a lock, in several attempts while it is wanted; false where another instance or program has it. @throws as {@link LockKeeper.acquire} */
export async function acquirePatiently(
  keeper: LockKeeper,
  name: string,
  isWanted: () => boolean,
): Promise<boolean> {
  if (await keeper.acquire(name)) return true;
  for (const milliseconds of PAUSES) {
    await pause(milliseconds);
    if (!isWanted()) return false;
    if (await keeper.acquire(name)) return true;
  }
  return false;
}

/** Keeps no locks: for a database that one process has to itself. */
export const keptByProcess: LockKeeper = {
  acquire: () => Promise.resolve(true),
  isHeld: () => Promise.resolve(false),
  release: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/** How often the connection is tested, in milliseconds: a network failure or a failover is not reported, and others may have the locks by then. */
const BEAT = 5000;

const BEAT_COMMAND = { statement: plainStatement('SELECT 1'), values: [] };

/** Keeps all locks on one connection, which the first lock opens. The database frees them when it breaks, also where the process was killed. */
export class DatabaseKeeper implements LockKeeper {
  readonly #dedicated: Database['dedicated'];
  readonly #statements: LockStatements;
  readonly #onLost: () => void;
  #connection: Promise<DedicatedConnection> | null = null;
  #beat: NodeJS.Timeout | undefined;

  constructor(dedicated: Database['dedicated'], statements: LockStatements, onLost: () => void) {
    this.#dedicated = dedicated;
    this.#statements = statements;
    this.#onLost = onLost;
  }

  acquire(name: string): Promise<boolean> {
    return this.#run('acquire', name);
  }

  isHeld(name: string): Promise<boolean> {
    return this.#run('held', name);
  }

  async release(name: string): Promise<void> {
    if (this.#connection === null) return;
    // A connection that cannot release a lock is closed, and the lock with it.
    await this.#run('release', name).catch(() => undefined);
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    clearTimeout(this.#beat);
    const open = await connection?.catch(() => null);
    await open?.close();
  }

  async #run(statement: 'acquire' | 'release' | 'held', name: string): Promise<boolean> {
    const connection = (this.#connection ??= this.#open());
    try {
      const command = { statement: this.#statements[statement], values: [name] };
      const { rows } = await (await connection).run(command, gatewayContext);
      return Number(rows[0]?.[0]) === 1;
    } catch (error) {
      // What the connection holds is not known any more.
      await this.#giveUp(connection);
      throw error;
    }
  }

  #open(): Promise<DedicatedConnection> {
    const opening = this.#dedicated(() => void this.#giveUp(opening));
    this.#beatLater(opening);
    return opening;
  }

  #beatLater(kept: Promise<DedicatedConnection>): void {
    clearTimeout(this.#beat);
    this.#beat = setTimeout(() => void this.#test(kept), BEAT);
    this.#beat.unref();
  }

  async #test(kept: Promise<DedicatedConnection>): Promise<void> {
    try {
      await (await kept).run(BEAT_COMMAND, gatewayContext);
      if (this.#connection === kept) this.#beatLater(kept);
    } catch {
      await this.#giveUp(kept);
    }
  }

  async #giveUp(broken: Promise<DedicatedConnection>): Promise<void> {
    if (this.#connection !== broken) return;
    this.#connection = null;
    clearTimeout(this.#beat);
    this.#onLost();
    const open = await broken.catch(() => null);
    await open?.close().catch(() => undefined);
  }
}
