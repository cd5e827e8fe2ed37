import type { Syntax } from '../syntax.ts';
import { booleanReader, bytesReader, integerReader, textReader } from './readers.ts';

/**
 * A restored copy has another identifier or timeline: its transactions have the numbers of others
 * (https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-CONTROLDATA).
 */
const DATABASE =
  "(SELECT system_identifier || '/' || timeline_id || '/' || d.oid FROM pg_control_system(), pg_control_checkpoint(), pg_database d WHERE d.datname = current_database())";

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
    xmin: () => ['pg_snapshot_xmin(pg_current_snapshot())::text', DATABASE],
    timestamp: () => [
      `to_char(statement_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS')`,
      DATABASE,
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
