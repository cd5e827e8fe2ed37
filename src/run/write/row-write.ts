import type { ProtocolError } from '../../base/errors.ts';
import type { Row } from '../../database/database.ts';
import type { AssignedColumn } from '../../plan/write/write-queries.ts';
import type { EntityValues } from '../convert/entity-values.ts';
import type { StoredValue } from '../convert/stored-value.ts';
import type { KeyTexts, PlannedEntity } from '../convert/types.ts';
import type { Below, Failure, Outcome, Written } from './outcome.ts';

/** A row as it is before it is changed. */
export interface CurrentRow {
  readonly key: KeyTexts;
  readonly stamp: string;
  /** Whether the user may change it as is planned. */
  readonly isPermitted: boolean;
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

const NONE: readonly never[] = [];

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
