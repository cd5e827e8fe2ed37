import { expect, test } from 'vitest';
import { onEngines } from './shapes/engines.ts';
import { shape } from './shapes/odd-tables.ts';

onEngines('an expanded relation', shape, (served) => {
  test('has the first 100, in key order, and all are counted', async () => {
    const first = Array.from({ length: 100 }, (_, index) => ({ ID: index + 1 }));
    expect(await served.get('Parent(1)?$attributes=children.ID')).toMatchObject([
      200,
      { children: { __COUNT: 150, __SENT: 100, __ENTITIES: first } },
    ]);
  });
});
