import { describe, expect, test } from 'vitest';
import { readPostgresRoutines } from '../../src/schema/postgres/routines.ts';
import { readSnapshotText, sameSchema, snapshotText } from '../../src/schema/snapshot.ts';
import { readSqlServerRoutines } from '../../src/schema/sqlserver/introspect.ts';
import type { Row } from '../../src/schema/sqlserver/rows.ts';
import type { Routine } from '../../src/schema/types.ts';

const type = (name: string, typtype = 'b'): object => ({
  type: name,
  typtype,
  labels: null,
  items: null,
});
const argument = (name: string | null, mode: string, of = 'int4'): object => ({
  name,
  mode,
  type: type(of),
});
const int = { kind: 'integer', bits: 32, signed: true, native: 'int4' };
const text = { kind: 'text', maxLength: null, padded: false, native: 'text' };

function found(rest: object): Routine[] {
  const one = {
    ...{ schema: 's', name: 'f', kind: 'f', many: false, inputs: 0, defaults: 0 },
    ...{ returned: type('int4'), arguments: [], columns: null },
    ...rest,
  };
  return readPostgresRoutines(JSON.stringify([one]));
}

describe('a routine of PostgreSQL', () => {
  test('has its parameters, the last of which may have defaults', () => {
    const [routine] = found({
      ...{ inputs: 3, defaults: 1 },
      arguments: [argument('a', 'i'), argument(null, 'i'), argument('c', 'i', 'text')],
    });
    expect(routine).toEqual({
      ...{ schema: 's', name: 'f', kind: 'function' },
      parameters: [
        { name: 'a', type: int, direction: 'in', optional: false },
        { name: '$2', type: int, direction: 'in', optional: false, nameless: true },
        { name: 'c', type: text, direction: 'in', optional: true },
      ],
      returns: { kind: 'value', type: int },
    });
  });

  const record = { returned: type('record', 'p') };
  const [a, b] = [
    { name: 'a', type: int },
    { name: 'column2', type: text },
  ];
  const id = { name: 'id', type: { ...text, maxLength: 5, native: 'varchar' } };
  const composite = { name: 'id', type: type('varchar'), modifier: 9 };

  const outs = [argument('a', 'o'), argument(null, 'o', 'text')];
  const table = { many: true, arguments: [argument('x', 'i'), argument('a', 't')] };

  test.each([
    [{ returned: type('void', 'p') }, { kind: 'none' }],
    [{ many: true }, { kind: 'rows', columns: [{ name: 'f', type: int }] }],
    [
      { ...record, arguments: outs },
      { kind: 'row', columns: [a, b] },
    ],
    [
      { ...record, ...table },
      { kind: 'rows', columns: [a] },
    ],
    [
      { returned: type('emp', 'c'), columns: [composite] },
      { kind: 'row', columns: [id] },
    ],
    [{ ...record, kind: 'p', arguments: [argument('a', 'b')] }, { kind: 'none' }],
  ])('%j returns %j', (rest, expected) => {
    expect(found(rest)[0]?.returns).toEqual(expected);
  });

  test.each([
    { returned: type('trigger', 'p') },
    { returned: type('record', 'p'), many: true },
    { arguments: [argument('a', 'v')] },
    { arguments: [{ name: 'a', mode: 'i', type: type('anyelement', 'p') }] },
  ])('%j cannot be called', (rest) => {
    expect(found(rest)).toEqual([]);
  });

  test('which is a procedure has what goes out among its parameters', () => {
    const [routine] = found({
      ...{ kind: 'p', inputs: 1, returned: type('record', 'p') },
      arguments: [argument('a', 'b'), argument('b', 'o')],
    });
    expect(routine?.parameters.map(({ name, direction }) => [name, direction])).toEqual([
      ['a', 'inout'],
      ['b', 'out'],
    ]);
  });
});

test('routines of SQL Server have their parameters, table types and results', () => {
  const row = (
    id: number,
    name: string,
    at: number,
    typeId = 56,
    output = false,
    cursor = false,
  ): Row<'routineParameters'> => [id, name, at, typeId, 4, 10, 0, output, cursor];
  const rows: Parameters<typeof readSqlServerRoutines>[0] = {
    schemas: [[9, 'HR']],
    routines: [
      [1, 9, 'P_A', 'P '],
      [2, 9, 'F_A', 'FN'],
      [3, 9, 'F_T', 'IF'],
      [4, 9, 'F_U', 'TF'],
      [5, 9, 'P_C', 'P '],
    ],
    routineParameters: [
      ...[row(1, '@b', 2, 56, true), row(1, '@a', 1), row(1, '@ids', 3, 77)],
      ...[row(2, '', 0), row(2, '@a', 1), row(3, '@a', 1), row(5, '@c', 1, 56, true, true)],
    ],
    tableTypes: [[77, 9, 'IDS']],
    columns: [[3, 1, 'N', 56, 4, 10, 0, null, false, false, false, 0, 0, null, false, false, null]],
  };
  const routines = readSqlServerRoutines(rows, new Map([[56, 'int']]));
  const native = { ...int, native: 'int' };
  const HR = {
    schema: 'HR',
    kind: 'function',
    parameters: [{ name: 'a', type: native, direction: 'in' }],
  };
  expect(routines).toEqual([
    {
      ...{ ...HR, name: 'P_A', kind: 'procedure', returns: { kind: 'none' } },
      parameters: [
        ...HR.parameters,
        { name: 'b', type: native, direction: 'inout' },
        {
          ...{ name: 'ids', type: { kind: 'opaque', native: 'table' }, direction: 'in' },
          table: { schema: 'HR', name: 'IDS' },
        },
      ],
    },
    { ...HR, name: 'F_A', returns: { kind: 'value', type: native } },
    { ...HR, name: 'F_T', returns: { kind: 'rows', columns: [{ name: 'N', type: native }] } },
    { ...HR, name: 'F_U', parameters: [], returns: { kind: 'rows', columns: null } },
  ]);
  const schema = { tables: [], routines };
  const snapshot = { dialect: 'tsql', version: null, schema } as const;
  const { schema: again } = readSnapshotText(snapshotText(snapshot), 'schema.json');
  expect(sameSchema(again, { tables: [], routines: routines.toReversed() })).toBe(true);
  expect(sameSchema(again, { tables: [], routines: routines.slice(1) })).toBe(false);
  expect(readSnapshotText('{"tables":[]}', 'schema.json').schema.routines).toBeUndefined();
});
