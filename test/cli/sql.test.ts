import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { snapshots } from '../fixtures/legacy/model.ts';
import { sharedFolder } from '../config/files.ts';
import { run } from './run.ts';
import { routine, table, types } from '../model/physical.ts';
import { rows } from '../rows.ts';

const NO_STATEMENT =
  '-- No statements: the answer comes from the model, or from entity sets in memory.\n';
const TSQL = ['--dialect', 'tsql'];

/** What is printed offline: the repository's own configuration and mapping files over the snapshot of the sample. */
async function sql(url: string, ...options: readonly string[]): Promise<string> {
  const file = fileURLToPath(snapshots.postgres);
  const given = ['sql', url, '--config', 'config.yaml', '--schema-file', file, ...options];
  const { code, out, error } = await run(given);
  return code === 0 && error === '' ? out : `exit code ${code}: ${out}${error}`;
}

const comments = (printed: string): string => (printed.match(/^-- .*$/gm) ?? []).join('\n');

test.each(rows`
  Company?$filter="name begin 'A c'"&$attributes=name,employees.lastName,employees.projects.name&$top=5
    | -- the page | -- $1 = "A c%" (LIKE pattern) | -- $2 = "0" (a whole number) | -- $3 = "5" (a whole number)
    | -- the count, unless the page tells it | -- $1 = "A c%" (LIKE pattern)
    | -- employees of all rows above, at once | -- $1 = the keys of the rows above, as JSON rows [ordinal, int4]
    | -- employees.projects of all rows above, at once | -- $1 = the keys of the rows above, as JSON rows [ordinal, int4]
  Company(1)/billedOrders?$groupby=status,date:month&$aggregate=count,avg(lines.quantity)&$having="count > 5"&$filter="total > 10"&$top=5
    | -- the groups, with their aggregates | -- $1 = "1" (int4) | -- $2 = "10" (numeric) | -- $3 = "1" (int4) | -- $4 = "10" (numeric)
    | -- $5 = "5" (int8) | -- $6 = "0" (a whole number) | -- $7 = "5" (a whole number)
    | -- the number of groups, unless the page tells it | -- $1 = "1" (int4) | -- $2 = "10" (numeric) | -- $3 = "1" (int4) | -- $4 = "10" (numeric)
    | -- $5 = "5" (int8)
    | -- if nothing was found: whether the entity in the path exists | -- $1 = "1" (int4)
  Employee?$filter="grade=9"&$orderby=lastName&$method=entityset | -- the keys of the entity set, in order | -- $1 = "9" (int2)
    | -- the page | -- $1 = the keys of the entity set, as JSON rows [ordinal, int4]
  Employee/$entityset/AB9621B8507F9DFA2183A071E2A55A4407C1F03B9E52D4?$skip=5 | -- the page | -- $1 = the keys of the entity set, as JSON rows [ordinal, int4]
  Employee/$entityset/AB9621B8507F9DFA2183A071E2A55A4407C1F03B9E52D4?$filter="grade=9"&$savedfilter="ID=1"&$attributes=projects.name
    | -- if the entity set is gone: its keys, in order | -- $1 = "1" (int4)
    | -- the keys that remain, in order | -- $1 = the keys of the entity set, as JSON rows [ordinal, int4] | -- $2 = "9" (int2)
    | -- the page | -- $1 = the keys of the entity set, as JSON rows [ordinal, int4]
    | -- projects of all rows above, at once | -- $1 = the keys of the rows above, as JSON rows [ordinal, int4]
  Employee/$entityset/AB9621B8507F9DFA2183A071E2A55A4407C1F03B9E52D4?$findKey=7&$savedfilter='$all' | -- if the entity set is gone: its keys, in order
  Product/$changes?$filter="name = A"&$attributes=name | -- how far changes are complete
    | -- the keys of changed entities that do not meet the filter, page by page | -- $1 = "A" (varchar) | -- $2 = the version of the token
    | -- $3 = the version up to which changes are complete | -- $4 = "100" (a whole number)
    | -- the new and changed entities, page by page | -- $1 = "A" (varchar) | -- $2 = the version of the token
    | -- $3 = the version up to which changes are complete | -- $4 = "100" (a whole number)
`)('%s: each statement has its parameters', async (url, ...lines) => {
  expect(comments(await sql(url))).toBe(lines.join('\n'));
});

test('the same for SQL Server, with its types', async () => {
  const printed = await sql(
    'Employee?$filter="hireDate > 2020-01-31"&$top=5&$attributes=projects.name',
    ...TSQL,
  );
  expect(printed).toContain('CONVERT(date, @p1, 23)');
  expect(printed).toContain(
    'OFFSET @p2 ROWS FETCH NEXT @p3 ROWS ONLY OPTION (OPTIMIZE FOR (@p2 = 0, @p3 = 100));',
  );
  expect(comments(printed).split('\n')).toEqual([
    ...['-- the page', '-- @p1 = "2020-01-31" (nvarchar(50))', '-- @p2 = "0" (bigint)'],
    ...['-- @p3 = "5" (bigint)', '-- the count, unless the page tells it'],
    ...['-- @p1 = "2020-01-31" (nvarchar(50))', '-- projects of all rows above, at once'],
    '-- @p1 = the keys of the rows above, as JSON rows [ordinal, int] (nvarchar(max))',
  ]);
});

const MANY = Array.from({ length: 51 }, (_, index) => index);

test.each([
  [`lastName = "D"`, '"D" (nvarchar(4000))'],
  [`lastName begin "D"`, '"D%" (LIKE pattern, nvarchar(4000))'],
  [`ID in [1,2]`, '"1" (int, of a list)\n-- @p2 = "2" (int, of a list)'],
  [
    `ID in [${MANY.join(',')}]`,
    `${JSON.stringify(JSON.stringify(MANY.map(String)))} (list of int, nvarchar(max))`,
  ],
  [`ID = 7`, '"7" (int)'],
])('for SQL Server, %s is told as it is bound', async (filter, given) => {
  expect(await sql(`Employee?$filter='${filter}'`, ...TSQL)).toContain(`-- @p1 = ${given}`);
});

test.each(rows`
  Employee?$filter='grade < 70000'                | t0."GRADE_CD" = t0."GRADE_CD"
  Employee?$filter='NOT (grade IN [70000, 1.5])'  | NOT (t0."GRADE_CD" <> t0."GRADE_CD")
  Employee?$filter='employer.latitude < 1e400'    | t1."LAT_DEG" < 'Infinity'::"float8"
`)('%s is printed for a value that its column cannot hold', async (url, condition) => {
  const printed = await sql(url);
  expect(printed).toContain(condition);
  expect(printed).toContain('-- $1 = "0" (a whole number)');
});

const ONE =
  /^-- the entity\nSELECT .*\nFROM "HR"\."TBL_EMP" t0\nWHERE .*;\n-- (?:\$1 = "1" \(int4\)|@p1 = "1" \(int\))\n$/s;

test.each(['/rest/Employee(1)', 'Employee(1)', 'http://localhost:8080/rest/Employee(1)'])(
  '%s is one request',
  async (url) => {
    expect(await sql(url)).toMatch(ONE);
  },
);

const folder = await sharedFolder();

test.each([
  'engine: postgres\n  url: "${ENV:NOT_SET}"',
  'engine: sqlserver\n  host: db\n  password: "${FILE:not-there}"',
  'engine: pglite\n  directory: "${ENV:NOT_SET}"',
])('a snapshot needs no secret of the database: %s', async (database) => {
  const text = `database:\n  ${database}\nmappings: ${resolve('mappings')}\n`;
  const config = await folder.write('config.yaml', text);
  expect(await sql('Employee(1)', '--config', config)).toMatch(ONE);
});

const SET = 'Employee/$entityset/AB9621B8507F9DFA2183A071E2A55A4407C1F03B9E52D4';

test.each([
  ...[`${SET}?$method=release`, `${SET}?$findKey=7`, '$catalog/$all'],
  `${SET}?$logicOperator=INTERSECT&$otherCollection=${SET.slice(-46)}`,
])('%s needs no statement', async (url) => {
  expect(await sql(url)).toBe(NO_STATEMENT);
});

test.each([
  ['Employe', 'There is no dataclass Employe. Did you mean Employee?', 1800, 404],
  ['Employee?$bogus=1', 'There is no parameter $bogus.', 1811, 400],
])('%s is refused in the words of the gateway', async (url, message, errorCode, status) => {
  const printed = await sql(url);
  expect(printed).toMatch(/^exit code 1: /);
  expect(printed).toContain(message);
  expect(printed).toContain(`(error ${errorCode}, HTTP status ${status})`);
});

test.each([
  ['Employee(1)?$lock=true', 'Statements of $lock cannot be printed, only those of reads.'],
  ['$stamp', 'Statements of this request cannot be printed'],
])('%s is not a read', async (url, message) => {
  expect(await sql(url)).toContain(`exit code 1: ${message}`);
});

test('changes are told of tables of the server, and a snapshot has none', async () => {
  expect(await sql('Product/$changes', ...TSQL)).toMatch(/^exit code 1: .*cannot be read/);
});

test.each([
  [['--dialect', 'oracle'], 2, /--dialect oracle is unknown: expected tsql or postgres/],
  [['--schema-file', 'package.json'], 1, /package\.json: is not a snapshot of a schema/],
  [['--schema-file', 'README.md'], 1, /README\.md: /],
])('wrong options: %j', async (options, expected, message) => {
  const { code, error } = await run(['sql', 'Employee', '--config', 'config.yaml', ...options]);
  expect(code).toBe(expected);
  expect(error).toMatch(message);
});

describe('as users with a role see it', async () => {
  const config = await folder.write(
    'roles.yaml',
    `mappings: ${resolve('mappings')}
database: { engine: pglite }
roles:
  sales:
    dataclasses:
      Order: { read: true, where: shipTo.country.name IN $claims.countries }
`,
  );
  const seen = (...options: readonly string[]): Promise<string> =>
    sql('Order?$top=5', '--config', config, ...options);

  test('with the filters of the role and its claims', async () => {
    const claims = ['--claim', 'countries=France', '--claim', 'countries=Italy'];
    const printed = await seen('--role', 'sales', ...claims);
    expect(printed.match(/LEFT JOIN/g)).toHaveLength(4);
    const list = String.raw`-- $1 = "{\"France\",\"Italy\"}" (list of varchar)`;
    const [skip, top] = ['-- $2 = "0" (a whole number)', '-- $3 = "5" (a whole number)'];
    expect(printed.match(/^-- \$.*$/gm)).toEqual([list, skip, top, list]);
  });

  test('nothing without a claim that a filter needs, and all without a role', async () => {
    expect(await seen('--role', 'sales')).toContain('WHERE (FALSE)');
    expect(await seen()).not.toMatch(/JOIN|EXISTS/);
  });

  test.each(rows`
    [--role, sale]            | --role sale: there is no such role. Did you mean sales?
    [--claim, country=France] | --claim is for the filters of roles: name one by --role.
    [--claim, France]         | --claim France: expected a name and a value, as region=North.
  `)('%s is refused', async (options, message) => {
    expect(await seen(...options.slice(1, -1).split(', '))).toBe(
      `exit code 2: ${message} See "entitygate sql --help".\n`,
    );
  });
});

describe('calls', async () => {
  /** A schema of one table and some routines, in the types of an engine. */
  function snapshot(dialect: 'postgres' | 'tsql'): string {
    const columns = [{ name: 'id', type: types.int }];
    const schema = {
      dialect,
      version: dialect === 'postgres' ? 'PostgreSQL 17.0' : 'Microsoft SQL Server 2022',
      tables: [table('emp', { columns: { id: 'int' }, primaryKey: ['id'] })],
      routines: [
        routine('raise', { emp: 'int', by: 'int', note: 'text?', total: 'int inout' }),
        routine('staff', { photo: 'binary' }, { kind: 'rows', columns }),
      ],
    };
    const text = JSON.stringify(schema).replaceAll('"S"', '"app"');
    return dialect === 'postgres'
      ? text
      : text.replaceAll('int4', 'int').replaceAll('bytea', 'varbinary');
  }

  const config = await folder.write(
    'calls.yaml',
    'database: { engine: pglite }\nmappings: calls\n',
  );
  await folder.write(
    'calls/emp.yaml',
    `dataclass: Emp
table: app.emp
stamp: none
readOnly: true
functions:
  raise: { routine: app.raise, key: emp, parameters: [by, note] }
  staff: { routine: app.staff, parameters: [photo], returns: { dataclass: Emp } }
`,
  );

  const call = async (url: string, dialect: 'postgres' | 'tsql'): Promise<string> => {
    const file = await folder.write(`${dialect}.json`, snapshot(dialect));
    return sql(url, '--config', config, '--schema-file', file);
  };

  test('the keys of what is called on, and the call with what it is given', async () => {
    expect(await call('Emp(1)/raise?$params=[10,"why"]', 'postgres'))
      .toBe(`-- the keys of the entities that the function is called on, in order
SELECT t0."id"
FROM "app"."emp" t0
WHERE (t0."id" = $1::"int4");
-- $1 = "1" (int4)

-- the call, with its parameters
CALL "app"."raise"("emp" => $1::"int4", "by" => $2::"int4", "note" => $3::"varchar", "total" => NULL);
-- $1 = the key of the entity, part 1 (emp)
-- $2 = "10" (by, int4)
-- $3 = "why" (note, varchar)
`);
    expect((await call('Emp(1)/raise?$params=[10]', 'tsql')).split('\n\n')[1])
      .toBe(`-- the call, with its parameters
DECLARE @r int; DECLARE @o3 int; EXEC @r = "app"."raise" @emp = @p1, @by = @p2, @total = @o3 OUTPUT; SELECT @r, @o3;
-- @p1 = the key of the entity, part 1 (emp)
-- @p2 = "10" (by, int)
`);
  });

  test('of a function that answers entities, how these are read', async () => {
    const printed = await call('Emp/staff?$params=["Chs="]&$top=3', 'postgres');
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
    expect(await call('Emp(1)/raise', 'postgres')).toBe(
      'exit code 1: Emp.raise takes the parameters by, note (optional), and is given 0.\n(error 9049, HTTP status 400)\n',
    );
  });
});
