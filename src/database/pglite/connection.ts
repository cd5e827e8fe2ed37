import type { PGlite, QueryOptions } from '@electric-sql/pglite';
import type { Command, ResultSet } from '../database.ts';
import {
  BATCH_ROWS,
  type DriverCursor,
  type DriverConnection,
  type TimeLimits,
} from '../driver.ts';
import { tellQuery } from '../postgres/tell.ts';
import { forgotten, type Told } from '../told.ts';

const BOOLEAN_OID = 16;
const BYTEA_OID = 17;

/** The longest that a timer can wait, in milliseconds. */
const FOREVER = 2 ** 31 - 1;

/** PostgreSQL in this process holds the process up while it runs a statement: no timer could go off. */
export const pgliteLimits: TimeLimits = { statement: FOREVER, cancelRead: 0, cancelWrite: 0 };

/** The only connection of the embedded database. Who uses it keeps everyone else waiting. */
export class PgliteConnection implements DriverConnection {
  readonly #db: PGlite;
  readonly #options: QueryOptions;
  #told: Told | null = null;

  constructor(db: PGlite) {
    this.#db = db;
    const identity = (value: string): string => value;
    this.#options = {
      rowMode: 'array',
      parsers: Object.fromEntries(Object.keys(db.parsers).map((oid) => [oid, identity])),
      serializers: { [BOOLEAN_OID]: String, [BYTEA_OID]: hex },
    };
  }

  readonly run = async ({ statement, values }: Command): Promise<ResultSet> => {
    const { fields, rows } = await this.#db.query<unknown[]>(
      statement.text,
      [...values],
      this.#options,
    );
    return { columns: fields.map(({ name }) => name), rows };
  };

  /** The driver has the whole answer in this process already before it gives out a row of it. */
  readonly open = async (command: Command): Promise<DriverCursor> => {
    const { rows } = await this.run(command);
    let taken = 0;
    return {
      next: () => Promise.resolve(rows.slice(taken, (taken += BATCH_ROWS))),
      close: () => Promise.resolve(),
    };
  };

  readonly call = async (command: Command): Promise<readonly ResultSet[]> => [
    await this.run(command),
  ];

  readonly begin = (): Promise<void> => this.#run('BEGIN ISOLATION LEVEL READ COMMITTED');
  readonly commit = (): Promise<void> => this.#run('COMMIT');
  readonly rollback = (): Promise<void> => this.#run('ROLLBACK');

  readonly tell = (told: Told): Promise<void> => {
    this.#told = told;
    return this.#setParameters(told);
  };

  readonly forget = async (): Promise<void> => {
    if (this.#told === null) return;
    await this.#setParameters(forgotten(this.#told));
    this.#told = null;
  };

  /** There is no cancelling from within the process that runs the statement: it ends by itself. */
  readonly cancel = (): Promise<void> => Promise.resolve();

  /** There is no other connection: this one lives as long as the database. */
  readonly destroy = (): void => undefined;
  readonly release = (): void => undefined;

  async #run(text: string): Promise<void> {
    await this.#db.query(text);
  }

  async #setParameters(told: Told): Promise<void> {
    const { text, values } = tellQuery(told, 'session');
    await this.#db.query(text, [...values]);
  }
}

/** https://www.postgresql.org/docs/current/datatype-binary.html#DATATYPE-BINARY-BYTEA-HEX-FORMAT */
function hex(value: unknown): string {
  return value instanceof Uint8Array
    ? `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`
    : String(value);
}
