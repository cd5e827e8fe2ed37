import fc from 'fast-check';
import { expect, it } from 'vitest';
import { centred, fitted, moved, revealing, zoomed } from '../../../src/explorer/model/viewport.ts';

const WINDOW = { width: 800, height: 600 };

it('shows a small drawing in the middle, as large as it is', () => {
  expect(fitted({ width: 200, height: 100 }, WINDOW)).toEqual({ scale: 1, left: 300, top: 250 });
});

it('makes a large drawing as small as the window', () => {
  expect(fitted({ width: 1600, height: 600 }, WINDOW)).toEqual({ scale: 0.5, left: 0, top: 150 });
});

it('keeps the point that it zooms at where it is', () => {
  const number = fc.double({ min: -1000, max: 1000, noNaN: true });
  fc.assert(
    fc.property(number, number, fc.double({ min: 0.1, max: 10, noNaN: true }), (x, y, factor) => {
      const before = { scale: 1, left: 17, top: -23 };
      const after = zoomed(before, factor, { x, y });
      expect(((x - after.left) / after.scale) * before.scale + before.left).toBeCloseTo(x, 6);
      expect(((y - after.top) / after.scale) * before.scale + before.top).toBeCloseTo(y, 6);
    }),
  );
});

it('zooms no further than can be read', () => {
  const viewport = { scale: 1, left: 0, top: 0 };
  expect(zoomed(viewport, 100, { x: 0, y: 0 }).scale).toBe(3);
  expect(zoomed(viewport, 0.001, { x: 0, y: 0 }).scale).toBe(0.1);
});

it('moves only to what is out of sight', () => {
  const viewport = { scale: 0.5, left: 0, top: 0 };
  expect(revealing(viewport, { x: 400, y: 400 }, WINDOW)).toBe(viewport);
  expect(revealing(viewport, { x: 2000, y: 400 }, WINDOW)).toEqual(
    moved(viewport, 400 - 1000, 300 - 200),
  );
  expect(centred({ x: 100, y: 50 }, 2, WINDOW)).toEqual({ scale: 2, left: 200, top: 200 });
});
