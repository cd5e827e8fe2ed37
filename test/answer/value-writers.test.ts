import { describe, expect, test } from 'vitest';
import { planCompute } from '../../src/plan/read/compute.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import { compileCompute } from '../../src/answer/values-writer.ts';
import type { Dialect } from '../../src/sql/dialect.ts';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';
import { planning, readSnapshot, sampleModel } from '../fixtures/legacy/model.ts';
import { parsed, rows } from '../rows.ts';
import type { CalledAnswer } from '../../src/run/call/called-rows.ts';
import type { CallPlan } from '../../src/plan/call/call.ts';
import type { FunctionReturn } from '../../src/model/functions/function-types.ts';
import { compileCall } from '../../src/answer/call-writer.ts';

const postgres = await sampleModel(readSnapshot('postgres'));
const tsql = await sampleModel(readSnapshot('tsql'));

function dialectOf(name: 'postgres' | 'tsql', bigNumbersAsStrings: boolean): Dialect {
  const settings = { timeZone: 'UTC', bigNumbersAsStrings };
  return name === 'postgres' ? postgresDialect(settings, { version: 17 }) : tsqlDialect(settings);
}

/** The answer to a question for values, from a row as a driver hands it over. */
function answer(
  path: string,
  row: readonly unknown[],
  name: 'postgres' | 'tsql' = 'postgres',
  bigNumbersAsStrings = false,
): string {
  const { ast } = parseRequest(`/rest/${path}`);
  const model = name === 'postgres' ? postgres : tsql;
  const dialect = dialectOf(name, bigNumbersAsStrings);
  if (ast.kind !== 'compute') throw new Error(`${path} computes nothing`);
  const write = compileCompute(planCompute(ast, planning(model, dialect)));
  return write([...row]);
}

describe('what is computed', () => {
  test.each(rows`
    # Numbers, texts, and something else.
    Employee/extra.level?$compute=$all    | ['5', '2', '3.50', '1.0', '2.5', a, b] | {"extra.level":{"count":5,"sum":3.5,"average":1.75,"min":1,"max":2.5}}
    Employee/extra.level?$compute=$all    | ['3', '0', null, null, null, a, b]     | {"extra.level":{"count":3,"min":"a","max":"b"}}
    Employee/extra.level?$compute=max     | ['3', '0', null, b]                    | "b"
    Employee/extra.level?$compute=sum     | ['3', '0', null]                       | 0
    Employee/extra.level?$compute=average | ['3', '0', null]                       | null
  `)('%s of %j', (path, row, text) => {
    expect(answer(path, parsed(row))).toBe(text);
  });

  test('is text where it is long and big numbers are', () => {
    const row = ['2', '18014398509481985'];
    expect(answer('Company/registrationNo?$compute=sum', row, 'postgres', true)).toBe(
      '"18014398509481985"',
    );
    expect(answer('Company/registrationNo?$compute=average', row, 'postgres', true)).toBe(
      '"9007199254740992.5"',
    );
  });
});

describe('call writer', () => {
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
  const nothing: CalledAnswer = { results: [], outputs: new Map(), returned: 'null' };

  test.each(rows`
    {kind: nothing}                  | null | null
    {kind: value}                    | 1    | null
    {kind: row}                      | {"a":1,"column2":null,"a_2":"x"} | null
    {kind: rows}                     | [{"a":1,"column2":null,"a_2":"x"},{"a":2,"column2":"y","a_2":null}] | []
    {kind: output, parameter: TOTAL} | 1.50 | null
    {kind: all}                      | {"returnValue":-4,"output":{"TOTAL":1.50,"NOTE":null},"resultSets":[[{"a":1,"column2":null,"a_2":"x"},{"a":2,"column2":"y","a_2":null}],[]]}
      | {"returnValue":null,"output":{},"resultSets":[]}
  `)('%j is written as %s, and of no answer as %s', (returns, ...expected) => {
    const called = { returns: parsed<FunctionReturn>(returns) };
    const write = compileCall({ called, answer: null } as unknown as CallPlan);
    const texts = [answer, nothing].map((of) => {
      const text = write({ kind: 'answer', answer: of });
      return typeof text === 'string' ? text : [...text].join('');
    });
    expect(texts).toEqual(expected.map((text) => `{"result":${text}}`));
  });
});
