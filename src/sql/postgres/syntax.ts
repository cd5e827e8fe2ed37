import type { Syntax } from '../syntax.ts';
import { booleanReader, bytesReader, integerReader, textReader } from './readers.ts';

/**
 * A restored copy has another identifier or timeline: its transactions have the numbers of others. A promoted standby has its timeline as the end of
 * its recovery until its first checkpoint (https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-CONTROLDATA).
 */
const DATABASE =
  "(SELECT system_identifier || '/' || GREATEST(timeline_id, min_recovery_end_timeline) || '/' || d.oid" +
  ' FROM pg_control_system(), pg_control_checkpoint(), pg_control_recovery(), pg_database d WHERE d.datname = current_database())';

/**
 * Writes to disk all that has been logged before, unless it is there. A crash loses the rest: commits that did not wait for the disk, and the ends of
 * transactions that were rolled back, whose ids are then given again. The transaction of a message is committed when its record is on disk, and so are
 * all records before it (https://www.postgresql.org/docs/current/wal-async-commit.html); nobody reads the message. A standby replays what is on disk.
 */
const FLUSH =
  'CASE WHEN pg_is_in_recovery() OR pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() THEN NULL' +
  " ELSE set_config('synchronous_commit', 'local', true) || pg_logical_emit_message(true, 'entitygate', '') END";

export const postgresSyntax: Syntax = {
  placeholder: (number) => `$${number}`,
  likeEscape: " ESCAPE '\\'",
  anyOrder: '',
  lockHint: '',
  // An update that leaves the key alone lets other transactions insert rows that refer to it
  // (https://www.postgresql.org/docs/current/explicit-locking.html#LOCKING-ROWS).
  lockClause: (lock, alias) => ` FOR ${lock === 'update' ? 'NO KEY UPDATE' : 'UPDATE'} OF ${alias}`,
  trueValue: 'TRUE',
  constantCondition: (value) => (value ? 'TRUE' : 'FALSE'),
  isNotTrue: (condition) => `(${condition}) IS NOT TRUE`,
  truth: (condition) => `COALESCE(${condition}, FALSE)`,
  presence: (column) => `(${column} IS NOT NULL)`,
  ignoresCase: () => false,
  unpadded: (column) => `${column}::text`,
  bigint: (digits) => digits,
  count: 'COUNT',
  // The id that the server's next writing transaction will get: it grows with every change. A scalar subquery is evaluated once
  // for the statement (https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-PG-SNAPSHOT).
  globalStamp: '(SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint)',
  changedRows: null,
  versionBound: {
    changeTracking: null,
    rowversion: null,
    // Every transaction before this one has ended.
    xmin: () => ['pg_snapshot_xmin(pg_current_snapshot())::text', DATABASE, 'NULL', FLUSH],
    timestamp: () => [
      `to_char(statement_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS')`,
      DATABASE,
      'NULL',
      FLUSH,
    ],
  },
  byteLength: (bytes) => `octet_length(${bytes})`,
  // https://www.postgresql.org/docs/current/functions-binarystring.html
  slice: (bytes, before, length) => `substr(${bytes}, ${before}::int4 + 1, ${length}::int4)`,
  digest: (bytes) => `encode(sha256(${bytes}), 'hex')`,
  // Before version 18, bytes have no MIN and MAX.
  hexDigits: (bytes) => `encode(${bytes}, 'hex') COLLATE "C"`,
  fromHexDigits: (digits) => `decode(${digits}, 'hex')`,
  integerReader,
  readers: {
    presence: booleanReader,
    byteLength: integerReader,
    slice: bytesReader,
    digest: textReader,
    meets: booleanReader,
    globalStamp: integerReader,
  },
};
