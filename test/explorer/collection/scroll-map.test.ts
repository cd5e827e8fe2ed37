import { describe, expect, it } from 'vitest';
import { ScrollMap } from '../../../src/explorer/collection/scroll-map.ts';

const ROW = 28;
const VIEWPORT = 600;

describe('ScrollMap', () => {
  it('leaves positions as they are where the rows fit', () => {
    const map = new ScrollMap(400 * ROW, VIEWPORT);
    expect(map.isCompressed).toBe(false);
    expect(map.areaHeight).toBe(400 * ROW);
    expect([0, 1, 5000, map.end].map((at) => map.toLogical(at))).toEqual([0, 1, 5000, map.end]);
    expect(map.scrolled(0, 0, 77)).toBe(77);
    expect(map.scrolled(0, 0, 9000)).toBe(9000);
  });

  it('has no way to go where there are few rows', () => {
    const map = new ScrollMap(3 * ROW, VIEWPORT);
    expect(map.end).toBe(0);
    expect(map.toLogical(50)).toBe(0);
  });

  describe('of ten million rows', () => {
    const map = new ScrollMap(10_000_000 * ROW, VIEWPORT);
    const physicalEnd = map.areaHeight - VIEWPORT;

    it('is no higher than browsers allow, and reaches the first and the last row', () => {
      expect([map.isCompressed, map.areaHeight <= 17_000_000]).toEqual([true, true]);
      const ends = [map.toLogical(0), map.toLogical(physicalEnd), map.end];
      expect(ends).toEqual([0, 10_000_000 * ROW - VIEWPORT, 10_000_000 * ROW - VIEWPORT]);
    });

    it('goes back and forth without loss, and never turns round', () => {
      let before = -1;
      for (let physical = 0; physical <= physicalEnd; physical += physicalEnd / 1000) {
        const logical = map.toLogical(physical);
        expect(logical).toBeGreaterThan(before);
        expect(map.toPhysical(logical)).toBeCloseTo(physical, 3);
        before = logical;
      }
    });

    it('moves by pixels for wheel and keys, wherever it is', () => {
      for (const row of [0, 20_000, 5_000_000, 9_990_000]) {
        const logical = row * ROW;
        const physical = map.toPhysical(logical);
        expect(map.scrolled(logical, physical, physical + 100)).toBe(logical + 100);
      }
    });

    it('jumps with the scroll bar, and ends where it ends, though rows were scrolled by pixels before', () => {
      expect(map.scrolled(0, 0, physicalEnd / 2) / map.end).toBeCloseTo(0.5, 5);
      expect(map.scrolled(map.end - 5000, physicalEnd - 40, physicalEnd)).toBe(map.end);
      expect(map.scrolled(5000, 40, 0)).toBe(0);
    });
  });
});
