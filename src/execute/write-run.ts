import { ProtocolError } from '../base/errors.ts';
import type { Row, Session } from '../database/database.ts';
import { DatabaseRefusal } from '../database/violation.ts';
import type { Dataclass, Model, StorageAttribute } from '../model/types.ts';
import type { Activity } from '../observe/observer.ts';
import type { KeyTexts } from '../values/body-key.ts';
import type { ColumnValue } from '../values/changes.ts';
import { explainRefusal, type WriteKind } from '../values/violation.ts';
import type { RowCount } from '../query/ir.ts';
import type { Column } from '../schema/types.ts';
import type { Dialect, Statement } from '../sql/dialect.ts';
import { retryingDeadlocks } from './retry.ts';
import { bindStatement, runQuery, type Inputs, type ReadSource } from './run.ts';
import { atomicError, consequence, isGone, notTried, withConsequence } from './write-errors.ts';
import type { WriteStatements } from './write-statements.ts';

/** What the writes of one request run on. */
export interface WriteParts {
  readonly dataclass: Dataclass;
  readonly model: Model;
  readonly statements: WriteStatements;
  readonly dialect: Dialect;
  readonly session: Session;
  readonly activity: Activity;
  readonly kind: 'save' | 'delete';
  /** The unique attribute that the URL addresses the entity by; null where that is the key. */
  readonly unique: string | null;
  /** Whether the body names the entities, not the URL: errors name its element. */
  readonly isInBody: boolean;
  /** The session is a transaction: what the database refuses ends it, and with it the run. */
  readonly inTransaction: boolean;
  /** All or nothing: the first failure ends the run (§4.13). */
  readonly atomic: boolean;
  /** Each entity by a statement of its own, so that it can be told which one fails. */
  readonly oneByOne: boolean;
}

/** Entities that were written in one transaction were refused: of several, only apart can it be told which of them. */
export class BatchRefused extends Error {
  /** Why, where it was one. */
  readonly explained: ProtocolError;

  constructor(explained: ProtocolError) {
    super('refused together', { cause: explained });
    this.explained = explained;
  }
}

/** How the write of one entity failed. */
export interface Failure {
  readonly error: ProtocolError;
  readonly stampChanged: boolean;
}

/** An entity that is written, as messages name it. */
export interface Written {
  readonly index: number;
  readonly key: KeyTexts | null;
}

/** What one statement writes, alone or with others. */
interface WrittenItem {
  readonly written: Written;
  /** What it gives columns, if anything. */
  readonly columns?: readonly ColumnValue[];
}

/** What a row holds before it is changed. */
export interface HeldRow {
  readonly key: KeyTexts;
  readonly stamp: string;
  readonly column: (name: string) => string | null;
}

/**
 * Writes the entities of one request, many in one statement wherever they are alike. Outside of a transaction, one that is
 * wrong does not take the others with it.
 */
export class WriteRun {
  protected readonly parts: WriteParts;
  readonly failures = new Map<number, Failure>();
  readonly #source: ReadSource;
  /** The database is gone: what has not been tried is not tried any more. */
  #gone: ProtocolError | null = null;

  constructor(parts: WriteParts) {
    this.parts = parts;
    const { dialect, session, inTransaction, activity } = parts;
    this.#source = {
      dialect,
      query: inTransaction
        ? session.query
        : (text, values) => retryingDeadlocks(() => session.query(text, values)),
      activity,
    };
  }

  protected get source(): ReadSource {
    return this.#source;
  }

  /** A statement that fell victim to a deadlock is tried again, but for one in a transaction, which is lost as a whole. */
  protected async change(statement: Statement, inputs: Inputs): Promise<readonly Row[]> {
    const { session, inTransaction, dialect, activity } = this.parts;
    activity.signal.throwIfAborted();
    const run = (): Promise<readonly Row[]> =>
      session.change(statement.text, bindStatement(statement, inputs, dialect));
    return inTransaction ? run() : retryingDeadlocks(run);
  }

  /**
   * Takes note that an entity was not written.
   * @throws ProtocolError in an atomic request, naming the element
   */
  protected fail({ index, key }: Written, error: ProtocolError, stampChanged = false): void {
    if (this.parts.atomic) throw atomicError(error, { index, key }, this.parts);
    this.failures.set(index, { error, stampChanged });
  }

  /** Runs the writes of alike entities, together where they are several and not wanted one by one. */
  protected async apply<Item extends WrittenItem>(
    groups: readonly (readonly Item[])[],
    kind: WriteKind,
    run: (items: readonly Item[]) => Promise<void>,
  ): Promise<void> {
    if (!this.parts.oneByOne) {
      for (const group of groups) await this.#write(group, kind, run);
      return;
    }
    const inOrder = groups.flat().sort((a, b) => a.written.index - b.written.index);
    for (const item of inOrder) await this.#write([item], kind, run);
  }

  /** Of several that are refused, each half is tried on its own, so that few statements find the one that is wrong. */
  async #write<Item extends WrittenItem>(
    items: readonly Item[],
    kind: WriteKind,
    run: (items: readonly Item[]) => Promise<void>,
  ): Promise<void> {
    const [first] = items;
    if (first === undefined) return;
    try {
      await this.#attempt(items, kind, run);
    } catch (error) {
      if (!(error instanceof DatabaseRefusal)) throw error;
      const { dataclass, model, inTransaction, atomic } = this.parts;
      const given = (first.columns ?? []).map(({ column }) => column);
      const explained = explainRefusal(error, dataclass, model, kind, given).leadingTo(
        consequence(kind, first.written.key, dataclass),
      );
      if (inTransaction && (!atomic || items.length > 1)) throw new BatchRefused(explained);
      if (items.length === 1) {
        this.fail(first.written, explained);
        return;
      }
      const middle = items.length >> 1;
      await this.#write(items.slice(0, middle), kind, run);
      await this.#write(items.slice(middle), kind, run);
    }
  }

  /** @throws DatabaseRefusal; what else goes wrong is the end of these entities alone, or of the transaction */
  async #attempt<Item extends WrittenItem>(
    items: readonly Item[],
    kind: WriteKind,
    run: (items: readonly Item[]) => Promise<void>,
  ): Promise<void> {
    try {
      if (this.#gone !== null) throw this.#gone;
      await run(items);
    } catch (error) {
      if (error instanceof DatabaseRefusal || !(error instanceof ProtocolError)) throw error;
      if (this.parts.inTransaction) throw error;
      if (isGone(error)) this.#gone ??= notTried(error);
      for (const { written } of items) {
        this.fail(written, withConsequence(error, kind, written.key, this.parts.dataclass));
      }
    }
  }

  /** What the rows with these values of attributes hold; null for a row that is not there. */
  protected async heldRows(
    attributes: readonly StorageAttribute[],
    keys: readonly KeyTexts[],
    columns: readonly Column[],
  ): Promise<(HeldRow | null)[]> {
    if (keys.length === 0) return [];
    const { plan, statement } = this.parts.statements.held(attributes, columns);
    const found: (HeldRow | null)[] = keys.map(() => null);
    for (const row of await runQuery(statement, { rows: keys }, this.source)) {
      found[Number(row[0])] = {
        key: plan.key.map((index) => cellText(statement, row, index) ?? ''),
        stamp: cellText(statement, row, plan.stamp) ?? '',
        column: (name) => {
          const index = plan.columns.get(name);
          // What is not read, the content of an image or BLOB, equals nothing that it is given.
          return index === undefined ? '' : cellText(statement, row, index);
        },
      };
    }
    return found;
  }
}

/** What a result column holds as canonical text; null for null. */
export function cellText({ readers }: Statement, row: Row, index: number): string | null {
  const value = row[index];
  if (value === null || value === undefined) return null;
  return readers[index]?.text(value) ?? null;
}

/** The keys that a statement tells of the rows it met, each as the text that {@link keyId} makes. */
export function metKeys(
  statement: Statement,
  rows: readonly Row[],
  { key }: Dataclass,
): ReadonlySet<string> {
  return new Set(rows.map((row) => keyId(key.map((_, part) => cellText(statement, row, part)))));
}

/** Equal for equal keys. */
export function keyId(key: readonly (string | null)[]): string {
  return JSON.stringify(key);
}

/** Which text of a statement serves these items. */
export function rowCount(items: readonly unknown[]): RowCount {
  return items.length === 1 ? 'one' : 'many';
}

/**
 * Rows in the order of their keys: two requests that change the same ones lock them one after the other, not each the other's.
 */
export function inKeyOrder<Item extends { readonly held: HeldRow }>(
  items: readonly Item[],
): Item[] {
  const id = ({ held }: Item): string => keyId(held.key);
  return items.toSorted((a, b) => (id(a) < id(b) ? -1 : 1));
}
