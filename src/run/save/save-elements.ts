import { ProtocolError } from '../../base/errors.ts';
import { mapInSlices, TimeSlice } from '../../base/time-slice.ts';
import type { Row } from '../../database/database.ts';
import type { SavePlan } from '../../plan/write/save.ts';
import type { Column } from '../../schema/types.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import { noEntity } from '../body/entity-key.ts';
import type { GivenValue } from '../convert/given-value.ts';
import type { KeyTexts, PlannedEntity, RefusedEntity } from '../convert/types.ts';
import { cellText, stampReader, type StatementSource } from '../run.ts';
import type { Attempt } from '../write/attempt.ts';
import {
  type Element,
  failed,
  type Failed,
  type Failure,
  isFailed,
  type OrFailed,
  orRefused,
  type Outcome,
  type Reported,
} from '../write/outcome.ts';
import {
  beyondRights,
  failFast,
  notChanged,
  notCreated,
  outside,
  rolledBack,
  sortOut,
  stampChanged,
  vanished,
} from '../write/write-errors.ts';
import { inLockOrder } from './natural-keys.ts';
import { resolveReferences } from './rows/changes.ts';
import { keyId, refusable } from './rows/current-rows.ts';
import { changeRows, createRows, type ExistingEntity } from './rows/write-rows.ts';

/** How the save of one entity ended. */
export interface SavedElement extends Element, Reported {
  /** Null where it was saved. */
  readonly failure: Failure | null;
  /** Its own columns as they are now; null where it is not there, or not to be shown. */
  row: Row | null;
  /** The change that has to be permitted; null where its own row was not changed. */
  readonly change: 'create' | 'update' | null;
  /** Whether anything of it was written. */
  isWritten: boolean;
}

/** An element whose key is known. */
type Keyed<Of extends Element> = Of & { readonly key: KeyTexts };

/**
 * Saves entities and reads them again, in one transaction: so the client gets the stamp of what it saved, and no later one. `unfinished` are the indexes
 * of new ones whose lists are still to be saved, before which no filter can judge them.
 */
export async function saveElements(
  entities: readonly (PlannedEntity | RefusedEntity)[],
  unfinished: ReadonlySet<number>,
  plan: SavePlan,
  attempt: Attempt,
): Promise<SavedElement[]> {
  const slice = new TimeSlice();
  const failures: Failed[] = [];
  const given = sortOut(
    entities.map((entity) => orRefused<PlannedEntity>(entity)),
    failures,
    attempt,
  );
  const resolved = sortOut(await resolveReferences(given, attempt), failures, attempt);
  await slice.pause();
  const writable = sortOut(await refuseUnencodable(resolved, attempt), failures, attempt);
  await slice.pause();
  const created = writable.filter(({ key }) => key === null);
  const added = inLockOrder(created, attempt);
  const { inside, permitted } = plan.answer;
  const isAnswered = added.length === writable.length && (inside ?? permitted.create) === null;
  const outcomes = [
    ...failures,
    ...(await createRows(added, isAnswered ? plan.answer : null, attempt)),
    ...(await changeRows(writable.filter(isExisting), attempt)),
  ];
  const saved = await readAgain(outcomes, unfinished, plan, attempt);
  return saved.sort((a, b) => a.index - b.index);
}

function isExisting(entity: PlannedEntity): entity is ExistingEntity {
  return entity.key !== null;
}

/** The change that an outcome has made, which has to be permitted; others have changed nothing. */
const WRITTEN: Readonly<Partial<Record<Outcome['kind'], 'create' | 'update'>>> = {
  created: 'create',
  changed: 'update',
};

async function readAgain(
  outcomes: readonly Outcome[],
  unfinished: ReadonlySet<number>,
  plan: SavePlan,
  attempt: Attempt,
): Promise<SavedElement[]> {
  const { answer } = plan;
  const { own } = answer;
  refuseUnverifiable(outcomes, plan, attempt);
  const keyed = outcomes.filter(isReadAgain);
  const rows = await ownRows(keyed, plan, attempt);
  const rowOf = new Map<Outcome, Row | null>(
    keyed.map((outcome, at) => [outcome, rows[at] ?? null]),
  );
  const before = stampsBefore(outcomes);
  const stampOf = stampReader(answer.stamp, own.readers);
  return mapInSlices(outcomes, (outcome) => {
    const found = readRow(outcome) ?? rowOf.get(outcome) ?? null;
    const meets = (column: number | null): boolean => found === null || isMet(own, found, column);
    const change = WRITTEN[outcome.kind] ?? null;
    const isJudged = change !== 'create' || !unfinished.has(outcome.index);
    const isInside = !isJudged || meets(answer.inside);
    if (change !== null && !isInside) {
      throw rolledBack(outcome, outside(change, outcome.key, attempt.dataclass), attempt);
    }
    if (change !== null && isJudged && !meets(answer.permitted[change])) {
      throw rolledBack(outcome, beyondRights(change, outcome.key, attempt.dataclass), attempt);
    }
    const row = isInside ? found : null;
    const stamp = row === null ? null : stampOf(row);
    return verified(outcome, row, stamp, before, attempt);
  });
}

/** Reads the own columns of elements, by one statement; null for an element that is not there. */
async function ownRows(
  keyed: readonly Keyed<Element>[],
  { answer: { own } }: SavePlan,
  attempt: Attempt,
): Promise<(Row | null)[]> {
  const rows = keyed.map((): Row | null => null);
  if (keyed.length === 0) return rows;
  const items = keyed.map((element) => ({ element }));
  const found = await refusable(items, 'update', attempt, () =>
    attempt.source.run(own, { rows: keyed.map(({ key }) => key) }),
  );
  for (const row of found) rows[Number(row[0])] ??= row;
  return rows;
}

/** Reads the rows of saved elements once more, after later writes. @throws as {@link saveElements}, also where a row is gone by a later write */
export async function readLater(
  elements: readonly SavedElement[],
  plan: SavePlan,
  attempt: Attempt,
): Promise<void> {
  const { inside, permitted, own } = plan.answer;
  const shown = elements.filter(
    (element): element is Keyed<SavedElement> =>
      element.failure === null && element.row !== null && element.key !== null,
  );
  const rows = await ownRows(shown, plan, attempt);
  for (const [at, element] of shown.entries()) {
    const row = rows[at] ?? null;
    if (row === null) throw rolledBack(element, vanished(element.key, attempt.dataclass), attempt);
    const { change } = element;
    if (!isMet(own, row, inside)) {
      throw rolledBack(
        element,
        outside(change ?? 'update', element.key, attempt.dataclass),
        attempt,
      );
    }
    if (change !== null && !isMet(own, row, permitted[change])) {
      throw rolledBack(element, beyondRights(change, element.key, attempt.dataclass), attempt);
    }
    element.row = row;
  }
}

/** Reads the rows of stale elements again when all is committed: others of the body may have changed them since. */
export async function readStale(
  elements: readonly SavedElement[],
  { answer: { own, inside } }: SavePlan,
  source: StatementSource,
): Promise<void> {
  const stale = elements.filter(
    (element): element is Keyed<SavedElement> =>
      element.failure?.stampChanged === true && element.row !== null && element.key !== null,
  );
  if (stale.length === 0 || elements.length === 1) return;
  const rows = await source.run(own, { rows: stale.map(({ key }) => key) });
  for (const element of stale) element.row = null;
  for (const row of rows.filter((one) => isMet(own, one, inside))) {
    const element = stale[Number(row[0])];
    if (element !== undefined) element.row ??= row;
  }
}

/** Whether a column tells that its row meets a condition; null where every row does. */
function isMet(own: Statement, row: Row, column: number | null): boolean {
  return column === null || cellText(own, row, column) === 'true';
}

/** Refuses new rows that cannot be read again, because their key is not known, where conditions on them have to be checked. */
function refuseUnverifiable(
  outcomes: readonly Outcome[],
  { answer }: SavePlan,
  attempt: Attempt,
): void {
  if (answer.inside === null && answer.permitted.create === null) return;
  const unknown = outcomes.find(({ kind, key }) => kind === 'created' && key === null);
  if (unknown === undefined) return;
  throw rolledBack(unknown, beyondRights('create', null, attempt.dataclass), attempt);
}

/** Whether an outcome is read again; of failures, those of entities that have changed since they were read (DECISIONS, "Updates"). */
function isReadAgain(outcome: Outcome): outcome is Keyed<Outcome> {
  if (outcome.key === null || readRow(outcome) !== undefined) return false;
  return !isFailed(outcome) || outcome.failure.stampChanged;
}

/** The row that the statement has read which wrote it; undefined where there is none. */
function readRow(outcome: Outcome): Row | undefined {
  return outcome.kind === 'created' ? outcome.row : undefined;
}

/** The stamps before the attempt of the rows that it has changed, by their {@link keyId}; null for a row that was changed twice. */
function stampsBefore(outcomes: readonly Outcome[]): ReadonlyMap<string, string | null> {
  const before = new Map<string, string | null>();
  for (const outcome of outcomes) {
    if (outcome.kind !== 'changed' || outcome.key === null) continue;
    const id = keyId(outcome.key);
    before.set(id, before.has(id) ? null : outcome.before);
  }
  return before;
}

/**
 * The result of an outcome, now that its row is read again; `row` and `stamp` are null where it is not there, or not in the dataclass.
 * A row that already held the given values and has another stamp now has changed: the client would take that stamp for its own and overwrite
 * what it never saw. Rows that the database accepted and did not keep, because of a trigger or a view, are rolled back: new and changed rows that
 * are missing, and changed rows with the old stamp.
 */
function verified(
  outcome: Outcome,
  row: Row | null,
  now: string | null,
  before: ReadonlyMap<string, string | null>,
  attempt: Attempt,
): SavedElement {
  const { index, key } = outcome;
  const { dataclass } = attempt;
  const report = 'written' in outcome ? outcome.written : undefined;
  const change = WRITTEN[outcome.kind] ?? null;
  const isWritten = change !== null;
  const written: SavedElement = {
    index,
    key,
    failure: null,
    row,
    change,
    isWritten,
    written: report,
  };
  const failedWith = (error: ProtocolError, isStale = false): SavedElement => {
    const failure = failed(outcome, error, isStale);
    failFast([failure], attempt);
    return { ...written, failure: failure.failure };
  };
  if (isFailed(outcome)) return { ...written, failure: outcome.failure };
  if (key === null) return written;
  switch (outcome.kind) {
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
        ? failedWith(noEntity(key, dataclass))
        : failedWith(stampChanged('update', key, dataclass), true);
    case 'missed':
      if (now === null) return failedWith(noEntity(key, dataclass));
      return outcome.stamped && now !== outcome.before
        ? failedWith(stampChanged('update', key, dataclass), true)
        : failedWith(notChanged('update', key, dataclass));
    case 'deleted':
      throw new Error('a save deletes nothing');
  }
}

/** Refuses text that its column's code page lacks: the column would store question marks. The database is asked about text beyond ASCII only. */
async function refuseUnencodable(
  entities: readonly PlannedEntity[],
  { dataclass, statements, source }: Attempt,
): Promise<readonly OrFailed<PlannedEntity>[]> {
  const columns = await lossyColumns(entities);
  const statement = columns.length === 0 ? null : statements.unencodable(dataclass, columns);
  if (statement === null) return entities;
  const rows = await mapInSlices(entities, ({ given }) =>
    columns.map(({ name }) => {
      const value = given.find(({ column }) => column.name === name);
      return value !== undefined && mayLoseCharacters(value) ? String(value.value) : null;
    }),
  );
  const refused = new Map<PlannedEntity, Failed>();
  for (const [ordinal, at] of await source.run(statement, { rows })) {
    const entity = entities[Number(ordinal)];
    const column = columns[Number(at)];
    const member = entity?.given.find((value) => value.column.name === column?.name)?.slot.member;
    if (entity === undefined || member === undefined) continue;
    const message = `${member} holds characters that its column cannot store: they are not in its code page.`;
    refused.set(entity, failed(entity, new ProtocolError('wrongType', message).about(member)));
  }
  return entities.map((entity) => refused.get(entity) ?? entity);
}

/** The columns that are given text which they may not be able to store, in table order. */
async function lossyColumns(entities: readonly PlannedEntity[]): Promise<readonly Column[]> {
  const columns = new Map<string, Column>();
  await mapInSlices(entities, ({ given }) => {
    for (const value of given)
      if (mayLoseCharacters(value)) columns.set(value.column.name, value.column);
  });
  return [...columns.values()].sort((a, b) => a.position - b.position);
}

function mayLoseCharacters({ column, value: text }: GivenValue): boolean {
  return column.type.kind === 'text' && typeof text === 'string' && /[\u0080-\uffff]/.test(text);
}
