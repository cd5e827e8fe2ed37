import type { EntityLocks, LockHolder } from '../../state/lock/entity-locks.ts';
import { lockName } from '../../state/lock/keeper.ts';
import type { LockPlan } from '../../plan/write/save.ts';
import { mayNot } from '../../plan/write/rights.ts';
import type { RowLock } from '../../sql/ir/ir.ts';
import { entityName, type KeyTexts } from '../body/body-key.ts';
import { transact, type WriteContext } from './attempt.ts';
import { addressedRows, type CurrentRow } from '../save/rows/current-rows.ts';
import type { Execution } from '../run.ts';
import type { WriteStatements } from '../save/rows/write-statements.ts';

/** What came of a request for a lock, or to give one up (§2.5, §7). */
export type LockOutcome =
  | { readonly kind: 'done' }
  | { readonly kind: 'stampChanged' }
  | { readonly kind: 'gone' }
  /** The session's lock was lost with the connection that kept it. */
  | { readonly kind: 'lost'; readonly key: KeyTexts }
  /** Somebody else has the lock; the holder is null where that is by way of another process. */
  | {
      readonly kind: 'held';
      readonly holder: LockHolder | null;
      readonly key: KeyTexts;
    };

/** An entity to lock or unlock, and for whom. */
export interface LockOrder {
  readonly plan: LockPlan;
  /** What the URL names the entity by. */
  readonly key: KeyTexts;
  /** The stamp that the client has read it with; null for any. */
  readonly stamp: string | null;
  readonly holder: LockHolder;
  readonly statements: WriteStatements;
}

/**
 * Locks an entity for a session. It is looked at again once the lock is had, behind whoever was changing it when the lock was
 * taken: from then on nobody else does.
 * @throws ProtocolError mayNotUpdate, and what the database throws; the lock is not held then
 */
export async function runLock(
  order: LockOrder,
  locks: EntityLocks,
  execution: Execution,
): Promise<LockOutcome> {
  const { stamp, holder } = order;
  const row = await currentRow(order, null, execution);
  checkPermitted(row, order);
  const first = outcomeFor(row, stamp);
  if (!('key' in first)) return first;
  const name = lockName(order.plan.dataclass.table, first.key);
  const held = locks.standing(name, holder.session) === 'own';
  const result = await locks.lock(name, holder);
  if (result !== 'locked') return heldBy(result, first.key);
  const giveUp = async (): Promise<void> => {
    if (!held) await locks.unlock(name, holder.session);
  };
  try {
    const now = outcomeFor(await currentRow(order, 'update', execution), stamp);
    if ('key' in now) return { kind: 'done' };
    await giveUp();
    return now;
  } catch (error) {
    await giveUp();
    throw error;
  }
}

/**
 * Gives up the lock of a session. What nobody has locked is unlocked already. A lock of one's own can be given up by whoever may not have it any
 * more; whether anybody else has one is for those alone who may.
 * @throws ProtocolError mayNotUpdate, and what the database throws
 */
export async function runUnlock(
  order: LockOrder,
  locks: EntityLocks,
  execution: Execution,
): Promise<LockOutcome> {
  const { plan, holder } = order;
  const row = await currentRow(order, null, execution);
  // An entity that is gone may be locked still, by the key that it had.
  if (row === null && plan.target.unique !== null) return { kind: 'gone' };
  const key = row?.key ?? order.key;
  const name = lockName(plan.dataclass.table, key);
  // Of what is not to be seen nobody else is told that it is locked, or by whom.
  const standing = locks.standing(name, holder.session);
  const isOwn = standing === 'own' || standing === 'lost';
  if (row === null && !isOwn) return { kind: 'gone' };
  if (!isOwn) checkPermitted(row, order);
  const result = await locks.unlock(name, holder.session);
  if (result === 'unlocked') return { kind: 'done' };
  if (result === 'lost') return { kind: 'lost', key };
  if (result !== 'free') return heldBy(result, key);
  // Whether another process has it shows where it is asked for.
  const asked = await locks.lock(name, holder);
  if (asked !== 'locked') return heldBy(asked, key);
  await locks.unlock(name, holder.session);
  return { kind: 'done' };
}

/** The right comes before the stamp, and before who holds what: whoever lacks it is told no more. */
function checkPermitted(row: CurrentRow | null, { plan: { dataclass } }: LockOrder): void {
  if (row?.isPermitted === false) throw mayNot('update', entityName(dataclass, row.key));
}

function heldBy(result: LockHolder | 'elsewhere', key: KeyTexts): LockOutcome {
  return { kind: 'held', holder: result === 'elsewhere' ? null : result, key };
}

function outcomeFor(
  row: CurrentRow | null,
  stamp: string | null,
): CurrentRow | Extract<LockOutcome, { kind: 'stampChanged' | 'gone' }> {
  if (row === null) return { kind: 'gone' };
  return stamp === null || stamp === row.stamp ? row : { kind: 'stampChanged' };
}

async function currentRow(
  { plan: { dataclass, target }, key, statements }: LockOrder,
  lock: RowLock | null,
  execution: Execution,
): Promise<CurrentRow | null> {
  const context: WriteContext = {
    kind: 'save',
    dataclass,
    model: execution.model,
    statements,
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
