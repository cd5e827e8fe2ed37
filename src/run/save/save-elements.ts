import { ProtocolError } from '../../base/errors.ts';
import { mapInSlices, TimeSlice } from '../../base/time-slice.ts';
import type { Row } from '../../database/database.ts';
import type { Statement } from '../../sql/dialect.ts';
import { type KeyTexts, noEntity } from '../body/body-key.ts';
import type { GivenValue, PlannedEntity, RefusedEntity } from '../convert/types.ts';
import type { Attempt } from '../write/attempt.ts';
import { refusable } from './rows/batches.ts';
import { changeRows, type ExistingEntity } from './rows/change-rows.ts';
import { createRows } from './rows/create-rows.ts';
import { keyId } from './rows/current-rows.ts';
import {
  type Element,
  failed,
  type Failure,
  isFailed,
  type Outcome,
  ready,
  type Step,
} from '../write/outcome.ts';
import type { PrintedSave } from './print-save.ts';
import { resolveReferences } from './nested/resolve-references.ts';
import { cellText } from '../run.ts';
import { stampReader } from '../write/stamp.ts';
import type { Reported } from '../write/report-written.ts';
import {
  beyondRights,
  failFast,
  notChanged,
  notCreated,
  outside,
  rolledBack,
  stampChanged,
  vanished,
} from '../write/write-errors.ts';
import type { Column } from '../../schema/types.ts';

/** How the save of one entity ended. */
export interface SavedElement extends Element, Reported {
  /** Null where it was saved. */
  readonly failure: Failure | null;
  /** Its own columns as they are now; null where it is not there, or not to be shown. */
  readonly row: Row | null;
  /** Whether anything of it was written. */
  readonly isWritten: boolean;
}

/**
 * Saves entities and reads them again, in one transaction: what a client is told of an entity is what it saved, and no stamp
 * that somebody else made since.
 * @throws Refused, ProtocolError of an attempt at all or none, and what the database throws
 */
export async function saveElements(
  entities: readonly (PlannedEntity | RefusedEntity)[],
  printed: PrintedSave,
  attempt: Attempt,
): Promise<SavedElement[]> {
  const given = entities.map((entity): Step<PlannedEntity> =>
    'error' in entity ? failed(entity, entity.error) : entity,
  );
  const slice = new TimeSlice();
  const resolved = await resolveReferences(ready(failFast(given, attempt)), attempt);
  await slice.pause();
  const storable = await refuseUnencodable(ready(failFast(resolved, attempt)), attempt);
  await slice.pause();
  const writable = ready(failFast(storable, attempt));
  const outcomes = [
    ...[...given, ...resolved, ...storable].filter(isFailed),
    ...(await createRows(
      writable.filter(({ key }) => key === null),
      attempt,
    )),
    ...(await changeRows(writable.filter(isExisting), attempt)),
  ];
  const saved = await readAgain(outcomes, printed, attempt);
  return saved.sort((a, b) => a.index - b.index);
}

function isExisting(entity: PlannedEntity): entity is ExistingEntity {
  return entity.key !== null;
}

async function readAgain(
  outcomes: readonly Outcome[],
  printed: PrintedSave,
  attempt: Attempt,
): Promise<SavedElement[]> {
  const { own } = printed;
  const { answer } = printed.plan;
  refuseUnverifiable(outcomes, printed, attempt);
  const keyed = outcomes.filter(isReadAgain);
  const rows = await ownRows(keyed, printed, attempt);
  const rowOf = new Map<Outcome, Row | null>(
    keyed.map((outcome, at) => [outcome, rows[at] ?? null]),
  );
  const before = stampsBefore(outcomes);
  const stampOf = stampReader(answer.stamp, own.readers);
  return mapInSlices(outcomes, (outcome) => {
    const found = rowOf.get(outcome) ?? null;
    const meets = (column: number | null): boolean => found === null || isMet(own, found, column);
    const isInside = meets(answer.inside);
    const kind = writtenKind(outcome);
    if (kind !== null && !isInside) {
      throw rolledBack(outcome, outside(kind, outcome.key, attempt.dataclass), attempt);
    }
    if (kind !== null && !meets(answer.permitted[kind])) {
      throw rolledBack(outcome, beyondRights(kind, outcome.key, attempt.dataclass), attempt);
    }
    const row = isInside ? found : null;
    const stamp = row === null ? null : stampOf(row);
    return verified(outcome, { row, stamp }, before, attempt);
  });
}

/**
 * Reads what the rows of elements hold themselves, by one statement.
 * @returns for each element its row; null where it is not there
 * @throws Refused, or ProtocolError of an attempt at all or none
 */
async function ownRows(
  keyed: readonly (Element & { readonly key: KeyTexts })[],
  { own }: PrintedSave,
  attempt: Attempt,
): Promise<(Row | null)[]> {
  const rows = keyed.map((): Row | null => null);
  if (keyed.length === 0) return rows;
  const found = await refusable(
    keyed.map((element) => ({ element })),
    'update',
    attempt,
    () => attempt.source.run(own, { rows: keyed.map(({ key }) => key) }),
  );
  for (const row of found) rows[Number(row[0])] ??= row;
  return rows;
}

/**
 * Elements that were saved, as their rows are by now.
 * @throws as {@link saveElements}, also where one is gone by what was written behind it
 */
export async function asTheyAre<Saved extends SavedElement>(
  elements: readonly Saved[],
  printed: PrintedSave,
  attempt: Attempt,
): Promise<Saved[]> {
  const { inside } = printed.plan.answer;
  const shown = elements.filter(
    (element): element is Saved & { readonly key: KeyTexts } =>
      element.failure === null && element.row !== null && element.key !== null,
  );
  const rows = await ownRows(shown, printed, attempt);
  const rowOf = new Map<Saved, Row>();
  for (const [at, element] of shown.entries()) {
    const row = rows[at] ?? null;
    if (row === null || !isMet(printed.own, row, inside))
      throw rolledBack(element, vanished(element.key, attempt.dataclass), attempt);
    rowOf.set(element, row);
  }
  return elements.map((element) => ({ ...element, row: rowOf.get(element) ?? element.row }));
}

/** Whether a row meets what a column of its own tells; null for what each row does. */
function isMet(own: Statement, row: Row, column: number | null): boolean {
  return column === null || cellText(own, row, column) === 'true';
}

/** A new row that cannot be read again, because nobody knows its key, cannot be looked at either: whether it is what it may be stays open. */
function refuseUnverifiable(
  outcomes: readonly Outcome[],
  { plan: { answer } }: PrintedSave,
  attempt: Attempt,
): void {
  if (answer.inside === null && answer.permitted.create === null) return;
  const unknown = outcomes.find(({ kind, key }) => kind === 'created' && key === null);
  if (unknown === undefined) return;
  throw rolledBack(unknown, beyondRights('create', null, attempt.dataclass), attempt);
}

/**
 * What this attempt has done to a row, which has to be what it may be; null where it has done nothing: what somebody else has made of it is
 * gone for clients where it is none of the dataclass's entities.
 */
function writtenKind({ kind }: Outcome): 'create' | 'update' | null {
  if (kind === 'created') return 'create';
  return kind === 'changed' ? 'update' : null;
}

/** Of those that failed, those that somebody else has changed are shown as they are now (DECISIONS, "Updates"). */
function isReadAgain(outcome: Outcome): outcome is Outcome & { readonly key: KeyTexts } {
  return outcome.key !== null && (!isFailed(outcome) || outcome.failure.stampChanged);
}

/**
 * Of the rows that the attempt has changed, the stamps that they had before it, by their keys as text; null where that tells
 * nothing: what was changed twice may be as it was.
 */
function stampsBefore(outcomes: readonly Outcome[]): ReadonlyMap<string, string | null> {
  const before = new Map<string, string | null>();
  for (const outcome of outcomes) {
    if (outcome.kind !== 'changed' || outcome.key === null) continue;
    const id = keyId(outcome.key);
    before.set(id, before.has(id) ? null : outcome.before);
  }
  return before;
}

/** An element's row as it is now, and its stamp; null where it is not there, or none of the dataclass's. */
interface RowNow {
  readonly row: Row | null;
  readonly stamp: string | null;
}

/**
 * What an outcome comes to, now that the row is read again.
 *
 * Where a row held already what it is given and has another stamp by now, whoever takes that stamp for the one of what it sent
 * would overwrite what it never saw. What the database took and did not keep, new rows and changed ones that are not there, and changed
 * ones that are as they were, is taken back: a trigger of its own has seen to that, or a view does not show what was put into it.
 */
function verified(
  outcome: Outcome,
  { row, stamp: now }: RowNow,
  before: ReadonlyMap<string, string | null>,
  attempt: Attempt,
): SavedElement {
  const { index, key } = outcome;
  const { dataclass } = attempt;
  const told = 'written' in outcome ? { written: outcome.written } : {};
  const isWritten = outcome.kind === 'created' || outcome.kind === 'changed';
  const written: SavedElement = { index, key, failure: null, row, isWritten, ...told };
  const not = (error: ProtocolError, isStale = false): SavedElement => {
    const step = failed(outcome, error, isStale);
    failFast([step], attempt);
    return { ...written, failure: step.failure };
  };
  if (key === null) return isFailed(outcome) ? { ...written, failure: outcome.failure } : written;
  switch (outcome.kind) {
    case 'failed':
      return { ...written, failure: outcome.failure };
    case 'created':
      if (now === null) throw rolledBack(outcome, notCreated(dataclass), attempt);
      return written;
    case 'changed':
      if (now === null) throw rolledBack(outcome, vanished(key, dataclass), attempt);
      if (now === before.get(keyId(key))) {
        throw rolledBack(outcome, notChanged('update', key, dataclass), attempt);
      }
      return written;
    case 'unchanged':
      if (before.has(keyId(key)) || now === outcome.stamp) return written;
      return now === null
        ? not(noEntity(key, dataclass))
        : not(stampChanged('update', key, dataclass), true);
    case 'missed':
      if (now === null) return not(noEntity(key, dataclass));
      return outcome.stamped && now !== outcome.before
        ? not(stampChanged('update', key, dataclass), true)
        : not(notChanged('update', key, dataclass));
    case 'deleted':
      throw new Error('a save deletes nothing');
  }
}

/**
 * Refuses text that its column would store with question marks in place of characters, because its code page lacks them. The
 * database is asked only where there is text beyond ASCII, for a column that can lose any.
 */
async function refuseUnencodable(
  entities: readonly PlannedEntity[],
  attempt: Attempt,
): Promise<Step<PlannedEntity>[]> {
  const members = await unencodable(entities, attempt);
  return entities.map((entity) => {
    const member = members.get(entity);
    if (member === undefined) return entity;
    const message = `${member} holds characters that its column cannot store: they are not in its code page.`;
    return failed(entity, new ProtocolError('wrongType', message).about(member));
  });
}

/** The attribute with such text, for each entity that has one. */
async function unencodable(
  entities: readonly PlannedEntity[],
  { statements, source }: Attempt,
): Promise<ReadonlyMap<PlannedEntity, string>> {
  const found = new Map<PlannedEntity, string>();
  const columns = await doubtfulColumns(entities);
  const statement = columns.length === 0 ? null : statements.unencodable(columns);
  if (statement === null) return found;
  const rows = await mapInSlices(entities, ({ given }) =>
    columns.map(({ name }) => {
      const value = given.find(({ column }) => column.name === name);
      return value !== undefined && isDoubtful(value) ? value.value : null;
    }),
  );
  for (const [ordinal, at] of await source.run(statement, { rows })) {
    const entity = entities[Number(ordinal)];
    const column = columns[Number(at)];
    const member = entity?.given.find((value) => value.column.name === column?.name)?.member;
    if (entity !== undefined && member !== undefined) found.set(entity, member);
  }
  return found;
}

async function doubtfulColumns(entities: readonly PlannedEntity[]): Promise<readonly Column[]> {
  const columns = new Map<string, Column>();
  await mapInSlices(entities, ({ given }) => {
    for (const value of given) if (isDoubtful(value)) columns.set(value.column.name, value.column);
  });
  return [...columns.values()].sort((a, b) => a.position - b.position);
}

function isDoubtful(value: GivenValue): value is GivenValue & { readonly value: string } {
  const { column, value: text } = value;
  return column.type.kind === 'text' && typeof text === 'string' && /[\u0080-\uffff]/.test(text);
}
