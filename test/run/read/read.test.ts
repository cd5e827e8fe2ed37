import { describe, expect, test } from 'vitest';
import { TimeSlice } from '../../../src/base/time.ts';
import { wholeText } from '../../../src/base/text.ts';
import type { Row } from '../../../src/database/database.ts';
import { compileRead } from '../../../src/answer/entities/collection-writer.ts';
import { writtenText } from '../../../src/answer/entities/entity-writer.ts';
import { planRead } from '../../../src/plan/read/read.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import { type ReadResult, runRead } from '../../../src/run/read/read.ts';
import { readingFrom, type StatementSource } from '../../../src/run/run.ts';
import { batchingDatabase } from '../../../src/database/batching-database.ts';
import type { BatchingDatabase, Database } from '../../../src/database/database.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import { planning, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { postgres as dialect } from '../../fixtures/dialects.ts';
import { type PlannedStatement, readStatements } from '../../../src/run/read/plan-statements.ts';
import { querySteps } from '../../../src/run/read/query-path.ts';
import type { StatementRun } from '../../../src/base/observe/observer.ts';

const model = await sampleModel(readSnapshot('postgres'));
const { ast, values } = parseRequest('/rest/Company?$attributes=ID&$expand=employees&$top=200');
if (ast.kind !== 'read') throw new Error('not a read');
const plan = planRead(ast, planning(model, dialect));

/** Reads 200 companies. @param employees how many each of them has */
async function reading(
  employees: number,
  enoughRows?: number,
): Promise<{ readonly lists: readonly number[]; readonly result: ReadResult }> {
  const lists: number[] = [];
  const run: StatementSource['run'] = ({ readers }, { rows }) => {
    const row = (...first: string[]): Row => readers.map((_, index) => first[index] ?? null);
    if (rows !== undefined) lists.push(rows.length);
    return Promise.resolve(
      rows === undefined
        ? Array.from({ length: 200 }, (_, index) => readers.map(() => String(index)))
        : rows.flatMap((_, ordinal) =>
            Array.from({ length: employees }, () => row(String(ordinal), String(employees))),
          ),
    );
  };
  return { lists, result: await runRead(plan, values, { dialect, run, enoughRows }) };
}

describe('of an answer that is cut', () => {
  test('no more related rows are read than are enough', async () => {
    expect((await reading(100)).lists).toEqual([200]);
    const { lists, result } = await reading(100, 250);
    expect(lists).toEqual([3]);
    const writing = compileRead(plan)(result);
    const text = wholeText(await writtenText(writing, new TimeSlice(), undefined, 4000));
    expect(text.length).toBeGreaterThan(4000);
    expect(text.length).toBeLessThan(10_000);
  });

  test('a list that was not read is never told as an empty one', async () => {
    const { result } = await reading(100, 250);
    await expect(writtenText(compileRead(plan)(result), new TimeSlice())).rejects.toThrow(
      'The answer would hold more than 300 related entities',
    );
  });
});

describe('the length of a collection', () => {
  /** A database that answers pages of one row, and counts. */
  function counting(texts: string[], length: string): BatchingDatabase {
    const run: Database['run'] = async ({ statement: { text, readers } }) => {
      const isCount = text.startsWith('SELECT COUNT(*)');
      texts.push(isCount ? 'count' : 'page');
      await new Promise(setImmediate);
      return { columns: [], rows: [isCount ? [length] : readers.map(() => '7')] };
    };
    const pool = (): object => ({ size: 2, used: 0, waiting: 0 });
    return batchingDatabase({ dialect, run, pool } as unknown as Database, () => '');
  }

  async function countOf(database: BatchingDatabase, path = ''): Promise<number> {
    const { ast, values } = parseRequest(`/rest/Country?$attributes=name&$top=1${path}`);
    if (ast.kind !== 'read') throw new Error('not a read');
    const epoch = database.epoch();
    const source = readingFrom({ database, activity: gatewayContext }, { epoch });
    return (await runRead(planRead(ast, planning(model, dialect)), values, source)).count;
  }

  test('is counted once for all pages that were asked for before, whenever they have their turn', async () => {
    const texts: string[] = [];
    const database = counting(texts, '9');
    const counts = await Promise.all(Array.from({ length: 6 }, () => countOf(database)));
    expect(counts).toEqual(Array(6).fill(9));
    expect(texts.filter((text) => text === 'count')).toHaveLength(1);
    await countOf(database);
    // It is known now that the page will need it.
    expect(texts.slice(-2)).toEqual(['count', 'page']);
  });

  test('is no less than what a page shows, which may have been read behind it', async () => {
    expect(await countOf(counting([], '2'), '&$skip=4')).toBe(5);
  });
});

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
