import { afterEach, expect, test } from 'vitest';
import { NOBODY } from '../../../src/base/principal.ts';
import type { Database } from '../../../src/database/database.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import { change, query } from '../../targets/sql.ts';
import { closeAll, open, refusal } from './scripted.ts';
import type { TdsAnswer } from './tds-endpoint.ts';

afterEach(closeAll);

const ann = { ...gatewayContext, principal: { ...NOBODY, name: 'ann' } };
const good: TdsAnswer = { kind: 'rows', values: [] };

/** A database that is told who asks. @returns what came in behind what it is told at the start */
async function openTelling(
  answers: readonly TdsAnswer[],
): Promise<{ database: Database; since: () => string[] }> {
  // Telling, a statement and forgetting, and a statement that has waited for that.
  const { database, since } = await open([good, good, good, good, ...answers], { tellUser: true });
  await query(database, 'SELECT 1');
  const start = since().length;
  return { database, since: () => since().slice(start) };
}

test('a session is told before and after the transaction, which may be rolled back beneath it', async () => {
  const { database, since } = await openTelling([good, { kind: 'rolledBack' }]);
  expect((await refusal(change(database, 'INSERT', ann))).violation.rule).toBe('raised');
  await query(database, 'SELECT 1');
  // No login: it is the same connection, on which nobody is known any more.
  expect(since()).toEqual(['request', 'begin', 'request', 'request', 'request']);
});

test('a session that does not say that it forgot is ended', async () => {
  const failed: TdsAnswer = { kind: 'error', number: 50_000, message: 'no' };
  const { database, since } = await openTelling([good, good, failed]);
  await query(database, 'SELECT 1', ann);
  await query(database, 'SELECT 1');
  expect(since()).toEqual(['request', 'request', 'request', 'login', 'request']);
});
