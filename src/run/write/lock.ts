import { type Consequence, ProtocolError } from '../../base/errors.ts';
import type { Dataclass } from '../../model/types.ts';
import { mayNot } from '../../plan/write/rights.ts';
import type { LockPlan } from '../../plan/write/save.ts';
import type { RowLock } from '../../sql/ir/ir.ts';
import type { LockStatements } from '../../sql/dialect.ts';
import type { Statement } from '../../sql/ir/statement.ts';
import type {
  EntityLocks,
  LockHolder,
  OwnWhileHeld,
  Standing,
  WriteLocks,
} from '../../state/lock/entity-locks.ts';
import { lockName } from '../../state/lock/keeper.ts';
import { entityName } from '../body/entity-key.ts';
import type { KeyTexts } from '../convert/types.ts';
import type { Execution, StatementSource } from '../run.ts';
import { addressedRows } from '../save/rows/current-rows.ts';
import type { Attempt, WriteContext } from './attempt.ts';
import type { CurrentRow, RowWrite } from './outcome.ts';
import { transact } from './transactions.ts';
import type { WriteKind } from './violation.ts';
import { consequence, fail } from './write-errors.ts';

/** The outcome of a request about the lock of an entity (§2.5, §7). */
export type LockOutcome =
  | { readonly kind: 'done' }
  /** The lock could be taken: it is the session's own, was its own until it was lost, or is free. */
  | { readonly kind: 'available'; readonly state: 'own' | 'lost' | 'free' }
  | { readonly kind: 'stampChanged' }
  | { readonly kind: 'gone' }
  /** The session's lock was lost with the connection that kept it. */
  | { readonly kind: 'lost'; readonly key: KeyTexts }
  /** The session has given the lock up, and the process that keeps it does not answer. */
  | { readonly kind: 'givenUp'; readonly key: KeyTexts }
  /** Another session has the lock; the holder is null where it is a session of another process. */
  | { readonly kind: 'held'; readonly holder: LockHolder | null; readonly key: KeyTexts };

/** An entity whose lock a request is about, and for whom. */
export interface LockOrder {
  readonly plan: LockPlan;
  /** The values by which the URL names the entity. */
  readonly key: KeyTexts;
  /** The stamp that the client has read; null for any. */
  readonly stamp: string | null;
  readonly holder: LockHolder;
}

/** Locks an entity for a session, and reads it again under the lock, after any change that was under way: no other session changes it from then on. */
export async function runLock(
  order: LockOrder,
  locks: EntityLocks,
  execution: Execution,
): Promise<LockOutcome> {
  const { stamp, holder } = order;
  const row = await currentRow(order, null, execution);
  checkPermitted(row, order);
  if (row === null) return { kind: 'gone' };
  if (!hasStamp(row, stamp)) return { kind: 'stampChanged' };
  const { key } = row;
  const name = lockName(order.plan.dataclass.table, key);
  const result = await locks.lock(name, holder);
  if (result !== 'locked' && result !== 'own') return heldBy(result, key);
  const giveUp = async (): Promise<void> => {
    if (result === 'locked') await locks.unlock(name, holder.session);
  };
  try {
    const now = await currentRow(order, 'update', execution);
    if (now !== null && hasStamp(now, stamp)) return { kind: 'done' };
    await giveUp();
    return { kind: now === null ? 'gone' : 'stampChanged' };
  } catch (error) {
    await giveUp();
    throw error;
  }
}

/** Gives up the lock of a session; an entity without a lock counts as unlocked. Users who may not change it are told of no other session's lock. */
export async function runUnlock(
  order: LockOrder,
  locks: EntityLocks,
  execution: Execution,
): Promise<LockOutcome> {
  const { plan, holder } = order;
  const row = await currentRow(order, null, execution);
  // An entity that is gone may still be locked by the key that it had.
  if (row === null && plan.target.unique !== null) return { kind: 'gone' };
  const key = row?.key ?? order.key;
  const name = lockName(plan.dataclass.table, key);
  // The lock of another session on an entity that the user cannot see is not revealed.
  const [standing] = await locks.standings([name], holder.session);
  const isOwn = standing === 'own' || standing === 'lost' || typeof standing === 'object';
  if (row === null && !isOwn) return { kind: 'gone' };
  if (!isOwn) checkPermitted(row, order);
  const result = await locks.unlock(name, holder.session);
  if (result === 'unlocked') return { kind: 'done' };
  if (result === 'given up') return { kind: 'givenUp', key };
  if (result === 'lost') return { kind: 'lost', key };
  if (result !== 'free') return heldBy(result, key);
  // Only an attempt to lock tells whether another process has the lock.
  const attempt = await locks.lock(name, holder);
  if (attempt !== 'locked' && attempt !== 'own') return heldBy(attempt, key);
  await locks.unlock(name, holder.session);
  return { kind: 'done' };
}

/** Tells what {@link runLock} would find, and takes nothing. */
export async function runLockStatus(
  order: LockOrder,
  locks: EntityLocks,
  execution: Execution,
): Promise<LockOutcome> {
  const { plan, stamp, holder } = order;
  const row = await currentRow(order, null, execution);
  checkPermitted(row, order);
  if (row === null) return { kind: 'gone' };
  if (!hasStamp(row, stamp)) return { kind: 'stampChanged' };
  const state = await locks.state(lockName(plan.dataclass.table, row.key), holder.session);
  if (typeof state === 'object' || state === 'elsewhere') return heldBy(state, row.key);
  return { kind: 'available', state };
}

/** Checked before the stamp and the holder: users without the right learn no more. */
function checkPermitted(row: CurrentRow | null, { plan: { dataclass } }: LockOrder): void {
  if (row?.isPermitted === false) throw mayNot('update', entityName(dataclass, row.key));
}

function heldBy(result: LockHolder | 'elsewhere', key: KeyTexts): LockOutcome {
  return { kind: 'held', holder: result === 'elsewhere' ? null : result, key };
}

function hasStamp(row: CurrentRow, stamp: string | null): boolean {
  return stamp === null || stamp === row.stamp;
}

async function currentRow(
  { plan: { dataclass, target }, key }: LockOrder,
  lock: RowLock | null,
  execution: Execution,
): Promise<CurrentRow | null> {
  const context: WriteContext = {
    kind: 'save',
    dataclass,
    model: execution.model,
    attributes: target.attributes,
    unique: target.unique,
    isInBody: false,
    atomic: true,
    report: null,
  };
  const [row] = await transact(context, execution, false, (attempt) =>
    addressedRows([key], [], lock, attempt),
  );
  return row ?? null;
}

type KnownStanding = Exclude<Standing, OwnWhileHeld>;

/** How many lock names one statement is given. */
const NAMES_AT_ONCE = 1000;

/** Refuses to write entities that another session has locked (§3.2), and without a stamp those that an ended session may have locked. Their rows are locked by now: a later lock waits, and sees the change. */
export async function refuseLocked(
  items: readonly RowWrite[],
  kind: Exclude<WriteKind, 'create'>,
  attempt: Attempt,
): Promise<void> {
  const { dataclass, locks, source, nested } = attempt;
  const keys = items.map(({ key }) => key ?? []);
  const standings = await standingsOf(keys, dataclass, locks, source);
  for (const [at, item] of items.entries()) {
    // What a list that replaces all leaves out is deleted by the stamp of its holder.
    const hasStamp = item.stamp !== null || (kind === 'delete' && nested !== undefined);
    const hasEnded = locks?.hasEnded === true && !hasStamp;
    const key = keys[at] ?? [];
    const error = lockError(standings[at] ?? 'free', hasEnded, key, dataclass);
    if (error !== null) fail(item, error.leadingTo(consequence(kind, key, dataclass)), attempt);
  }
}

/** Refuses a delete that has found entities which another session has locked. @throws ProtocolError entityLocked, lockLost */
export async function refuseLockedKeys(
  keys: readonly KeyTexts[],
  dataclass: Dataclass,
  { locks, source }: Pick<Attempt, 'locks' | 'source'>,
  refused: Consequence,
): Promise<void> {
  const standings = await standingsOf(keys, dataclass, locks, source);
  for (const [at, key] of keys.entries()) {
    const error = lockError(standings[at] ?? 'free', locks?.hasEnded === true, key, dataclass);
    if (error !== null) throw error.leadingTo(refused);
  }
}

/** Whether another session has locked one of some entities, or the session has lost its lock. Their rows have to be locked by now. */
export async function areLocked(
  keys: readonly KeyTexts[],
  dataclass: Dataclass,
  { locks, source }: Pick<Attempt, 'locks' | 'source'>,
): Promise<boolean> {
  const standings = await standingsOf(keys, dataclass, locks, source);
  return standings.some((standing) => standing === 'others' || standing === 'lost');
}

/** The standing of the session towards the lock of each entity. */
async function standingsOf(
  keys: readonly KeyTexts[],
  { table }: Dataclass,
  locks: WriteLocks | null,
  source: StatementSource,
): Promise<readonly KnownStanding[]> {
  if (locks === null) return [];
  const names = keys.map((key) => lockName(table, key));
  const standings = await locks.entityLocks.standings(names, locks.session);
  const known = standings.map((standing) => (typeof standing === 'object' ? 'lost' : standing));
  const statements = source.dialect.locks;
  if (statements === null) return known;
  const kept = standings.flatMap((standing, at) =>
    typeof standing === 'object' ? [{ name: standing.held, at }] : [],
  );
  for (const { at } of await heldAmong(kept, statements, source)) known[at] = 'own';
  const open = names.flatMap((name, at) => (known[at] === 'free' ? [{ name, at }] : []));
  const held =
    open.length <= statements.mostShared
      ? locksFound(statements.share, open, source)
      : heldAmong(open, statements, source);
  for (const { at } of await held) known[at] = 'others';
  return known;
}

/** A lock of the database, and the index of its entity. */
interface NamedLock {
  readonly name: string;
  readonly at: number;
}

/** The locks that other connections have. */
async function heldAmong(
  locks: readonly NamedLock[],
  { test, tests, given }: LockStatements,
  source: StatementSource,
): Promise<readonly NamedLock[]> {
  if (tests === 'all held' && locks.length > 0) {
    const held = new Set((await source.run(test, {})).map(([number]) => String(number)));
    return held.size === 0 ? [] : locks.filter(({ name }) => held.has(given(name)));
  }
  const found: NamedLock[] = [];
  for (let from = 0; from < locks.length; from += NAMES_AT_ONCE) {
    found.push(...(await locksFound(test, locks.slice(from, from + NAMES_AT_ONCE), source)));
  }
  return found;
}

/** The locks whose ordinals a statement about their names returns. */
async function locksFound(
  statement: Statement,
  locks: readonly NamedLock[],
  source: StatementSource,
): Promise<readonly NamedLock[]> {
  if (locks.length === 0) return [];
  const rows = await source.run(statement, { rows: locks.map(({ name }) => [name]) });
  return rows.flatMap(([ordinal]) => locks[Number(ordinal)] ?? []);
}

/** @param hasEnded whether the write relies on the locks of a session that has ended */
function lockError(
  standing: KnownStanding,
  hasEnded: boolean,
  key: KeyTexts,
  dataclass: Dataclass,
): ProtocolError | null {
  if (!hasEnded && (standing === 'own' || standing === 'free')) return null;
  const entity = entityName(dataclass, key);
  // Its lock may stand in the database for a moment, as if it were another session's.
  if (hasEnded && standing !== 'lost') {
    return new ProtocolError(
      'lockLost',
      `The session has ended, and any lock on ${entity} with it. Read the entity and lock it again, unlock it, or send no session.`,
    );
  }
  if (standing === 'others') {
    return new ProtocolError('entityLocked', `${entity} is locked by another session.`);
  }
  return new ProtocolError(
    'lockLost',
    `The lock on ${entity} was lost with the gateway's connection to the database. Read the entity and lock it again, or unlock it.`,
  );
}
