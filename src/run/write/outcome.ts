import type { ProtocolError } from '../../base/errors.ts';
import type { WriteAction } from '../../base/observe/writes.ts';
import type { Row } from '../../database/database.ts';
import type { ColumnValue, KeyTexts } from '../convert/types.ts';

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

/** An element that was not written. */
export interface Failed extends Element {
  readonly kind: 'failed';
  readonly failure: Failure;
  /** The entity's own columns as they are now; left out where they are not read, or not to be shown. */
  readonly row?: Row | null;
}

/** A value, or the failure of the element that it belongs to. */
export type OrFailed<Value> = Value | Failed;

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

/** The write to an element, which the audit log gets when it is committed; left out without an audit log. */
export interface Reported {
  readonly written?: Written | undefined;
}

/** How the write of one element ended, as far as its own statement tells. */
export type Outcome =
  | Failed
  /** `row` is the new row by the columns of the answer, where its statement has read it and nothing has changed it since. */
  | (Element & Reported & { readonly kind: 'created'; readonly row?: Row | undefined })
  /** An UPDATE met its row; `before` is its stamp before, null where the stamp does not change with these columns. */
  | (Element & Reported & { readonly kind: 'changed'; readonly before: string | null })
  /** Its row, which has this stamp, already held the given values. */
  | (Element & { readonly kind: 'unchanged'; readonly stamp: string })
  /** No statement met its row, which had this stamp: it is gone, was kept as it is, or, where `stamped`, has another stamp. */
  | (Element & { readonly kind: 'missed'; readonly stamped: boolean; readonly before: string })
  | (Element & Reported & { readonly kind: 'deleted' });

/** The outcome of an element that was not written. */
export function failed(
  { index, key }: Element,
  error: ProtocolError,
  stampChanged = false,
): Failed {
  return { kind: 'failed', index, key, failure: { error, stampChanged } };
}

/** An entity of a body; the failure of one that was refused while it was read. */
export function orRefused<Entity extends Element>(
  entity: Entity | (Element & { readonly error: ProtocolError }),
): OrFailed<Entity> {
  return 'error' in entity ? failed(entity, entity.error) : entity;
}

/** Whether an element has failed. */
export function isFailed<Value extends object>(value: OrFailed<Value>): value is Failed {
  return (value as Partial<Failed>).kind === 'failed';
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
