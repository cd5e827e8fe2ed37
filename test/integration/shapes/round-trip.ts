import type { Shape } from './engines.ts';

/** One column, and the values that another program has put into it, as expressions of SQL. */
export const odd: readonly (readonly [column: string, type: string, values: readonly string[]])[] =
  [
    ['day', 'date', ["'infinity'", "'-infinity'", "'0044-03-15 BC'", "'12345-01-02'"]],
    [
      'instant',
      'timestamptz',
      [
        "'infinity'",
        "'-infinity'",
        "'0044-03-15 12:00:00.5+00 BC'",
        "'12345-01-02 03:04:05+00'",
        "'9999-12-31 23:59:59.999999+00'",
      ],
    ],
    ['local', 'timestamp', ["'infinity'", "'0044-03-15 12:00:00 BC'", "'12345-01-02 03:04:05'"]],
    ['hour', 'time', ["'24:00:00'", "'23:59:59.999999'"]],
    [
      'amount',
      'numeric',
      ["'NaN'", '1234567890123456789012345678901234567890.123456789', '-0.50', '1e60'],
    ],
    ['fixed', 'numeric(110,2)', ["'NaN'", '1.50']],
    ['thousands', 'numeric(2,-3)', ["'NaN'", '99000', '-1000', '0']],
    ['tiny', 'numeric(3,5)', ["'NaN'", '0.00999', '-0.00001', '0']],
    ['small', 'real', ["'NaN'", "'Infinity'", "'-Infinity'", '0.1']],
    ['big', 'float8', ["'NaN'", "'Infinity'", "'-Infinity'", '1e-300']],
    [
      'doc',
      'jsonb',
      [
        "'null'",
        '\'{"a":4.0,"b":[1.50]}\'',
        '\'"text"\'',
        "'4.0'",
        "'[]'",
        "'1e40'",
        '\'{"b":{"x":1,"a":null}}\'',
      ],
    ],
    [
      'raw_doc',
      'json',
      [
        "'null'",
        '\'{ "a" : 4.0 }\'',
        '\'{"a":"\\ud800"}\'',
        '\'{"a":"\\u0000"}\'',
        "'1e200000'",
        '\'{"a":1,"a":2}\'',
      ],
    ],
    [
      'text_doc',
      'text',
      [
        "'no JSON'",
        "''",
        "'null'",
        "' null '",
        '\'{"a":4.0,}\'',
        '\'{"a": 4.00}\'',
        '\'"\\u0000"\'',
        '\'"\\ud800"\'',
        "'1e200000'",
        '\'{"n":1e200000}\'',
      ],
    ],
    ['plain', 'text', ["'a' || chr(9)", "chr(65279) || 'bom'", "''", "' x '"]],
    ['padded', 'char(5)', ["'ab'", "'a' || chr(9)"]],
    ['tags', 'text[]', ['\'{a,NULL,"b c"}\'', "'{}'"]],
    ['grid', 'int[]', ["'{{1,2},{3,NULL}}'", "'[2:3]={5,6}'"]],
    ['sums', 'numeric[]', ["'{1.50,NaN,12345678901234567890.123456789}'"]],
    ['seen', 'timestamptz[]', ["'{2024-07-04 12:00:00.5+02,infinity}'"]],
    ['keys', 'bytea[]', ['\'{"\\\\x0aff"}\'']],
    ['span', 'interval', ["'1 day 2 hours'"]],
  ];

/** The `id` of the row that holds a value. */
export function idOf(column: string, index: number): number {
  return odd.findIndex(([name]) => name === column) * 100 + index + 1;
}

/** Values that a body could not say by themselves, or says otherwise than they are stored. */
export const roundTrip: Shape = {
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
  mappings: {
    odd:
      'dataclass: Odd\ntable: app.odd\nstamp: hash\nattributes: { id: id, ' +
      odd
        .map(([name]) =>
          name === 'text_doc'
            ? 'textDoc: { column: text_doc, type: object }'
            : `${camel(name)}: ${name}`,
        )
        .join(', ') +
      ' }\n',
    source:
      'dataclass: Source\ntable: app.source\nstamp: hash\nattributes: { id: id, ca: ca, cb: cb }\n' +
      'relations: { target: { to: Target, foreignKey: to_target } }\n',
    employee:
      'dataclass: Employee\ntable: app.employee\nstamp: hash\nattributes: { id: id, tenant: tenant, dno: dno, pno: pno }\n' +
      'relations: { department: { to: Department, foreignKey: to_department }, project: { to: Project, foreignKey: to_project } }\n',
    department:
      'dataclass: Department\ntable: app.department\nstamp: hash\nattributes: { tenant: tenant, dno: dno }\nrelations: { employees: { inverse: Employee.department } }\n',
    project:
      'dataclass: Project\ntable: app.project\nstamp: hash\nattributes: { tenant: tenant, pno: pno }\n',
    holiday:
      'dataclass: Holiday\ntable: app.holiday\nstamp: hash\nattributes: { day: day, name: name }\n',
    leave:
      'dataclass: Leave\ntable: app.leave\nstamp: hash\nattributes: { id: id }\nrelations: { holiday: { to: Holiday, foreignKey: to_holiday } }\n',
    shift:
      'dataclass: Shift\ntable: app.shift\nstamp: hash\nattributes: { at: at, hour: hour, name: name }\n',
    measure:
      'dataclass: Measure\ntable: app.measure\nstamp: hash\nattributes: { value: value, name: name }\n',
    price:
      'dataclass: Price\ntable: app.price\nstamp: hash\nattributes: { value: value, name: name }\n',
    label:
      'dataclass: Label\ntable: app.label\nstamp: hash\nattributes: { id: id, label: label, letter: letter, doc: doc, list: list }\n',
    picture:
      'dataclass: Picture\ntable: app.picture\nstamp: xmin\nattributes: { id: id, photo: { column: photo, type: image }, raw: raw, note: note }\n',
    target:
      'dataclass: Target\ntable: app.target\nstamp: hash\nattributes: { a: a, b: b, name: name }\nrelations: { sources: { inverse: Source.target } }\n',
  },
};

/** The attribute of a column. */
export function camel(name: string): string {
  return name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}
