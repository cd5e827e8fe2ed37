import { expect, test } from 'vitest';
import { sharedFolder } from '../config/files.ts';
import { run } from './run.ts';

const int = { kind: 'integer', bits: 32, signed: true };
const text = { kind: 'text', maxLength: 10, padded: false };
const bytes = { kind: 'binary' };

/** A schema of one table and some routines, in the types of an engine. */
function snapshot(dialect: 'postgres' | 'tsql'): string {
  const isPostgres = dialect === 'postgres';
  const types = {
    id: { ...int, native: isPostgres ? 'int4' : 'int' },
    note: { ...text, native: isPostgres ? 'varchar' : 'varchar(10)' },
    bytes: { ...bytes, native: isPostgres ? 'bytea' : 'varbinary' },
  };
  const given = (name: string, type: object): object => ({ name, type, direction: 'in' });
  return JSON.stringify({
    dialect,
    version: isPostgres ? 'PostgreSQL 17.0' : 'Microsoft SQL Server 2022',
    tables: [
      {
        schema: 'app',
        name: 'emp',
        kind: 'table',
        columns: [
          {
            name: 'id',
            position: 1,
            type: types.id,
            nullable: false,
            identity: false,
            computed: false,
            hasDefault: false,
          },
        ],
        primaryKey: ['id'],
        indexes: [],
        foreignKeys: [],
        rowVersion: null,
      },
    ],
    routines: [
      {
        schema: 'app',
        name: 'raise',
        kind: 'procedure',
        parameters: [
          given('emp', types.id),
          given('by', types.id),
          { ...given('note', types.note), optional: true },
          { name: 'total', type: types.id, direction: 'inout' },
        ],
        returns: { kind: 'none' },
      },
      {
        schema: 'app',
        name: 'staff',
        kind: 'function',
        parameters: [given('photo', types.bytes)],
        returns: { kind: 'rows', columns: [{ name: 'id', type: types.id }] },
      },
    ],
  });
}

const folder = await sharedFolder();
await folder.write('config.yaml', 'database: { engine: pglite }\nmappings: mappings\n');
await folder.write(
  'mappings/emp.yaml',
  `dataclass: Emp
table: app.emp
stamp: none
readOnly: true
functions:
  raise: { routine: app.raise, key: emp, parameters: [by, note] }
  staff: { routine: app.staff, parameters: [photo], returns: { dataclass: Emp } }
`,
);
await folder.write('postgres.json', snapshot('postgres'));
await folder.write('tsql.json', snapshot('tsql'));

/** What is printed of a call, and how it ended. */
async function sql(url: string, dialect: string): Promise<readonly [code: number, text: string]> {
  const file = `${folder.path}/${dialect}.json`;
  const config = `${folder.path}/config.yaml`;
  const { code, out, error } = await run([
    ...['sql', url, '--config', config, '--schema-file', file],
  ]);
  return [code, out + error];
}

test('the keys of what is called on, and the call with what it is given', async () => {
  expect(await sql('Emp(1)/raise?$params=[10,"why"]', 'postgres')).toEqual([
    0,
    `-- the keys of the entities that the function is called on, in order
SELECT t0."id"
FROM "app"."emp" t0
WHERE (t0."id" = $1::"int4");
-- $1 = "1" (int4)

-- the call, with its parameters
CALL "app"."raise"("emp" => $1::"int4", "by" => $2::"int4", "note" => $3::"varchar", "total" => NULL);
-- $1 = the key of the entity, part 1 (emp)
-- $2 = "10" (by, int4)
-- $3 = "why" (note, varchar)
`,
  ]);
  expect(await sql('Emp(1)/raise?$params=[10]', 'tsql')).toEqual([
    0,
    `-- the keys of the entities that the function is called on, in order
SELECT t0."id"
FROM "app"."emp" t0
WHERE (t0."id" = @p1);
-- @p1 = "1" (int)

-- the call, with its parameters
DECLARE @r int; DECLARE @o3 int; EXEC @r = "app"."raise" @emp = @p1, @by = @p2, @total = @o3 OUTPUT; SELECT @r, @o3;
-- @p1 = the key of the entity, part 1 (emp)
-- @p2 = "10" (by, int)
`,
  ]);
});

test('of a function that answers entities, how these are read', async () => {
  const [code, printed] = await sql('Emp/staff?$params=["Chs="]&$top=3', 'postgres');
  expect(code).toBe(0);
  expect(printed).toMatch(
    /^-- the call, with its parameters\nSELECT t0\."id"\nFROM "app"\."staff"\("photo" => \$1::bytea\) t0\("id"\)\nLIMIT 100001;\n-- \$1 = 2 bytes \(photo\)\n/,
  );
  expect(printed.match(/^-- [^$].*$/gm)).toEqual([
    '-- the call, with its parameters',
    '-- the keys that remain, in order',
    '-- the page',
  ]);
});

test('one that the gateway would refuse is refused', async () => {
  expect(await sql('Emp(1)/raise', 'postgres')).toEqual([
    1,
    'Emp.raise takes the parameters by, note (optional), and is given 0.\n(error 9049, HTTP status 400)\n',
  ]);
});
