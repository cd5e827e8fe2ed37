import { describe, expect, test } from 'vitest';
import { mappingSchema, type MappingFile } from '../../../src/config/mapping.ts';
import { dataclassOf, NameReplacer } from '../../../src/cli/init/rename-text.ts';
import { findRenames } from '../../../src/cli/init/renames.ts';
import { rulesSchema } from '../../../src/cli/init/rules.ts';
import { parse } from 'yaml';
import { foreignKey, schemaOf, table } from './tables.ts';

const schema = schemaOf(
  table('dbo.EMP_MST', ['ID int', 'FST_NM text', 'BOSS_ID int'], {
    foreignKeys: [foreignKey('FK_B: BOSS_ID -> dbo.EMP_MST(ID)')],
  }),
  table('dbo.ORD', ['ID int', 'EMP_ID int', 'ORD_NM text'], {
    foreignKeys: [foreignKey('FK_E: EMP_ID -> dbo.EMP_MST(ID)')],
  }),
);

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
        'dataclass EmpMst → Employee',
        'collection EmpMstSelection → EmployeeSelection',
        'attribute fstNm → firstName',
        'attribute empId → employeeId',
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
