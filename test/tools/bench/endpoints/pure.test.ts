import { describe, expect, it } from 'vitest';
import { median } from '../timing.ts';
import { withSection } from './document.ts';
import { seeded } from './random.ts';
import { figure, percentile } from './statistics.ts';
import { table } from './table.ts';

describe('the median', () => {
  it('is the value in the middle, of two their mean', () => {
    expect([[3], [2, 9], [5, 1, 3], [4, 1, 2, 8]].map(median)).toEqual([3, 5.5, 3, 3]);
    expect(median([])).toBeNaN();
  });
});

describe('seeded', () => {
  it('gives the same numbers for the same seed, others for another, and all that are below', () => {
    const drawn = (seed: number): number[] => {
      const random = seeded(seed);
      return Array.from({ length: 200 }, () => random.below(10));
    };
    expect(drawn(1)).toEqual(drawn(1));
    expect(drawn(1)).not.toEqual(drawn(2));
    expect(new Set(drawn(1))).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]));
  });
});

describe('percentile', () => {
  it('is the value that a share does not exceed, whatever the order', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([0, 0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([1, 50, 99, 100]);
    expect(percentile([7], 0.99)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe('figure', () => {
  it('has as many digits as tell something', () => {
    expect([0.476, 9.999, 23.44, 5650.4, Number.NaN].map(figure)).toEqual([
      '0.48',
      '10.00',
      '23.4',
      '5,650',
      '–',
    ]);
  });
});

describe('table', () => {
  it('has columns as wide as their widest cell', () => {
    expect(
      table(
        ['a', 'name'],
        [
          ['longer', 'x'],
          ['y', 'z'],
        ],
      ),
    ).toBe(
      ['| a      | name |', '| ------ | ---- |', '| longer | x    |', '| y      | z    |'].join(
        '\n',
      ),
    );
  });
});

describe('withSection', () => {
  it('replaces the section of its heading alone, and puts a new one before the first', () => {
    const document = '# Title\n\nText.\n\n## One\n\nOld.\n\n### Within\n\n## One more\n\nKept.\n';
    const replaced = '# Title\n\nText.\n\n## One\n\nNew $& text.\n\n## One more\n\nKept.\n';
    expect(withSection(document, 'One', 'New $& text.\n')).toBe(replaced);
    expect(withSection(replaced, 'Zero', 'First.')).toBe(
      replaced.replace('## One\n', '## Zero\n\nFirst.\n\n## One\n'),
    );
  });
});
