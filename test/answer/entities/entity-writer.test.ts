import { describe, expect, test } from 'vitest';
import { TimeSlice } from '../../../src/base/time.ts';
import {
  listWriting,
  type Writing,
  writtenText,
} from '../../../src/answer/entities/entity-writer.ts';

const written = (texts: readonly string[], most?: number): ReturnType<typeof writtenText> =>
  writtenText(
    listWriting(texts, (text) => text, ','),
    new TimeSlice(),
    most,
  );

test('a list is written item by item, at once or text by text', () => {
  const digits = function* (item: number): Writing {
    yield '<';
    yield String(item);
    yield '>';
  };
  const texts = [...listWriting([1, 2, 3], (item) => (item === 2 ? '2' : digits(item)), ',')];
  expect(texts).toEqual(['<', '1', '>', ',2,', '<', '3', '>']);
});

describe('what is written', () => {
  test.each([[[]], [['a']], [['a', 'b']]])('is one text where it is short: %j', async (texts) => {
    expect(await written(texts)).toBe(texts.join(','));
  });

  test('is pieces where it is long, which are the same together', async () => {
    const texts = Array.from({ length: 500 }, (_, at) => String(at % 10).repeat(1000));
    const pieces = await written(texts);
    expect(pieces).toHaveLength(4);
    expect([pieces].flat().join('')).toBe(texts.join(','));
  });

  test('is refused where it is longer than it may be', async () => {
    await expect(written(['ab', 'cd'], 5)).resolves.toBe('ab,cd');
    await expect(written(['ab', 'cde'], 5)).rejects.toMatchObject({ errorName: 'answerTooLarge' });
  });
});
