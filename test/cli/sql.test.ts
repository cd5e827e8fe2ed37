import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { snapshots } from '../fixtures/legacy/model.ts';
import { sharedFolder, testFolder, type TestFolder } from '../config/files.ts';
import { type Ended, run } from './run.ts';
import { routine, table, types } from '../model/physical.ts';

const NO_STATEMENT =
  '-- No statements: the answer comes from the model, or from entity sets in memory.\n';

/** Offline: the repository's own configuration and mapping files over the snapshot of the sample. */
function sql(url: string, ...options: readonly string[]): Promise<Ended> {
  const file = fileURLToPath(snapshots.postgres);
  return run(['sql', url, '--config', 'config.yaml', '--schema-file', file, ...options]);
}

test('a page, its count and what is related, each with its parameters', async () => {
  const { code, out } = await sql(
    `Company?$filter="name begin 'A c'"&$attributes=name,employees.lastName,employees.projects.name&$top=5`,
  );
  expect(code).toBe(0);
  expect(out.match(/^-- .*$/gm)).toEqual([
    ...['-- the page', '-- $1 = "A c%" (LIKE pattern)', '-- $2 = "0" (a whole number)'],
    ...['-- $3 = "5" (a whole number)', '-- the count, unless the page tells it'],
    ...['-- $1 = "A c%" (LIKE pattern)', '-- employees of all rows above, at once'],
    '-- $1 = the keys of the rows above, as JSON rows [ordinal, int4]',
    '-- employees.projects of all rows above, at once',
    '-- $1 = the keys of the rows above, as JSON rows [ordinal, int4]',
  ]);
  expect(out).toContain('\nFROM "SALES"."CMP_MST" t0\nWHERE ');
});

test('groups, their number, and whether the entity in the path exists', async () => {
  const groups = '$groupby=status,date:month&$aggregate=count,avg(lines.quantity)';
  const { code, out, error } = await sql(
    `Company(1)/billedOrders?${groups}&$having="count > 5"&$filter="total > 10"&$top=5`,
  );
  expect([code, error]).toEqual([0, '']);
  const rows = [
    ...['-- $1 = "1" (int4)', '-- $2 = "10" (numeric)'],
    ...['-- $3 = "1" (int4)', '-- $4 = "10" (numeric)'],
    '-- $5 = "5" (int8)',
  ];
  expect(out.match(/^-- .*$/gm)).toEqual([
    '-- the groups, with their aggregates',
    ...rows,
    '-- $6 = "0" (a whole number)',
    '-- $7 = "5" (a whole number)',
    '-- the number of groups, unless the page tells it',
    ...rows,
    '-- if nothing was found: whether the entity in the path exists',
    '-- $1 = "1" (int4)',
  ]);
  expect(out).toContain('GROUP BY');
  const tsql = await sql(`Order?${groups}`, '--dialect', 'tsql');
  expect([tsql.code, tsql.out]).toEqual([0, expect.stringContaining('GROUP BY')]);
});

test('the same for SQL Server, with its types', async () => {
  const { out } = await sql(`Employee?$filter="hireDate > 2020-01-31"&$top=5`, '--dialect', 'tsql');
  expect(out).toContain('CONVERT(date, @p1, 23)');
  expect(out).toContain(
    'OFFSET @p2 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (OPTIMIZE FOR (@p2 = 0, @p3 = 100));',
  );
  expect(out).toContain('-- @p1 = "2020-01-31" (nvarchar(50))');
  expect(out).toContain('-- @p3 = "5" (bigint)');
});

test.each([
  [`lastName = "D"`, '"D" (nvarchar(4000))'],
  [`lastName begin "D"`, '"D%" (LIKE pattern, nvarchar(4000))'],
  [
    `ID in [1,2]`,
    '"1" (int, of a list)\n-- @p2 = "2" (int, of a list)\n-- @p3 = "2" (int, of a list)',
  ],
  [
    `ID in [${Array.from({ length: 51 }, (_, index) => index).join(',')}]`,
    `${JSON.stringify(JSON.stringify(Array.from({ length: 51 }, (_, index) => String(index))))} (list of int, nvarchar(max))`,
  ],
  [`ID = 7`, '"7" (int)'],
])('for SQL Server, %s is told as it is bound', async (filter, given) => {
  const { out, error } = await sql(`Employee?$filter='${filter}'`, '--dialect', 'tsql');
  expect(error).toBe('');
  expect(out).toContain(`-- @p1 = ${given}`);
});

test.each([
  ['grade < 70000', 't0."GRADE_CD" = t0."GRADE_CD"'],
  ['NOT (grade IN [70000, 1.5])', 'NOT (t0."GRADE_CD" <> t0."GRADE_CD")'],
  ['employer.latitude < 1e400', `t1."LAT_DEG" < 'Infinity'::"float8"`],
])('%s is printed for a value that its column cannot hold', async (filter, condition) => {
  const { code, out, error } = await sql(`Employee?$filter='${filter}'`);
  expect([code, error]).toEqual([0, '']);
  expect(out).toContain(condition);
  expect(out).toContain('-- $1 = "0" (a whole number)');
});

test('for SQL Server, keys of rows above are one text', async () => {
  const { out } = await sql('Company?$attributes=employees.lastName', '--dialect', 'tsql');
  expect(out).toContain('as JSON rows [ordinal, int] (nvarchar(max))');
});

test.each(['/rest/Employee(1)', 'Employee(1)', 'http://localhost:8080/rest/Employee(1)'])(
  '%s is one request',
  async (url) => {
    const { out } = await sql(url);
    expect(out).toMatch(
      /^-- the entity\nSELECT .*\nFROM "HR"\."TBL_EMP" t0\nWHERE .*;\n-- \$1 = "1" \(int4\)\n$/s,
    );
  },
);

describe('a snapshot needs no secret of the database', () => {
  let folder: TestFolder;
  beforeAll(async () => {
    folder = await testFolder();
  });
  afterAll(() => folder.remove());

  test.each([
    'engine: postgres\n  url: "${ENV:NOT_SET}"',
    'engine: sqlserver\n  host: db\n  password: "${FILE:not-there}"',
    'engine: pglite\n  directory: "${ENV:NOT_SET}"',
  ])('%s', async (database) => {
    const mappings = resolve('mappings');
    const config = await folder.write(
      'config.yaml',
      `database:\n  ${database}\nmappings: ${mappings}\n`,
    );
    const { code, error, out } = await sql('Employee(1)', '--config', config);
    expect([code, error]).toEqual([0, '']);
    expect(out).toMatch(/^-- the entity\nSELECT .*\nFROM "HR"\."TBL_EMP" t0\nWHERE /s);
  });
});

describe('by way of an entity set', () => {
  const ID = 'AB9621B8507F9DFA2183A071E2A55A4407C1F03B9E52D4';
  const page = ['-- the page', '-- $1 = the keys of the entity set, as JSON rows [ordinal, int4]'];

  test.each([
    [
      'Employee?$filter="grade=9"&$orderby=lastName&$method=entityset',
      ['-- the keys of the entity set, in order', '-- $1 = "9" (int2)', ...page],
    ],
    [`Employee/$entityset/${ID}?$skip=5`, page],
    [
      `Employee/$entityset/${ID}?$filter="grade=9"&$savedfilter="ID=1"&$attributes=projects.name`,
      [
        ...['-- if the entity set is gone: its keys, in order', '-- $1 = "1" (int4)'],
        '-- the keys that remain, in order',
        '-- $1 = the keys of the entity set, as JSON rows [ordinal, int4]',
        '-- $2 = "9" (int2)',
        ...page,
        '-- projects of all rows above, at once',
        '-- $1 = the keys of the rows above, as JSON rows [ordinal, int4]',
      ],
    ],
    [
      `Employee/$entityset/${ID}?$findKey=7&$savedfilter='$all'`,
      ['-- if the entity set is gone: its keys, in order'],
    ],
  ])('%s', async (url, comments) => {
    const { code, out, error } = await sql(url);
    expect([code, error]).toEqual([0, '']);
    expect(out.match(/^-- .*$/gm)).toEqual(comments);
  });

  test.each(['$method=release', '$findKey=7', `$logicOperator=INTERSECT&$otherCollection=${ID}`])(
    '%s needs no statement',
    async (query) => {
      const { code, out } = await sql(`Employee/$entityset/${ID}?${query}`);
      expect([code, out]).toEqual([0, NO_STATEMENT]);
    },
  );
});

test('the catalog needs no statement', async () => {
  const { code, out } = await sql('$catalog/$all');
  expect([code, out]).toEqual([0, NO_STATEMENT]);
});

describe('what the gateway would refuse is refused in its words', () => {
  test.each([
    ['Employe', 'There is no dataclass Employe. Did you mean Employee?', 1800, 404],
    ['Employee?$filter="hireDate > soon"', 'soon', 1508, 400],
    ['Employee?$bogus=1', 'There is no parameter $bogus.', 1811, 400],
  ])('%s', async (url, message, errorCode, status) => {
    const { code, out, error } = await sql(url);
    expect([code, out]).toEqual([1, '']);
    expect(error).toContain(message);
    expect(error).toContain(`(error ${errorCode}, HTTP status ${status})`);
  });
});

test('changes: how far they are complete, the keys to remove, and a page of entities', async () => {
  const { code, out } = await sql('Product/$changes?$filter="name = A"&$attributes=name');
  expect(code).toBe(0);
  expect(out.match(/^-- .*$/gm)).toEqual([
    '-- how far changes are complete',
    '-- the keys of changed entities that do not meet the filter, page by page',
    ...['-- $1 = "A" (varchar)', '-- $2 = the version of the token'],
    ...['-- $3 = the version up to which changes are complete', '-- $4 = "100" (a whole number)'],
    ...['-- the new and changed entities, page by page', '-- $1 = "A" (varchar)'],
    ...['-- $2 = the version of the token', '-- $3 = the version up to which changes are complete'],
    '-- $4 = "100" (a whole number)',
  ]);
  const tsql = await sql('Product/$changes', '--dialect', 'tsql');
  expect([tsql.code, tsql.error]).toEqual([1, expect.stringContaining('cannot be read')]);
  expect((await sql('$stamp')).error).toContain('Statements of this request cannot be printed');
});

test('a lock is not a read', async () => {
  const { code, out, error } = await sql('Employee(1)?$lock=true');
  expect([code, out]).toEqual([1, '']);
  expect(error).toContain('Statements of $lock cannot be printed, only those of reads.');
});

describe('wrong options', () => {
  test.each([
    [['--dialect', 'oracle'], 2, /--dialect oracle is unknown: expected tsql or postgres/],
    [['--schema-file', 'no-such.json'], 1, /no-such\.json: there is no such file/],
    [['--schema-file', 'package.json'], 1, /package\.json: is not a snapshot of a schema/],
    [['--schema-file', 'README.md'], 1, /README\.md: /],
  ])('%j', async (options, expected, message) => {
    const { code, error } = await run(['sql', 'Employee', '--config', 'config.yaml', ...options]);
    expect(code).toBe(expected);
    expect(error).toMatch(message);
  });
});

describe('as users with a role see it', () => {
  let folder: TestFolder;
  let config: string;
  beforeAll(async () => {
    folder = await testFolder();
    config = await folder.write(
      'config.yaml',
      `mappings: ${resolve('mappings')}
database: { engine: pglite }
roles:
  sales:
    dataclasses:
      Order: { read: true, where: shipTo.country.name IN $claims.countries }
`,
    );
  });
  afterAll(() => folder.remove());

  const seen = (...options: readonly string[]): Promise<Ended> =>
    run([
      ...['sql', 'Order?$top=5', '--config', config],
      ...['--schema-file', fileURLToPath(snapshots.postgres), ...options],
    ]);

  test('with the filters of the role and its claims', async () => {
    const claims = ['--claim', 'countries=France', '--claim', 'countries=Italy'];
    const { code, out } = await seen('--role', 'sales', ...claims);
    expect(code).toBe(0);
    expect(out.match(/LEFT JOIN/g)).toHaveLength(4);
    const list = String.raw`-- $1 = "{\"France\",\"Italy\"}" (list of varchar)`;
    const [skip, top] = ['-- $2 = "0" (a whole number)', '-- $3 = "5" (a whole number)'];
    expect(out.match(/^-- \$.*$/gm)).toEqual([list, skip, top, list]);
  });

  test('nothing without a claim that a filter needs, and all without a role', async () => {
    expect((await seen('--role', 'sales')).out).toContain('WHERE (FALSE)');
    expect((await seen()).out).not.toMatch(/JOIN|EXISTS/);
  });

  test('refuses a role that is not configured, and a claim without a name or a role', async () => {
    expect(await seen('--role', 'sale')).toMatchObject({ code: 2, out: '' });
    expect((await seen('--claim', 'country=France')).error).toBe(
      '--claim is for the filters of roles: name one by --role. See "entitygate sql --help".\n',
    );
    const { code, error } = await seen('--claim', 'France');
    expect([code, error]).toEqual([
      2,
      '--claim France: expected a name and a value, as region=North. See "entitygate sql --help".\n',
    ]);
  });
});

describe('sql calls', async () => {
  /** A schema of one table and some routines, in the types of an engine. */
  function snapshot(dialect: 'postgres' | 'tsql'): string {
    const schema = {
      dialect,
      version: dialect === 'postgres' ? 'PostgreSQL 17.0' : 'Microsoft SQL Server 2022',
      tables: [table('emp', { columns: { id: 'int' }, primaryKey: ['id'] })],
      routines: [
        routine('raise', { emp: 'int', by: 'int', note: 'text?', total: 'int inout' }),
        routine(
          'staff',
          { photo: 'binary' },
          { kind: 'rows', columns: [{ name: 'id', type: types.int }] },
        ),
      ],
    };
    const text = JSON.stringify(schema).replaceAll('"S"', '"app"');
    return dialect === 'postgres'
      ? text
      : text.replaceAll('int4', 'int').replaceAll('bytea', 'varbinary');
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
});
