import { expect, test } from 'vitest';
import { readPlan } from '../../../src/explorer/plans/plan-tree.ts';

const leaf = (title: string, facts: string[] = [], share: number | null = null) => ({
  title,
  facts,
  share,
  children: [],
});

test('a plan is a tree of conditions, of steps and of what the engine expects', () => {
  const plan = readPlan({
    __queryPlan: {
      And: [
        { item: 'Join', subquery: [{ item: 'Company.name = Acme' }] },
        { Or: [{ item: 'a' }, { item: 'b' }] },
      ],
    },
    __queryPath: {
      steps: [
        {
          description: 'the page',
          time: 3,
          recordsfounds: 2,
          steps: [{ description: 'projects', time: 1, recordsfounds: 1, steps: [] }],
        },
        { description: 'how many', time: 1, recordsfounds: 1, steps: [] },
        { description: 'again', time: null, recordsfounds: null, steps: [] },
      ],
    },
    __sql: [
      { role: 'page', text: 'SELECT 1' },
      { role: 'related', path: 'projects', text: 'SELECT 2' },
    ],
    __enginePlan: [
      {
        role: 'page',
        plan: [
          {
            Plan: {
              'Node Type': 'Limit',
              'Total Cost': 10,
              'Plan Rows': 5,
              Plans: [
                {
                  'Node Type': 'Index Scan',
                  'Relation Name': 'emp',
                  'Index Name': 'pk',
                  'Total Cost': 8,
                  'Plan Rows': 1,
                  'Index Cond': '(id = 1)',
                },
              ],
            },
          },
        ],
      },
    ],
  });
  expect(plan).toEqual({
    query: {
      ...leaf('And'),
      children: [
        { ...leaf('Join'), children: [leaf('Company.name = Acme')] },
        { ...leaf('Or'), children: [leaf('a'), leaf('b')] },
      ],
    },
    steps: [
      {
        ...leaf('the page', ['3 ms', '2 rows'], 0.75),
        children: [leaf('projects', ['1 ms', '1 row'], 0.25)],
      },
      leaf('how many', ['1 ms', '1 row'], 0.25),
      leaf('again', ['failed, and was tried again']),
    ],
    statements: [
      { title: 'page', text: 'SELECT 1' },
      { title: 'related projects', text: 'SELECT 2' },
    ],
    engine: [
      {
        title: 'page',
        plan: {
          ...leaf('Limit', ['cost 10', '5 rows'], 0.2),
          children: [leaf('Index Scan on emp by pk', ['cost 8', '1 row', '(id = 1)'], 0.8)],
        },
      },
    ],
  });
});

test('an answer without plans has none, and no condition is all entities', () => {
  expect(readPlan({ __queryPlan: { And: [] } })).toEqual({
    query: leaf('All entities'),
    steps: [],
    statements: [],
    engine: [],
  });
  expect(readPlan([])).toEqual({ query: null, steps: [], statements: [], engine: [] });
});
