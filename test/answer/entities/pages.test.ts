import { describe, expect, test } from 'vitest';
import { rowHash } from '../../../src/base/row-hash.ts';
import { TimeSlice } from '../../../src/base/time.ts';
import type { Row } from '../../../src/database/database.ts';
import { DataRows, readRows } from '../../../src/database/postgres/row-reader.ts';
import type { ReadPlan } from '../../../src/plan/condition/types.ts';
import { planRead } from '../../../src/plan/read/read.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import {
  compileEncodedRead,
  compileEncodedSet,
  compileEntitySet,
  compileRead,
} from '../../../src/answer/entities/collection-writer.ts';
import { postgresDialect } from '../../../src/sql/postgres/dialect.ts';
import { dataRow } from '../../database/postgres/messages.ts';
import { planning, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { type EntitySetPlan, planEntitySet } from '../../../src/plan/read/entity-set.ts';
import { listWriting, writtenText } from '../../../src/answer/entities/entity-writer.ts';

const model = await sampleModel(readSnapshot('postgres'));

function printed(path: string, bigNumbersAsStrings = false, of = model): ReadPlan {
  const { ast } = parseRequest(`/rest/${path}`);
  if (ast.kind !== 'read') throw new Error(`${path} is not a read`);
  const dialect = postgresDialect({ timeZone: 'UTC', bigNumbersAsStrings }, { version: 17 });
  return planRead(ast, planning(of, dialect));
}

type Values = readonly (string | null)[];

const told = { count: 7, first: 2, globalStamp: '12' };

/** What the rows are answered with, or what that fails with, by way of their bytes; null where that way is not gone. */
async function encoded(read: ReadPlan, rows: readonly Values[]): Promise<string | null> {
  const write = compileEncodedRead(read);
  if (write === null) return null;
  const found = new DataRows();
  for (const row of rows) {
    const bytes = dataRow(row);
    found.add(bytes, 0, bytes.length);
  }
  const before = 5;
  try {
    const pieces = await write({ ...told, rows: found }, before, new TimeSlice());
    return Buffer.concat(pieces).subarray(before).toString('utf8');
  } catch (error) {
    return String(error);
  }
}

/** The same by way of their texts. */
function decoded(read: ReadPlan, rows: readonly Values[]): string {
  const found: Row[] = [];
  for (const row of rows) {
    const bytes = dataRow(row);
    readRows(bytes, 0, bytes.length, found);
  }
  try {
    const written = compileRead(read)({ ...told, fetched: { rows: found, children: [] } });
    return typeof written === 'string' ? written : [...written].join('');
  } catch (error) {
    return String(error);
  }
}

/** What columns of any type may hold, and what they may hold when they were altered while the gateway runs. */
const VALUES: readonly (string | null)[] = [
  null,
  ...['', '0', '7', '-7', '1.5', '-0.25', '.5', '5.', '-', '1-2', '1.2.3', '1e5', '007', ' 1'],
  ...['9007199254740993', '123456789012345678.25', 'NaN', 'Infinity', '-Infinity'],
  ...['t', 'f', 'true', 'false', 'T', 'tt', 'Last Name', 'a"b', 'a\\b', 'a/b', 'a b', 'a.b_c-d'],
  ...[
    ...['\u0001', 'line\nline', '\u007f', 'caf\u00e9', '\u0085', '€', '𝄞', '\ufffd', "'", '%41'],
    '(1)',
  ],
  ...['2024-07-04', 'infinity', '0044-03-15 BC', '2024-07-04 10:20:30.5', '2024-07-04 10:20:30+00'],
  ...['10:20:30', '{"a":1}', '[1,2]', 'nothing', '{1,2}', '\\x00ff', 'FR   ', '   '],
  '6f9619ff-8b86-d011-b42d-00c04fc964ff',
  'x'.repeat(3000),
];

const paths = [...model.dataclasses.values()].map(({ name }) => name);

describe('a page of rows as they came is the page of the same rows decoded', () => {
  test.each(paths)('%s', async (path) => {
    const read = printed(path);
    const width = read.fetch.readers.length;
    // Each column has each value once, beside others than in the column before.
    for (const [shift] of VALUES.entries()) {
      const row = Array.from(
        { length: width },
        (_, column) => VALUES[(shift + 7 * column) % VALUES.length] ?? null,
      );
      expect(await encoded(read, [row])).toBe(decoded(read, [row]));
    }
    for (const value of VALUES) {
      const row = Array.from({ length: width }, () => value);
      expect(await encoded(read, [row])).toBe(decoded(read, [row]));
    }
    const plain = Array.from({ length: width }, () => '5');
    const [none, one] = [[], [plain]];
    expect(await encoded(read, none)).toBe(decoded(read, none));
    expect(await encoded(read, one)).toBe(decoded(read, one));
  });

  test.each([
    ...['Employee?$expand=employer', 'Employee?$expand=employer,manager.department'],
    'Employee?$attributes=lastName,employer.name,manager.lastName',
    'Employee(1)/manager/directReports',
  ])('%s', async (path) => {
    const read = printed(path);
    const { length } = read.fetch.readers;
    const rows = VALUES.map((value, at) =>
      Array.from({ length }, (_, column) => ((column + at) % 3 === 0 ? value : '5')),
    );
    for (const row of rows) expect(await encoded(read, [row])).toBe(decoded(read, [row]));
  });

  test.each(paths)('%s, whose stamps are hashes of all columns', async (path) => {
    const hash = rowHash('a key', path);
    const dataclasses = [...model.dataclasses].map(([name, dataclass]) => {
      const { columns } = dataclass.table;
      return [name, { ...dataclass, stamp: { kind: 'hash', columns, hash } }] as const;
    });
    const read = printed(path, false, { ...model, dataclasses: new Map(dataclasses) });
    for (const value of VALUES) {
      const row = read.fetch.readers.map((_, column) => (column % 5 === 1 ? '5' : value));
      expect(await encoded(read, [row])).toBe(decoded(read, [row]));
    }
  });

  test('of many rows, which are more than one piece', async () => {
    const read = printed('Department?$attributes=code,name');
    const { readers } = read.fetch;
    const rows = Array.from({ length: 800 }, (_, at) =>
      readers.map(({ utf8 }) =>
        utf8 === 'text' ? (at % 2 === 0 ? 'é' : '"é').repeat(at) : String(at),
      ),
    );
    const whole = decoded(read, rows);
    expect(whole.length).toBeGreaterThan(1_048_576);
    expect((await encoded(read, rows)) === whole).toBe(true);
  });
});

describe('collection writer', () => {
  function printed(query: string): EntitySetPlan {
    const { ast } = parseRequest(`/rest/Employee/$entityset/${'A'.repeat(32)}${query}`);
    if (ast.kind !== 'entitySet') throw new Error(`${query} is not a request for an entity set`);
    return planEntitySet(ast, planning(model));
  }

  const told = { count: 9, first: 3, globalStamp: '12' };

  /** What the rows of some places are answered with by way of their bytes, and by way of their texts. */
  async function both(
    set: EntitySetPlan,
    places: readonly number[],
    setId: string | null = null,
  ): Promise<[string, string]> {
    const present = places.filter((place) => place !== -1);
    const found = new DataRows();
    const rows: Row[] = [];
    for (const place of present) {
      const values = set.page.readers.map((_reader, column) => String(place + column));
      const bytes = dataRow(values);
      found.add(bytes, 0, bytes.length);
      readRows(bytes, 0, bytes.length, rows);
    }
    const rowOf = Int32Array.from(places, (place) => present.indexOf(place));
    const write = compileEncodedSet(set);
    if (write === null) throw new Error('the rows are decoded');
    const pieces = await write({ ...told, rows: found, rowOf, setId }, 5, new TimeSlice());
    const fetched = { rows, children: [] };
    const text = compileEntitySet(set)({ kind: 'page', setId, ...told, fetched, rowOf });
    return [
      Buffer.concat(pieces).subarray(5).toString('utf8'),
      typeof text === 'string' ? text : [...text].join(''),
    ];
  }

  test.each([
    [[]],
    [[0]],
    [[0, 1, 2]],
    [[-1]],
    [[-1, 1, -1, -1, 4]],
    [[0, -1]],
    [Array.from({ length: 30 }, (_, place) => (place % 7 === 0 ? -1 : place))],
  ])(
    'a page of an entity set with rows as they came is that of the same rows decoded: %j',
    async (places) => {
      for (const names of ['ID', 'lastName,grade', 'lastName,employer.name,manager.lastName']) {
        const [bytes, text] = await both(printed(`?$attributes=${names}`), places);
        expect(bytes).toBe(text);
        expect((JSON.parse(bytes) as { __ENTITIES: unknown[] }).__ENTITIES).toHaveLength(
          places.length,
        );
      }
    },
  );

  test('a page that names its set is the same by either way', async () => {
    const [bytes, text] = await both(
      printed('?$attributes=ID&$method=subentityset'),
      [0, -1],
      '0A',
    );
    expect(bytes).toBe(text);
    expect(bytes).toMatch(/^\{"__ENTITYSET":"\/rest\/Employee\/\$entityset\/0A","__DATACLASS"/);
  });
});

test('what is written is pieces where it is long, and refused where it is longer than it may be', async () => {
  const texts = Array.from({ length: 500 }, (_, at) => String(at % 10).repeat(1000));
  const whole = texts.join(',');
  const written = (most?: number): ReturnType<typeof writtenText> =>
    writtenText(
      listWriting(texts, (text) => text, ','),
      new TimeSlice(),
      most,
    );
  const pieces = await written(whole.length);
  expect([pieces.length, [pieces].flat().join('') === whole]).toEqual([4, true]);
  await expect(written(whole.length - 1)).rejects.toMatchObject({ errorName: 'answerTooLarge' });
});
