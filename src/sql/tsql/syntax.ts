import type { Syntax } from '../syntax.ts';
import { ignoresCase } from './expressions.ts';
import { booleanReader, bytesReader, digestReader, integerReader } from './readers.ts';

/**
 * When the database was created or restored: a restored one gives rowversions for a second time
 * (https://learn.microsoft.com/sql/relational-databases/system-catalog-views/sys-databases-transact-sql).
 */
const DATABASE =
  '(SELECT CONVERT(varchar(23), create_date, 126) FROM sys.databases WHERE database_id = DB_ID())';

export const tsqlSyntax: Syntax = {
  placeholder: (number) => `@p${number}`,
  likeEscape: '',
  anyOrder: ' ORDER BY (SELECT NULL)',
  // Of two transactions that are about to change a row one waits here, where shared locks would let both read it and then
  // wait for each other (https://learn.microsoft.com/sql/t-sql/queries/hints-transact-sql-table).
  lockHint: ' WITH (UPDLOCK)',
  lockClause: () => '',
  trueValue: 'CAST(1 AS bit)',
  constantCondition: (value) => (value ? '1 = 1' : '1 = 0'),
  isNotTrue: (condition) => `CASE WHEN ${condition} THEN 1 ELSE 0 END = 0`,
  truth: (condition) => `CAST(CASE WHEN ${condition} THEN 1 ELSE 0 END AS bit)`,
  presence: (column) => `CAST(CASE WHEN ${column} IS NULL THEN 0 ELSE 1 END AS bit)`,
  ignoresCase,
  unpadded: (column) => `RTRIM(${column})`,
  bigint: (digits) => `CAST(${digits} AS bigint)`,
  count: 'COUNT_BIG',
  // The last rowversion below which nothing is uncommitted, so that a client misses no change; @@DBTS is ahead of it. As a
  // subquery it is computed once for the statement, not for each row
  // (https://learn.microsoft.com/sql/t-sql/functions/min-active-rowversion-transact-sql).
  globalStamp: '(SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)',
  // https://learn.microsoft.com/sql/relational-databases/system-functions/changetable-transact-sql
  changedRows: (table, version) => `CHANGETABLE(CHANGES ${table}, ${version}) AS`,
  versionBound: {
    // https://learn.microsoft.com/sql/relational-databases/track-changes/work-with-change-tracking-sql-server
    changeTracking: (table) => [
      'CONVERT(varchar(20), CHANGE_TRACKING_CURRENT_VERSION() + 1)',
      DATABASE,
      `CONVERT(varchar(20), CHANGE_TRACKING_MIN_VALID_VERSION(OBJECT_ID(N'${table.replaceAll("'", "''")}')) + 1)`,
    ],
    rowversion: () => ['CONVERT(varchar(20), CONVERT(bigint, MIN_ACTIVE_ROWVERSION()))', DATABASE],
    xmin: null,
    timestamp: () => ['CONVERT(varchar(23), SYSUTCDATETIME(), 126)', DATABASE],
  },
  byteLength: (bytes) => `CAST(DATALENGTH(${bytes}) AS bigint)`,
  // https://learn.microsoft.com/sql/t-sql/functions/substring-transact-sql
  slice: (bytes, before, length) => `SUBSTRING(${bytes}, ${before} + 1, ${length})`,
  // https://learn.microsoft.com/sql/t-sql/functions/hashbytes-transact-sql
  digest: (bytes) => `HASHBYTES('SHA2_256', ${bytes})`,
  // Of bytes no aggregate is documented to tell the first (https://learn.microsoft.com/sql/t-sql/functions/max-transact-sql).
  hexDigits: (bytes) => `CONVERT(nvarchar(4000), ${bytes}, 2) COLLATE Latin1_General_BIN2`,
  fromHexDigits: (digits) => `CONVERT(varbinary(8000), ${digits}, 2)`,
  integerReader,
  readers: {
    presence: booleanReader,
    byteLength: integerReader,
    slice: bytesReader,
    digest: digestReader,
    meets: booleanReader,
    globalStamp: integerReader,
  },
};
