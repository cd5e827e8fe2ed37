import { expect, test } from 'vitest';
import { readStatements, type PlannedStatement } from '../../../src/run/read/plan-statements.ts';
import { keepingStatements, querySteps } from '../../../src/run/read/query-path.ts';
import { noObserver, type StatementRun } from '../../../src/base/observe/observer.ts';
import { planRead } from '../../../src/plan/read/read.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { planning, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { postgres as dialect } from '../../fixtures/dialects.ts';

const model = await sampleModel(readSnapshot('postgres'));

function statementsOf(url: string): PlannedStatement[] {
  const { ast, values } = parseRequest(url);
  if (ast.kind !== 'read') throw new Error(`${url} is not a read`);
  return readStatements(planRead(ast, planning(model, dialect)), values);
}

const run = (
  { statement: { name, text } }: PlannedStatement,
  rows: number | null,
): StatementRun => ({
  name,
  text,
  milliseconds: 1,
  rows,
});

const step = (description: string, rows: number | null, ...steps: object[]): object => ({
  description,
  milliseconds: 1,
  rows,
  steps,
});

test('what is related stands below the rows that it was fetched for', () => {
  const statements = statementsOf(
    '/rest/Employee?$attributes=projects.name,directReports.projects.name,employer.employees.ID',
  );
  const [page, count, projects, reports, theirs, colleagues] = statements as [
    PlannedStatement,
    PlannedStatement,
    PlannedStatement,
    PlannedStatement,
    PlannedStatement,
    PlannedStatement,
  ];
  expect(theirs.statement.name).toBe(projects.statement.name);
  const stamp: StatementRun = { name: 'x', text: 'SELECT 1', milliseconds: 1, rows: 1 };
  const runs = [
    ...[run(page, null), run(page, 5), run(colleagues, 9), run(projects, 4), run(count, 1)],
    ...[run(reports, 3), run(theirs, 2), stamp],
  ];
  expect(querySteps(runs, statements, 'Employee')).toEqual([
    step('the page of Employee', null),
    step(
      'the page of Employee',
      5,
      step('employer.employees', 9),
      step('projects', 4),
      step('directReports', 3, step('directReports.projects', 2)),
    ),
    step('how many entities of Employee there are', 1),
    step('the global stamp', 1),
  ]);
});

test('a single entity, and the entity that a path begins with', () => {
  const [entity] = statementsOf('/rest/Employee(1)') as [PlannedStatement];
  expect(querySteps([run(entity, 1)], [entity], 'Employee')).toEqual([
    step('the entity of Employee', 1),
  ]);
  const statements = statementsOf('/rest/Company(1)/employees');
  expect(
    querySteps(
      statements.map((one) => run(one, 0)),
      statements,
      'Employee',
    ),
  ).toEqual([
    step('the page of Employee', 0),
    step('whether the entity in the path exists', 0),
    step('how many entities of Employee there are', 0),
  ]);
});

test('what is kept of statements is told to the other observer as well', () => {
  const told: StatementRun[] = [];
  const kept: StatementRun[] = [];
  const observer = keepingStatements(
    { ...noObserver, statementRun: (one) => told.push(one) },
    kept,
  );
  const one: StatementRun = { name: 'x', text: 'SELECT 1', milliseconds: 1, rows: 1 };
  observer.statementRun(one);
  expect([told, kept]).toEqual([[one], [one]]);
});
