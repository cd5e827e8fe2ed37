import { ProtocolError } from '../base/errors.ts';
import type { Row, Session } from '../database/database.ts';
import { DatabaseRefusal } from '../database/violation.ts';
import type { Dataclass, Model, StorageAttribute } from '../model/types.ts';
import type { KeyTexts } from '../plan/body-key.ts';
import type { ColumnValue } from '../plan/changes.ts';
import { explainRefusal, type WriteKind } from '../plan/violation.ts';
import type { RowCount } from '../query/ir.ts';
import type { Column } from '../schema/types.ts';
import type { Dialect, Statement } from '../sql/dialect.ts';
import { retryingDeadlocks } from './retry.ts';
import { bindStatement, runQuery, type Inputs, type ReadSource } from './run.ts';
import type { WriteStatements } from './write-statements.ts';

/** What the writes of one request run on. */
export interface WriteParts {
  readonly dataclass: Dataclass;
  readonly model: Model;
  readonly statements: WriteStatements;
  readonly dialect: Dialect;
  readonly session: Session;
  /** All or nothing: the session is a transaction, and the first failure ends the run (§4.13). */
  readonly atomic: boolean;
  /** Each entity by a statement of its own, so that it can be told which one fails. */
  readonly oneByOne: boolean;
}

/** Several entities of an atomic request were refused together: only one by one can it be told which of them. */
export class BatchRefused extends Error {}

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
 * Writes the entities of one request, many in one statement wherever they are alike. Where a statement for many is
 * refused, each is tried on its own: one that is wrong does not take the others with it.
 */
export class WriteRun {
  protected readonly parts: WriteParts;
  readonly failures = new Map<number, Failure>();
  readonly #source: ReadSource;
  /** The database is gone: what has not been tried is not tried any more. */
  #gone: ProtocolError | null = null;

  constructor(parts: WriteParts) {
    this.parts = parts;
    const { dialect, session, atomic } = parts;
    this.#source = {
      dialect,
      query: atomic
        ? session.query
        : (text, values) => retryingDeadlocks(() => session.query(text, values)),
    };
  }

  protected get source(): ReadSource {
    return this.#source;
  }

  /** A statement that fell victim to a deadlock is tried again, but for one in a transaction, which is lost as a whole. */
  protected change(statement: Statement, inputs: Inputs): Promise<readonly Row[]> {
    const { session, atomic, dialect } = this.parts;
    const run = (): Promise<readonly Row[]> =>
      session.change(statement.text, bindStatement(statement, inputs, dialect));
    return atomic ? run() : retryingDeadlocks(run);
  }

  /**
   * Takes note that an entity was not written.
   * @throws ProtocolError in an atomic request, naming the element
   */
  protected fail({ index, key }: Written, error: ProtocolError, stampChanged = false): void {
    if (this.parts.atomic) throw naming(error, index, key, this.parts.dataclass);
    this.failures.set(index, { error, stampChanged });
  }

  /** Runs the writes of alike entities, together where they are several, else one by one. */
  protected async apply<Item extends WrittenItem>(
    groups: readonly (readonly Item[])[],
    kind: WriteKind,
    run: (items: readonly Item[]) => Promise<void>,
  ): Promise<void> {
    const waiting: Item[] = [];
    for (const group of groups) {
      if (group.length === 1 || this.parts.oneByOne) {
        waiting.push(...group);
        continue;
      }
      try {
        await this.#attempt(group, kind, run);
      } catch (error) {
        if (!(error instanceof DatabaseRefusal)) throw error;
        if (this.parts.atomic) throw new BatchRefused('refused together', { cause: error });
        waiting.push(...group);
      }
    }
    for (const item of waiting.sort((a, b) => a.written.index - b.written.index)) {
      try {
        await this.#attempt([item], kind, run);
      } catch (error) {
        if (!(error instanceof DatabaseRefusal)) throw error;
        const { dataclass, model } = this.parts;
        const given = (item.columns ?? []).map(({ column }) => column);
        const explained = explainRefusal(error, dataclass, model, kind, given);
        this.fail(
          item.written,
          explained.leadingTo(consequence(kind, item.written.key, dataclass)),
        );
      }
    }
  }

  /** @throws DatabaseRefusal; what else goes wrong is the end of these entities alone, or of an atomic request */
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
      if (this.parts.atomic) throw error;
      if (error.errorName === 'databaseAway' || error.errorName === 'outcomeUnknown') {
        this.#gone ??= new ProtocolError('databaseAway', NOT_TRIED, undefined, error);
      }
      const { dataclass } = this.parts;
      for (const { written } of items) {
        this.fail(written, error.leadingTo(consequence(kind, written.key, dataclass)));
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

const NOT_TRIED =
  'The database was lost while the request was served: this was not tried. Try again later.';

/** What came of a refusal, as the protocol says it. */
export function consequence(
  kind: WriteKind,
  key: KeyTexts | null,
  { name }: Dataclass,
): { errorName: ProtocolError['errorName']; message: string } {
  const entity = key === null ? `The entity of ${name}` : `${name}(${shownKey(key)})`;
  switch (kind) {
    case 'create':
      return {
        errorName: 'newEntityNotSaved',
        message: `The new entity of ${name} was not saved.`,
      };
    case 'update':
      return { errorName: 'entityNotSaved', message: `${entity} was not saved.` };
    case 'delete':
      return { errorName: 'entityNotDeleted', message: `${entity} was not deleted.` };
  }
}

/** The error of an atomic request, with the element that it is about (DECISIONS, "Updates"). */
export function naming(
  error: ProtocolError,
  index: number,
  key: KeyTexts | null,
  { name }: Dataclass,
): ProtocolError {
  const entity = key === null ? `a new ${name}` : `${name}(${shownKey(key)})`;
  return new ProtocolError(
    error.errorName,
    `Element ${index} of the body, ${entity}: ${error.message}`,
    undefined,
    error,
  ).leadingTo(...error.consequences, {
    errorName: 'notSaved',
    message: 'Nothing of the request was saved.',
  });
}

/** There is no entity with the key that a write names (§4.6 rule 5). */
export function noEntity(key: KeyTexts | null, { name }: Dataclass): ProtocolError {
  return new ProtocolError('noEntityToWrite', `There is no entity ${name}(${shownKey(key)}).`);
}

/** The entity is there, and the database has not changed it: a trigger or a policy of its own kept it as it is. */
export function notChanged(
  kind: WriteKind,
  key: KeyTexts | null,
  dataclass: Dataclass,
): ProtocolError {
  return new ProtocolError(
    'notSaved',
    `The database kept ${dataclass.name}(${shownKey(key)}) as it is: it is gone, or a rule of the database's own does not let it be changed.`,
  ).leadingTo(consequence(kind, key, dataclass));
}

/** The database took a new row and kept none of it: a trigger of its own dropped it. */
export function notCreated(dataclass: Dataclass): ProtocolError {
  return new ProtocolError(
    'notSaved',
    `The database did not keep the new entity of ${dataclass.name}: a rule of the database's own does not let it be created.`,
  ).leadingTo(consequence('create', null, dataclass));
}

/** The entity was changed by somebody else since the client read it (DECISIONS, "Updates"). */
export function stampChanged(
  kind: WriteKind,
  key: KeyTexts | null,
  dataclass: Dataclass,
): ProtocolError {
  return new ProtocolError(
    'stampChanged',
    `${dataclass.name}(${shownKey(key)}) has been changed since it was read: its __STAMP is another one now.`,
  ).leadingTo(consequence(kind, key, dataclass));
}

/** A key as messages name it: without the blanks that CHAR pads it with. */
function shownKey(key: KeyTexts | null): string {
  return (key ?? []).map((part) => part.trimEnd()).join(';');
}

/** Which text of a statement serves these items. */
export function rowCount(items: readonly unknown[]): RowCount {
  return items.length === 1 ? 'one' : 'many';
}
