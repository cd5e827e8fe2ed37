import { expect, test } from 'vitest';
import type { CalledAnswer } from '../../src/run/call/called-rows.ts';
import type { CallPlan } from '../../src/plan/call/call.ts';
import type { FunctionReturn } from '../../src/model/functions/function-types.ts';
import { compileCall } from '../../src/answer/call-writer.ts';

const reader = { text: String, json: (value: unknown) => JSON.stringify(value) };
const columns = ['a', '', 'a'].map((name) => ({ name, reader }));

const answer: CalledAnswer = {
  results: [
    {
      columns,
      rows: [
        [1, null, 'x'],
        [2, 'y', null],
      ],
    },
    { columns: columns.slice(0, 1), rows: [] },
  ],
  outputs: new Map([
    ['TOTAL', '1.50'],
    ['NOTE', 'null'],
  ]),
  returned: '-4',
};

function written(returns: FunctionReturn, of = answer): string {
  const printed = { called: { returns }, answer: null } as unknown as CallPlan;
  const text = compileCall(printed)({ kind: 'answer', answer: of });
  return typeof text === 'string' ? text : [...text].join('');
}

test.each<readonly [FunctionReturn, string]>([
  [{ kind: 'nothing' }, 'null'],
  [{ kind: 'value' }, '1'],
  [{ kind: 'row' }, '{"a":1,"column2":null,"a_2":"x"}'],
  [{ kind: 'rows' }, '[{"a":1,"column2":null,"a_2":"x"},{"a":2,"column2":"y","a_2":null}]'],
  [{ kind: 'output', parameter: 'TOTAL' }, '1.50'],
  [
    { kind: 'all' },
    '{"returnValue":-4,"output":{"TOTAL":1.50,"NOTE":null},' +
      '"resultSets":[[{"a":1,"column2":null,"a_2":"x"},{"a":2,"column2":"y","a_2":null}],[]]}',
  ],
])('%j is written as %s', (returns, expected) => {
  expect(written(returns)).toBe(`{"result":${expected}}`);
});

test.each<readonly [FunctionReturn, string]>([
  [{ kind: 'value' }, 'null'],
  [{ kind: 'row' }, 'null'],
  [{ kind: 'rows' }, '[]'],
  [{ kind: 'all' }, '{"returnValue":null,"output":{},"resultSets":[]}'],
])('%j of no answer is %s', (returns, expected) => {
  const nothing = { results: [], outputs: new Map(), returned: 'null' };
  expect(written(returns, nothing)).toBe(`{"result":${expected}}`);
});
