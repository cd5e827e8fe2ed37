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

/** The statements of a read of changes, in T-SQL where nothing else is said: its bound, a page of removed keys of each kind, and a page of entities behind a key. */
async function statements(
  sketch: Partial<TableSketch>,
  mapping = '',
  query = '',
  printer: Printer = tsql,
): Promise<readonly string[]> {
  const built: Model = await model(
    [table('T', { columns, primaryKey: ['ID', 'PART'], ...sketch })],
    { t: `table: S.T\nstamp: none\nattributes: { id: ID, part: PART, name: NAME }\n${mapping}` },
    { dialect: printer === tsql ? 'tsql' : 'postgres' },
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
const CREATED =
  '(SELECT CONVERT(varchar(23), create_date, 126) FROM sys.databases WHERE database_id = DB_ID())';
const STAMP = '(SELECT CONVERT(bigint, MIN_ACTIVE_ROWVERSION()) - 1)';

// One connection, as the embedded engine has, never shows a transaction that is still open.
test('PostgreSQL: up to the first transaction that may still commit, by the last 32 bits', async () => {
  const within = (since: number, until: number): string =>
    `((t0.xmin::text::bigint - $${since}::bigint) & 4294967295) < $${until}::bigint - $${since}::bigint`;
  const [bound, page] = await statements({ rowVersion: { kind: 'xmin' } }, '', '', postgres);
  expect(bound).toMatch(
    /^SELECT pg_snapshot_xmin\(pg_current_snapshot\(\)\)::text, \(SELECT system_identifier /,
  );
  expect(bound).toMatch(
    /ELSE set_config\('synchronous_commit', 'local', true\) \|\| pg_logical_emit_message\(true, 'entitygate', ''\) END$/,
  );
  expect(page).toContain(
    ` WHERE (${within(1, 2)} AND (t0."ID" = $3::"int4" AND t0."PART" > $4::"int4"))`,
  );
});

test('rowversion: below the first one that a transaction may still write', async () => {
  const sketch: Partial<TableSketch> = { rowVersion: { kind: 'column', name: 'VER' } };
  const within = '(t0."VER" >= CONVERT(binary(8), @p2) AND t0."VER" < CONVERT(binary(8), @p3))';
  const entities =
    `SELECT t0."ID", t0."PART", t0."NAME", ${STAMP} FROM "S"."T" t0` +
    ` WHERE ((t0."NAME" = @p1) AND ${within} AND (t0."ID"`;
  expect(await statements(sketch, '', '&$filter="name=A"')).toEqual([
    `SELECT CONVERT(varchar(20), CONVERT(bigint, MIN_ACTIVE_ROWVERSION())), ${CREATED}`,
    `SELECT t0."ID", t0."PART" FROM "S"."T" t0 WHERE ((CASE WHEN t0."NAME" = @p1 THEN 1 ELSE 0 END = 0) AND ${within})${END}${PAGE(4)}`,
    `${entities} = @p4 AND t0."PART" > @p5))${END}${PAGE(6)}`,
    `${entities} > @p4))${END}${PAGE(5)}`,
  ]);
});

test('a time: in the column as it is, so that an index serves', async () => {
  const mapping = 'changes: { timestamp: AT }';
  const [bound, page] = await statements({}, mapping);
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
  expect(await statements({ changeTracking: true })).toEqual([
    `SELECT CONVERT(varchar(20), CHANGE_TRACKING_CURRENT_VERSION() + 1), ${CREATED},` +
      ` CONVERT(varchar(20), CHANGE_TRACKING_MIN_VALID_VERSION(OBJECT_ID(N'"S"."T"')) + 1)`,
    'SELECT t0."ID", t0."PART" FROM CHANGETABLE(CHANGES "S"."T", @p1) AS t0' +
      ` WHERE ((t0.SYS_CHANGE_VERSION < @p2 AND t0.SYS_CHANGE_OPERATION = 'D'))${END}${PAGE(3)}`,
    `${entities} = @p3 AND t0."PART" > @p4))${END}${PAGE(5)}`,
    `${entities} > @p3))${END}${PAGE(4)}`,
  ]);
});

test('change tracking tells no keys of deleted entities where some rows are hidden', async () => {
  const found = await statements({ changeTracking: true }, 'where: name = A');
  expect(found.filter((text) => text.includes('SYS_CHANGE_OPERATION'))).toEqual([]);
});
