import { describe, expect, test } from 'vitest';
import { mappingSchema, type MappingFile } from '../../../src/config/mapping.ts';
import { findDrift, type Drift } from '../../../src/cli/init/drift.ts';
import type { ColumnType, PhysicalSchema } from '../../../src/schema/types.ts';
import { foreignKey, schemaOf, table } from './tables.ts';

const employee = { table: 'dbo.EMP', attributes: { id: 'ID', name: 'NAME' }, relations: {} };

function drift(
  schema: PhysicalSchema,
  prior: PhysicalSchema | null = null,
  value: object = employee,
): Omit<Drift, 'model'> {
  const file: MappingFile = {
    mapping: mappingSchema.parse(value),
    file: { path: 'emp.yaml', value, locate: (path) => `emp.yaml:${path.join('.')}` },
  };
  const { errors, notes } = findDrift([file], schema, prior, {
    ignoreCase: false,
    readOnly: false,
    requireStamp: true,
  });
  return { errors, notes };
}

const known = schemaOf(table('dbo.EMP', ['ID int', 'NAME text']));

test('what fits is silent', () => {
  expect(drift(known, known)).toEqual({ errors: [], notes: [] });
  const rowVersion = { kind: 'column', name: 'RV' } as const;
  const versioned = table('dbo.EMP', ['ID int', 'NAME text', 'RV binary'], { rowVersion });
  expect(drift(schemaOf(versioned)).notes).toEqual([]);
});

test('tables that inherit are told of until the file says what is meant', () => {
  const inherited = schemaOf(table('dbo.EMP', ['ID int', 'NAME text'], { isInherited: true }));
  expect(drift(inherited, inherited)).toEqual({
    errors: [],
    notes: [
      'emp.yaml:table: dbo.EMP: the rows of tables that inherit from it are left out; ' +
        'children: true reads them, without a key, and children: false says that this is meant',
    ],
  });
  for (const children of [true, false]) {
    const said = drift(inherited, inherited, { ...employee, children });
    expect(said).toEqual({ errors: [], notes: [] });
  }
  expect(drift(known, known, { ...employee, children: true }).errors).toEqual([
    { where: 'emp.yaml:children', message: 'no table inherits from dbo.EMP' },
  ]);
});

describe('errors', () => {
  test('are what keeps the gateway from starting', () => {
    expect(drift(schemaOf(table('dbo.EMP', ['ID int', 'LABEL text']))).errors).toEqual([
      {
        where: 'emp.yaml:attributes.name',
        message: expect.stringContaining('dbo.EMP has no column NAME.'),
      },
    ]);
    expect(drift(schemaOf(table('dbo.X', ['ID int']))).errors).toHaveLength(1);
  });

  test('are keys that were there', () => {
    const keyless = schemaOf(table('dbo.EMP', ['ID int', 'NAME text'], { primaryKey: [] }));
    expect(drift(keyless).errors).toEqual([]);
    expect(drift(keyless, known).errors).toEqual([
      {
        where: 'emp.yaml:table',
        message: expect.stringContaining(
          'has lost its key ID: clients can no longer address single entities',
        ),
      },
    ]);
    expect(drift(keyless, known, { ...employee, key: ['ID'] }).errors).toEqual([
      {
        where: 'emp.yaml:key',
        message:
          'dbo.EMP has lost its key ID: several rows may have the same, and such rows can no longer be changed',
      },
    ]);
    // What nothing has ever kept unique is the file's own word.
    expect(drift(keyless, keyless, { ...employee, key: ['ID'] }).errors).toEqual([]);
  });
});

describe('notes', () => {
  const more = schemaOf(
    table('dbo.EMP', ['ID int', 'NAME char', 'BOSS int'], {
      foreignKeys: [foreignKey('FK_B: BOSS -> dbo.EMP(ID)')],
    }),
    table('dbo.NEW', ['ID int']),
    table('other.NEW', ['ID int']),
  );

  test('are what no file names', () => {
    expect(drift(more).notes).toEqual([
      'dbo.EMP: emp.yaml does not name column BOSS',
      'dbo.EMP: emp.yaml does not name foreign key FK_B',
      'dbo.NEW: no mapping file names this table',
      'other.NEW: no mapping file names this table',
    ]);
  });

  test('with a snapshot, what changed since and nothing that was left out then', () => {
    expect(drift(more, more)).toEqual({ errors: [], notes: [] });
    expect(drift(more, known).notes).toEqual([
      'dbo.EMP: column NAME changed from text to bpchar(5)',
      'dbo.EMP: emp.yaml does not name column BOSS',
      'dbo.EMP: emp.yaml does not name foreign key FK_B',
      'dbo.NEW: no mapping file names this table',
    ]);
  });
});

describe('routines', () => {
  const int: ColumnType = { kind: 'integer', bits: 32, signed: true, native: 'int4' };
  const of = (...names: string[]): PhysicalSchema => ({
    ...known,
    routines: names.map((name) => ({
      ...{ schema: 'dbo', name, kind: 'function', returns: { kind: 'value', type: int } },
      parameters: [{ name: 'a', type: int, direction: 'in' }],
    })),
  });
  const other: PhysicalSchema = {
    ...known,
    routines: [
      {
        ...{ schema: 'dbo', name: 'F', kind: 'function', returns: { kind: 'none' } },
        parameters: [
          { name: 'a', type: { ...int, native: 'int8' }, direction: 'in' },
          { name: 'b', type: int, direction: 'inout', optional: true },
        ],
      },
    ],
  };
  const value = { ...employee, functions: { f: { routine: 'dbo.F', parameters: ['a'] } } };

  test('that are named and changed are told', () => {
    expect(drift(of('F'), of('F', 'G'), value)).toEqual({ errors: [], notes: [] });
    expect(drift(other, of('F'), value).notes).toEqual([
      'dbo.F changed from (a int4) → int4 to (a int8, inout b int4)',
    ]);
    expect(drift(other, of('F')).notes).toEqual([]);
    expect(drift(of('G'), of('F'), value).errors.map(({ where }) => where)).toEqual([
      'emp.yaml:functions.f.routine',
    ]);
  });
});
