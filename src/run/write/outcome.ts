import type { ProtocolError } from '../../base/errors.ts';
import type { WriteAction } from '../../base/observe/writes.ts';
import type { Row } from '../../database/database.ts';
import type { Relation } from '../../model/types.ts';
import type { AssignedColumn } from '../../plan/write/write-queries.ts';
import type { EntityValues } from '../convert/entity-values.ts';
import type { StoredValue } from '../convert/stored-value.ts';
import type { ColumnValue, KeyTexts, PlannedEntity } from '../convert/types.ts';

/** One of the entities that a request writes, as messages name it. */
export interface Element {
  /** Its index in the body, or among the keys of the URL. */
  readonly index: number;
  /** Null where it has none yet, or none that could be read. */
  readonly key: KeyTexts | null;
}

/** Why an element was not written. */
export interface Failure {
  readonly error: ProtocolError;
  /** The entity has changed since the client read it (§7, lock status 2). */
  readonly stampChanged: boolean;
}

/** The write to the row of an entity, for the audit log. */
export interface Written {
  readonly action: WriteAction;
  /** The values that the row was given, changed or not; none where it was deleted. */
  readonly given: readonly ColumnValue[];
  /** The names of the columns whose values have changed. */
  readonly changed: ReadonlySet<string>;
  /** Tells what a column held before, by its name; null for a new row. */
  readonly before: ((column: string) => string | null) | null;
}

/** An element of a request and its outcome, as far as that is known. */
export interface ReportedElement extends Element {
  /** The write to its row, which the audit log gets when it is committed; left out without an audit log. */
  readonly written?: Written | undefined;
  readonly failure?: Failure | null;
  readonly below?: readonly ReportedBelow[];
}

/** The entities that were written along with an element, and their report. */
interface ReportedBelow {
  /** Gets them when they are committed. */
  readonly report: { readonly committed: (elements: readonly ReportedElement[]) => void } | null;
  readonly deleted: readonly ReportedElement[];
  readonly elements: readonly ReportedElement[];
}

/**
 * How the write of one element ended, as far as it is known: first what its statement tells, then what its row tells when it is read again.
 * `open`: it has met no statement. `changed`: an UPDATE met its row. `unchanged`: its row already held the given values. `touched`: the same, and its row has
 * got another stamp, because entities related to it were written. `missed`: no statement met its row: it is gone, was kept as it is, or has another stamp.
 */
export interface Outcome extends ReportedElement {
  /** That of its row, once this was found. */
  key: KeyTexts | null;
  kind: 'open' | 'created' | 'changed' | 'unchanged' | 'touched' | 'missed' | 'deleted' | 'failed';
  /** Null where it has not failed. */
  failure: Failure | null;
  /** Its own columns as they are now; null where they are not read, not there, or not to be shown. */
  row: Row | null;
  /**
   * The stamp of its row before; null where it does not tell whether the row was changed: of new rows, of changes to columns that it is not made of,
   * and of a missed row that any stamp would do for.
   */
  before: string | null;
  written?: Written | undefined;
  /** The entities that were written along with it, by relation. */
  below: readonly Below[];
}

/** The entities that were written through one relation of an entity, in the order of the body, and those that were deleted. */
export interface Below extends ReportedBelow {
  readonly relation: Relation;
  readonly elements: readonly Outcome[];
  readonly deleted: readonly Outcome[];
}

/** An element that was not written. */
export type Failed = Outcome & { readonly kind: 'failed'; readonly failure: Failure };

/** The outcome of an element that has not failed. */
export function outcomeOf(
  kind: Exclude<Outcome['kind'], 'open' | 'failed'>,
  { index, key }: Element,
): Outcome {
  return { index, key, kind, failure: null, row: null, before: null, below: NONE };
}

const NONE: readonly never[] = [];

/** The outcome of an element that was not written. */
export function failed({ index, key }: Element, error: ProtocolError): Failed {
  const failure = { error, stampChanged: false };
  return { index, key, kind: 'failed', failure, row: null, before: null, below: NONE };
}

/** The change that an outcome has made to its own row, which has to be permitted; null where it has made none. */
export function changeIn({ kind }: Outcome): 'create' | 'update' | null {
  return kind === 'created' ? 'create' : kind === 'changed' ? 'update' : null;
}

/** Whether anything of an element's own row was written. */
export function isWritten(outcome: Outcome): boolean {
  return outcome.kind === 'touched' || changeIn(outcome) !== null;
}

/** Whether an element has failed. */
export function isFailed(outcome: Outcome): outcome is Failed {
  return outcome.failure !== null;
}

/** Those that have not failed. */
export function unfailed<Of extends Outcome>(outcomes: readonly Of[]): Of[] {
  return outcomes.filter(({ failure }) => failure === null);
}

/** The write of an outcome, where there is a report. */
export function reported(
  { report }: { readonly report: object | null },
  written: () => Written,
): Written | undefined {
  return report === null ? undefined : written();
}

/** A deleted row, for the report. @param before tells what columns held; null where they were not read */
export function deletedRow(before: Written['before']): Written {
  return { action: 'delete', given: [], changed: new Set(), before };
}

/** A row as it is before it is changed. */
export interface CurrentRow {
  readonly key: KeyTexts;
  readonly stamp: string;
  /** Whether the user may change it as is planned. */
  readonly isPermitted: boolean;
  /** Whether no other row has its key, which nothing but a unique index ensures. */
  isOnly: boolean;
  /** The value of a column, by its name; null for null. */
  readonly column: (name: string) => string | null;
  /** The answer for a column as JSON text, by its name; null where it is not known. */
  readonly json: (name: string) => string | null;
}

/** An element as it was read: one that was refused then has its error. */
type ReadElement = Pick<Outcome, 'index' | 'key'> & {
  readonly stamp?: string | null;
  readonly error?: ProtocolError;
};

/** The write of one element in one attempt: what is sought, the row that it meets, and how that ends. Each step fills in what it finds. */
export class RowWrite implements Outcome {
  readonly index: number;
  key: KeyTexts | null;
  kind: Outcome['kind'] = 'open';
  failure: Failure | null = null;
  row: Row | null = null;
  before: string | null = null;
  written: Written | undefined = undefined;
  below: readonly Below[] = NONE;
  /** The values that address its row, as the request has them; null for a new one. */
  readonly address: KeyTexts | null;
  /** The stamp that the client has read; null where it does not say. */
  readonly stamp: string | null;
  /** Its row before the change; null where there is none. */
  current: CurrentRow | null = null;
  /** The version that its statement looks for; null for any. */
  version: readonly (string | null)[] | null = null;

  constructor({ index, key, stamp = null }: ReadElement) {
    this.index = index;
    this.key = key;
    this.address = key;
    this.stamp = stamp;
  }
}

/** The write of an entity of a body. */
export class EntityWrite extends RowWrite {
  readonly entity: PlannedEntity;
  /** The values that it is given, without those that it holds as they were read. */
  given: EntityValues;
  /** The columns that the body names, changed or not: entities that name the same share a statement. */
  columns: readonly AssignedColumn[] = NONE;
  /** The values of the columns. */
  cells: readonly StoredValue[] = NONE;
  /** Whether a column changes, by its place; null for a new row. */
  changed: readonly boolean[] | null = null;

  constructor(entity: PlannedEntity) {
    super(entity);
    this.entity = entity;
    this.given = entity.given;
  }
}
