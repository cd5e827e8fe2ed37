import { describe, expect, test } from 'vitest';
import type { FetchedRows } from '../../src/run/read/read.ts';
import { planRead } from '../../src/plan/read/read.ts';
import type { EntityShape, RowsPlan } from '../../src/plan/condition/types.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import { compileEntity } from '../../src/answer/entities/entity-writer.ts';
import { compileRead } from '../../src/answer/entities/collection-writer.ts';
import { planning, readSnapshot, sampleModel } from '../fixtures/legacy/model.ts';
import { postgres as dialect } from '../fixtures/dialects.ts';
import { parsed, rows } from '../rows.ts';

const model = await sampleModel(readSnapshot('postgres'));

/** Where the values of a shape stand, and what tells that a related entity is there, by path. */
function places({ fields }: EntityShape, path = ''): (readonly [string, number])[] {
  return fields.flatMap((field) => {
    const name = path + field.name;
    if (field.kind === 'entity') {
      return [[name, field.present] as const, ...places(field.shape, `${name}.`)];
    }
    return field.kind === 'value' ? [[name, field.column] as const] : [];
  });
}

/** The answer to a read, from what the columns of its rows hold by path, as a driver hands it over; null where nothing is said. */
function answer(path: string, rows: readonly Readonly<Record<string, string>>[]): string {
  const { ast } = parseRequest(`/rest/${path}`);
  if (ast.kind !== 'read') throw new Error(`${path} is not a read`);
  const printed = planRead(ast, planning(model, dialect));
  const { shape, readers } = printed.fetch;
  const columns = new Map(places(shape));
  const found = rows.map((row) => {
    const cells = readers.map((): string | null => null);
    for (const [name, value] of Object.entries(row)) {
      const column = columns.get(name);
      if (column === undefined) throw new Error(`${path} does not answer ${name}`);
      cells[column] = value;
    }
    return cells;
  });
  const result = {
    fetched: { rows: found, children: [] },
    count: 7,
    first: 2,
    globalStamp: '1',
  };
  const written = compileRead(printed)(result);
  return typeof written === 'string' ? written : [...written].join('');
}

const csv = (path: string, ...rows: Readonly<Record<string, string>>[]): string[] =>
  answer(path + (path.includes('?') ? '&' : '?') + '$format=csv', rows).split('\r\n');

/** Texts, and what they are as cells. */
const CELLS = [
  ...([
    ['plain', 'plain'],
    ['', '""'],
    ['a,b', '"a,b"'],
    ['say "so"', '"say ""so"""'],
  ] as const),
  ...([
    ['two\nlines', '"two\nlines"'],
    ['a\rb', '"a\rb"'],
    [' leading', '" leading"'],
  ] as const),
  ...(['back\\slash\t\u0001é🍰', 'null', "'", '1=1'] as const).map((text) => [text, text] as const),
] as const;

describe('comma-separated values', () => {
  test('have quotes where RFC 4180 wants them, and where a reader would lose something', () => {
    const cells = [...CELLS, ['=1+1', '=1+1'] as const];
    const found = csv(
      'Employee?$attributes=lastName',
      ...cells.map(([lastName]) => ({ lastName })),
      {},
    );
    expect(found).toEqual(['lastName', ...cells.map(([, shown]) => shown), '', '']);
  });

  test('hold values of every type as JSON has them, digits and all', () => {
    const attributes =
      'badgeNo,active,birthDate,shiftStart,extra,employer.creditLimit,employer.name';
    const employee = {
      ...{ badgeNo: '9007199254740993', active: 't', birthDate: '1975-04-12' },
      ...{ shiftStart: '08:30:00', extra: '{"a": "x,y", "n": 4.0}', employer: '1' },
      ...{ 'employer.creditLimit': '250000.0000', 'employer.name': 'Acme, Inc.' },
    };
    const path = `Employee?$attributes=${attributes}`;
    expect(csv(path, employee, { 'employer.name': 'of nobody' })).toEqual([
      attributes,
      '9007199254740993,true,1975-04-12,08:30:00,"{""a"": ""x,y"", ""n"": 4.0}",250000.0000,"Acme, Inc."',
      ',,,,,,',
      '',
    ]);
  });

  test('have a column for each attribute with one value, in the order of the model or of the request', () => {
    expect(csv('Document')[0]).toBe('ID,title,mimeType,hash,createdAt');
    expect(csv('Document/title,ID')[0]).toBe('title,ID');
    expect(csv('Company?$attributes=ID,country.*')[0]).toMatch(/^ID,country\.code,country\.name,/);
    expect(csv('Company?$attributes=ID&$expand=country')[0]).toMatch(/^ID,country\.code,/);
  });
});

test('values for spreadsheets begin with a byte order mark, and no text is a formula', () => {
  const formulas = ['=1+1', '+33 1 23', '-1', '@SUM(A1)', '\t=1'].map((text) => [text, `'${text}`]);
  const quoted = [
    ['\r=1', `"'\r=1"`],
    ['=A1,"x"', `"'=A1,""x"""`],
  ] as const;
  const cells = [...CELLS, ...formulas, ...quoted];
  const extra = '"=1"';
  const rows = cells.map(([lastName]) => ({
    lastName,
    badgeNo: '-7',
    birthDate: '-0044-03-15',
    extra,
  }));
  const path = 'Employee?$attributes=lastName,badgeNo,birthDate,extra&$format=spreadsheet';
  expect(answer(path, rows).split('\r\n')).toEqual([
    '\uFEFFlastName,badgeNo,birthDate,extra',
    ...cells.map(([, shown]) => `${shown},-7,'-0044-03-15,"""=1"""`),
    '',
  ]);
});

describe('the layout of dashboards says of each column what it holds', () => {
  test.each(rows`
    Employee?$attributes=ID,lastName,active,birthDate,shiftStart,grade,employer.name
      | {ID: '1', lastName: Dubois, active: t, birthDate: '1975-04-12', grade: '9', shiftStart: '08:30:00.25', employer: '1', employer.name: Acme}
      | [1, Dubois, true, '19750412', 30600.25, 9, Acme]
      | ID NUMBER DIMENSION NUMERIC NUMBER | lastName STRING DIMENSION TEXT TEXT | active BOOLEAN DIMENSION BOOLEAN BOOLEAN
      | birthDate STRING DIMENSION DATETIME YEAR_MONTH_DAY | shiftStart NUMBER METRIC NUMERIC DURATION
      | grade NUMBER METRIC NUMERIC NUMBER | employer.name STRING DIMENSION TEXT TEXT
    Document?$attributes=ID,createdAt,title&$filter="title%20is%20not%20null"
      | {ID: c0ffee00-0000-4000-8000-000000000001, createdAt: '2024-01-08 13:02:52.84+00'}
      | [c0ffee00-0000-4000-8000-000000000001, '20240108130252', null]
      | ID STRING DIMENSION TEXT TEXT | createdAt STRING DIMENSION DATETIME YEAR_MONTH_DAY_SECOND | title STRING DIMENSION TEXT TEXT
  `)('%s', (path, row, cells, ...columns) => {
    const values = parsed<unknown[]>(cells);
    const schema = columns.map((column) => {
      const [name, dataType, conceptType, semanticGroup, semanticType] = column.split(' ');
      return { name, dataType, semantics: { conceptType, semanticGroup, semanticType } };
    });
    expect(JSON.parse(answer(`${path}&$format=dashboard`, [parsed(row)]))).toEqual({
      ...{ schema, rows: [{ values }], filtersApplied: path.includes('$filter') },
      ...{ __COUNT: 7, __FIRST: 2 },
    });
  });
});

/** As many rows as are asked for, and below each of them as many related ones of every list. */
function found({ readers, children }: RowsPlan, rows: number, each: number): FetchedRows {
  return {
    rows: Array.from({ length: rows }, () => readers.map(() => '1')),
    children: children.map(({ fetch }) => ({
      fetched: found(fetch, rows * each, each),
      groupOf: Int32Array.from({ length: rows }, (_, at) => at),
      groups: Array.from({ length: rows }, (_, at) => ({
        ...{ count: each + 5, start: at * each, end: (at + 1) * each },
      })),
    })),
  };
}

test.each(['object', 'array'] as const)(
  'an entity with long lists is written in steps: %s',
  (form) => {
    const { ast } = parseRequest(
      `/rest/Company(1)?$attributes=ID,employees.ID,employees.directReports.ID${form === 'array' ? '&$asArray=true' : ''}`,
    );
    if (ast.kind !== 'read') throw new Error('it is not a read');
    const { fetch } = planRead(ast, planning(model, dialect));
    const rows = found(fetch, 1, 30);
    const context = { globalStamp: '1', relatedEntities: 0 };
    const write = compileEntity(fetch.shape, fetch, form);
    const texts = Array.from(write(rows.rows[0] ?? [], 0, rows, context));
    expect(texts.length).toBeGreaterThan(150);
    expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(8192);
    const list = (entity: object): unknown => {
      const all = Array.from({ length: 30 }, () => expect.objectContaining(entity) as unknown);
      const sent = { __COUNT: 35, __SENT: 30, __ENTITIES: all };
      return form === 'array' ? all : expect.objectContaining(sent);
    };
    const { employees } = JSON.parse(texts.join('')) as { employees: unknown };
    expect(employees).toEqual(list({ ID: 1, directReports: list({ ID: 1 }) }));
    expect(context.relatedEntities).toBe(930);
  },
);

test('an entity is written in steps where a value of its row, or of one that it leads to, is long', () => {
  const { ast } = parseRequest('/rest/Employee(1)?$attributes=ID,extra,employer.details');
  if (ast.kind !== 'read') throw new Error('it is not a read');
  const { fetch } = planRead(ast, planning(model, dialect));
  const write = compileEntity(fetch.shape, fetch, 'object');
  const columns = new Map(places(fetch.shape));
  const long = JSON.stringify({ a: 'é"'.repeat(600_000) });
  const written = (extra: string | null, details: string | null): string | readonly string[] => {
    const row = fetch.readers.map((): string | null => '1');
    row[columns.get('extra') ?? -1] = extra;
    row[columns.get('employer.details') ?? -1] = details;
    const context = { globalStamp: '1', relatedEntities: 0 };
    const texts = write(row, 0, { rows: [row], children: [] }, context);
    return typeof texts === 'string' ? texts : Array.from(texts);
  };
  expect([written('{"a":1}', '[]'), written(null, null)].map((text) => typeof text)).toEqual([
    ...['string', 'string'],
  ]);
  for (const [extra, details] of [
    [long, '[]'],
    [null, long],
    [`no ${long}`, long],
  ] as const) {
    const texts = written(extra, details) as readonly string[];
    expect(texts.length).toBeGreaterThan(50);
    const json = extra?.startsWith('no') === true ? JSON.stringify(extra) : String(extra);
    expect(texts.join('').includes(`"extra":${json}`)).toBe(true);
    expect(texts.join('').includes(`"details":${details}`)).toBe(true);
  }
});
