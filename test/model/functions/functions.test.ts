import { describe, expect, test } from 'vitest';
import { model, problems, routine, table, types } from '../physical.ts';
import { rows } from '../../rows.ts';

const emp = table('EMP', {
  columns: { ID: 'int', NAME: 'text', KEY: 'binary' },
  primaryKey: ['ID'],
});
const line = table('LINE', {
  columns: { NO: 'int', POS: 'int', QTY: 'int' },
  primaryKey: ['NO', 'POS'],
});
const log = table('LOG', { columns: { TXT: 'text' } });
const tables = [emp, line, log];

const tableType = {
  ...routine('P_TAB', { IDS: 'variant', N: 'int' }),
  parameters: [
    {
      name: 'IDS',
      type: { kind: 'opaque', native: 'table' },
      direction: 'in',
      table: { schema: 'S', name: 'ID_LIST' },
    },
    { name: 'N', type: types.int, direction: 'in' },
  ],
} as const;

const routines = [
  routine('P_RAISE', { EMP: 'int', PCT: 'decimal', NOTE: 'text?', TOTAL: 'decimal inout' }),
  routine('F_ADD', { A: 'int', B: 'decimal' }, { kind: 'value', type: types.decimal }),
  routine('F_OVER', { A: 'int' }, { kind: 'value', type: types.int }),
  routine('F_OVER', { B: 'text', C: 'text?' }, { kind: 'value', type: types.int }),
  routine('F_OVER', { A: 'int', D: 'int' }, { kind: 'value', type: types.int }),
  routine('F_TWIN', { A: 'int' }, { kind: 'value', type: types.int }),
  routine('F_TWIN', { A: 'text' }, { kind: 'value', type: types.int }),
  routine(
    'F_ROWS',
    { IDS: 'json' },
    {
      kind: 'rows',
      columns: [
        { name: 'ID', type: types.int },
        { name: 'X', type: types.text },
      ],
    },
  ),
  routine('F_VOID', {}, { kind: 'none' }),
  routine('P_LINE', { N: 'int', P: 'int', KEYS: 'text?' }),
  tableType,
];

const EMP = 'dataclass: Emp\ntable: S.EMP\nattributes: { ID: ID, name: NAME }\nrelations: {}\n';
const LINE = 'dataclass: Line\ntable: S.LINE\nattributes: { no: NO, pos: POS }\nrelations: {}\n';
const LOG = 'dataclass: Log\ntable: S.LOG\nattributes: { text: TXT }\nrelations: {}\n';

const wrong = (file: string): Promise<string[] | null> =>
  problems(tables, { emp: EMP, line: LINE, log: LOG, rest: file }, undefined, routines);

const wrongOf = (text: string, of = EMP): Promise<string[] | null> =>
  problems(
    tables,
    {
      emp: of === EMP ? EMP + text : EMP,
      line: of === LINE ? LINE + text : LINE,
      log: of === LOG ? LOG + text : LOG,
    },
    undefined,
    routines,
  );

describe('functions of mapping files', () => {
  test('get the parts of a key, and the keys of a collection, in the parameters that are said', async () => {
    const built = await model(
      tables,
      {
        line: `${LINE}functions:\n  move: { routine: S.P_LINE, key: { pos: P, no: N } }\n  tab: { routine: S.P_TAB, keys: IDS, parameters: [N] }`,
      },
      {},
      routines,
    );
    const { functions } = built.dataclasses.get('Line') ?? {};
    const inputs = (name: string): unknown =>
      functions?.get(name)?.inputs.map(({ parameter, from }) => [parameter.name, from]);
    expect(inputs('move')).toEqual([
      ['N', { kind: 'key', part: 0 }],
      ['P', { kind: 'key', part: 1 }],
    ]);
    expect(inputs('tab')).toEqual([
      ['N', { kind: 'client', index: 0 }],
      ['IDS', { kind: 'keys', form: 'table' }],
    ]);
  });

  test('are those that change nothing where nothing may be changed', async () => {
    const built = await model(
      tables,
      {
        rest: 'functions:\n  a: { routine: S.F_VOID }\n  b: { routine: S.F_VOID, allowedOnHTTPGET: true }',
      },
      { readOnly: true },
      routines,
    );
    expect([...built.functions.keys()]).toEqual(['b']);
  });

  test.each(rows`
    f: { routine: S.F_ADDD } | rest.yaml:2:17: the database has no procedure or function S.F_ADDD that its user may call. Did you mean S.F_ADD,
    f: { routine: S.F_ADD, parameters: [A, C] } | rest.yaml:2:42: S.F_ADD has no parameter C. Known: A, B.
    f: { routine: S.F_ADD, parameters: [A] } | rest.yaml:2:26: S.F_ADD has no default for B: name it among the parameters
    f: { routine: S.F_ADD, parameters: [A, B, A] } | rest.yaml:2:45: the parameter A is given twice
    f: { routine: S.F_ADD, parameters: [{ name: A, type: object }, B] } | rest.yaml:2:39: A is of type int4: type object is for text
    f: { routine: S.F_ADD, parameters: [A, B], returns: all } | rest.yaml:2:55: S.F_ADD is a function: all is for procedures
    f: { routine: S.F_ADD, parameters: [A, B], returns: { output: A } } | rest.yaml:2:65: S.F_ADD has no parameter A that goes out.
    f: { routine: S.F_ADD, parameters: [A, B], transaction: false } | rest.yaml:2:59: S.F_ADD is a function, which cannot keep transactions of its own
    f: { routine: S.P_LINE, parameters: [N, P], transaction: false, allowedOnHTTPGET: true } | rest.yaml:2:85: needs a transaction, in which the database makes sure that nothing is changed
    f: { routine: S.F_OVER, parameters: [Z] } | rest.yaml:2:17: none of the 3 functions S.F_OVER takes the parameters Z
    f: { routine: S.F_TWIN, parameters: [A] } | rest.yaml:2:17: 2 functions S.F_TWIN take these parameters: make one under another name that calls the one that is meant
    f: { routine: S.P_TAB, parameters: [IDS] } | rest.yaml:2:39: IDS is a table: only the keys of a collection can be given as one
    f: { routine: S.F_ROWS, parameters: [IDS], returns: { dataclass: Em } } | rest.yaml:2:46: there is no dataclass Em. Did you mean Emp?
    f: { routine: S.F_ROWS, parameters: [IDS], returns: { dataclass: Line } } | rest.yaml:2:46: S.F_ROWS returns no column NO, which the key of Line needs. Known: ID, X.
    f: { routine: S.F_ROWS, parameters: [IDS], returns: { dataclass: Log } } | rest.yaml:2:46: Log has no key
    f: { routine: S.F_ROWS, parameters: [IDS], returns: { dataclass: Line, key: ID } } | rest.yaml:2:79: the key of Line has several parts: expected a name for each of no, pos
    Emp: { routine: S.F_VOID } | rest.yaml:2:3: the name Emp is taken: give the function another one
  `)('%s', async (line, expected) => {
    const found = await wrong(`functions:\n  ${line}`);
    expect(found?.map((text) => text.slice(0, expected.length))).toEqual([expected]);
  });

  test.each(rows`
    ${EMP}  | name: { routine: S.F_VOID } | emp.yaml:6:3: name is an attribute or relation already
    ${EMP}  | f: { routine: S.P_RAISE, key: NOTE, parameters: [EMP, PCT] } | emp.yaml:6:33: NOTE is of type varchar, and Emp.ID of int4
    ${EMP}  | f: { routine: S.P_RAISE, keys: EMP, parameters: [PCT] } | emp.yaml:6:34: EMP is of type int4: keys go into text or JSON, an array of the key’s type, or a table type
    ${EMP}  | f: { routine: S.P_LINE, key: { ID: N, no: P } } | emp.yaml:6:27: the key of Emp is ID: expected a name for each, and nothing else
    ${LINE} | f: { routine: S.P_LINE, key: N, parameters: [P] } | line.yaml:6:32: the key of Line has several parts: expected a name for each of no, pos
    ${LOG}  | f: { routine: S.P_LINE, key: N, parameters: [P] } | log.yaml:6:32: Log has no key
  `)('of a dataclass: %#', async (file, line, expected) => {
    const found = await wrongOf(`functions:\n  ${line}`, file);
    expect(found).toEqual([expected]);
  });

  test('take a snapshot that knows routines', async () => {
    expect(await problems(tables, { rest: 'functions:\n  f: { routine: S.F_ADD }' })).toEqual([
      'rest.yaml:2:17: the snapshot of the schema was made before routines were looked for: make it again by "entitygate schema"',
    ]);
  });

  test('and singletons have names of their own', async () => {
    expect(
      await problems(
        tables,
        {
          a: 'singletons: { G: { functions: {} }, Emp: { functions: {} } }',
          b: 'singletons: { G: { functions: {} } }',
          emp: EMP,
        },
        undefined,
        routines,
      ),
    ).toEqual([
      'a.yaml:1:37: the name Emp is taken: give the singleton another one',
      'b.yaml:1:15: the name G is taken: give the singleton another one',
    ]);
  });
});
