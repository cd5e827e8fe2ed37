import { describe, expect, test } from 'vitest';
import { planCompute } from '../../src/plan/read/compute.ts';
import { planDistinct } from '../../src/plan/read/distinct.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import { compileCompute, compileDistinct } from '../../src/answer/values-writer.ts';
import type { Dialect } from '../../src/sql/dialect.ts';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';
import { planning, readSnapshot, sampleModel } from '../fixtures/legacy/model.ts';
import { parsed, rows } from '../rows.ts';

const postgres = await sampleModel(readSnapshot('postgres'));
const tsql = await sampleModel(readSnapshot('tsql'));

function dialectOf(name: 'postgres' | 'tsql', bigNumbersAsStrings: boolean): Dialect {
  const settings = { timeZone: 'UTC', bigNumbersAsStrings };
  return name === 'postgres' ? postgresDialect(settings, { version: 17 }) : tsqlDialect(settings);
}

/** The answer to a question for values, from rows as a driver hands them over. */
function answer(
  path: string,
  rows: readonly (readonly unknown[])[],
  name: 'postgres' | 'tsql' = 'postgres',
  bigNumbersAsStrings = false,
): string {
  const { ast } = parseRequest(`/rest/${path}`);
  const model = name === 'postgres' ? postgres : tsql;
  const dialect = dialectOf(name, bigNumbersAsStrings);
  if (ast.kind === 'compute') {
    const [row] = rows;
    const printed = planCompute(ast, planning(model, dialect));
    return compileCompute(printed)(row === undefined ? null : [...row]);
  }
  if (ast.kind !== 'distinct') throw new Error(`${path} asks for no values`);
  const printed = planDistinct(ast, planning(model, dialect));
  return compileDistinct(printed)(rows.map((row) => [...row]));
}

describe('what is computed', () => {
  test.each(rows`
    Company/creditLimit?$compute=$all     | ['2', '25.5000', '1.2500', '24.2500']  | {"creditLimit":{"count":2,"sum":25.5000,"average":12.75,"min":1.2500,"max":24.2500}}
    Company/creditLimit?$compute=$all     | ['0', null, null, null]                | {"creditLimit":{"count":0,"sum":0,"average":null,"min":null,"max":null}}
    Employee/lastName?$compute=$all       | ['0', null, null]                      | {"lastName":{"count":0,"min":null,"max":null}}
    Employee/firstName?$compute=min       | ['2', 'Ada                 ']          | "Ada"
    Company/latitude?$compute=average     | ['3', '1']                             | 0.3333333333333333
    # Numbers, texts, and something else.
    Employee/extra.level?$compute=$all    | ['5', '2', '3.50', '1.0', '2.5', a, b] | {"extra.level":{"count":5,"sum":3.5,"average":1.75,"min":1,"max":2.5}}
    Employee/extra.level?$compute=$all    | ['3', '0', null, null, null, a, b]     | {"extra.level":{"count":3,"min":"a","max":"b"}}
    Employee/extra.level?$compute=max     | ['3', '0', null, b]                    | "b"
    Employee/extra.level?$compute=sum     | ['3', '0', null]                       | 0
    Employee/extra.level?$compute=average | ['3', '0', null]                       | null
  `)('%s of %j', (path, row, text) => {
    expect(answer(path, [parsed(row)])).toBe(text);
  });

  test('of nothing that was looked at', () => {
    expect(answer('Employee/grade?$compute=$all&$top=0', [])).toBe(
      '{"grade":{"count":0,"sum":0,"average":null,"min":null,"max":null}}',
    );
  });

  test('is the same of what another engine hands over', () => {
    const path = 'Employee/extra.level?$compute=$all';
    const row = ['5', '2', '3.5000000000', '1.0000000000', '2.5000000000', null, null];
    expect(answer(path, [row], 'tsql')).toBe(
      '{"extra.level":{"count":5,"sum":3.5,"average":1.75,"min":1,"max":2.5}}',
    );
  });

  test('is text where it is long and big numbers are', () => {
    const row = ['2', '18014398509481985'];
    expect(answer('Company/registrationNo?$compute=sum', [row], 'postgres', true)).toBe(
      '"18014398509481985"',
    );
    expect(answer('Company/registrationNo?$compute=average', [row], 'postgres', true)).toBe(
      '"9007199254740992.5"',
    );
  });
});

test('distinct values are those of whichever column has one', () => {
  const rows = [
    ['f', null, null],
    ['t', null, null],
    [null, 'a "b"', null],
    [null, null, '1.50'],
    [null, null, '20'],
  ];
  const path = 'Employee/extra.level?$distinct=true';
  expect(answer(path, rows)).toBe('[false,true,"a \\"b\\"",1.5,20]');
  expect(answer(path, [])).toBe('[]');
  expect(answer('Company/creditLimit?$distinct=true', [['1.2500']])).toBe('[1.2500]');
  expect(answer('Employee/firstName?$distinct=true', [['Ada      ']])).toBe('["Ada"]');
});
