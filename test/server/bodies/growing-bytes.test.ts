import { expect, test } from 'vitest';
import { GrowingBytes } from '../../../src/server/bodies/receive-body.ts';

test('pieces of any size come out as they went in, in a buffer of that size', () => {
  const whole = Buffer.from(Array.from({ length: 10_000 }, (_, index) => index % 251));
  for (const size of [1, 7, 4096, 10_000]) {
    const bytes = new GrowingBytes(10_000);
    for (let at = 0; at < whole.length; at += size) bytes.append(whole.subarray(at, at + size));
    const taken = bytes.take();
    expect(bytes.length).toBe(10_000);
    expect(taken.equals(whole)).toBe(true);
  }
});

test('what is appended may be used again', () => {
  const piece = Buffer.from('ab');
  const bytes = new GrowingBytes(4);
  bytes.append(piece);
  piece.fill('c');
  bytes.append(piece);
  expect(bytes.take().toString()).toBe('abcc');
});

test('nothing is empty', () => {
  expect(new GrowingBytes(10).take().length).toBe(0);
});
