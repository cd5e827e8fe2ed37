import { expect, test } from 'vitest';
import { onEngines } from './shapes/engines.ts';
import { byRole, shape } from './shapes/calculated.ts';

onEngines('attributes that are computed or another entity’s', shape, (served) => {
  test('are answered at the place that the mapping file gives them, with the digits of their scale', async () => {
    const [, body] = await served.get('Worker(2)');
    expect(Object.keys(body as object).slice(4)).toEqual([
      ...['id', 'fullName', 'yearly', 'share', 'isMany', 'next', 'firmName', 'bossFirm'],
      ...['firmIsForeign', 'first', 'last', 'pay', 'order', 'firm', 'boss', 'team'],
    ]);
    expect((await served.gateway.get('/rest/Worker(1)?$attributes=yearly')).text).toContain(
      '"yearly":1201.20}',
    );
  });
});

onEngines(
  'what a role hides hides what is computed of it',
  byRole,
  (served) => {
    test('and leaves the others in their order', async () => {
      const [, body] = await served.get('Worker(1)');
      expect(Object.keys(body as object).slice(4)).toEqual([
        ...['id', 'fullName', 'isMany', 'next', 'firmIsForeign', 'first', 'order'],
        ...['firm', 'boss', 'team'],
      ]);
    });
  },
  ['postgres'],
);
