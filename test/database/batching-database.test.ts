import { expect, test } from 'vitest';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import { ProtocolError } from '../../src/base/errors.ts';
import { batchingDatabase } from '../../src/database/batching-database.ts';
import type { Database, RunOptions } from '../../src/database/database.ts';
import { plainStatement, type Statement } from '../../src/sql/ir/statement.ts';
import type { Dialect } from '../../src/sql/dialect.ts';

const filtered = [{ schema: 's', table: 't', column: 'c', isRelated: false }];

/** Runs a statement twice at once. @returns the texts that the database was given */
async function twice(
  more: Partial<Statement>,
  options: Partial<RunOptions>,
  isSelective = true,
): Promise<readonly string[]> {
  const texts: string[] = [];
  const given: Partial<Database> = {
    dialect: { listText: (list) => list.join() } as Dialect,
    isSelective: () => isSelective,
    run: ({ statement: { text } }) => {
      texts.push(text);
      return Promise.resolve({ columns: [], rows: [] });
    },
  };
  const database = batchingDatabase(given as Database, () => '');
  const statement = { ...plainStatement('one'), together: () => plainStatement('both'), ...more };
  const run = (): Promise<unknown> =>
    database.run({ statement, values: ['1'] }, { ...gatewayContext, ...options });
  await Promise.all([run(), run()]);
  return texts;
}

test.each<[string, Partial<Statement>, Partial<RunOptions>, boolean]>([
  ['that does not ask for it', {}, {}, true],
  ['that has to see what was committed', {}, { batch: true, fresh: true }, true],
  ['whose filter finds many rows', { filtered }, { batch: true }, false],
])('a command runs by itself %s', async (_which, more, options, isSelective) => {
  expect(await twice(more, options, isSelective)).toEqual(['one', 'one']);
});

test.each<[string, Partial<Statement>]>([
  ['looks up one row', {}],
  ['has a filter that finds few rows', { filtered }],
  ['changes one row', { effect: 'write', commitsItself: 'statement' }],
])('a command joins others that %s', async (_which, more) => {
  expect(await twice(more, { batch: true })).toEqual(['both']);
});

test.each([
  ['read', 2],
  ['write', 1],
] as const)('a %s is tried %i times after a deadlock', async (effect, attempts) => {
  let tried = 0;
  const database = batchingDatabase(
    {
      run: () => {
        tried += 1;
        return tried === 1
          ? Promise.reject(new ProtocolError('deadlock', 'lost'))
          : Promise.resolve({ columns: [], rows: [] });
      },
    } as unknown as Database,
    () => '',
  );
  await database
    .run({ statement: plainStatement('x', effect), values: [] }, gatewayContext)
    .catch(() => undefined);
  expect(tried).toBe(attempts);
});
