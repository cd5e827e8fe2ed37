import { describe, expect, test } from 'vitest';
import { literal } from '../../../src/sql/postgres/literals.ts';
import { isJsonb } from '../../../src/sql/postgres/json-validity.ts';
import { query } from '../../targets/sql.ts';
import { rows as table } from '../../rows.ts';
import { mapped, type Served, type Shape } from './engines.ts';

/** One column, and the values that another program has put into it, as expressions of SQL. */
const odd = table`
  day       | date           | 'infinity' | '-infinity' | '0044-03-15 BC' | '12345-01-02'
  instant   | timestamptz    | 'infinity' | '-infinity' | '0044-03-15 12:00:00.5+00 BC' | '12345-01-02 03:04:05+00'
    | '9999-12-31 23:59:59.999999+00'
  local     | timestamp      | 'infinity' | '0044-03-15 12:00:00 BC' | '12345-01-02 03:04:05'
  hour      | time           | '24:00:00' | '23:59:59.999999'
  amount    | numeric        | 'NaN' | 1234567890123456789012345678901234567890.123456789 | -0.50 | 1e60
  fixed     | numeric(110,2) | 'NaN' | 1.50
  thousands | numeric(2,-3)  | 'NaN' | 99000 | -1000 | 0
  tiny      | numeric(3,5)   | 'NaN' | 0.00999 | -0.00001 | 0
  small     | real           | 'NaN' | 'Infinity' | '-Infinity' | 0.1
  big       | float8         | 'NaN' | 'Infinity' | '-Infinity' | 1e-300
  doc       | jsonb          | 'null' | '{"a":4.0,"b":[1.50]}' | '"text"' | '4.0' | '[]' | '1e40' | '{"b":{"x":1,"a":null}}'
  raw_doc   | json           | 'null' | '{ "a" : 4.0 }' | '{"a":"\\ud800"}' | '{"a":"\\u0000"}' | '1e200000' | '{"a":1,"a":2}'
  text_doc  | text           | 'no JSON' | '' | 'null' | ' null ' | '{"a":4.0,}' | '{"a": 4.00}' | '"\\u0000"' | '"\\ud800"' | '1e200000'
    | '{"n":1e200000}'
  plain     | text           | 'a' || chr(9) | chr(65279) || 'bom' | '' | ' x '
  padded    | char(5)        | 'ab' | 'a' || chr(9)
  tags      | text[]         | '{a,NULL,"b c"}' | '{}'
  grid      | int[]          | '{{1,2},{3,NULL}}' | '[2:3]={5,6}'
  sums      | numeric[]      | '{1.50,NaN,12345678901234567890.123456789}'
  seen      | timestamptz[]  | '{2024-07-04 12:00:00.5+02,infinity}'
  keys      | bytea[]        | '{"\\\\x0aff"}'
  span      | interval       | '1 day 2 hours'
`.map(([column = '', type = '', ...values]) => [column, type, values] as const);

/** The `id` of the row that holds a value. */
function idOf(column: string, index: number): number {
  return odd.findIndex(([name]) => name === column) * 100 + index + 1;
}

/** Values that a body could not say by themselves, or says otherwise than they are stored. */
export const shape: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TABLE app.odd (id int PRIMARY KEY, ${odd.map(([name, type]) => `${name} ${type}`).join(', ')});
${odd
  .flatMap(([name, type, values]) =>
    values.map(
      (value, index) =>
        `INSERT INTO app.odd (id, ${name}) VALUES (${idOf(name, index)}, (${value})::${type});`,
    ),
  )
  .join('\n')}
INSERT INTO app.odd (id, raw_doc, text_doc) SELECT 9000 + n, d::json, d FROM (VALUES
  (1, '{"a":0.' || repeat('1', 20000) || '}'), (2, '{"a":' || repeat('1', 200000) || '}'),
  (3, '{"a":' || repeat('[', 3000) || repeat(']', 3000) || '}'),
  (4, '{"a":1.' || repeat('1', 7000) || 'e-9999}')) v(n, d);
INSERT INTO app.odd (id, text_doc) VALUES (9005, repeat('[', 50000)), (9006, repeat('[', 50000) || repeat(']', 50000)),
  (9007, '{"a":[' || repeat('[],', 20000) || '4],"b":5}');
CREATE TABLE app.target (a text, b int, name text, PRIMARY KEY (a, b));
CREATE TABLE app.source (id int PRIMARY KEY, ca text, cb int, CONSTRAINT to_target FOREIGN KEY (ca, cb) REFERENCES app.target (a, b));
INSERT INTO app.target VALUES ('part', 1, 'one'), ('part', 2, 'two');
INSERT INTO app.source VALUES (1, 'part', NULL), (2, 'part', 1);
CREATE TABLE app.department (tenant int, dno int, PRIMARY KEY (tenant, dno));
CREATE TABLE app.project (tenant int, pno int, PRIMARY KEY (tenant, pno));
CREATE TABLE app.employee (id int PRIMARY KEY, tenant int, dno int, pno int,
  CONSTRAINT to_department FOREIGN KEY (tenant, dno) REFERENCES app.department,
  CONSTRAINT to_project FOREIGN KEY (tenant, pno) REFERENCES app.project);
INSERT INTO app.department VALUES (1, 1);
INSERT INTO app.project VALUES (1, 1);
INSERT INTO app.employee VALUES (1, 1, 1, 1), (2, 1, 1, 1);
CREATE TABLE app.holiday (day date PRIMARY KEY, name text);
CREATE TABLE app.leave (id int PRIMARY KEY, day date CONSTRAINT to_holiday REFERENCES app.holiday);
INSERT INTO app.holiday VALUES ('infinity', 'never'), ('0044-03-15 BC', 'Ides'), ('12345-01-02', 'far');
INSERT INTO app.leave VALUES (1, 'infinity'), (2, '0044-03-15 BC'), (3, NULL);
CREATE TABLE app.shift (at timestamptz, hour time, name text, PRIMARY KEY (at, hour));
INSERT INTO app.shift VALUES ('-infinity', '24:00', 'all'), ('0044-03-15 12:00:00+00 BC', '08:00', 'one');
CREATE TABLE app.measure (value real PRIMARY KEY, name text);
CREATE TABLE app.price (value numeric PRIMARY KEY, name text);
INSERT INTO app.measure VALUES ('NaN', 'none'), ('Infinity', 'most'), ('-Infinity', 'least'), (0.1, 'some');
INSERT INTO app.price SELECT value::text::numeric, name FROM app.measure;
CREATE TABLE app.label (id int PRIMARY KEY, label name UNIQUE, letter "char", doc jsonb UNIQUE, list int[] UNIQUE);
INSERT INTO app.label VALUES (1, repeat('a', 63), 'a', '{"a":1}', '{1}'), (2, 'two', '\\303', NULL, NULL);
CREATE TABLE app.picture (id int PRIMARY KEY, photo bytea, raw bytea, note text);
INSERT INTO app.picture VALUES (1, NULL, NULL, 'empty'), (2, '\\x00', '\\x', 'full');
`,
  sqlserver: [],
  mappings: mapped(`
odd: {dataclass: Odd, table: app.odd, stamp: hash, attributes: {id: id, ${odd.map(([name]) => `${camel(name)}: ${name === 'text_doc' ? '{column: text_doc, type: object}' : name}`).join(', ')}}}
source: {dataclass: Source, table: app.source, stamp: hash, attributes: {id: id, ca: ca, cb: cb}, relations: {target: {to: Target, foreignKey: to_target}}}
employee: {dataclass: Employee, table: app.employee, stamp: hash, attributes: {id: id, tenant: tenant, dno: dno, pno: pno},
  relations: {department: {to: Department, foreignKey: to_department}, project: {to: Project, foreignKey: to_project}}}
department: {dataclass: Department, table: app.department, stamp: hash, attributes: {tenant: tenant, dno: dno}, relations: {employees: {inverse: Employee.department}}}
project: {dataclass: Project, table: app.project, stamp: hash, attributes: {tenant: tenant, pno: pno}}
holiday: {dataclass: Holiday, table: app.holiday, stamp: hash, attributes: {day: day, name: name}}
leave: {dataclass: Leave, table: app.leave, stamp: hash, attributes: {id: id}, relations: {holiday: {to: Holiday, foreignKey: to_holiday}}}
shift: {dataclass: Shift, table: app.shift, stamp: hash, attributes: {at: at, hour: hour, name: name}}
measure: {dataclass: Measure, table: app.measure, stamp: hash, attributes: {value: value, name: name}}
price: {dataclass: Price, table: app.price, stamp: hash, attributes: {value: value, name: name}}
label: {dataclass: Label, table: app.label, stamp: hash, attributes: {id: id, label: label, letter: letter, doc: doc, list: list}}
picture: {dataclass: Picture, table: app.picture, stamp: xmin, attributes: {id: id, photo: {column: photo, type: image}, raw: raw, note: note}}
target: {dataclass: Target, table: app.target, stamp: hash, attributes: {a: a, b: b, name: name}, relations: {sources: {inverse: Source.target}}}
`),
};

/** The attribute of a column. */
function camel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

const jsonTexts = [
  ...['{}', '[]', '""', '0', '-0', '1.5e3', '1e5', '{"a":[1,{"b":null}],"c":"x\\"y"}'],
  ...['"\\\\u0000"', '"\\ud83d\\ude00"', '"1e200000"', ' { "a" : true } ', '[[[[[[[[1]]]]]]]]'],
  ...['["é\\n"]', '{"":""}', '"3e99999"'],
];
const otherTexts = [
  ...['', '-', '01', '1.', '[', '"a', '{"a":1,}', '[1 2]', 'nul', 'truefalse', '{"a"}'],
  ...['{"a":1 "b":2}', '{1:2}', '"a\tb"', '"\\x"', '"" ""', '1[2]', '- 1', '"a\\u0000"'],
  ...['"\\\\\\u0000"', '"\\ude00"', '"\\ud83d"', '1e200000', '[1e-20000]'],
];

/** What every entity says of itself. */
interface Keyed {
  readonly __KEY: string;
  readonly __STAMP: number;
}

/** What is read of every value is sent back, and found. */
export function roundTrips(served: Served): void {
  const rows = odd.flatMap(([column, , values]) =>
    values.map((value, index) => ({ column, value, id: idOf(column, index) })),
  );
  const send = (path: string, body: string): Promise<{ status: number; text: string }> =>
    served.gateway.get(`/rest/${path}`, { method: 'POST', body });
  const read = async (path: string): Promise<string> =>
    (await served.gateway.get(`/rest/${path}`)).text;

  describe.each(rows)('$column $value', ({ id }) => {
    test('sent back as it was read changes nothing', async () => {
      const before = await read(`Odd(${id})`);
      served.gateway.takeChanges();
      expect(await send('Odd', before)).toMatchObject({ status: 200 });
      expect(served.gateway.takeChanges()).toEqual([]);
      expect(await read(`Odd(${id})`)).toBe(before);
    });
  });

  test.each(
    rows.filter(({ column }) =>
      ['day', 'instant', 'local', 'hour', 'amount', 'thousands', 'tiny'].includes(column),
    ),
  )('$column $value is found by what is answered', async ({ column, id }) => {
    const name = camel(column);
    const text = await read(`Odd(${id})/${name}`);
    const [, answered = ''] = new RegExp(`"${name}":("[^"]*"|[^,}]*)`).exec(text) ?? [];
    if (answered === 'null') return;
    const value = answered.replaceAll('"', '');
    const found = await read(
      `Odd?$filter=${name} = '${encodeURIComponent(value)}'&$attributes=id&$asArray=true`,
    );
    expect(found).toContain(`"id":${id}`);
  });

  // What older servers than 16 cannot tell by themselves; where a newer one is asked, the answers have to be the same.
  test.each([15, 16])('what can be read as jsonb, as version %d is asked', async (version) => {
    const { database } = served.gateway;
    const major = Number(/PostgreSQL (\d+)/.exec(database.version)?.[1]);
    if (version > major) return;
    const taken = async (text: string): Promise<boolean> => {
      const [row] = await query(
        database,
        `SELECT ${isJsonb(`${literal(text)}::text`, false, version)}`,
      );
      return row?.[0] === 't';
    };
    const found = await Promise.all([...jsonTexts, ...otherTexts].map(taken));
    expect(found).toEqual([...jsonTexts.map(() => true), ...otherTexts.map(() => false)]);
  });

  test.each(['Holiday', 'Leave', 'Shift', 'Measure', 'Price'])(
    'what is answered as a key of %s is one',
    async (dataclass) => {
      const all = JSON.parse(await read(dataclass)) as { __ENTITIES: Keyed[] };
      expect(all.__ENTITIES.length).toBeGreaterThan(1);
      for (const { __KEY, __STAMP } of all.__ENTITIES) {
        const address = `${dataclass}(${encodeURIComponent(__KEY)})`;
        const one = await read(address);
        expect(one).toContain(`"__KEY":${JSON.stringify(__KEY)}`);
        served.gateway.takeChanges();
        expect(await send(dataclass, one)).toMatchObject({ status: 200 });
        expect(await send(address, one)).toMatchObject({ status: 200 });
        expect(served.gateway.takeChanges()).toEqual([]);
        const name = dataclass === 'Leave' ? {} : { name: 'new' };
        expect(await served.post(dataclass, { __KEY, __STAMP, ...name })).toMatchObject([
          200,
          { __KEY, ...name },
        ]);
      }
    },
  );

  test.each(['small', 'big', 'amount', 'fixed'])(
    'a number of %s that is answered as null is found as null, and by no number',
    async (name) => {
      const all = await read(`Odd?$filter=id<9000&$attributes=id,${name}&$asArray=true&$top=500`);
      const answered = JSON.parse(all) as readonly Record<string, number | null>[];
      const ids = async (filter: string): Promise<unknown> => {
        const found = await read(
          `Odd?$filter=id<9000 and ${filter}&$attributes=id&$asArray=true&$top=500&$orderby=id`,
        );
        return (JSON.parse(found) as readonly { readonly id: number }[]).map(({ id }) => id);
      };
      const idsWhere = (holds: (value: number | null) => boolean): unknown =>
        answered.filter((row) => holds(row[name] ?? null)).map(({ id }) => id);
      const isNumber = (value: number | null): value is number => value !== null;
      expect(await ids(`${name} = null`)).toEqual(idsWhere((value) => value === null));
      expect(await ids(`${name} != null`)).toEqual(idsWhere(isNumber));
      expect(await ids(`${name} > -5`)).toEqual(idsWhere(isNumber));
      expect(await ids(`${name} <= ${name.startsWith('s') ? '1e30' : '1e99'}`)).toEqual(
        idsWhere(isNumber),
      );
      expect(await ids(`${name} != 7`)).toEqual(idsWhere(isNumber));
      const nowhere = ['1e400', '1e200000', '-1e400', '-1e200000'];
      for (const value of nowhere) {
        const [holds, holdsNot] = value.startsWith('-') ? ['>', '<='] : ['<=', '>'];
        for (const filter of [
          ...[`${holds} ${value}`, `!= ${value}`].map((text) => `${name} ${text}`),
          ...[`${holdsNot} ${value}`, `= ${value}`].map((text) => `NOT(${name} ${text})`),
          `NOT(${name} IN [${value}])`,
        ]) {
          expect([filter, await ids(filter)]).toEqual([filter, idsWhere(isNumber)]);
        }
      }
      const others = [`= 7`, `IN [7, 1e400]`, '> 1e30', '>= 1e30', '< -5', '<= -5'];
      for (const comparison of name === 'amount' ? others.slice(0, 2) : others) {
        const filter = `NOT(${name} ${comparison})`;
        expect([filter, await ids(filter)]).toEqual([filter, idsWhere(isNumber)]);
      }
      expect(await ids(`NOT(NOT(${name} > -5))`)).toEqual(idsWhere(isNumber));
      expect(await ids(`NOT(${name} = null OR ${name} != 0.1)`)).toEqual(
        idsWhere((value) => value === 0.1),
      );
      expect(await ids(`id > 0 EXCEPT ${name} != 7`)).toEqual(idsWhere((value) => value === null));
    },
  );
}
