import { hash } from 'node:crypto';
import type { ColumnType } from '../../schema/types.ts';
import type { LockStatements } from '../dialect.ts';
import { lockStatement, plainStatement } from '../ir/statement.ts';
import { rowSource } from './printer.ts';

/** The number of a lock, of an expression for its name: the first eight bytes of the SHA-256. */
function lockNumber(name: string): string {
  return `('x' || substr(encode(sha256(convert_to(${name}, 'UTF8')), 'hex'), 1, 16))::bit(64)::bigint`;
}

/** The type of {@link lockNumber}. */
export const LOCK_NUMBER: ColumnType = { native: 'int8', kind: 'integer', bits: 64, signed: true };

/** Computes {@link lockNumber} here: on the server it takes a tenth of the time of changing a row. */
function lockNumberOf(name: string): string {
  return hash('sha256', name, 'buffer').readBigInt64BE().toString();
}

const ONE = lockNumber('$1');

/**
 * The numbers of the locks that are held. A lock by one number has its upper half in classid, the lower one in objid, and 1 in objsubid
 * (https://www.postgresql.org/docs/current/view-pg-locks.html).
 */
const HELD =
  "SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND granted" +
  ' AND objsubid = 1 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())';

/** Advisory locks, by numbers made of the names. https://www.postgresql.org/docs/current/explicit-locking.html#ADVISORY-LOCKS */
export const postgresLocks: LockStatements = {
  acquire: lockStatement(`SELECT pg_try_advisory_lock(${ONE})::int`, 'one'),
  release: lockStatement(`SELECT pg_advisory_unlock(${ONE})::int`, 'one'),
  held: lockStatement(`SELECT (${ONE} IN (${HELD}))::int`, 'one'),
  share: lockStatement(
    `SELECT k.o FROM ${rowSource('$1', ', (e->>1) AS n')} WHERE NOT pg_try_advisory_xact_lock_shared(${lockNumber('k.n')})`,
    'many',
  ),
  // Keeping them would take too much room, and those that are held are few: the server has some thousands of locks
  // (https://www.postgresql.org/docs/current/runtime-config-locks.html).
  test: plainStatement(HELD),
  tests: 'all held',
  mostShared: 50,
  given: lockNumberOf,
};
