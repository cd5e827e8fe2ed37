import { memoize } from '../../base/collections.ts';
import { Mistakes, ProtocolError } from '../../base/errors.ts';
import { mapInSlices, TimeSlice } from '../../base/time.ts';
import type { Row } from '../../database/database.ts';
import type { SavePlan } from '../../plan/write/save.ts';
import type { Column } from '../../schema/types.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import { noEntity } from '../body/entity-key.ts';
import type { EntityValues, Slot } from '../convert/entity-values.ts';
import type { StoredValue } from '../convert/stored-value.ts';
import type { KeyTexts, ReadEntity } from '../convert/types.ts';
import { cellText, stampReader, type StatementSource } from '../run.ts';
import type { Attempt } from '../write/attempt.ts';
import {
  changeIn,
  type Element,
  EntityWrite,
  isFailed,
  type Outcome,
  RowWrite,
  unfailed,
} from '../write/outcome.ts';
import {
  beyondRights,
  fail,
  notChanged,
  notCreated,
  outside,
  rolledBack,
  stampChanged,
  vanished,
} from '../write/write-errors.ts';
import { inLockOrder } from './natural-keys.ts';
import { resolveReferences } from './rows/references.ts';
import { keyId, refusable } from './rows/current-rows.ts';
import { changeRows } from './rows/change-rows.ts';
import { createRows } from './rows/create-rows.ts';

/** An element whose key is known. */
type Keyed<Of extends Element> = Of & { readonly key: KeyTexts };

/**
 * Saves entities and reads them again, in one transaction: so the client gets the stamp of what it saved, and no later one. `unfinished` are the indexes
 * of new ones whose lists are still to be saved, before which no filter can judge them.
 */
export async function saveElements(
  entities: readonly ReadEntity[],
  unfinished: ReadonlySet<number>,
  plan: SavePlan,
  attempt: Attempt,
): Promise<Outcome[]> {
  const slice = new TimeSlice();
  const items: EntityWrite[] = [];
  const outcomes = entities.map((entity): Outcome => {
    if ('error' in entity) {
      const refused = new RowWrite(entity);
      fail(refused, entity.error, attempt);
      return refused;
    }
    const item = new EntityWrite(entity);
    items.push(item);
    return item;
  });
  await resolveReferences(items, attempt);
  await slice.pause();
  await refuseUnencodable(unfailed(items), attempt);
  await slice.pause();
  const writable = unfailed(items);
  const [added, changed] = [
    writable.filter(({ key }) => key === null),
    writable.filter(({ address }) => address !== null),
  ];
  const { takenKey, nested } = attempt;
  const isByNaturalKey = takenKey !== undefined && nested === undefined;
  const inOrder = isByNaturalKey ? inLockOrder(added, takenKey.naturalKey) : added;
  const { inside, permitted } = plan.answer;
  const isAnswered = added.length === writable.length && (inside ?? permitted.create) === null;
  if (added.length > 0) await createRows(inOrder, isAnswered ? plan.answer : null, attempt);
  if (changed.length > 0) await changeRows(changed, attempt);
  await readAgain(outcomes, unfinished, plan, attempt);
  return outcomes;
}

async function readAgain(
  outcomes: readonly Outcome[],
  unfinished: ReadonlySet<number>,
  plan: SavePlan,
  attempt: Attempt,
): Promise<void> {
  const { answer } = plan;
  const { own } = answer;
  refuseUnverifiable(outcomes, plan, attempt);
  await readRows(outcomes.filter(isReadAgain), plan, attempt);
  const before = stampsBefore(outcomes);
  const stampOf = stampReader(answer.stamp, own.readers);
  await mapInSlices(outcomes, (outcome) => {
    const { key, row: found } = outcome;
    const meets = (column: number | null): boolean => found === null || isMet(own, found, column);
    const change = changeIn(outcome);
    const isJudged = change !== 'create' || !unfinished.has(outcome.index);
    const isInside = !isJudged || meets(answer.inside);
    if (change !== null && !isInside) {
      throw rolledBack(outcome, outside(change, key, attempt.dataclass), attempt);
    }
    if (change !== null && isJudged && !meets(answer.permitted[change])) {
      throw rolledBack(outcome, beyondRights(change, key, attempt.dataclass), attempt);
    }
    if (!isInside) outcome.row = null;
    const { row } = outcome;
    checkRow(outcome, row === null ? null : stampOf(row), before, attempt);
  });
}

/** Reads the own columns of elements as they are now, by one statement. */
async function readRows(
  keyed: readonly Keyed<Outcome>[],
  { answer: { own } }: SavePlan,
  attempt: Attempt,
): Promise<void> {
  if (keyed.length === 0) return;
  const found = await refusable(keyed, 'update', attempt, () =>
    attempt.source.run(own, { rows: keyed.map(({ key }) => key) }),
  );
  takeRows(keyed, found);
}

/** Gives elements the rows that were found by their keys, the first one each; null where there is none. */
function takeRows(elements: readonly Outcome[], rows: readonly Row[]): void {
  for (const element of elements) element.row = null;
  for (const row of rows) {
    const element = elements[Number(row[0])];
    if (element !== undefined) element.row ??= row;
  }
}

/** Reads the rows of saved elements once more, after later writes. @throws as {@link saveElements}, also where a row is gone by a later write */
export async function readLater(
  elements: readonly Outcome[],
  plan: SavePlan,
  attempt: Attempt,
): Promise<void> {
  const { inside, permitted, own } = plan.answer;
  const shown = elements.filter(isShown).filter(({ failure }) => failure === null);
  await readRows(shown, plan, attempt);
  for (const element of shown) {
    const { row, key } = element;
    if (row === null) throw rolledBack(element, vanished(key, attempt.dataclass), attempt);
    const change = changeIn(element);
    if (!isMet(own, row, inside)) {
      throw rolledBack(element, outside(change ?? 'update', key, attempt.dataclass), attempt);
    }
    if (change !== null && !isMet(own, row, permitted[change])) {
      throw rolledBack(element, beyondRights(change, key, attempt.dataclass), attempt);
    }
  }
}

function isShown(element: Outcome): element is Keyed<Outcome> {
  return element.row !== null && element.key !== null;
}

/** Reads the rows of stale elements again when all is committed: others of the body may have changed them since. */
export async function readStale(
  elements: readonly Outcome[],
  { answer: { own, inside } }: SavePlan,
  source: StatementSource,
): Promise<void> {
  if (elements.length === 1) return;
  const stale = elements.filter(isShown).filter(({ failure }) => failure?.stampChanged === true);
  if (stale.length === 0) return;
  const rows = await source.run(own, { rows: stale.map(({ key }) => key) });
  takeRows(
    stale,
    rows.filter((row) => isMet(own, row, inside)),
  );
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
  if (outcome.key === null || outcome.row !== null) return false;
  return !isFailed(outcome) || outcome.failure.stampChanged;
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
 * Checks an outcome now that its row is read again; `now` is its stamp, null where it is not there, or not in the dataclass. A row that already held
 * the given values and has another stamp now has changed: the client would take that stamp for its own and overwrite what it never saw. Rows that the
 * database accepted and did not keep, because of a trigger or a view, are rolled back: new and changed rows that are missing, and changed rows with the
 * old stamp.
 */
function checkRow(
  outcome: Outcome,
  now: string | null,
  before: ReadonlyMap<string, string | null>,
  attempt: Attempt,
): void {
  const { dataclass } = attempt;
  const { kind, key } = outcome;
  if (key === null) return;
  const refuse = (isStale: boolean): void => {
    if (now === null) fail(outcome, noEntity(key, dataclass), attempt);
    else if (isStale) fail(outcome, stampChanged('update', key, dataclass), attempt, true);
    else fail(outcome, notChanged('update', key, dataclass), attempt);
  };
  switch (kind) {
    case 'created':
      if (now === null) throw rolledBack(outcome, notCreated(dataclass), attempt);
      return;
    case 'changed':
      if (now === null) throw rolledBack(outcome, vanished(key, dataclass), attempt);
      if (now === before.get(keyId(key))) {
        throw rolledBack(outcome, notChanged('update', key, dataclass), attempt);
      }
      return;
    case 'unchanged':
      if (now !== outcome.before && !before.has(keyId(key))) refuse(true);
      return;
    case 'missed':
      refuse(outcome.before !== null && now !== outcome.before);
      return;
    case 'failed':
      return;
    case 'open':
    case 'touched':
    case 'deleted':
      throw new Error(`a save does not begin with ${kind}`);
  }
}

/** Refuses text that its column's code page lacks: the column would store question marks. The database is asked about text beyond ASCII only. */
async function refuseUnencodable(items: readonly EntityWrite[], attempt: Attempt): Promise<void> {
  const { dataclass, statements, source } = attempt;
  const lossy = new Map<string, Column>();
  await mapInSlices(items, ({ given }) => {
    for (const { column } of lossySlots(given)) lossy.set(column.name, column);
  });
  if (lossy.size === 0) return;
  const columns = [...lossy.values()].sort((a, b) => a.position - b.position);
  const statement = statements.unencodable(dataclass, columns);
  if (statement === null) return;
  const rows = await mapInSlices(items, ({ given }) =>
    columns.map(({ name }) => {
      const value = given.of(name);
      return mayLoseCharacters(value) ? value : null;
    }),
  );
  const refused = new Map<EntityWrite, Mistakes>();
  for (const [ordinal, at] of await source.run(statement, { rows })) {
    const item = items[Number(ordinal)];
    const name = columns[Number(at)]?.name;
    const slots = item?.given.shape.slots ?? [];
    const place = slots.findIndex(({ column }) => column.name === name);
    const member = slots[place]?.member;
    if (item === undefined || member === undefined) continue;
    const message = `${member} holds characters that its column cannot store: they are not in its code page.`;
    const mistakes = memoize(refused, item, () => new Mistakes());
    mistakes.add(place, new ProtocolError('wrongType', message).about(member));
  }
  for (const [item, mistakes] of refused) {
    const error = mistakes.joined();
    if (error !== null) fail(item, error, attempt);
  }
}

/** The slots that are given text which their columns may not be able to store. */
function lossySlots({ shape: { slots }, values }: EntityValues): Slot[] {
  return slots.filter(
    ({ column }, at) => column.type.kind === 'text' && mayLoseCharacters(values[at]),
  );
}

function mayLoseCharacters(text: StoredValue | undefined): text is string {
  return typeof text === 'string' && /[\u0080-\uffff]/.test(text);
}
