import { createHash } from 'node:crypto';
import type { Database, DedicatedConnection } from '../../database/database.ts';
import { unattended } from '../../base/observe/observer.ts';
import type { LockStatements } from '../../sql/dialect.ts';
import { plainStatement } from '../../sql/statement.ts';
import { withoutPadding } from '../../base/text.ts';

/**
 * How long a name may be: `sp_getapplock` cuts what is longer, so that different names would be one
 * (https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-getapplock-transact-sql).
 */
const LONGEST = 255;

/**
 * The name by which the database knows the lock of a row, the same in all instances, and for programs that take part (docs/locks.md):
 * `entitygate:HR.TBL_EMP:126`, of a key of several parts `entitygate:SALES.ORD_LN:7;2`. One that would be too long is known by its hash.
 * @param key the row's own, as canonical texts
 */
export function lockName(
  table: { readonly schema: string; readonly name: string },
  key: readonly string[],
): string {
  const parts = key.map((part) => withoutPadding(part));
  const [only = '', ...more] = parts;
  const text = more.length === 0 ? only : parts.map(escaped).join(';');
  const name = `entitygate:${table.schema}.${table.name}:${text}`;
  return name.length <= LONGEST ? name : `entitygate:#${hash(name)}`;
}

/** A part of a key in which no semicolon stands for the end of the part. */
function escaped(part: string): string {
  return part.replaceAll('%', '%25').replaceAll(';', '%3B');
}

function hash(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}

/** Keeps locks where everyone sees them who is to respect them. */
export interface LockKeeper {
  /**
   * @returns whether the lock is kept now; false where somebody else has it
   * @throws ProtocolError databaseUnavailable and what else {@link Database.run} throws
   */
  readonly acquire: (name: string) => Promise<boolean>;
  /** Gives up a lock that is kept. What cannot be given up by itself is given up with all the others. */
  readonly release: (name: string) => Promise<void>;
  /** Gives up all of them. */
  readonly close: () => Promise<void>;
}

/** Where one process alone has the database, nobody else has to see a lock. */
export const keptByProcess: LockKeeper = {
  acquire: () => Promise.resolve(true),
  release: () => Promise.resolve(),
  close: () => Promise.resolve(),
};

/**
 * How often the connection is asked whether it is there still, in milliseconds. Where the network goes, or another server takes over, nobody
 * tells of it, and the locks that it kept may be others' by then.
 */
const BEAT = 5000;

const BEAT_COMMAND = { statement: plainStatement('SELECT 1'), values: [] };

/**
 * Keeps the locks of all sessions on one connection, which is opened for the first of them. What the database held for it is gone when it
 * breaks, so that the locks of a process that was killed are free at once.
 */
export class DatabaseKeeper implements LockKeeper {
  readonly #dedicated: Database['dedicated'];
  readonly #statements: LockStatements;
  readonly #onLost: () => void;
  #connection: Promise<DedicatedConnection> | null = null;
  #beat: NodeJS.Timeout | undefined;

  /** @param onLost told when all locks are gone that were kept */
  constructor(dedicated: Database['dedicated'], statements: LockStatements, onLost: () => void) {
    this.#dedicated = dedicated;
    this.#statements = statements;
    this.#onLost = onLost;
  }

  acquire(name: string): Promise<boolean> {
    return this.#run('acquire', name);
  }

  async release(name: string): Promise<void> {
    if (this.#connection === null) return;
    // The connection that could not release it is broken off, and the lock is gone with it.
    await this.#run('release', name).catch(() => undefined);
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    this.#connection = null;
    clearTimeout(this.#beat);
    const open = await connection?.catch(() => null);
    await open?.close();
  }

  async #run(statement: 'acquire' | 'release', name: string): Promise<boolean> {
    const connection = (this.#connection ??= this.#open());
    try {
      const command = { statement: this.#statements[statement], values: [name] };
      const { rows } = await (await connection).run(command, unattended);
      return Number(rows[0]?.[0]) === 1;
    } catch (error) {
      // Nobody knows what the connection holds by now.
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
    this.#beat = setTimeout(() => void this.#askWhetherThere(kept), BEAT);
    this.#beat.unref();
  }

  async #askWhetherThere(kept: Promise<DedicatedConnection>): Promise<void> {
    try {
      await (await kept).run(BEAT_COMMAND, unattended);
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
