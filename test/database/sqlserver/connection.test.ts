import { expect, test } from 'vitest';
import { levelProblem } from '../../../src/database/sqlserver/open.ts';
import { Gathering } from '../../../src/database/sqlserver/row-stream.ts';

const SERVER = 'Microsoft SQL Server 2019 (RTM-CU18) (KB5017593) - 15.0.4261.1 (X64)';

test('a compatibility level below 130 is told with the mend (learn: openjson)', () => {
  expect(levelProblem(SERVER, 120)).toBe(
    'the database has compatibility level 120, and the gateway needs at least 130: ' +
      'ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = 130, on SQL Server 2016 or later',
  );
  expect(levelProblem('Microsoft SQL Azure (RTM) - 12.0.2000.8', 100)).toContain('level 100');
});

test.each([
  [SERVER, 130],
  [SERVER, 160],
  [SERVER, null],
  ['Babelfish for PostgreSQL with SQL Server Compatibility - 12.0.2000.8', 120],
])('%s with level %s will do', (version, level) => {
  expect(levelProblem(version, level)).toBeNull();
});

test('chunks are put behind each other as they come, the last one beyond what is wanted', () => {
  const gathering = new Gathering(Buffer.from('ab'), 4);
  expect(gathering.add(Buffer.from('c'))).toBe(true);
  expect(gathering.add(Buffer.from('def'))).toBe(true);
  expect([gathering.length, gathering.bytes().toString()]).toEqual([6, 'abcdef']);
});

test('what there is no room for is not taken', () => {
  const gathering = new Gathering(Buffer.from('ab'), 1);
  expect(gathering.add(Buffer.alloc(65_537))).toBe(false);
  expect(gathering.add(Buffer.from('c'))).toBe(true);
  expect(gathering.bytes().toString()).toBe('abc');
});

test('no more is reserved than a server may answer, whatever it says', () => {
  const gathering = new Gathering(Buffer.from('ab'), 2 ** 50);
  expect(gathering.bytes().toString()).toBe('ab');
});
