import { expect, test } from 'vitest';
import { Gathering } from '../../../src/database/sqlserver/row-stream.ts';

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
