import { expect, test } from 'vitest';
import { seed } from '../property/seed.ts';
import { onEngines } from './shapes/engines.ts';
import { shape } from './shapes/upsert.ts';

interface Answered {
  readonly __KEY: string;
  readonly __STATUS: { readonly success: boolean; readonly created?: boolean };
}

const BY_CODE = 'Product?$key=code&$attributes=code,name,qty';

onEngines('upserts', shape, (served) => {
  test('of many writers end as one row for each value', async () => {
    const keys = Array.from({ length: 50 }, (_, at) => `K${at}`);
    const random = randomFrom(seed);
    const sent = new Map(keys.map((key) => [key, new Set<string>()]));
    const created = new Map<string, number>();
    const wrong: unknown[] = [];
    let answered = 0;
    let posted = 0;
    const writer = async (number: number): Promise<void> => {
      const left = keys.toSorted(() => random() - 0.5);
      while (left.length > 0) {
        const some = left.splice(0, 1 + Math.floor(random() * 20));
        const body = some.map((code) => {
          const name = `${number}-${code}-${posted}`;
          sent.get(code)?.add(name);
          posted += 1;
          return { code, name, qty: number };
        });
        const isAtomic = random() < 0.5;
        const [status, answer] = await served.post(
          `${BY_CODE}${isAtomic ? '&$atomic=true' : ''}`,
          body,
        );
        const { __ENTITIES: entities = [] } = answer as { __ENTITIES?: Answered[] };
        if (status !== 200 || entities.length !== body.length) wrong.push([status, answer]);
        for (const [at, entity] of entities.entries()) {
          if (!entity.__STATUS.success) wrong.push(entity);
          answered += 1;
          const code = some[at] ?? '';
          if (entity.__STATUS.created === true) created.set(code, (created.get(code) ?? 0) + 1);
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)));
    expect(wrong).toEqual([]);
    expect(answered).toBe(8 * keys.length);
    expect(Object.fromEntries(created)).toEqual(Object.fromEntries(keys.map((key) => [key, 1])));
    const [, read] = await served.get(
      'Product?$filter="code begin K"&$attributes=code,name&$top=1000&$asArray=true',
    );
    const rows = read as { code: string; name: string }[];
    expect(rows.map(({ code }) => code).sort()).toEqual(keys.toSorted());
    for (const { code, name } of rows) expect(sent.get(code)?.has(name)).toBe(true);
  });
});

/** Numbers from 0 to 1 that are the same for the same seed. */
function randomFrom(start: number): () => number {
  let state = start >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
