import type { TestContext } from 'vitest';
import type { Database } from '../../../src/database/database.ts';
import type { StampSource } from '../../../src/sql/ir/ir.ts';
import type { PhysicalSchema } from '../../../src/schema/types.ts';
import type { OpenTarget } from '../../targets/target.ts';
import { find, type Found, type Part } from './tables.ts';
import type { Language } from './types.ts';

/** What the cases have to know of an engine. */
export interface Engine {
  readonly name: string;
  /** Why it cannot be had on this machine, or null when it can. */
  readonly missing: string | null;
  readonly open: () => Promise<OpenTarget>;
  readonly language: Language;
  /** Statements that make the tables, one at a time. */
  readonly script: readonly string[];
  /** Values that a column of every type refuses, and by which rule. */
  readonly refused: readonly (readonly [column: string, value: string, rule: string])[];
  /** Columns of bytes, what each is given, and how that reads back. */
  readonly contents: readonly (readonly [column: string, bytes: Buffer, read: string])[];
  /** The largest value of the smallest type that counts: what comes next is 1. */
  readonly largestCount: number;
  /** What the key `Ä` can be written like. */
  readonly likeUmlaut: string;
  /** The engine's own stamp of a row. */
  readonly stamp: (table: Found) => StampSource;
  /** What a change of the row with a key behind a trigger answers. */
  readonly changedBehind: (key: Part) => readonly (readonly Part[])[];
  /** Cases that no other engine has. */
  readonly own: (rows: Rows) => void;
}

/** The tables of an engine's script, from when its database is open. */
export class Rows {
  #open: { readonly database: Database; readonly schema: PhysicalSchema } | null = null;

  start(database: Database, schema: PhysicalSchema): void {
    this.#open = { database, schema };
  }

  get database(): Database {
    return this.#opened.database;
  }

  /** @throws Error when there is no such table */
  table(name: string): Found {
    return find(this.#opened.schema, name);
  }

  /** Skips a test on a stand-in for SQL Server, and says why. */
  skipOnBabelfish(context: TestContext, why: string): void {
    if (this.database.version.includes('Babelfish')) context.skip(why);
  }

  get #opened(): { readonly database: Database; readonly schema: PhysicalSchema } {
    if (this.#open === null) throw new Error('the database is not open');
    return this.#open;
  }
}
