import { describe, expect, test } from 'vitest';
import { planEntitySet } from '../../src/plan/read/entity-set.ts';
import { planRead } from '../../src/plan/read/read.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import { queryPlanFields, withFields } from '../../src/answer/query-plan-writer.ts';
import { planning, readSnapshot, sampleModel } from '../fixtures/legacy/model.ts';
import { parsed, rows } from '../rows.ts';

const model = await sampleModel(readSnapshot('postgres'));

/** What is told of the query of a URL, as JSON text. */
function told(path: string): string {
  const { ast, values } = parseRequest(`/rest/${path}`);
  if (ast.kind !== 'read' && ast.kind !== 'entitySet') throw new Error(`${path} is not a query`);
  const { description } =
    ast.kind === 'read' ? planRead(ast, planning(model)) : planEntitySet(ast, planning(model));
  if (description === null) throw new Error(`nothing is told of ${path}`);
  return withFields('{}', queryPlanFields(description, values)).replace(/,\}$/, '}');
}

function plans(path: string): Record<'__queryPlan' | '__extendedQueryPlan', object> {
  return JSON.parse(told(path)) as ReturnType<typeof plans>;
}

const filtered = (filter: string): string =>
  `Employee?$queryplan=true&$filter=${encodeURIComponent(`"${filter}"`)}`;

describe('the simplified plan', () => {
  const employer = 'Join on Table : Company  :  Employee.employer = Company.ID';
  const projects =
    'Join on Table : Project  :  Employee.ID = Assignment.employeeID, Assignment.projectID = Project.ID';
  test.each(rows`
    ID=1                         | {And: [{item: Employee.ID = 1}]}
    ID in [1,2,null]             | {And: [{item: 'Employee.ID in [1, 2, null]'}]}
    lastName begin 'Du'          | {And: [{item: Employee.lastName begin Du}]}
    lastName % 'ub'              | {And: [{item: Employee.lastName % ub}]}
    lastName = 'D@'              | {And: [{item: Employee.lastName = D@}]}
    grade is null                | {And: [{item: Employee.grade === null}]}
    employer = null              | {And: [{item: Employee.employer = null}]}
    projects != null             | {And: [{item: Employee.projects != null}]}
    extra.a.b = true             | {And: [{item: Employee.extra.a.b = true}]}
    ID=1 and grade>2 and grade<5 | {And: [{item: Employee.ID = 1}, {item: Employee.grade > 2}, {item: Employee.grade < 5}]}
    ID=1 or not(grade>=2)        | {Or: [{item: Employee.ID = 1}, {Not: [{item: Employee.grade >= 2}]}]}
    ID>1 except grade!=2         | {Except: [{item: Employee.ID > 1}, {item: Employee.grade != 2}]}
    employer.name='Acme'         | {And: [{item: '${employer}', subquery: [{item: Company.name = Acme}]}]}
    projects.name='x' or ID=1    | {Or: [{item: '${projects}', subquery: [{item: Project.name = x}]}, {item: Employee.ID = 1}]}
    projects.lead = null         | {And: [{item: '${projects}', subquery: [{item: Project.lead = null}]}]}
  `)('of %s', (filter, expected) => {
    expect(plans(filtered(filter)).__queryPlan).toEqual(parsed(expected));
  });

  const members = 'Join on Table : Employee  :  Company.ID = Employee.employer';
  test.each(rows`
    Employee?$queryplan=true                       | {And: []}
    Employee(1)?$queryplan=true                    | {And: [{item: Employee.__KEY = 1}]}
    Employee(1,2)?$querypath=true                  | {And: [{item: 'Employee.__KEY in [1, 2]'}]}
    OrderLine(7;2)?$queryplan=true                 | {And: [{item: 'OrderLine.__KEY = [7, 2]'}]}
    OrderLine(7;2,7;1)?$queryplan=true             | {And: [{item: 'OrderLine.__KEY in [[7, 2], [7, 1]]'}]}
    Employee:email(x@y)?$queryplan=true            | {And: [{item: Employee.email = x@y}]}
    Product?$queryplan=TRUE&$filter="discontinued" | {And: [{item: Product.discontinued = true}]}
    Company(1)/employees?$queryplan=true&$filter="grade>3"
      | {And: [{item: '${members}', subquery: [{item: Company.__KEY = 1}]}, {item: Employee.grade > 3}]}
    Employee/$entityset/0A1B?$queryplan=true&$filter="grade>3" | {And: [{item: Employee.__KEY in 0A1B}, {item: Employee.grade > 3}]}
    Employee/$entityset/0A1B?$queryplan=true&$logicOperator=AND&$otherCollection=2C3D
      | {And: [{item: Employee.__KEY in 0A1B}, {item: Employee.__KEY in 2C3D}]}
    Employee/$entityset/0A1B?$queryplan=true&$logicOperator=except&$otherCollection=2C3D&$filter="grade>3"
      | {And: [{Except: [{item: Employee.__KEY in 0A1B}, {item: Employee.__KEY in 2C3D}]}, {item: Employee.grade > 3}]}
    Employee?$queryplan=true&$method=entityset&$filter="grade<:1"&$params=[3] | {And: [{item: Employee.grade < 3}]}
  `)('of %s', (path, expected) => {
    expect(plans(path).__queryPlan).toEqual(parsed(expected));
  });
});

describe('the extended plan', () => {
  test('has the places and fields of the joins that are run', () => {
    const join = (left: string, instance: number, leftField: string): object => ({
      leftTable: left,
      leftField,
      leftInstance: instance,
    });
    const ofEmployer = {
      ...join('Employee', 0, 'employer'),
      rightTable: 'Company',
      rightField: 'ID',
      rightInstance: 0,
    };
    const ofAssignment = (instance: number): object[] => [
      {
        ...join('Employee', 0, 'ID'),
        rightTable: 'Assignment',
        rightField: 'employeeID',
        rightInstance: instance,
      },
      {
        ...join('Assignment', instance, 'projectID'),
        rightTable: 'Project',
        rightField: 'ID',
        rightInstance: instance,
      },
    ];
    const onProject = (instance: number, field: string, value: string): object => ({
      type: 'JoinNode',
      table: 'Employee',
      targetTable: 'Project',
      instance,
      joinPath: ofAssignment(instance),
      filter: { type: 'SeqNode', field, table: 'Project', instance, oper: '=', value },
    });
    const onCompany = (field: string, oper: string, value: unknown): object => ({
      type: 'JoinNode',
      table: 'Employee',
      targetTable: 'Company',
      instance: 0,
      joinPath: [ofEmployer],
      filter: { type: 'SeqNode', field, table: 'Company', instance: 0, oper, value },
    });
    const filter = `employer.name = 'A' and employer.creditLimit > 5 and projects.name = 'x' and projects.code = 'y'`;
    // One join to one serves both conditions; each condition on many is met by an entity of its own.
    expect(plans(filtered(filter)).__extendedQueryPlan).toEqual({
      type: 'LogicOperatorNode',
      logicOper: 'And',
      parts: [
        onCompany('name', '=', 'A'),
        onCompany('creditLimit', '>', 5),
        onProject(0, 'name', 'x'),
        onProject(1, 'code', 'y'),
      ],
    });
  });

  test('numbers the places of one dataclass', () => {
    expect(plans(filtered('manager.manager.grade = 7')).__extendedQueryPlan).toMatchObject({
      parts: [
        {
          instance: 2,
          joinPath: [
            { leftInstance: 0, rightInstance: 1 },
            { leftInstance: 1, rightInstance: 2 },
          ],
        },
      ],
    });
  });

  test('nests operators, and has one at the top', () => {
    const leaf = (field: string, value: number): object => ({
      type: 'SeqNode',
      field,
      table: 'Employee',
      instance: 0,
      oper: '=',
      value,
    });
    const node = (logicOper: string, ...parts: object[]): object => ({
      type: 'LogicOperatorNode',
      logicOper,
      parts,
    });
    const plan = (filter: string): object => plans(filtered(filter)).__extendedQueryPlan;
    expect(plan('ID=1')).toEqual(node('And', leaf('ID', 1)));
    expect(plan('(ID=1 or ID=2) except not(grade=3)')).toEqual(
      node('Except', node('Or', leaf('ID', 1), leaf('ID', 2)), node('Not', leaf('grade', 3))),
    );
  });

  test.each([
    ['12345678901234567890', '12345678901234567890'],
    ['1.50', '1.50'],
    ['007', '"007"'],
    [`'7'`, '"7"'],
    ['null', 'null'],
    [`[1,'a',null]`, '[1,"a",null]'],
  ])('has the value %s as it was given', (value, expected) => {
    const comparator = value.startsWith('[') ? 'in' : '=';
    const text = told(filtered(`extra.a ${comparator} ${value}`));
    expect(text).toContain(`"oper":"${comparator}","value":${expected}}`);
  });
});

test('fields come before those of the answer; null has no place for them', () => {
  expect(withFields('{"__COUNT":0}', '"__queryPlan":{},')).toBe('{"__queryPlan":{},"__COUNT":0}');
  expect(withFields('null', '"__queryPlan":{},')).toBe('null');
});
