import { expect, test } from 'vitest';
import { noObserver } from '../../src/base/observe/observer.ts';
import { plainStatement } from '../../src/sql/ir/statement.ts';
import { doneFor, fakeDatabase } from './fake-driver.ts';

// https://www.postgresql.org/docs/current/errcodes-appendix.html
test.each([
  ['42501', 'permission denied for sequence shipper_id_seq'],
  ['23514', 'new row for relation "orders" violates check constraint "ck_dates"'],
  ['23503', 'update on table "a" violates foreign key constraint "fk_b"'],
])('what an operator may have to change is told, once for each change: %s', async (code, words) => {
  expect(await warnings(code, words)).toEqual([`The database refused a change: ${words}`]);
});

test.each(['23505', '22P02', '40001'])(
  'what holds values, or passes by itself, is not told: %s',
  async (code) => {
    expect(await warnings(code, 'Key (name)=(Ada) exists')).toEqual([]);
  },
);

async function warnings(code: string, words: string): Promise<string[]> {
  const heard: string[] = [];
  const refused = Object.assign(new Error(words), { code });
  const { database } = fakeDatabase({ run: () => Promise.reject(refused) });
  const observer = { ...noObserver, warned: (text: string) => heard.push(text) };
  const statement = plainStatement('UPDATE t SET a = 1', 'write');
  const changing = database.run({ statement, values: [] }, doneFor('ada', { observer }));
  await expect(changing).rejects.toThrow();
  return heard;
}
