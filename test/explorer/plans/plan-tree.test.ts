import { expect, test } from 'vitest';
import { readPlan } from '../../../src/explorer/plans/plan-tree.ts';
import type { JsonObject } from '../../../src/explorer/rest/json.ts';

type Tree = Record<string, unknown>;

const tree = (
  title: string,
  facts: string[],
  share: number | null,
  children: Tree[] = [],
): Tree => ({
  ...{ title, facts, share, children },
});
const condition = (title: string, ...children: Tree[]): Tree => tree(title, [], null, children);
const none = { query: null, steps: [], statements: [], engine: [] };

test('conditions', () => {
  const joined = { item: 'Join', subquery: [{ item: 'Company.name = Acme' }] };
  const either = { Or: [{ item: 'a' }, { item: 'b' }] };
  expect(readPlan({ __queryPlan: { And: [joined, either] } })).toEqual({
    ...none,
    query: condition(
      'And',
      condition('Join', condition('Company.name = Acme')),
      condition('Or', condition('a'), condition('b')),
    ),
  });
  expect(readPlan({ __queryPlan: { And: [] } })).toEqual({
    ...none,
    query: condition('All entities'),
  });
  expect(readPlan([])).toEqual(none);
});

test('steps, with their share of the time, and what failed', () => {
  const step = (
    description: string,
    time: number | null,
    rows: number | null,
    steps: readonly JsonObject[] = [],
  ): JsonObject => ({ description, time, recordsfounds: rows, steps });
  const steps = [
    step('page', 3, 2, [step('projects', 1, 1)]),
    step('count', 1, 1),
    step('again', null, null),
  ];
  expect(readPlan({ __queryPath: { steps } })).toEqual({
    ...none,
    steps: [
      tree('page', ['3 ms', '2 rows'], 0.75, [tree('projects', ['1 ms', '1 row'], 0.25)]),
      tree('count', ['1 ms', '1 row'], 0.25),
      tree('again', ['failed, and was tried again'], null),
    ],
  });
});

test('statements, and what the engine expects', () => {
  const scan = {
    ...{ 'Node Type': 'Index Scan', 'Relation Name': 'emp', 'Index Name': 'pk' },
    ...{ 'Total Cost': 8, 'Plan Rows': 1, 'Index Cond': '(id = 1)' },
  };
  const Plan = { 'Node Type': 'Limit', 'Total Cost': 10, 'Plan Rows': 5, Plans: [scan] };
  const plan = readPlan({
    __sql: [
      { role: 'page', text: 'SELECT 1' },
      { role: 'related', path: 'projects', text: 'SELECT 2' },
    ],
    __enginePlan: [{ role: 'page', plan: [{ Plan }] }],
  });
  const index = tree('Index Scan on emp by pk', ['cost 8', '1 row', '(id = 1)'], 0.8);
  expect(plan).toEqual({
    ...none,
    statements: [
      { title: 'page', text: 'SELECT 1' },
      { title: 'related projects', text: 'SELECT 2' },
    ],
    engine: [{ title: 'page', plan: tree('Limit', ['cost 10', '5 rows'], 0.2, [index]) }],
  });
});
