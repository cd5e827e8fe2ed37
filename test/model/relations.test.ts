import { describe, expect, test } from 'vitest';
import { attributeOf, isRelation, type Model, type Relation } from '../../src/model/types.ts';
import { columnsOf, model, problems, table } from './physical.ts';
import { rows } from '../rows.ts';

const COLUMNS = 'ID int, CODE text, MOOD enum, IP inet, J json, PHOTO image';

const company = table('CMP', {
  columns: columnsOf(`${COLUMNS}, NAME text, BIG bigint`),
  primaryKey: ['ID'],
  indexes: ['CODE', 'MOOD', 'J', 'BIG', 'PHOTO'].map((name) => ({
    ...{ name: `U_${name}`, columns: [name], unique: true },
  })),
});
const employee = table('EMP', {
  columns: columnsOf(`${COLUMNS}, CMP_ID int, BILL_ID int?, MGR int?`),
  primaryKey: ['ID'],
  foreignKeys: [
    ...['FK_CMP: CMP_ID -> CMP(ID)', 'FK_BILL: BILL_ID -> CMP(ID)', 'FK_MGR: MGR -> EMP(ID)'],
  ],
});
const project = table('PRJ', { columns: { ID: 'int', NAME: 'text' }, primaryKey: ['ID'] });
const assignment = table('EMP_PRJ', {
  columns: { EMP: 'int', PRJ: 'int' },
  primaryKey: ['EMP', 'PRJ'],
  foreignKeys: ['FK_E: EMP -> EMP(ID)', 'FK_P: PRJ -> PRJ(ID)'],
});
const tables = [company, employee, project, assignment];

function relations(built: Model, dataclass: string): Record<string, Partial<Relation>> {
  const members = [...(built.dataclasses.get(dataclass)?.members.values() ?? [])];
  return Object.fromEntries(members.filter(isRelation).map((member) => [member.name, member]));
}

/** A relation in short: its kind, target, and the columns of each hop. */
function short(built: Model, dataclass: string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(relations(built, dataclass)).map(([name, { kind, target, hops, inverse }]) => [
      name,
      [
        kind === 'relatedEntity' ? 'one' : 'many',
        target?.name,
        ...(hops ?? []).map(
          ({ from, to }) =>
            `${from.map((column) => column.name).join()}=${to.map((column) => column.name).join()}`,
        ),
        ...(inverse === null ? [] : [`inverse ${inverse ?? ''}`]),
      ].join(' '),
    ]),
  );
}

describe('relations that no file spells out', () => {
  test('follow the foreign keys both ways, several to one table and a self reference too', async () => {
    const built = await model([company, employee], {
      company: 'dataclass: Company\ntable: S.CMP',
      employee: 'dataclass: Employee\ntable: S.EMP',
    });
    expect(short(built, 'Employee')).toEqual({
      company: 'one Company CMP_ID=ID inverse employeeCollection',
      company2: 'one Company BILL_ID=ID inverse employeeCollection2',
      employee: 'one Employee MGR=ID inverse employeeCollection',
      employeeCollection: 'many Employee ID=MGR inverse employee',
    });
    expect(short(built, 'Company')).toEqual({
      employeeCollection: 'many Employee ID=CMP_ID inverse company',
      employeeCollection2: 'many Employee ID=BILL_ID inverse company2',
    });
  });

  test('are not added to a file that has relations of its own, or none on purpose', async () => {
    const built = await model([company, employee], {
      company: 'dataclass: Company\ntable: S.CMP\nrelations: {}',
      employee: 'dataclass: Employee\ntable: S.EMP',
    });
    expect(short(built, 'Company')).toEqual({});
    expect(short(built, 'Employee')['company']).toBe('one Company CMP_ID=ID');
  });

  test('follow no foreign key with a column that the database’s user may not read', async () => {
    const secret = table('SEC', {
      columns: { ID: 'int', CMP_ID: 'int' },
      primaryKey: ['ID'],
      foreignKeys: ['FK_1: HIDDEN -> CMP(ID)', 'FK_2: CMP_ID -> CMP(HIDDEN)'],
    });
    const built = await model([company, secret], {
      company: 'dataclass: Company\ntable: S.CMP',
      secret: 'dataclass: Secret\ntable: S.SEC',
    });
    expect([short(built, 'Secret'), short(built, 'Company')]).toEqual([{}, {}]);
  });

  test('keep out of the way of attributes', async () => {
    const built = await model([company, employee], {
      company: 'dataclass: Company\ntable: S.CMP\nattributes: { employeeCollection: NAME }',
      employee: 'dataclass: Employee\ntable: S.EMP\nattributes: { company: CODE }',
    });
    expect(Object.keys(short(built, 'Employee')).slice(0, 2)).toEqual(['company2', 'company3']);
    expect(Object.keys(short(built, 'Company'))).toEqual([
      'employeeCollection2',
      'employeeCollection3',
    ]);
  });
});

describe('relations of the files', () => {
  const files = {
    company:
      'dataclass: Company\ntable: S.CMP\nrelations:\n  staff: { inverse: Employee.employer }',
    employee: [
      ...['dataclass: Employee', 'table: S.EMP', 'attributes: { ID: ID, companyID: CMP_ID }'],
      ...['relations:', '  projects: { through: [assignments, project] }'],
      ...['  reports: { inverse: manager }', '  assignments: { inverse: Assignment.employee }'],
      '  manager: { to: Employee, columns: { MGR: ID } }',
      '  employer: { to: Company, foreignKey: FK_CMP }',
      '  colleagues: { through: [employer, staff] }',
    ].join('\n'),
    project: 'dataclass: Project\ntable: S.PRJ\nrelations: {}',
    assignment:
      'dataclass: Assignment\ntable: S.EMP_PRJ\nrelations:\n  employee: { to: Employee, foreignKey: FK_E }\n  project: { to: Project, foreignKey: fk_p }',
  };

  test('to one, their inverses and paths, in the order of the file', async () => {
    const built = await model(tables, files);
    expect(short(built, 'Employee')).toEqual({
      projects: 'many Project ID=EMP PRJ=ID',
      reports: 'many Employee ID=MGR inverse manager',
      assignments: 'many Assignment ID=EMP inverse employee',
      manager: 'one Employee MGR=ID inverse reports',
      employer: 'one Company CMP_ID=ID inverse staff',
      colleagues: 'many Employee CMP_ID=ID ID=CMP_ID',
    });
    expect(Object.keys(short(built, 'Employee'))).toEqual([
      ...['projects', 'reports', 'assignments', 'manager', 'employer', 'colleagues'],
    ]);
    expect(short(built, 'Company')).toEqual({ staff: 'many Employee ID=CMP_ID inverse employer' });
  });

  test('know the attributes that hold their foreign key, where these are exposed', async () => {
    const found = relations(await model(tables, files), 'Employee');
    expect([found['employer']?.foreignKey, found['manager']?.foreignKey]).toEqual([
      ['companyID'],
      [],
    ]);
    expect(found['projects']?.through).toEqual(['assignments', 'project']);
    expect(found['assignments']?.hops?.map((hop) => hop.toMany)).toEqual([true]);
  });

  test('to a unique column that is not the key, between numbers of several sizes, to the declared key of a view', async () => {
    const view = table('V', { columns: { ID: 'int?' }, kind: 'view' });
    const to = ['Company, columns: { CODE: CODE }', 'Company, columns: { ID: BIG }'];
    const more = ['Company, columns: { MOOD: MOOD }', 'V, columns: { ID: ID }'];
    const relations = [...to, ...more].map((target, at) => `\n  r${at}: { to: ${target} }`);
    const built = await model([...tables, view], {
      company: 'dataclass: Company\ntable: S.CMP',
      employee: `dataclass: Employee\ntable: S.EMP\nrelations:${relations.join('')}`,
      v: 'dataclass: V\nview: S.V\nkey: [ID]',
    });
    expect(Object.values(short(built, 'Employee'))).toEqual([
      ...['one Company CODE=CODE', 'one Company ID=BIG', 'one Company MOOD=MOOD', 'one V ID=ID'],
    ]);
  });

  test('on bytes that the database knows as no key make them hexadecimal digits, on both sides', async () => {
    const parent = table('P', { columns: { ID: 'binary', RAW: 'binary' }, ignoreCase: true });
    const child = table('C', { columns: { A: 'binary', B: 'int', RAW: 'binary' } });
    const files = {
      c: 'dataclass: C\ntable: S.C\nrelations: { p: { to: P, columns: { A: id } } }',
      p: 'dataclass: P\ntable: S.P\nkey: [id]\nrelations: { cs: { inverse: C.p } }',
    };
    const built = await model([parent, child], files);
    const kinds = (name: string): unknown =>
      Object.fromEntries(
        [...(built.dataclasses.get(name)?.members.values() ?? [])].map((member) => [
          member.name,
          isRelation(member)
            ? member.hops.map(({ from, to }) => [...from, ...to].map(({ type }) => type.kind))
            : [attributeOf(member).type, attributeOf(member).columnType.kind],
        ]),
      );
    expect(kinds('P')).toEqual({
      id: ['string', 'hex'],
      raw: ['blob', 'binary'],
      cs: [['hex', 'hex']],
    });
    expect(kinds('C')).toEqual({
      a: ['string', 'hex'],
      b: ['long', 'integer'],
      raw: ['blob', 'binary'],
      p: [['hex', 'hex']],
    });
    expect(built.warnings).toEqual([]);
  });
});

describe('relations that cannot be', () => {
  const target = {
    company: 'dataclass: Company\ntable: S.CMP\nrelations: {}',
    project: 'dataclass: Project\ntable: S.PRJ\nrelations: {}',
  };

  test.each(rows`
    { to: Compny, foreignKey: FK_CMP } | 12 | there is no dataclass Compny. Did you mean Company?
    { to: Company, foreignKey: FK_CPM } | 33 | S.EMP has no foreign key FK_CPM. Did you mean FK_CMP?
    { to: Project, foreignKey: FK_CMP } | 33 | foreign key FK_CMP refers to S.CMP, not to S.PRJ of dataclass Project
    { to: Company, columns: { CMPID: ID } } | 39 | S.EMP has no column CMPID. Did you mean CMP_ID?
    { to: Company, columns: { CMP_ID: IDD } } | 40 | S.CMP has no column IDD. Did you mean ID?
    { to: Company, columns: { CODE: NAME } } | 3  | NAME is not unique in S.CMP, so that a relation to one could find several rows
    { to: Company, columns: { CODE: ID } } | 3  | column CODE (varchar) cannot equal ID (int4)
    { to: Company, columns: { IP: MOOD } } | 3  | column IP (inet) cannot equal MOOD (mood)
    { to: Company, columns: { J: J } } | 3  | column J (json) cannot equal J (json)
    { to: Company, columns: { PHOTO: PHOTO } } | 3  | column PHOTO (image) cannot equal PHOTO (image)
    { inverse: Compny.staff } | 17 | there is no dataclass Compny. Did you mean Company?
    { inverse: Company.owner } | 17 | Company has no relation owner to one Employee.
    { inverse: mangr } | 17 | Employee has no relation mangr to one Employee. Did you mean manager?
    { inverse: employer } | 17 | Employee has no relation employer to one Employee. Known: manager.
    { inverse: manager } | 17 | Employee.manager is already inverted by reports
    { through: [employr, staff] } | 18 | Employee has no relation employr on columns. Did you mean employer?
    { through: [manager, employer] } | 8  | leads to one entity; a path has to lead to many
    { through: [peers, employer] } | 18 | Employee has no relation peers on columns. Known: employer, manager, reports.
  `)('%s', async (text, column, message) => {
    const found = await problems(tables, {
      ...target,
      employee: [
        'dataclass: Employee',
        'table: S.EMP',
        'relations:',
        '  employer: { to: Company, foreignKey: FK_CMP }',
        '  manager: { to: Employee, columns: { MGR: ID } }',
        '  reports: { inverse: manager }',
        '  peers: { through: [manager, reports] }',
        `  a: ${text}`,
      ].join('\n'),
    });
    expect(found).toEqual([`employee.yaml:8:${column}: ${message}`]);
  });

  test('a name that an attribute has', async () => {
    const found = await problems(tables, {
      ...target,
      employee:
        'dataclass: Employee\ntable: S.EMP\nattributes: { employer: CODE }\nrelations:\n  employer: { to: Company, foreignKey: FK_CMP }',
    });
    expect(found).toEqual(['employee.yaml:5:3: Employee already has an attribute employer']);
  });

  test('what is built on a fault is not reported once more', async () => {
    const found = await problems(tables, {
      company:
        'dataclass: Company\ntable: S.CMPP\nrelations:\n  staff: { inverse: Employee.employer }',
      employee: [
        ...['dataclass: Employee', 'table: S.EMP', 'relations:'],
        '  employer: { to: Company, foreignKey: FK_CMP }',
        ...['  manager: { to: Employee, foreignKey: FK_MRG }', '  reports: { inverse: manager }'],
        ...['  peers: { through: [manager, reports] }', '  mates: { through: [employer, staff] }'],
      ].join('\n'),
    });
    expect(found).toEqual([
      'company.yaml:2:8: the database has no table S.CMPP that its user may read. Did you mean S.CMP, S.EMP?',
      'employee.yaml:5:40: S.EMP has no foreign key FK_MRG. Did you mean FK_MGR?',
    ]);
  });
});
