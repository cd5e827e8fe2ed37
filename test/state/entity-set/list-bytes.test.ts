import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { KeyListBuilder } from '../../../src/state/entity-set/builder.ts';
import type { Key, KeyKind, KeyList } from '../../../src/state/entity-set/keys.ts';
import { listBytes, listOfBytes } from '../../../src/state/entity-set/list-bytes.ts';

function listOf(kind: KeyKind, keys: readonly Key[]): KeyList {
  const builder = new KeyListBuilder(kind, { reserve: () => undefined });
  for (const key of keys) builder.add(key);
  return builder.finish();
}

const many = (key: (index: number) => Key): Key[] =>
  Array.from({ length: 10_000 }, (_, index) => key(index));

/** The same bytes, in pieces that begin and end anywhere. */
async function* cut(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) {
    yield await Promise.resolve(bytes.subarray(at, at + size));
  }
}

test.each<[string, KeyKind, Key[]]>([
  ['no keys', 'integer', []],
  ['small numbers', 'integer', many((index) => [String(index - 5000)])],
  ['large numbers', 'integer', many((index) => [String(2 ** 40 + index)])],
  ['numbers that become too large', 'integer', many((index) => [`${index}000000000000000`])],
  ['texts', 'text', many((index) => [`é${index}`])],
  ['keys of several parts', 'text', many((index) => [String(index), 'a "b"'])],
])('a list of %s is the same on the other side', async (_name, kind, keys) => {
  const bytes = Buffer.concat([...listBytes(listOf(kind, keys))]);
  for (const size of [7, 4096, 1_000_000]) {
    const read = await listOfBytes(cut(bytes, size));
    expect(read.slice(0, read.size + 1)).toEqual(keys);
  }
});

test('bytes that end too early are not list', async () => {
  const bytes = Buffer.concat([...listBytes(listOf('integer', [['1'], ['2']]))]);
  const short = Readable.from([bytes.subarray(0, -1)], { objectMode: false });
  await expect(listOfBytes(short)).rejects.toThrow(RangeError);
});
