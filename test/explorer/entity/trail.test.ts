import { expect, test } from 'vitest';
import { trailTo, trailWithout } from '../../../src/explorer/entity/trail.ts';

const place = (dataclass: string, key: string): object => ({ dataclass, key, label: key });

test('an entity that cannot be read leaves the trail, others of its key or dataclass stay', () => {
  const trail = ['1', '2'].reduce(
    (way, key) => trailTo(way, 'Employee', key),
    trailTo([], 'Company', '2'),
  );
  expect(trailWithout(trail, 'Employee', '2')).toEqual([
    place('Company', '2'),
    place('Employee', '1'),
  ]);
});
