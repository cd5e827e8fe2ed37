import type { ProtocolError } from '../../base/errors.ts';
import type { Row } from '../../database/database.ts';
import type { KeyTexts } from '../body/body-key.ts';
import type { Reported } from './report-written.ts';

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
  /** Somebody else changed the entity since the client read it (§7, lock status 2). */
  readonly stampChanged: boolean;
}

/** An element that was not written. */
export interface Failed extends Element {
  readonly kind: 'failed';
  readonly failure: Failure;
  /** The entity's own columns as they are now; left out where they are not read, or not to be shown. */
  readonly row?: Row | null;
}

/** An element on its way: what is known of it by now, or that it has failed. */
export type Step<Ready> = Ready | Failed;

/** How the write of one element ended, as far as its own statement tells. */
export type Outcome =
  | Failed
  | (Element & Reported & { readonly kind: 'created' })
  /** Its row was met by an UPDATE; `before` is the stamp that it had, null where that does not tell of what was changed. */
  | (Element & Reported & { readonly kind: 'changed'; readonly before: string | null })
  /** Its row, which has this stamp, held already what it is given. */
  | (Element & { readonly kind: 'unchanged'; readonly stamp: string })
  /** No statement met its row, which had this stamp: it is gone, was kept as it is, or has, where that was looked for, another stamp. */
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

/** Whether an element has failed. */
export function isFailed<Ready extends object>(step: Step<Ready>): step is Failed {
  return (step as Partial<Failed>).kind === 'failed';
}

/** The elements that have not failed. */
export function ready<Ready extends object>(steps: readonly Step<Ready>[]): Ready[] {
  return steps.filter((step): step is Ready => !isFailed(step));
}
