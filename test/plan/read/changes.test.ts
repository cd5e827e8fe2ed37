import { expect, test } from 'vitest';
import type { Model } from '../../../src/model/types.ts';
import { planChanges } from '../../../src/plan/read/changes.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import type { ChangesRequest } from '../../../src/protocol/ast.ts';
import type { Printer } from '../../../src/sql/ir/statement.ts';
import { planning } from '../../fixtures/legacy/model.ts';
import { model, table, type TableSketch } from '../../model/physical.ts';
import { postgres, tsql } from '../../fixtures/dialects.ts';

const columns = { ID: 'int', PART: 'int', NAME: 'text?', AT: 'timestamp?', VER: 'int' } as const;

/** The statements of a read of changes: its bound, a page of removed keys of each kind, and a page of entities behind a key. */
async function statements(
  printer: Printer,
  sketch: Partial<TableSketch>,
  mapping = '',
  query = '',
): Promise<readonly string[]> {
  const dialect = printer === tsql ? 'tsql' : 'postgres';
  const built: Model = await model(
    [table('T', { columns, primaryKey: ['ID', 'PART'], ...sketch })],
    { t: `table: S.T\nstamp: none\nattributes: { id: ID, part: PART, name: NAME }\n${mapping}` },
    { dialect },
  );
  const { ast } = parseRequest(`/rest/T/$changes?since=x&$attributes=name${query}`);
  const plan = planChanges((ast as ChangesRequest).read, planning(built, printer));
  const choice = { isOfPeriod: true, isBehind: false };
  return [
    plan.bound.text,
    ...[plan.deleted, plan.unmet].flatMap((keys) =>
      (keys?.pages.statements(choice) ?? []).map(({ text }) => text),
    ),
    ...plan.pages.statements({ isOfPeriod: true, isBehind: true }).map(({ text }) => text),
  ];
}

const END = ' ORDER BY t0."ID", t0."PART"';
const PAGE = (limit: number): string =>
  ` OFFSET 0 ROWS FETCH NEXT @p${limit} ROWS ONLY OPTION (OPTIMIZE FOR (@p${limit} = 100))`;
/** The database, and the flush of its log. */
const POSTGRES_END =
  "(SELECT system_identifier || '/' || GREATEST(timeline_id, min_recovery_end_timeline) || '/' || d.oid" +
  ' FROM pg_control_system(), pg_control_checkpoint(), pg_control_recovery(), pg_database d WHERE d.datname = current_database()),' +
  ' NULL, CASE WHEN pg_is_in_recovery() OR pg_current_wal_flush_lsn() >= pg_current_wal_insert_lsn() THEN NULL' +
  " ELSE set_config('synchronous_commit', 'local', true) || pg_logical_emit_message(true, 'entitygate', '') END";
const CREATED =
  '(SELECT CONVERT(varchar(23), create_date, 126) FROM sys.databases WHERE database_id = DB_ID())';
const STAMP = '(SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)';

test('xmin: the transactions of the period by their last 32 bits', async () => {
  const sketch: Partial<TableSketch> = { rowVersion: { kind: 'xmin' } };
  const within = (since: number, until: number): string =>
    `((t0.xmin::text::bigint - $${since}::bigint) & 4294967295) < $${until}::bigint - $${since}::bigint`;
  const entities =
    'SELECT t0."ID", t0."PART", t0."NAME", (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint) FROM "S"."T" t0' +
    ` WHERE ((t0."NAME" = $1::"varchar") AND ${within(2, 3)} AND (t0."ID"`;
  expect(await statements(postgres, sketch, '', '&$filter="name=A"')).toEqual([
    `SELECT pg_snapshot_xmin(pg_current_snapshot())::text, ${POSTGRES_END}`,
    `SELECT t0."ID", t0."PART" FROM "S"."T" t0 WHERE (((t0."NAME" = $1::"varchar") IS NOT TRUE) AND ${within(2, 3)})${END} LIMIT $4::bigint`,
    `${entities} = $4::"int4" AND t0."PART" > $5::"int4"))${END} LIMIT $6::bigint`,
    `${entities} > $4::"int4"))${END} LIMIT $5::bigint`,
  ]);
});

test('rowversion: below the first one that a transaction may still write', async () => {
  const sketch: Partial<TableSketch> = { rowVersion: { kind: 'column', name: 'VER' } };
  const within = '(t0."VER" >= CONVERT(binary(8), @p2) AND t0."VER" < CONVERT(binary(8), @p3))';
  const entities =
    `SELECT t0."ID", t0."PART", t0."NAME", ${STAMP} FROM "S"."T" t0` +
    ` WHERE ((t0."NAME" = @p1) AND ${within} AND (t0."ID"`;
  expect(await statements(tsql, sketch, '', '&$filter="name=A"')).toEqual([
    `SELECT CONVERT(varchar(20), CONVERT(bigint, MIN_ACTIVE_ROWVERSION())), ${CREATED}`,
    `SELECT t0."ID", t0."PART" FROM "S"."T" t0 WHERE ((CASE WHEN t0."NAME" = @p1 THEN 1 ELSE 0 END = 0) AND ${within})${END}${PAGE(4)}`,
    `${entities} = @p4 AND t0."PART" > @p5))${END}${PAGE(6)}`,
    `${entities} > @p4))${END}${PAGE(5)}`,
  ]);
});

test('a time: in the column as it is, so that an index serves', async () => {
  const mapping = 'changes: { timestamp: AT }';
  const [pgBound, pgPage] = await statements(postgres, {}, mapping);
  expect(pgBound).toBe(
    `SELECT to_char(statement_timestamp() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS'), ${POSTGRES_END}`,
  );
  expect(pgPage).toContain(
    `(t0."AT" >= ($1::timestamptz AT TIME ZONE 'UTC') AND t0."AT" < ($2::timestamptz AT TIME ZONE 'UTC'))`,
  );
  const [bound, page] = await statements(tsql, {}, mapping);
  expect(bound).toBe(`SELECT CONVERT(varchar(23), SYSUTCDATETIME(), 126), ${CREATED}`);
  expect(page).toContain(
    '(t0."AT" >= CONVERT(datetime2(7), @p1, 126) AND t0."AT" < CONVERT(datetime2(7), @p2, 126))',
  );
});

// https://learn.microsoft.com/sql/relational-databases/track-changes/work-with-change-tracking-sql-server
test('change tracking: the changed keys, and those of deleted rows', async () => {
  const entities =
    `SELECT t0."ID", t0."PART", t0."NAME", ${STAMP} FROM "S"."T" t0` +
    ' WHERE (EXISTS (SELECT 1 FROM CHANGETABLE(CHANGES "S"."T", @p1) AS t1' +
    ' WHERE (t1."ID" = t0."ID" AND t1."PART" = t0."PART" AND t1.SYS_CHANGE_VERSION < @p2)) AND (t0."ID"';
  expect(await statements(tsql, { changeTracking: true })).toEqual([
    `SELECT CONVERT(varchar(20), CHANGE_TRACKING_CURRENT_VERSION() + 1), ${CREATED},` +
      ` CONVERT(varchar(20), CHANGE_TRACKING_MIN_VALID_VERSION(OBJECT_ID(N'"S"."T"')) + 1)`,
    'SELECT t0."ID", t0."PART" FROM CHANGETABLE(CHANGES "S"."T", @p1) AS t0' +
      ` WHERE ((t0.SYS_CHANGE_VERSION < @p2 AND t0.SYS_CHANGE_OPERATION = 'D'))${END}${PAGE(3)}`,
    `${entities} = @p3 AND t0."PART" > @p4))${END}${PAGE(5)}`,
    `${entities} > @p3))${END}${PAGE(4)}`,
  ]);
});

test('change tracking tells no keys of deleted entities where some rows are hidden', async () => {
  const found = await statements(tsql, { changeTracking: true }, 'where: name = A');
  expect(found.filter((text) => text.includes('SYS_CHANGE_OPERATION'))).toEqual([]);
});
