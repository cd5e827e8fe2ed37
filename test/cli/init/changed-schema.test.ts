import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type MappingFile, mappingSchema } from '../../../src/config/mapping.ts';
import { findDrift } from '../../../src/cli/init/drift.ts';
import type { PhysicalSchema, Table } from '../../../src/schema/types.ts';
import { parsed, rows } from '../../rows.ts';
import { routine, types } from '../../model/physical.ts';
import { planned, schemaIn, schemaOf, SETTINGS, table } from './tables.ts';
import { dataclassOf, NameReplacer } from '../../../src/cli/init/rename-text.ts';
import { findRenames } from '../../../src/cli/init/renames.ts';
import { rulesSchema } from '../../../src/cli/init/rules.ts';
import { hashStamps } from '../../../src/cli/init-report.ts';

const COLUMNS = ['ID int', 'NAME text'];
const known = schemaIn`dbo.EMP | ID int | NAME text`;
const F = { ...routine('F', { a: 'int' }, { kind: 'value', type: types.int }), schema: 'dbo' };
const changed = routine('F', { a: 'bigint', b: 'int inout' }, { kind: 'none' });

/** The schemas of the table below. */
const schemas: Readonly<Record<string, PhysicalSchema | null>> = {
  none: null,
  known,
  versioned: schemaOf(
    table('dbo.EMP', [...COLUMNS, 'RV binary'], { rowVersion: { kind: 'column', name: 'RV' } }),
  ),
  inherited: schemaOf(table('dbo.EMP', COLUMNS, { isInherited: true })),
  keyless: schemaIn`dbo.EMP | ID int | NAME text | KEY:`,
  more: schemaIn`
    dbo.EMP   | ID int | NAME char | BOSS int | FK_B: BOSS -> dbo.EMP(ID)
    dbo.NEW   | ID int
    other.NEW | ID int
  `,
  F: { ...known, routines: [F] },
  'F and G': { ...known, routines: [F, { ...F, name: 'G' }] },
  'another F': { ...known, routines: [{ ...changed, schema: 'dbo' }] },
  G: { ...known, routines: [{ ...F, name: 'G' }] },
};

const CALLS = '{functions: {f: {routine: dbo.F, parameters: [a]}}}';

// The schema as it is, as it was, what the file says besides, and what is told.
test.each(rows`
  known     | known     | {}
  versioned | none      | {}
  inherited | inherited | {}
    | emp.yaml:table: dbo.EMP: the rows of tables that inherit from it are left out; children: true reads them, without a key, and children: false says that this is meant
  inherited | inherited | {children: true}
  inherited | inherited | {children: false}
  known     | known     | {children: true}
    | error emp.yaml:children: no table inherits from dbo.EMP
  keyless   | none      | {}
  keyless   | known     | {}
    | error emp.yaml:table: dbo.EMP has lost its key ID: clients can no longer address single entities
  keyless   | known     | {key: [ID]}
    | error emp.yaml:key: dbo.EMP has lost its key ID: several rows may have the same, and such rows can no longer be changed
  # What nothing has ever kept unique is the file's own word.
  keyless   | keyless   | {key: [ID]}
  # What was left out when the snapshot was written is not told again.
  more      | none      | {}
    | dbo.EMP: emp.yaml does not name column BOSS | dbo.EMP: emp.yaml does not name foreign key FK_B
    | dbo.NEW: no mapping file names this table | other.NEW: no mapping file names this table
  more      | more      | {}
  more      | known     | {}
    | dbo.EMP: column NAME changed from text to bpchar(5) | dbo.EMP: emp.yaml does not name column BOSS | dbo.EMP: emp.yaml does not name foreign key FK_B
    | dbo.NEW: no mapping file names this table
  F and G   | F         | ${CALLS}
  another F | F         | ${CALLS}
    | dbo.F changed from (a int4) → int4 to (a int8, inout b int4)
  another F | F         | {}
  G         | F         | ${CALLS}
    | error emp.yaml:functions.f.routine: the database has no procedure or function dbo.F that its user may call. Did you mean dbo.G?
`)('%s after %s, with %s', (now, before, said, ...told) => {
  const employee = { table: 'dbo.EMP', attributes: { id: 'ID', name: 'NAME' }, relations: {} };
  const value = { ...employee, ...parsed(said) };
  const file: MappingFile = {
    mapping: mappingSchema.parse(value),
    file: { path: 'emp.yaml', value, locate: (path) => `emp.yaml:${path.join('.')}` },
  };
  const { errors, notes } = findDrift(
    [file],
    schemas[now] ?? known,
    schemas[before] ?? null,
    SETTINGS,
  );
  const lines = errors.map(({ where, message }) => `error ${where}: ${message}`);
  expect([...lines, ...notes]).toEqual(told);
});

const schema = schemaIn`
  dbo.EMP_MST | ID int | FST_NM text | BOSS_ID int | FK_B: BOSS_ID -> dbo.EMP_MST(ID)
  dbo.ORD     | ID int | EMP_ID int | ORD_NM text | FK_E: EMP_ID -> dbo.EMP_MST(ID)
`;

const before = rulesSchema.parse({});
const after = rulesSchema.parse({
  strip: ['_MST'],
  words: { EMP: 'employee', FST: 'first', NM: 'name' },
});

const EMPLOYEE = `# Ours.
dataclass:   EmpMst   # a comment
collection: EmpMstSelection
table: dbo.EMP_MST
where: "fstNm != 'fstNm' and id > 0"
attributes:
  id: ID
  "fstNm": { column: FST_NM,   trim: true }
  bossFirst: { alias: boss.fstNm }
relations:
  boss: { to: EmpMst, foreignKey: FK_B }
  reports: { inverse: EmpMst.boss }
  ords: { inverse: Ord.emp }
  bossOrds: { through: [boss, ords] }
functions:
  raise: { routine: dbo.P, key: ID, returns: { dataclass: EmpMst } }
`;

const ORDER = `dataclass: Ord
table: dbo.ORD
attributes:
  id: ID
  empId: EMP_ID
  title: ORD_NM
relations:
  emp: { to: EmpMst, foreignKey: FK_E }
`;

const files = (...texts: readonly string[]): MappingFile[] =>
  texts.map((text) => ({
    mapping: mappingSchema.parse(parse(text)),
    file: { path: 'x.yaml', value: parse(text) as unknown, locate: () => 'x.yaml' },
  }));

function renamed(...texts: readonly string[]): { changes: string[]; texts: string[] } {
  const sources = files(...texts);
  const found = findRenames(sources, schema, after, [before]);
  const replacer = new NameReplacer(sources, found);
  return {
    changes: found.flatMap(({ changes }) =>
      changes.map(({ what, from, to }) => `${what} ${from} → ${to}`),
    ),
    texts: texts.map((text, index) => {
      const [source] = sources.slice(index);
      return replacer.replace(text, source === undefined ? null : dataclassOf(source));
    }),
  };
}

describe('names that changed rules make otherwise', () => {
  test('are replaced wherever files use them, and every other byte stays', () => {
    expect(renamed(EMPLOYEE, ORDER)).toEqual({
      changes: [
        ...['dataclass EmpMst → Employee', 'collection EmpMstSelection → EmployeeSelection'],
        ...['attribute fstNm → firstName', 'attribute empId → employeeId'],
        'relation emp → employee',
      ],
      texts: [
        EMPLOYEE.replaceAll('EmpMst', 'Employee')
          .replace('"fstNm != ', '"firstName != ')
          .replace('"fstNm":', 'firstName:')
          .replace('boss.fstNm', 'boss.firstName')
          .replace('Ord.emp', 'Ord.employee'),
        ORDER.replace('empId:', 'employeeId:')
          .replace('emp:', 'employee:')
          .replace('EmpMst', 'Employee'),
      ],
    });
  });

  test('stay where they were given by hand, and where another one has the new name', () => {
    const own = EMPLOYEE.replaceAll('EmpMst', 'Person').replace(
      'attributes:\n',
      'attributes:\n  FirstName: { sql: UPPER(FST_NM), type: string }\n',
    );
    expect(renamed(own, ORDER.replaceAll('EmpMst', 'Person'))).toEqual({
      changes: ['attribute empId → employeeId', 'relation emp → employee'],
      texts: [
        own.replace('Ord.emp', 'Ord.employee'),
        ORDER.replaceAll('EmpMst', 'Person')
          .replace('empId:', 'employeeId:')
          .replace('emp:', 'employee:'),
      ],
    });
  });

  test('are the same in files of another kind', () => {
    const sources = files(EMPLOYEE, ORDER);
    const replacer = new NameReplacer(sources, findRenames(sources, schema, after, [before]));
    const routines = 'functions:\n  all: { routine: dbo.P, returns: { dataclass: EmpMst } }\n';
    expect(replacer.replace(routines, null)).toBe(routines.replace('EmpMst', 'Employee'));
  });
});

/** What a first run says of the stamps of tables. */
const said = async (dialect: 'postgres' | 'tsql', ...tables: readonly Table[]): Promise<string[]> =>
  hashStamps(await planned({ schema: schemaOf(...tables) }), dialect);

/** The table with a large and a computed column, which a hash does not see, and without a stamp of the engine. */
function hashed(found: Table): Table {
  const columns = found.columns.map((column) => ({
    ...column,
    ...(column.name === 'PHOTO' ? { large: true as const } : {}),
    computed: /^[A-G]/.test(column.name),
  }));
  return { ...found, columns, rowVersion: null };
}

test('what a hash costs and does not see is told, and on SQL Server what would spare it', async () => {
  const plain = table('dbo.EMP', ['ID int', 'NAME text', 'PHOTO binary', 'AGE int']);
  const employees = hashed(plain);
  const costs = 'Emp: 2 columns of dbo.EMP, not of PHOTO, AGE';
  expect(await said('tsql', employees)).toEqual([
    `${costs}. To avoid it: ALTER TABLE [dbo].[EMP] ADD ROW_VER rowversion, and "stamp: { rowversion: ROW_VER }" in the file`,
  ]);
  expect(await said('postgres', employees)).toEqual([costs]);
  const view = { ...employees, kind: 'view' } as const;
  expect(await said('tsql', view)).toEqual([costs]);
  // What has no key has no writers, and a stamp of the engine costs nothing.
  expect(await said('tsql', { ...view, primaryKey: [] }, plain)).toEqual([]);
  const [bracketed] = await said('tsql', { ...employees, name: 'Order [Details]' });
  expect(bracketed).toContain('ALTER TABLE [dbo].[Order [Details]]] ADD ROW_VER rowversion');
  const wide = table('dbo.W', ['ID int', ...'ABCDEF'.split('').map((name) => `${name} int`)]);
  expect(await said('postgres', hashed(wide))).toEqual([
    'W: 1 column of dbo.W, not of A, B, C, D, E and others',
  ]);
});
