import { describe, expect, test } from 'vitest';
import { attributeType } from '../../src/model/attributes.ts';
import { findDataclass } from '../../src/model/lookup.ts';
import type { Dataclass } from '../../src/model/types.ts';
import type { Check } from '../../src/schema/types.ts';
import { hashed } from '../base/hashed.ts';
import { parsed, rows } from '../rows.ts';
import { columnsOf, model, problems, table, types, type TableSketch } from './physical.ts';

async function dataclass(sketch: TableSketch, mapping = ''): Promise<Dataclass> {
  const setting = sketch.kind ?? 'table';
  const built = await model([table('T', sketch)], { t: `${setting}: S.T\n${mapping}` });
  return findDataclass(built, 'T');
}

test('derived names differ by more than case', async () => {
  const { name, collection, members } = await dataclass({
    columns: { EMPNO: 'int', EMP_NO: 'text' },
  });
  expect([name, collection, ...members.keys()]).toEqual(['T', 'TSelection', 'empno', 'empNo2']);
});

// What the mapping file says, what config.yaml says, whether the engine takes changes, and why not.
test.each(rows`
  readOnly: true  | false | true  | ${''}
  readOnly: false | true  | true  | ${''}
  readOnly: true  | true  | true  | ${''}
  readOnly: false | false | true  | null
  readOnly: false | false | false | , as the database alone writes its table
  stamp: none     | false | true  | , as it has no stamp by which to tell whether it has changed
  {stamp: none, requireStamp: false} | false | true | null
`)(
  '%s where config.yaml says %s, and the engine takes changes: %s',
  async (file, config, takes, why) => {
    const sketch: TableSketch = {
      columns: { ID: 'int' },
      ...(takes === 'false' ? { readOnly: true } : {}),
    };
    const lines = Object.entries(parsed(file)).map(
      ([name, value]) => `${name}: ${String(value)}\n`,
    );
    const built = await model(
      [table('T', sketch)],
      { t: `table: S.T\n${lines.join('')}` },
      { readOnly: config === 'true' },
    );
    expect(built.dataclasses.get('T')?.readOnly).toBe(why === 'null' ? null : why);
  },
);

const leftOut = [{ name: 'SSN', why: 'the login may not read it' }];

test('what the database says of a mapped table is a warning', async () => {
  const sketch: TableSketch = {
    columns: { ID: 'int', CODE: 'int?' },
    leftOut,
    notes: ['the view was never filled'],
  };
  const tables = [table('T', sketch), table('U', sketch)];
  const { warnings } = await model(tables, { t: 'table: S.T\nkey: [CODE]' });
  expect(warnings.map((text) => text.replace(/^.*t\.yaml/, 't.yaml'))).toEqual([
    't.yaml:1:8: S.T: column SSN is left out: the login may not read it',
    't.yaml:1:8: S.T: the view was never filled',
    't.yaml:2:7: column CODE is part of the key, and may be null: such rows cannot be addressed, and exports and long pages leave them out',
  ]);
});

describe('attributes', () => {
  test('are those that the file names, without the hidden ones', async () => {
    const { members } = await dataclass(
      { columns: { ID: 'int', NAME: 'char', SECRET: 'text', DOC: 'text' } },
      'attributes: { name: { column: NAME, trim: true, ignoreCase: true }, secret: { column: SECRET, exposed: false }, doc: { column: DOC, type: object } }',
    );
    expect([...members.values()]).toEqual([
      expect.objectContaining({ name: 'name', type: 'string', trim: true, ignoreCase: true }),
      expect.objectContaining({
        name: 'doc',
        type: 'object',
        columnType: { kind: 'json', asText: true, native: 'varchar' },
      }),
    ]);
  });

  test('know the values that an enum or their checks list, also where they may be null', async () => {
    const check = (column: string, ...values: string[]): Check => ({
      ...{ name: `CK_${column}_${values.length}`, columns: [column], values },
    });
    const { members } = await dataclass({
      columns: columnsOf('STATE text?, GRADE int, MOOD calm?, DAY date, CASES text, B text'),
      checks: [
        { name: 'CK_LENGTH', columns: ['STATE'] },
        check('STATE', 'new', 'open', 'done'),
        check('STATE', 'done', 'new'),
        check('GRADE', '1', '-2'),
        check('DAY', '2026-01-01'),
        check('CASES', 'A'),
        check('CASES', 'a', 'b'),
      ],
    });
    expect(
      [...members.values()].map((member) => 'allowedValues' in member && member.allowedValues),
    ).toEqual([['new', 'done'], [1, -2], ['calm', 'cross'], null, null, null]);
  });

  test('cannot be written as a sql_variant: their text does not tell their types (learn: sql_variant)', async () => {
    const { members } = await dataclass(
      { columns: { A: 'variant', B: 'variant', C: 'inet' } },
      'attributes: { a: A, b: { column: B, readOnly: false }, c: C }',
    );
    const why = [...members.values()].map((member) => 'readOnly' in member && member.readOnly);
    expect(why).toEqual(['it is a sql_variant', 'it is a sql_variant', null]);
  });

  test('know whether an index serves them and lets a value address one entity', async () => {
    const { members } = await dataclass(
      {
        columns: columnsOf('ID int, NAME char, SECRET text, DOC text, LIST json'),
        indexes: [['NAME', 'ID'], ['SECRET'], ['DOC'], ['LIST']].map((names) => ({
          ...{ name: names.join(), columns: names, unique: true },
        })),
      },
      'attributes: { id: ID, name: NAME, secret: SECRET, doc: { column: DOC, type: object }, list: LIST }',
    );
    expect(
      [...members.values()].map(
        (member) => member.kind === 'storage' && [member.name, member.indexed, member.unique],
      ),
    ).toEqual([
      ['id', false, false],
      ['name', true, false],
      ['secret', true, true],
      ['doc', true, false],
      ['list', true, false],
    ]);
  });

  test.each(rows<[type: keyof typeof types, declared: 'image' | 'blob', refused?: string]>`
    binary | image
    binary | blob
    text   | object
    json   | object
    inet   | string
    text   | image  | a column of type varchar cannot be an attribute of type image
    int    | object | a column of type int4 cannot be an attribute of type object
    binary | string | a column of type bytea cannot be an attribute of type string
  `)('a column of type %s as %s', (type, declared, refused) => {
    const found = attributeType(types[type], declared);
    expect(typeof found === 'string' ? found : undefined).toBe(refused);
  });
});

describe('the key', () => {
  const columns = { A: 'int', B: 'int', C: 'text', D: 'text?', PHOTO: 'binary' } as const;
  const indexes = [['A', 'B'], ['D'], ['B'], ['PHOTO'], ['C']].map((names) => ({
    ...{ name: names.join(), columns: names, unique: names[0] !== 'B' },
  }));

  test.each<[what: string, sketch: Partial<TableSketch>, mapping: string, names: string[]]>([
    ['the primary key, in its own order', { primaryKey: ['B', 'A'] }, '', ['b', 'a']],
    ['the narrowest unique index without nulls', { indexes }, '', ['c']],
    ['that, where no URL can hold the primary key', { primaryKey: ['PHOTO'], indexes }, '', ['c']],
    ['what the file says of a view', { kind: 'view' }, 'key: [D]', ['d']],
    ['of bytes, as hexadecimal digits', { kind: 'view' }, 'key: [A, PHOTO]', ['a', 'photo hex']],
    ['none where nothing tells entities apart', {}, '', []],
  ])('is %s', async (_what, sketch, mapping, names) => {
    const { key, members } = await dataclass({ columns, ...sketch }, mapping);
    const told = key.map(({ name, columnType }) => {
      return columnType.kind === 'hex' ? `${name} ${columnType.kind}` : name;
    });
    expect(told).toEqual(names);
    expect(key.map(({ column }) => column.nullable)).toEqual(names.map(() => false));
    if (names.includes('photo hex')) expect(members.get('photo')).toMatchObject({ type: 'string' });
  });

  test('has names of its own where its columns are not mapped', async () => {
    const found = await dataclass(
      { columns: { 'A B': 'int', A_B: 'int', C: 'text' } },
      'key: ["A B", A_B]\nattributes: { aB: C }',
    );
    expect(found.key.map(({ name }) => name)).toEqual(['aB2', 'aB3']);
  });

  test('is none, with a warning, where there is none but bytes', async () => {
    const bytes = table('T', { columns, primaryKey: ['PHOTO'] });
    const { warnings, dataclasses } = await model([bytes], { t: 'table: S.T' });
    expect([dataclasses.get('T')?.key, warnings]).toEqual([
      [],
      [
        't.yaml:1:1: column PHOTO of type bytea cannot be part of a key; entities of S.T are read by filter only',
      ],
    ]);
  });
});

const columns = { A: 'int', RV: 'binary', N: 'int', T: 'text', DT: 'timestamp' } as const;
const rowVersion = { kind: 'column', name: 'RV' } as const;

describe('the stamp', () => {
  test.each(rows`
    ${''}                              | {rowVersion: {kind: column, name: RV}} | rowversion RV
    ${''}                              | {rowVersion: {kind: xmin}}             | xmin
    ${''}                              | {}                                     | hash
    stamp: { counter: N }              | {rowVersion: {kind: column, name: RV}} | counter N
    stamp: { rowversion: RV }          | {rowVersion: {kind: column, name: RV}} | rowversion RV
    stamp: hash                        | {rowVersion: {kind: column, name: RV}} | hash
    stamp: none                        | {rowVersion: {kind: column, name: RV}} | none
    readOnly: true                     | {}                                     | none
    readOnly: true                     | {rowVersion: {kind: column, name: RV}} | rowversion RV
    readOnly: true\nstamp: hash       | {}                                     | hash
  `)('by %j of a table with %j is %s', async (mapping, given, expected) => {
    const sketch = parsed<Partial<TableSketch>>(given);
    const { stamp } = await dataclass({ columns, ...sketch }, mapping);
    expect('column' in stamp ? `${stamp.kind} ${stamp.column.name}` : stamp.kind).toBe(expected);
  });

  test('is a hash of what is neither computed nor large, or of the columns that are named, and of the key', async () => {
    const plain = table('T', { columns });
    const marked = plain.columns.map((column) => ({
      ...column,
      ...(column.name === 'RV' || column.name === 'A' ? { large: true as const } : {}),
      ...(column.name === 'A' ? { type: { kind: 'hex' as const, native: 'bytea' } } : {}),
      computed: column.name === 'N',
    }));
    const hashedBy = async (mapping: string): Promise<string[]> => {
      const built = await model([{ ...plain, columns: marked }], { t: `table: S.T\n${mapping}` });
      const { stamp } = built.dataclasses.get('T') ?? {};
      return stamp?.kind === 'hash' ? stamp.columns.map(({ name }) => name) : [];
    };
    expect(await hashedBy('stamp: hash')).toEqual(['A', 'T', 'DT']);
    expect(await hashedBy('stamp: { hash: [RV, N] }')).toEqual(['RV', 'N']);
    expect(await hashedBy('key: [N, T]\nstamp: { hash: [DT, T] }')).toEqual(['N', 'DT', 'T']);
  });

  test('that is a hash is another one by table, key and content, null and where a cell ends included', async () => {
    const cells = parsed<(string | null)[][]>(
      "[[a, b], [ab, ''], [a, null], [a, '-'], ['1:a', ''], ['a1:b', null]]",
    );
    const tables = [table('T', { columns }), table('U', { columns })];
    const hashes = await Promise.all(
      ['one', 'other'].map(async (key) => {
        const files = { t: 'table: S.T\nstamp: hash', u: 'table: S.U\nstamp: hash' };
        const { dataclasses } = await model(tables, files, { stampKey: () => key });
        return [...dataclasses.values()].flatMap(({ stamp }) =>
          stamp.kind === 'hash' ? cells.map((row) => hashed(row, stamp.hash)) : [],
        );
      }),
    );
    expect(new Set(hashes.flat()).size).toBe(4 * cells.length);
  });
});

test('messages are for the names of constraints in the database, which may ignore case', async () => {
  const checks = [{ name: 'CK_T', columns: ['A'] }];
  const found = await dataclass({ columns, checks, ignoreCase: true }, 'messages: { ck_t: No. }');
  expect([...found.messages]).toEqual([['CK_T', 'No.']]);
});

test.each(rows`
  attributes: { a: NAM } | 2:18: S.T has no column NAM. Known: A, RV, N, T, DT.
  where: "a =" | 2:8: Expected a value, but found the end. (at position 4 of where)
  attributes: { a: { column: XYZ } } | 2:28: S.T has no column XYZ. Known: A, RV, N, T, DT.
  attributes: { a: { column: A, type: image } } | 2:37: a column of type int4 cannot be an attribute of type image
  attributes: { a: { column: T, simpleDate: true } } | 2:43: a column of type varchar is not a date without time
  attributes: { ssn: SSN } | 2:20: S.T: column SSN is left out: the login may not read it
  key: [X, A] | 2:7: S.T has no column X. Known: A, RV, N, T, DT.
  key: [A, A] | 2:10: column A stands in the key twice
  key: [T]\nattributes: { t: { column: T, type: object }, a: A } | 3:37: column T is part of the key, and cannot be an object
  stamp: xmin              | 2:8: S.T has no xmin that the login may read, which takes the right to the whole table; use hash or a counter
  stamp: { counter: T }    | 2:19: column T is not an integer
  stamp: { hash: [A, M] }  | 2:20: S.T has no column M. Known: A, RV, N, T, DT.
  stamp: { counter: M }    | 2:19: S.T has no column M. Known: A, RV, N, T, DT.
  stamp: { rowversion: N } | 2:22: column N is not a rowversion; use "counter" for a number that programs count up
  timestamp: N             | 2:12: column N holds no date
  timestamp: DTT           | 2:12: S.T has no column DTT. Did you mean DT?
  messages: { CK_X: No. }  | 2:19: S.T has no constraint CK_X. Did you mean CK_T?
`)('%s is refused', async (mapping, expected) => {
  const checks = [{ name: 'CK_T', columns: ['A'] }];
  const found = await problems([table('T', { columns, rowVersion, leftOut, checks })], {
    t: `table: S.T\n${mapping}`,
  });
  expect(found).toEqual([`t.yaml:${expected}`]);
});

describe('the tables', () => {
  const tables = [
    table('EMP', { columns: { A: 'int' } }),
    table('V_EMP', { columns: { A: 'int' }, kind: 'view' }),
    table('A.B', { columns: { A: 'int' } }),
  ];

  test('that are not there, or not what they are said to be, in all files at once', async () => {
    expect(
      await problems(tables, {
        a: 'table: S.EMPL',
        b: 'table: s.emp',
        c: 'table: S.V_EMP',
        d: 'view: S.EMP',
        e: 'table: { schema: S, name: A.C }',
        f: 'table: { schema: S, name: A.B }',
      }),
    ).toEqual([
      'a.yaml:1:8: the database has no table S.EMPL that its user may read. Did you mean S.EMP?',
      'b.yaml:1:8: the database has no table s.emp that its user may read. Did you mean S.EMP?',
      'c.yaml:1:8: S.V_EMP is a view: write "view:" instead of "table:"',
      'd.yaml:1:7: S.EMP is a table: write "table:" instead of "view:"',
      expect.stringMatching(
        /^e\.yaml:1:1: the database has no table S\.A\.C that its user may read\. Did you mean S\.A\.B/,
      ),
    ]);
  });

  test('under a name that is taken', async () => {
    expect(
      await problems(tables, {
        a: 'dataclass: X\ntable: S.EMP\ncollection: Xs',
        b: 'dataclass: X\ntable: S.EMP',
        c: 'dataclass: Y\ntable: S.EMP\ncollection: X',
        d: 'dataclass: Z\ntable: S.EMP\ncollection: Xs',
      }),
    ).toEqual([
      'b.yaml:1:12: dataclass X is already mapped by a.yaml',
      "c.yaml:3:13: the collection's name X is already that of a dataclass",
      "d.yaml:3:13: the collection's name Xs is already that of X's collection",
    ]);
  });
});
