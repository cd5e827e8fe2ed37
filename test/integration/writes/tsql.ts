import { expect, test } from 'vitest';
import { openSqlServerDatabase, sqlServerTarget } from '../../targets/sqlserver.ts';
import type { Engine, Rows } from './engine.ts';
import { read, write } from './tables.ts';
import { everyType } from './types.ts';

const script = [
  'CREATE TABLE stamped (id int PRIMARY KEY, v nvarchar(20), rv rowversion)',
  `CREATE TABLE every_type (id int IDENTITY PRIMARY KEY, ${everyType('tsql').definitions})`,
  'CREATE TABLE counted (id int PRIMARY KEY, n tinyint, n8 bigint, stamped datetime2(7), zoned datetimeoffset(7), day date)',
  'CREATE TABLE k (code nvarchar(20) COLLATE Latin1_General_CI_AS, at_time datetime2(7), v nvarchar(20), PRIMARY KEY (code, at_time))',
  'CREATE TABLE audited (id int IDENTITY PRIMARY KEY, v nvarchar(20))',
  'CREATE TABLE log_of_audited (n int IDENTITY(1000,1) PRIMARY KEY, what varchar(10))',
  `CREATE TRIGGER audit ON audited AFTER INSERT, UPDATE, DELETE AS INSERT INTO log_of_audited (what) VALUES ('seen')`,
  'CREATE VIEW behind AS SELECT id, v FROM audited',
  `CREATE TRIGGER behind_insert ON behind INSTEAD OF INSERT AS INSERT INTO audited (v) SELECT v FROM inserted`,
  `CREATE TRIGGER behind_update ON behind INSTEAD OF UPDATE AS
     UPDATE a SET v = i.v FROM audited a JOIN inserted i ON i.id = a.id`,
  `CREATE TRIGGER behind_delete ON behind INSTEAD OF DELETE AS
     DELETE FROM audited WHERE id IN (SELECT id FROM deleted)`,
];

/** Text that travels by JSON, and text that a code page lacks. */
function own(rows: Rows): void {
  test('long text, and text that JSON has to escape', async (context) => {
    rows.skipOnBabelfish(
      context,
      'OPENJSON of Babelfish cuts text after 4000 characters, and leaves its escapes in it',
    );
    const { database } = rows;
    const every = rows.table('every_type');
    const names = ['nv', 'vm', 'nm', 't', 'nt'];
    const cells = [
      '"\\\r\n\t\u2028',
      'v'.repeat(9000),
      'ж"\\'.repeat(3000),
      't\n'.repeat(9000),
      '🚀'.repeat(9000),
    ];
    const [made] = await write(
      database,
      {
        kind: 'insert',
        into: every.source,
        assignments: every.cells(...names),
        returning: [every.column('id')],
        rows: 'one',
        instead: false,
      },
      [cells],
    );
    const row = (await read(database, every, 'id')).find(([id]) => id === made?.[0]);
    expect(names.map((name) => row?.[every.columns.indexOf(every.column(name))])).toEqual(cells);
  });

  test('cells that a code page lacks', async (context) => {
    rows.skipOnBabelfish(context, 'Babelfish keeps all text in UTF-8, whatever its collation says');
    const every = rows.table('every_type');
    const columns = ['v', 'nv', 'c', 't'].map((name) => every.column(name));
    expect(
      await write(rows.database, { kind: 'unencodable', columns }, [
        ['a', 'ж', 'a', 'a'],
        ['ж', 'ж', null, '🚀'],
      ]),
    ).toEqual([
      ['1', '0'],
      ['1', '3'],
    ]);
  });
}

/** SQL Server, or what stands in for it. */
export const sqlServer: Engine = {
  name: sqlServerTarget.name,
  missing: await sqlServerTarget.unavailable(),
  open: () => openSqlServerDatabase(() => []),
  language: 'tsql',
  script,
  refused: [
    ['v', '12345678901', 'tooLong'],
    ['c', '123456', 'tooLong'],
    ['nv', '12345678901', 'tooLong'],
    ['d38', '99999999999999999999999999999', 'outOfRange'],
  ],
  contents: [
    ['by_tes', Buffer.from([0, 1, 254, 255]), '0001feff'],
    ['img', Buffer.from([7]), '07'],
  ],
  largestCount: 255,
  likeUmlaut: 'ä',
  stamp: (table) => ({ kind: 'rowversion', column: table.column('rv') }),
  // The statement cannot ask for keys there: it answers 1 where there was such a row.
  changedBehind: () => [['1']],
  own,
};
