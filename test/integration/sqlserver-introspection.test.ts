import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../src/database/database.ts';
import { openSqlServer } from '../../src/database/sqlserver/open.ts';
import { run } from '../cli/run.ts';
import { testFolder } from '../config/files.ts';
import { describeWith } from '../targets/missing.ts';
import { isSqlServer, openSqlServerDatabase, sqlServerTarget } from '../targets/sqlserver.ts';
import type { OpenTarget } from '../targets/target.ts';

const missing = await sqlServerTarget.unavailable();

/** https://learn.microsoft.com/sql/relational-databases/system-stored-procedures/sp-addextendedproperty-transact-sql */
function addProperty(name: string, value: string, table: string, column?: string): string {
  const level2 =
    column === undefined ? '' : `, @level2type = N'COLUMN', @level2name = N'${column}'`;
  return (
    `EXEC sp_addextendedproperty @name = N'${name}', @value = N'${value}', @level0type = N'SCHEMA', ` +
    `@level0name = N'dbo', @level1type = N'TABLE', @level1name = N'${table}'${level2}`
  );
}

describeWith(missing, 'a catalog that does not tell everything', () => {
  let opened: OpenTarget;
  let database: Database;
  beforeAll(async () => {
    opened = await openSqlServerDatabase(() => [
      'CREATE TABLE part (id int CONSTRAINT pk_part PRIMARY KEY, a int CONSTRAINT df_a DEFAULT (1), ' +
        'guid uniqueidentifier CONSTRAINT df_guid DEFAULT newid(), ' +
        'CONSTRAINT ck_a CHECK (COALESCE(a, 1) > 0))',
      'CREATE TABLE line (id int CONSTRAINT pk_line PRIMARY KEY, part int CONSTRAINT fk_part REFERENCES part (id), ' +
        'n int CONSTRAINT ck_n CHECK (n > 0))',
      'CREATE VIEW parts AS SELECT id FROM part UNION ALL SELECT id FROM line',
      addProperty('MS_Description', ' Parts of the machine ', 'part'),
      addProperty('MS_Description', "What''s \u201cin\u201d it", 'part', 'a'),
      addProperty('MS_Description', '  ', 'part', 'guid'),
      addProperty('Owner', 'Somebody', 'line'),
    ]);
    if (opened.database.engine !== 'sqlserver') throw new Error('not a SQL Server');
    database = await openSqlServer(opened.database, {
      timeZone: 'UTC',
      bigNumbersAsStrings: false,
    });
  });
  afterAll(async () => {
    await database.close();
    await opened.close();
  });

  test('one text that the engine cannot print costs that text alone', async () => {
    const { tables, notes } = await database.introspect();
    const checks = tables.map((table) => [table.name, table.checks]);
    const isPrinted = isSqlServer(database.version);
    expect(checks).toEqual([
      ['line', [{ name: 'ck_n', columns: ['n'] }]],
      ['part', [{ name: 'ck_a', columns: ['a'] }]],
      ['parts', undefined],
    ]);
    expect(notes).toEqual(
      isPrinted
        ? undefined
        : [
            'The database does not tell which columns check constraints look at (dbo.part). Cause: unrecognized node type: 36',
          ],
    );
  });

  test('what MS_Description says of tables and columns is there, and nothing else', async () => {
    const { tables } = await database.introspect();
    const found = tables.map((table) => [
      table.description,
      ...table.columns.map(({ description }) => description),
    ]);
    expect(found).toEqual([
      [undefined, undefined, undefined, undefined],
      ['Parts of the machine', undefined, "What's \u201cin\u201d it", undefined],
      [undefined, undefined],
    ]);
  });

  test('init, check and schema tell what is not known', async () => {
    if (opened.database.engine !== 'sqlserver') throw new Error('not a SQL Server');
    const { notes = [] } = await database.introspect();
    const folder = await testFolder();
    const config = `${folder.path}/config.yaml`;
    const init = await run(['init', '--database', opened.database.url ?? '', '--out', folder.path]);
    const warnings = notes.map((note) => `\nWarnings:\n  ${note}\n`);
    expect([init.code, warnings.every((text) => init.out.includes(text))]).toEqual([0, true]);
    const environment = {
      ENTITYGATE_DATABASE_PASSWORD: new URL(opened.database.url ?? '').password,
    };
    const check = await run(['check', '--config', config], environment);
    const advice =
      'advice: $changes cannot tell what has changed in dbo.line, dbo.part: ALTER TABLE dbo.line ADD ROW_VER rowversion or ENABLE CHANGE_TRACKING, ' +
      'or name a time column (changes.timestamp in the mapping file).\n';
    expect([check.code, check.out]).toEqual([
      0,
      (notes.length === 0
        ? `${advice}3 mapping files match the database.\n`
        : `${notes.map((note) => `note: ${note}\n`).join('')}${advice}0 errors, ${notes.length} note.\n`) +
        `Next: entitygate serve --config ${config}\n`,
    ]);
    const schema = await run(['schema', '--config', config], environment);
    expect(schema.code).toBe(0);
    expect(schema.error.endsWith(notes.map((note) => `warning: ${note}\n`).join(''))).toBe(true);
    expect(JSON.parse(schema.out)).toMatchObject(notes.length > 0 ? { notes } : {});
    await folder.remove();
  });
});
