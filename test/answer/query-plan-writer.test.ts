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

/** A node of an extended plan. */
interface PlanNode {
  readonly logicOper?: string;
  readonly parts?: readonly PlanNode[];
  readonly joinPath?: readonly Record<string, string | number>[];
  readonly filter?: PlanNode;
  readonly table: string;
  readonly instance: number;
  readonly [more: string]: unknown;
}

/** A node in words: `Company 0.name = A` behind the joins that lead there. */
function inWords({
  logicOper,
  parts,
  joinPath,
  filter,
  table,
  instance,
  ...leaf
}: PlanNode): unknown {
  if (parts !== undefined) return [logicOper, ...parts.map(inWords)];
  if (joinPath === undefined || filter === undefined) {
    return `${table} ${instance}.${String(leaf['field'])} ${String(leaf['oper'])} ${String(leaf['value'])}`;
  }
  const joins = joinPath.map(
    (join) =>
      `${join['leftTable']} ${join['leftInstance']}.${join['leftField']} = ` +
      `${join['rightTable']} ${join['rightInstance']}.${join['rightField']}`,
  );
  expect([leaf['targetTable'], instance]).toEqual([filter.table, filter.instance]);
  return [...joins, inWords(filter)].join(', ');
}

describe('the extended plan', () => {
  test.each(rows`
    ID=1 | [And, Employee 0.ID = 1]
    (ID=1 or ID=2) except not(grade=3) | [Except, [Or, Employee 0.ID = 1, Employee 0.ID = 2], [Not, Employee 0.grade = 3]]
    # One join to one serves both conditions; each condition on many is met by an entity of its own.
    employer.name = 'A' and employer.creditLimit > 5
      | [And, 'Employee 0.employer = Company 0.ID, Company 0.name = A', 'Employee 0.employer = Company 0.ID, Company 0.creditLimit > 5']
    projects.name = 'x' and projects.code = 'y'
      | [And, 'Employee 0.ID = Assignment 0.employeeID, Assignment 0.projectID = Project 0.ID, Project 0.name = x', 'Employee 0.ID = Assignment 1.employeeID, Assignment 1.projectID = Project 1.ID, Project 1.code = y']
    manager.manager.grade = 7 | [And, 'Employee 0.manager = Employee 1.ID, Employee 1.manager = Employee 2.ID, Employee 2.grade = 7']
  `)('of %s', (filter, expected) => {
    expect(inWords(plans(filtered(filter)).__extendedQueryPlan as PlanNode)).toEqual(
      parsed(expected),
    );
  });

  test.each(rows`
    = | 12345678901234567890 | 12345678901234567890
    = | 1.50                 | 1.50
    = | 007                  | "007"
    = | '7'                  | "7"
    = | null                 | null
    in | [1,'a',null]        | [1,"a",null]
  `)('has the value of %s %s as it was given', (comparator, value, expected) => {
    const text = told(filtered(`extra.a ${comparator} ${value}`));
    expect(text).toContain(`"oper":"${comparator}","value":${expected}}`);
  });
});
