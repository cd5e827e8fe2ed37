import { beforeEach, expect, test } from 'vitest';
import { ClientGone } from '../../src/base/time.ts';
import { ProtocolError } from '../../src/base/errors.ts';
import type {
  Command,
  EncodedRows,
  ResultSet,
  Row,
  RunOptions,
} from '../../src/database/database.ts';
import { DataRows } from '../../src/database/postgres/row-reader.ts';
import { LookupBatcher } from '../../src/database/batching-database.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import type { Parameter, ValueSource } from '../../src/sql/ir/ir.ts';
import type { Dialect } from '../../src/sql/dialect.ts';
import type { Statement } from '../../src/sql/ir/statement.ts';
import { integerReader } from '../../src/sql/postgres/readers.ts';
import { dataRow } from './postgres/messages.ts';

/** A statement that the database was given. */
interface Given {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly signal: AbortSignal;
  readonly answer: (rows: readonly Row[], encoded?: EncodedRows) => void;
  readonly fail: (error: Error) => void;
}

let given: Given[];
let lookups: LookupBatcher;
beforeEach(() => {
  given = [];
  lookups = new LookupBatcher(
    {
      dialect: { listText: (texts) => texts.join('|') } as Dialect,
      run: ({ statement: { text }, values }, { signal }) =>
        new Promise((resolve, reject) => {
          const answer: Given['answer'] = (rows, encoded) =>
            resolve({ columns: [], rows, ...(encoded && { encoded }) });
          given.push({ text, values, signal, answer, fail: reject });
        }),
    },
    ({ name }) => name ?? '',
  );
});

function parameter(source: ValueSource): Parameter {
  const type = { kind: 'integer', bits: 32, signed: true, native: 'int4' } as const;
  return { kind: 'parameter', source, type, use: 'value', meets: '' };
}

const one: Omit<Statement, 'together'> = {
  name: 'one',
  text: 'one',
  effect: 'read',
  parameters: [
    parameter({ from: 'request', parameter: 0 }),
    parameter({ from: 'claim', name: 'tenant' }),
  ],
  readers: [],
};

async function lookup(
  key: string,
  { tenant = 'a', text = 'one', ...options }: Partial<RunOptions> & Lookup = {},
): Promise<readonly Row[]> {
  const together = (): Statement => ({ ...one, text: `${text} for all` });
  const command: Command = { statement: { ...one, text, together }, values: [key, tenant] };
  return (await lookups.run(command, { ...gatewayContext, ...options })).rows;
}

interface Lookup {
  readonly tenant?: string;
  readonly text?: string;
}

/** What the database was given so far, without how it is answered. */
function told(): readonly (readonly [string, readonly unknown[]])[] {
  return given.map(({ text, values }) => [text, values]);
}

async function turn(): Promise<void> {
  await new Promise(setImmediate);
  await new Promise(setImmediate);
}

test('those that come in one turn are one statement, and each gets its own rows', async () => {
  const found = [lookup('1'), lookup('2'), lookup('1'), lookup('3')];
  await turn();
  expect(told()).toEqual([['one for all', ['1|2|1|3', 'a']]]);
  given[0]?.answer([
    ['third', '3'],
    ['first', '1'],
    ['last', '4'],
  ]);
  expect(await Promise.all(found)).toEqual([
    [['first', '1']],
    [],
    [['third', '3']],
    [['last', '4']],
  ]);
});

test('what differs in more than the requests’ values is asked for by itself', async () => {
  const { principal } = gatewayContext;
  void lookup('1');
  void lookup('2', { tenant: 'b' });
  void lookup('3', { text: 'another' });
  void lookup('4', { principal: { ...principal, name: 'ann' } });
  void lookup('5', { principal: { ...principal, name: 'bob' } });
  void lookup('6', { principal: { ...principal, name: 'ann' } });
  await turn();
  expect(told()).toEqual([
    ['one', ['1', 'a']],
    ['one', ['2', 'b']],
    ['another', ['3', 'a']],
    ['one for all', ['4|6', 'a']],
    ['one', ['5', 'a']],
  ]);
});

test('no statement is for more than 32', async () => {
  const found = Array.from({ length: 66 }, (_, n) => lookup(String(n)));
  await turn();
  expect(given.map(({ text, values }) => [text, String(values[0]).split('|').length])).toEqual([
    ['one for all', 32],
    ['one for all', 32],
    ['one for all', 2],
  ]);
  given[1]?.answer([['x', '1']]);
  expect(await found[32]).toEqual([['x', '1']]);
});

test('what is refused for all is tried for each, and the others get their rows', async () => {
  const found = [lookup('1'), lookup('2')];
  await turn();
  given[0]?.fail(new ProtocolError('refusedByDatabase', 'no'));
  await turn();
  expect(told().slice(1)).toEqual([
    ['one', ['1', 'a']],
    ['one', ['2', 'a']],
  ]);
  given[1]?.fail(new ProtocolError('refusedByDatabase', 'division by zero'));
  given[2]?.answer([['y']]);
  await expect(found[0]).rejects.toThrow('division by zero');
  expect(await found[1]).toEqual([['y']]);
});

test.each(['databaseUnavailable', 'outcomeUnknown'] as const)(
  'what fails for all, or may have been done, nobody asks again: %s',
  async (name) => {
    const found = [lookup('1'), lookup('2')];
    await turn();
    given[0]?.fail(new ProtocolError(name, 'no'));
    const settled = await Promise.allSettled(found);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(given).toHaveLength(1);
  },
);

test('who leaves keeps nobody from their rows, and the last one ends the statement', async () => {
  const leaving = [new AbortController(), new AbortController()];
  const found = leaving.map(({ signal }, n) => lookup(String(n), { signal }));
  await turn();
  leaving[0]?.abort();
  await expect(found[0]).rejects.toThrow(ClientGone);
  expect(given[0]?.signal.aborted).toBe(false);
  leaving[1]?.abort();
  await expect(found[1]).rejects.toThrow(ClientGone);
  expect(given[0]?.signal.aborted).toBe(true);
});

test('a value that is null, or long, is sought by itself', async () => {
  const [long, short] = ['x'.repeat(1001), 'x'.repeat(1000)];
  void lookup('1');
  void lookup(long);
  void lookup(short);
  const together = (): Statement => ({ ...one, text: 'one for all' });
  void lookups.run({ statement: { ...one, together }, values: [null, 'a'] }, gatewayContext);
  await turn();
  expect(told()).toEqual([
    ['one', [long, 'a']],
    ['one', [null, 'a']],
    ['one for all', [`1|${short}`, 'a']],
  ]);
});

test('rows as they came are told apart, and are taken by who asked for them so', async () => {
  const took = (key: string): Promise<ResultSet> => {
    const together = (): Statement => ({ ...one, text: 'one for all', readers: [integerReader] });
    const command = { statement: { ...one, together }, values: [key, 'a'] };
    return lookups.run(command, { ...gatewayContext, encoded: true });
  };
  const all = [took('1'), lookup('2'), took('3')];
  await turn();
  expect(told()).toEqual([
    ['one for all', ['1|3', 'a']],
    ['one', ['2', 'a']],
  ]);
  const rows = new DataRows();
  const bytes = Buffer.concat([dataRow(['2']), dataRow(['2'])]);
  rows.add(bytes, 0, bytes.length);
  given[0]?.answer([], rows);
  given[1]?.answer([['x']]);
  const [first, , last] = (await Promise.all(all)) as ResultSet[];
  expect([first?.encoded?.length, last?.encoded?.length]).toEqual([0, 2]);
  expect(last?.rows).toEqual([]);
});
