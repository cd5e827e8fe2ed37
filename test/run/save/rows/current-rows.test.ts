import { expect, test } from 'vitest';
import { ProtocolError } from '../../../../src/base/errors.ts';
import {
  type CurrentRow,
  eachRowOnce,
  tooOften,
} from '../../../../src/run/save/rows/current-rows.ts';
import { writeContext } from '../../fakes.ts';

const row = (...key: string[]): CurrentRow => ({ key }) as unknown as CurrentRow;

test('entities that meet a row which one before them meets wait for their turn', () => {
  const rows = [row('1'), row('2'), row('1'), null, null, row('1')];
  expect(eachRowOnce(['a', 'b', 'c', 'd', 'e', 'f'], rows)).toEqual({
    first: [
      ['a', rows[0]],
      ['b', rows[1]],
      ['d', null],
      ['e', null],
    ],
    again: ['c', 'f'],
  });
});

test('an entity that a body holds too often is refused, by itself or with all', () => {
  const message = 'The body holds Thing(7) more than 20 times: say at once all that changes of it.';
  const often = [{ index: 3, key: ['7'] }];
  const alone = tooOften(often, writeContext('save', false));
  expect(alone.map(({ index, failure }) => [index, failure.error])).toEqual([
    [3, new ProtocolError('badBody', message)],
  ]);
  expect(() => tooOften(often, writeContext('save', true))).toThrow(message);
});
