import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { FetchedRows } from '../../src/run/read/read.ts';
import { planRead } from '../../src/plan/read/read.ts';
import type { EntityShape, RowsPlan } from '../../src/plan/condition/types.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import { compileEntity } from '../../src/answer/entities/entity-writer.ts';
import { compileRead } from '../../src/answer/entities/collection-writer.ts';
import { planning, readSnapshot, sampleModel } from '../fixtures/legacy/model.ts';
import { rows } from '../rows.ts';
import { postgres as dialect } from '../fixtures/dialects.ts';

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

describe('comma-separated values', () => {
  test('have quotes where RFC 4180 wants them, and where a reader would lose something', () => {
    const texts = [
      ['plain', 'plain'],
      ['', '""'],
      ['a,b', '"a,b"'],
      ['say "so"', '"say ""so"""'],
      ['two\nlines', '"two\nlines"'],
      ['a\rb', '"a\rb"'],
      [' leading', '" leading"'],
      ['=1+1', '=1+1'],
      ['back\\slash\t\u0001é🍰', 'back\\slash\t\u0001é🍰'],
      ['null', 'null'],
    ] as const;
    expect(
      csv('Employee?$attributes=lastName', ...texts.map(([lastName]) => ({ lastName })), {}),
    ).toEqual(['lastName', ...texts.map(([, shown]) => shown), '', '']);
  });

  test('hold values of every type as JSON has them, digits and all', () => {
    const attributes =
      'badgeNo,active,birthDate,shiftStart,extra,employer.creditLimit,employer.name';
    expect(
      csv(
        `Employee?$attributes=${attributes}`,
        {
          badgeNo: '9007199254740993',
          active: 't',
          birthDate: '1975-04-12',
          shiftStart: '08:30:00',
          extra: '{"a": "x,y", "n": 4.0}',
          employer: '1',
          'employer.creditLimit': '250000.0000',
          'employer.name': 'Acme, Inc.',
        },
        { 'employer.name': 'of nobody' },
      ),
    ).toEqual([
      attributes,
      '9007199254740993,true,1975-04-12,08:30:00,"{""a"": ""x,y"", ""n"": 4.0}",250000.0000,"Acme, Inc."',
      ',,,,,,',
      '',
    ]);
  });

  test('have a column for each attribute with one value, in the order of the model or of the request', () => {
    expect(csv('Document')[0]).toBe('ID,title,mimeType,hash,createdAt');
    expect(csv('Department?$attributes=name,code')[0]).toBe('name,code');
    expect(csv('Document/title,ID')[0]).toBe('title,ID');
    expect(csv('Document?$attributes=*')[0]).toBe('ID,title,mimeType,hash,createdAt');
    expect(csv('Company?$attributes=ID,country.*')[0]).toMatch(/^ID,country\.code,country\.name,/);
    expect(csv('Company?$attributes=ID&$expand=country')[0]).toMatch(/^ID,country\.code,/);
  });
});

describe('values for spreadsheets', () => {
  test('begin with a byte order mark, and no text is a formula', () => {
    const texts = [
      ['=1+1', "'=1+1"],
      ['+33 1 23', "'+33 1 23"],
      ['-1', "'-1"],
      ['@SUM(A1)', "'@SUM(A1)"],
      ['\t=1', "'\t=1"],
      ['\r=1', `"'\r=1"`],
      ['=A1,"x"', `"'=A1,""x"""`],
      ['1=1', '1=1'],
      ["'", "'"],
      ['', '""'],
    ] as const;
    const rows = texts.map(([lastName]) => ({ lastName, badgeNo: '-7', birthDate: '-0044-03-15' }));
    const path = 'Employee?$attributes=lastName,badgeNo,birthDate&$format=spreadsheet';
    expect(answer(path, rows).split('\r\n')).toEqual([
      '\uFEFFlastName,badgeNo,birthDate',
      ...texts.map(([, shown]) => `${shown},-7,'-0044-03-15`),
      '',
    ]);
  });

  test('have objects as JSON, which no spreadsheet computes', () => {
    const path = 'Employee?$attributes=extra,employer.creditLimit&$format=spreadsheet';
    const rows = [{ extra: '"=1"', employer: '1', 'employer.creditLimit': '-1.5000' }];
    expect(answer(path, rows)).toBe('\uFEFFextra,employer.creditLimit\r\n"""=1""",-1.5000\r\n');
  });
});

describe('the layout of dashboards', () => {
  const told = (path: string, row: Readonly<Record<string, string>>): unknown =>
    JSON.parse(answer(`${path}&$format=dashboard`, [row]));
  const column = (
    name: string,
    dataType: string,
    conceptType: string,
    semanticGroup: string,
    semanticType = semanticGroup,
  ): object => ({ name, dataType, semantics: { conceptType, semanticGroup, semanticType } });

  test('says of each column what it holds', () => {
    expect(
      told('Employee?$attributes=ID,lastName,active,birthDate,shiftStart,grade,employer.name', {
        ID: '1',
        lastName: 'Dubois',
        active: 't',
        birthDate: '1975-04-12',
        shiftStart: '08:30:00.25',
        grade: '9',
        employer: '1',
        'employer.name': 'Acme',
      }),
    ).toEqual({
      schema: [
        column('ID', 'NUMBER', 'DIMENSION', 'NUMERIC', 'NUMBER'),
        column('lastName', 'STRING', 'DIMENSION', 'TEXT'),
        column('active', 'BOOLEAN', 'DIMENSION', 'BOOLEAN'),
        column('birthDate', 'STRING', 'DIMENSION', 'DATETIME', 'YEAR_MONTH_DAY'),
        column('shiftStart', 'NUMBER', 'METRIC', 'NUMERIC', 'DURATION'),
        column('grade', 'NUMBER', 'METRIC', 'NUMERIC', 'NUMBER'),
        column('employer.name', 'STRING', 'DIMENSION', 'TEXT'),
      ],
      rows: [{ values: [1, 'Dubois', true, '19750412', 30600.25, 9, 'Acme'] }],
      filtersApplied: false,
      __COUNT: 7,
      __FIRST: 2,
    });
  });

  test('has times to the second, GUIDs as text, nulls, and says whether a filter was applied', () => {
    expect(
      told('Document?$attributes=ID,createdAt,title&$filter="title%20is%20not%20null"', {
        ID: 'c0ffee00-0000-4000-8000-000000000001',
        createdAt: '2024-01-08 13:02:52.84+00',
      }),
    ).toEqual({
      schema: [
        column('ID', 'STRING', 'DIMENSION', 'TEXT'),
        column('createdAt', 'STRING', 'DIMENSION', 'DATETIME', 'YEAR_MONTH_DAY_SECOND'),
        column('title', 'STRING', 'DIMENSION', 'TEXT'),
      ],
      rows: [{ values: ['c0ffee00-0000-4000-8000-000000000001', '20240108130252', null] }],
      filtersApplied: true,
      __COUNT: 7,
      __FIRST: 2,
    });
  });
});

test.each(rows`
  Employee?$attributes=ID,photo&$format=csv | photo cannot be a column of $format=csv: it is of type image.
  Employee/photo?$format=dashboard | photo cannot be a column of $format=dashboard: it is of type image.
  Employee?$attributes=extra&$format=dashboard | extra cannot be a column of $format=dashboard: it is of type object.
  Employee?$attributes=projects&$format=csv | projects cannot be a column of $format=csv: it leads to many entities.
  Employee?$attributes=employer.employees.ID&$format=csv | employer.employees cannot be a column of $format=csv: it leads to many entities.
  Employee?$expand=projects&$format=dashboard | projects cannot be a column of $format=dashboard: it leads to many entities.
  Employee?$attributes=employer&$format=csv | employer cannot be a column of $format=csv: it leads to an entity; name its attributes, or employer.*
  Employee?$asArray=true&$format=csv | $asArray answers JSON of its own layout: it is not allowed with $format=csv.
`)('is refused: %s', (path, message) => {
  expect(() => answer(path, [])).toThrow(message);
});

test('JSON line by line is what $asArray has', () => {
  const row = { ID: '1', lastName: 'two\nlines' };
  const path = 'Employee?$attributes=ID,lastName';
  const line = answer(`${path}&$asArray=true`, [row]).slice(1, -1);
  expect(line).toContain('"ID":1,"lastName":"two\\nlines"');
  expect(answer(`${path}&$format=ndjson`, [row, row])).toBe(`${line}\n${line}\n`);
});

/** As many rows as are asked for, and below each of them as many related ones of every list. @param cell what each column holds */
function found(
  { readers, children }: RowsPlan,
  cell: string | null,
  rows: number,
  each: number,
): FetchedRows {
  return {
    rows: Array.from({ length: rows }, () => readers.map(() => cell)),
    children: children.map(({ fetch }) => ({
      fetched: found(fetch, cell, rows * each, each),
      groupOf: Int32Array.from({ length: rows }, (_, at) => at),
      groups: Array.from({ length: rows }, (_, at) => ({
        count: each + 5,
        start: at * each,
        end: (at + 1) * each,
      })),
    })),
  };
}

test.each(['', '&$asArray=true'])('an entity with long lists is written in steps%s', (form) => {
  const { ast } = parseRequest(
    `/rest/Company(1)?$attributes=ID,employees.ID,employees.directReports.ID${form}`,
  );
  if (ast.kind !== 'read') throw new Error('it is not a read');
  const { fetch } = planRead(ast, planning(model, dialect));
  const write = compileEntity(fetch.shape, fetch, form === '' ? 'object' : 'array');
  const rows = found(fetch, '1', 1, 30);
  const from = [rows.rows[0] ?? [], 0, rows] as const;
  const context = { globalStamp: '1', relatedEntities: 0 };
  const texts = Array.from(write(...from, context));
  const text = texts.join('');
  expect(texts.length).toBeGreaterThan(150);
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThan(8192);
  const { employees } = JSON.parse(text) as { employees: unknown };
  const sent = { __COUNT: 35, __SENT: 30 };
  const employee = { ID: 1 };
  const list = (entity: object): unknown => {
    const all = Array.from({ length: 30 }, () => expect.objectContaining(entity) as unknown);
    return form === '' ? expect.objectContaining({ ...sent, __ENTITIES: all }) : all;
  };
  expect(employees).toEqual(list({ ...employee, directReports: list(employee) }));
  expect(text.match(/"ID":(?:null|1)/g)).toHaveLength(931);
  expect(context.relatedEntities).toBe(930);
});

/** The value of a JSON column: text that is not JSON is answered as text. */
function valueOf(json: string | null): unknown {
  try {
    return JSON.parse(json ?? 'null');
  } catch {
    return json;
  }
}

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
    const from = [row, 0, { rows: [row], children: [] }] as const;
    const context = { globalStamp: '1', relatedEntities: 0 };
    const found = write(...from, context);
    const texts = typeof found === 'string' ? found : Array.from(found);
    const text = typeof texts === 'string' ? texts : texts.join('');
    const entity = JSON.parse(text) as { extra: unknown; employer: { details: unknown } };
    expect(isDeepStrictEqual(entity.extra, valueOf(extra))).toBe(true);
    expect(isDeepStrictEqual(entity.employer.details, valueOf(details))).toBe(true);
    return texts;
  };
  for (const short of [written('{"a":1}', '[]'), written(null, null), written('x', null)]) {
    expect(typeof short).toBe('string');
  }
  for (const [extra, details] of [
    [long, '[]'],
    [null, long],
    [`no ${long}`, long],
  ] as const) {
    expect(written(extra, details).length).toBeGreaterThan(50);
  }
});
