import { describe, expect, test } from 'vitest';
import { attributeType } from '../../src/model/attributes.ts';
import { hashed } from '../base/hashed.ts';
import { findDataclass } from '../../src/model/lookup.ts';
import type { Dataclass } from '../../src/model/types.ts';
import type { Check } from '../../src/schema/types.ts';
import { model, problems, table, types, type TableSketch } from './physical.ts';
import { rows } from '../rows.ts';

async function dataclass(sketch: TableSketch, mapping = ''): Promise<Dataclass> {
  const setting = sketch.kind ?? 'table';
  const built = await model([table('T', sketch)], { t: `${setting}: S.T\n${mapping}` });
  return findDataclass(built, 'T');
}

describe('derived names', () => {
  test('of a file that names its table only', async () => {
    const found = await model(
      [table('TBL_EMP', { columns: { EMP_NO: 'int', 'EMP NO': 'text' } })],
      {
        employee: 'table: S.TBL_EMP',
      },
    );
    const [employee] = found.dataclasses.values();
    expect(employee).toMatchObject({ name: 'TblEmp', collection: 'TblEmpSelection', number: 1 });
    expect([...(employee?.members.keys() ?? [])]).toEqual(['empNo', 'empNo2']);
  });

  test('differ by more than case', async () => {
    const { members } = await dataclass({ columns: { EMPNO: 'int', EMP_NO: 'text' } });
    expect([...members.keys()]).toEqual(['empno', 'empNo2']);
  });
});

test('a table that the engine takes no changes of is read only, whatever its file says', async () => {
  const columns = { ID: 'int' } as const;
  const mapping = 'readOnly: false';
  const history = await dataclass({ columns, readOnly: true }, mapping);
  expect(history.readOnly).toBe(', as the database alone writes its table');
  expect((await dataclass({ columns }, mapping)).readOnly).toBeNull();
});

test.each([
  ['readOnly: true', false, ''],
  ['readOnly: false', true, ''],
  ['readOnly: true', true, ''],
])(
  '%s where config.yaml says %s is read only, and which setting says so',
  async (mapping, readOnly, why) => {
    const built = await model(
      [table('T', { columns: { ID: 'int' } })],
      { t: `table: S.T\n${mapping}` },
      { readOnly },
    );
    expect(built.dataclasses.get('T')?.readOnly).toBe(why);
  },
);

describe('what the database says of a table', () => {
  const sketch: TableSketch = {
    columns: { ID: 'int' },
    leftOut: [{ name: 'SSN', why: 'the login may not read it' }],
    notes: ['the view was never filled'],
  };

  test('is a warning where the table is mapped', async () => {
    const { warnings } = await model([table('T', sketch), table('U', sketch)], { t: 'table: S.T' });
    expect(warnings.map((text) => text.replace(/^.*t\.yaml/, 't.yaml'))).toEqual([
      't.yaml:1:8: S.T: column SSN is left out: the login may not read it',
      't.yaml:1:8: S.T: the view was never filled',
    ]);
  });

  test('is a warning where a declared key may be null', async () => {
    const nullable = table('T', { columns: { ID: 'int', CODE: 'int?' } });
    const { warnings } = await model([nullable], { t: 'table: S.T\nkey: [CODE]' });
    expect(warnings.map((text) => text.replace(/^.*t\.yaml/, 't.yaml'))).toEqual([
      't.yaml:2:7: column CODE is part of the key, and may be null: such rows cannot be addressed, and exports and long pages leave them out',
    ]);
  });

  test('is the reason where a file names a column that is left out', async () => {
    const found = await problems([table('T', sketch)], {
      t: 'table: S.T\nattributes: { ssn: SSN }',
    });
    expect(found).toEqual(['t.yaml:2:20: S.T: column SSN is left out: the login may not read it']);
  });
});

describe('attributes', () => {
  const columns = { ID: 'int', NAME: 'char', SECRET: 'text', DOC: 'text' } as const;

  test('of another type than a date have no simpleDate', async () => {
    await expect(
      dataclass({ columns }, 'attributes: { name: { column: NAME, simpleDate: true } }'),
    ).rejects.toThrow('a column of type bpchar is not a date without time');
  });

  test('are those that the file names, without the hidden ones', async () => {
    const { members } = await dataclass(
      { columns },
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
    const { members } = await dataclass(
      {
        columns: {
          STATE: 'text?',
          GRADE: 'int',
          MOOD: 'calm?',
          DAY: 'date',
          CASES: 'text',
          B: 'text',
        },
        checks: [
          { name: 'CK_LENGTH', columns: ['STATE'] },
          check('STATE', 'new', 'open', 'done'),
          check('STATE', 'done', 'new'),
          check('GRADE', '1', '-2'),
          check('DAY', '2026-01-01'),
          check('CASES', 'A'),
          check('CASES', 'a', 'b'),
        ],
      },
      'attributes: { state: STATE, grade: GRADE, mood: MOOD, day: DAY, cases: CASES, b: B }',
    );
    expect(
      [...members.values()].map((member) => 'allowedValues' in member && member.allowedValues),
    ).toEqual([['new', 'done'], [1, -2], ['calm', 'cross'], null, null, null]);
  });

  test('cannot be written as a sql_variant: their text does not tell their types (learn: sql_variant)', async () => {
    const { members } = await dataclass(
      { columns: { A: 'variant', B: 'variant', C: 'inet' } },
      'attributes: { a: A, b: { column: B, readOnly: false }, c: C }',
    );
    expect([...members.values()].map((member) => 'readOnly' in member && member.readOnly)).toEqual([
      'it is a sql_variant',
      'it is a sql_variant',
      null,
    ]);
  });

  test('know whether an index serves them and lets a value address one entity', async () => {
    const { members } = await dataclass(
      {
        columns: { ...columns, LIST: 'json' },
        indexes: [
          { name: 'A', columns: ['NAME', 'ID'], unique: true },
          { name: 'B', columns: ['SECRET'], unique: true },
          { name: 'C', columns: ['DOC'], unique: true },
          { name: 'D', columns: ['LIST'], unique: true },
        ],
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

  test.each<[keyof typeof types, 'image' | 'blob' | 'object' | 'string', string | null]>([
    ['binary', 'image', null],
    ['binary', 'blob', null],
    ['text', 'object', null],
    ['json', 'object', null],
    ['inet', 'string', null],
    ['text', 'image', 'a column of type varchar cannot be an attribute of type image'],
    ['int', 'object', 'a column of type int4 cannot be an attribute of type object'],
    ['binary', 'string', 'a column of type bytea cannot be an attribute of type string'],
  ])('a column of type %s as %s', (type, declared, expected) => {
    const found = attributeType(types[type], declared);
    expect(typeof found === 'string' ? found : null).toBe(expected);
  });

  test('that are not there, or not what they are said to be', async () => {
    const found = await problems([table('T', { columns })], {
      t: 'table: S.T\nattributes:\n  a: NAM\n  b: { column: XYZ }\n  c: { column: ID, type: image }\n',
    });
    expect(found).toEqual([
      't.yaml:3:6: S.T has no column NAM. Did you mean NAME?',
      't.yaml:4:16: S.T has no column XYZ. Known: ID, NAME, SECRET, DOC.',
      't.yaml:5:26: a column of type int4 cannot be an attribute of type image',
    ]);
  });
});

describe('the key', () => {
  const columns = { A: 'int', B: 'int', C: 'text', D: 'text?', PHOTO: 'binary' } as const;
  const names = ({ key }: Dataclass): string[] => key.map(({ column }) => column.name);

  test('is the primary key, in its own order', async () => {
    expect(names(await dataclass({ columns, primaryKey: ['B', 'A'] }))).toEqual(['B', 'A']);
  });

  test('is the narrowest unique index without nulls where no primary key is declared', async () => {
    const found = await dataclass({
      columns,
      indexes: [
        { name: '1', columns: ['A', 'B'], unique: true },
        { name: '2', columns: ['D'], unique: true },
        { name: '3', columns: ['B'], unique: false },
        { name: '4', columns: ['C'], unique: true },
      ],
    });
    expect(names(found)).toEqual(['C']);
  });

  test('is what the file says, also on a view, and is never null', async () => {
    const found = await dataclass({ columns, kind: 'view' }, 'key: [D]');
    expect(found.key).toEqual([expect.objectContaining({ name: 'd' })]);
    expect(found.key[0]?.column.nullable).toBe(false);
  });

  test('may be of bytes, as hexadecimal digits', async () => {
    const found = await dataclass({ columns, kind: 'view' }, 'key: [A, PHOTO]');
    expect(found.key.map(({ name, type, columnType }) => [name, type, columnType.kind])).toEqual([
      ['a', 'long', 'integer'],
      ['photo', 'string', 'hex'],
    ]);
    expect(found.members.get('photo')).toMatchObject({ type: 'string' });
  });

  test('has names of its own where its columns are not mapped', async () => {
    const found = await dataclass(
      { columns: { 'A B': 'int', A_B: 'int', C: 'text' } },
      'key: ["A B", A_B]\nattributes: { aB: C }',
    );
    expect(found.key.map(({ name }) => name)).toEqual(['aB2', 'aB3']);
  });

  test('is none where nothing tells entities apart', async () => {
    expect(names(await dataclass({ columns }))).toEqual([]);
  });

  test('passes over a primary key that no URL can hold', async () => {
    const found = await dataclass({
      columns,
      primaryKey: ['PHOTO'],
      indexes: [
        { name: '1', columns: ['PHOTO'], unique: true },
        { name: '2', columns: ['C'], unique: true },
      ],
    });
    expect(names(found)).toEqual(['C']);
  });

  test('is none, with a warning, where there is no other', async () => {
    const { warnings, dataclasses } = await model(
      [table('T', { columns, primaryKey: ['PHOTO'] })],
      {
        t: 'table: S.T',
      },
    );
    expect(dataclasses.get('T')?.key).toEqual([]);
    expect(warnings).toEqual([
      't.yaml:1:1: column PHOTO of type bytea cannot be part of a key; entities of S.T are read by filter only',
    ]);
  });

  test('with a column that is not there, or twice', async () => {
    expect(await problems([table('T', { columns })], { t: 'table: S.T\nkey: [X, A, A]' })).toEqual([
      't.yaml:2:7: S.T has no column X. Known: A, B, C, D, PHOTO.',
      't.yaml:2:13: column A stands in the key twice',
    ]);
  });

  test('whose text is mapped as an object, which is compared with nothing', async () => {
    expect(
      await problems([table('T', { columns: { K: 'text', A: 'int' }, primaryKey: ['K'] })], {
        t: 'table: S.T\nattributes: { k: { column: K, type: object }, a: A }',
      }),
    ).toEqual(['t.yaml:2:37: column K is part of the key, and cannot be an object']);
  });
});

describe('the stamp', () => {
  const columns = { A: 'int', RV: 'binary', N: 'int', T: 'text', DT: 'timestamp' } as const;
  const rowVersion = { kind: 'column', name: 'RV' } as const;

  test.each<
    [title: string, sketch: Partial<TableSketch>, mapping: string, kind: string, column?: string]
  >([
    ['of the row version', { rowVersion }, '', 'rowversion', 'RV'],
    ['of the system column', { rowVersion: { kind: 'xmin' } }, '', 'xmin'],
    ['of the whole row where nothing else changes with it', {}, '', 'hash'],
    ['of the file: a counter', { rowVersion }, 'stamp: { counter: N }', 'counter', 'N'],
    [
      'of the file: the row version',
      { rowVersion },
      'stamp: { rowversion: RV }',
      'rowversion',
      'RV',
    ],
    ['of the file: the row', { rowVersion }, 'stamp: hash', 'hash'],
    ['of the file: none', { rowVersion }, 'stamp: none', 'none'],
    ['none where nobody writes', {}, 'readOnly: true', 'none'],
    [
      'of the row version where nobody writes',
      { rowVersion },
      'readOnly: true',
      'rowversion',
      'RV',
    ],
    ['of the file where nobody writes', {}, 'readOnly: true\nstamp: hash', 'hash'],
  ])('%s', async (_title, sketch, mapping, kind, column) => {
    const { stamp } = await dataclass({ columns, ...sketch }, mapping);
    expect(stamp.kind).toBe(kind);
    expect('column' in stamp ? stamp.column.name : undefined).toBe(column);
  });

  test('is a hash of what is neither computed nor large, or of the columns that are named, and of the key', async () => {
    const plain = table('T', { columns });
    const marked = plain.columns.map((column) => ({
      ...column,
      ...(column.name === 'RV' || column.name === 'A' ? { large: true as const } : {}),
      ...(column.name === 'A' ? { type: { kind: 'hex' as const, native: 'bytea' } } : {}),
      computed: column.name === 'N',
    }));
    const hashed = async (mapping: string): Promise<string[]> => {
      const built = await model([{ ...plain, columns: marked }], { t: `table: S.T\n${mapping}` });
      const { stamp } = built.dataclasses.get('T') ?? {};
      return stamp?.kind === 'hash' ? stamp.columns.map(({ name }) => name) : [];
    };
    expect(await hashed('stamp: hash')).toEqual(['A', 'T', 'DT']);
    expect(await hashed('stamp: { hash: [RV, N] }')).toEqual(['RV', 'N']);
    expect(await hashed('key: [N, T]\nstamp: { hash: [DT, T] }')).toEqual(['N', 'DT', 'T']);
  });

  test('that is a hash is another one by table, key and content, null and where a cell ends included', async () => {
    const cells = [
      ['a', 'b'],
      ['ab', ''],
      ['a', null],
      ['a', '-'],
      ['1:a', ''],
      ['a1:b', null],
    ];
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

  test('none makes a dataclass read only, unless no stamp is asked for', async () => {
    expect((await dataclass({ columns }, 'stamp: none')).readOnly).toBe(
      ', as it has no stamp by which to tell whether it has changed',
    );
    expect((await dataclass({ columns }, 'stamp: none\nrequireStamp: false')).readOnly).toBeNull();
  });

  test.each(rows`
    stamp: xmin              | t.yaml:2:8: S.T has no xmin that the login may read, which takes the right to the whole table; use hash or a counter
    stamp: { counter: T }    | t.yaml:2:19: column T is not an integer
    stamp: { hash: [A, M] }  | t.yaml:2:20: S.T has no column M. Known: A, RV, N, T, DT.
    stamp: { counter: M }    | t.yaml:2:19: S.T has no column M. Known: A, RV, N, T, DT.
    stamp: { rowversion: N } | t.yaml:2:22: column N is not a rowversion; use "counter" for a number that programs count up
    timestamp: N             | t.yaml:2:12: column N holds no date
    timestamp: DTT           | t.yaml:2:12: S.T has no column DTT. Did you mean DT?
  `)('%s is refused', async (mapping, expected) => {
    const found = await problems([table('T', { columns, rowVersion })], {
      t: `table: S.T\n${mapping}`,
    });
    expect(found).toEqual([expected]);
  });

  test('the time stamp is a column', async () => {
    expect((await dataclass({ columns }, 'timestamp: DT')).timestamp?.name).toBe('DT');
  });
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

  test('with a dot in their name', async () => {
    const { dataclasses } = await model(tables, {
      a: 'dataclass: X\ntable: { schema: S, name: A.B }',
    });
    expect(dataclasses.get('X')?.table.name).toBe('A.B');
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

describe('messages', () => {
  const sketch: TableSketch = {
    columns: { ID: 'int', U_ID: 'int' },
    checks: [{ name: 'CK_T', columns: ['ID'] }],
    indexes: [
      { name: 'UX_T', columns: ['ID'], unique: true },
      { name: 'IX_T', columns: ['ID'], unique: false },
    ],
    foreignKeys: [{ name: 'FK_T', columns: ['U_ID'], targetTable: 'U', targetColumns: ['ID'] }],
  };
  const mapping = 'messages: { CK_T: No., UX_T: Taken., FK_T: Lost. }';

  test('are for checks, unique indexes and foreign keys', async () => {
    const { messages } = await dataclass(sketch, mapping);
    expect([...messages]).toEqual([
      ['CK_T', 'No.'],
      ['UX_T', 'Taken.'],
      ['FK_T', 'Lost.'],
    ]);
  });

  test('are for the names of the database, which may ignore case', async () => {
    const { messages } = await dataclass(
      { ...sketch, ignoreCase: true },
      'messages: { ck_t: No. }',
    );
    expect([...messages]).toEqual([['CK_T', 'No.']]);
  });

  test('of a constraint that the table does not have, or has no more, are a problem', async () => {
    const text = `table: S.T\n${mapping.replace('CK_T', 'CK_X')}`;
    expect(await problems([table('T', sketch)], { t: text })).toEqual([
      't.yaml:2:19: S.T has no constraint CK_X. Did you mean CK_T?',
    ]);
  });
});
