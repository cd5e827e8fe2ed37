import { beforeEach, describe, expect, test } from 'vitest';
import { ClientGone } from '../../../src/base/time.ts';
import { ProtocolError } from '../../../src/base/errors.ts';
import { KeyListBuilder } from '../../../src/state/entity-set/builder.ts';
import { combined } from '../../../src/state/entity-set/combine.ts';
import { MemoryEntitySets } from '../../../src/state/entity-set/memory-entity-sets.ts';
import { type EntitySet, SetIds, type Workspace } from '../../../src/state/entity-set/store.ts';
import { complaint } from '../../protocol/complaint.ts';
import { integers, listOf, patient } from './lists.ts';

const KILOBYTE = 1024;

/** 7,500 numbers, which take 60,000 bytes: with what stands around them no more than 64 kB. */
const keys = listOf(integers(Array.from({ length: 7_500 }, (_, index) => index)));

let time: number;
let store: MemoryEntitySets;

/** A store with room for four sets of those keys. */
beforeEach(() => {
  time = 0;
  store = storeOf({});
});

function storeOf(bounds: {
  maxBytes?: number;
  maxSetBytes?: number;
  maxPerOwner?: number;
}): MemoryEntitySets {
  const usual = { maxBytes: 256 * KILOBYTE, maxSetBytes: 128 * KILOBYTE, maxPerOwner: 100 };
  return new MemoryEntitySets({ ...usual, ...bounds }, new SetIds('key'), { now: () => time });
}

function setOf(properties: Partial<EntitySet> = {}): EntitySet {
  const usual = {
    dataclass: 'Employee',
    definition: '',
    keys,
    audience: '',
    owner: 'Ada',
    isSorted: false,
  };
  return { ...usual, lifetime: 7200, ...properties };
}

/** Which of some sets are there; those that are have been accessed. */
async function thereOf(...ids: readonly string[]): Promise<boolean[]> {
  const found = [];
  for (const id of ids) found.push((await store.find(id, '')) !== null);
  return found;
}

const errorOf = (work: () => unknown): string | undefined => complaint(work)[0];

describe('a set that is kept (§3.1)', () => {
  test('is not kept alive by who may not read it', async () => {
    const id = await store.add(setOf({ lifetime: 10, audience: 'sales' }));
    time = 9000;
    expect(await store.find(id, '')).toBeNull();
    expect(await store.release(id, '')).toBe(false);
    time = 10_001;
    expect(await store.find(id, 'sales')).toBeNull();
  });

  test('of one audience stays as it is when another one restores its id', async () => {
    const mine = setOf({ audience: 'sales' });
    const id = await store.add(mine);
    const theirs = setOf({ audience: 'stock' });
    await store.restore(id, theirs);
    expect(await store.find(id, 'sales')).toBe(mine);
    expect(await store.find(id, 'stock')).toBe(theirs);
  });

  test.each([0, 0.0001])('for %d seconds is gone after them', async (lifetime) => {
    const id = await store.add(setOf({ lifetime }));
    time = 2;
    expect(await store.find(id, '')).toBeNull();
  });
});

describe('when there is no room for one more', () => {
  test('an expired set goes before one that was not accessed for longer', async () => {
    const old = await store.add(setOf({ lifetime: 7200 }));
    time = 1000;
    const brief = await store.add(setOf({ lifetime: 1 }));
    const others = [await store.add(setOf()), await store.add(setOf())];
    time = 2001;
    const last = await store.add(setOf());
    expect(await thereOf(old, ...others, last)).toEqual([true, true, true, true]);
    expect(await thereOf(brief)).toEqual([false]);
  });

  test('expired sets of an owner with too many go before one that lives', async () => {
    store = storeOf({ maxPerOwner: 3 });
    const oldest = await store.add(setOf());
    const brief = await store.add(setOf({ lifetime: 1 }));
    time = 900;
    const third = await store.add(setOf());
    time = 1001;
    const fourth = await store.add(setOf());
    expect(await thereOf(oldest, brief, third, fourth)).toEqual([true, false, true, true]);
    const fifth = await store.add(setOf());
    expect(await thereOf(oldest, third, fourth, fifth)).toEqual([false, true, true, true]);
  });
});

describe('what is being built', () => {
  test('is refused where it is larger than one set may be, with the bound, and nothing stays of it', () => {
    const workspace = store.workspace();
    const builder = new KeyListBuilder(workspace);
    let added = 0;
    const build = (): void => {
      for (; added < 40_000; added += 1) builder.add([String(added)]);
    };
    expect(build).toThrow(
      new ProtocolError(
        'entitySetTooLarge',
        'The entity set holds more keys than fit into 131072 bytes, which is what one may take: narrow it.',
      ),
    );
    expect(added).toBeGreaterThan(12_000);
    expect(added).toBeLessThan(20_000);
    workspace.close();
    expectAllFree();
  });

  test('makes no set go that is kept: the one that is worked on may be among them', async () => {
    const ids = [];
    for (let count = 0; count < 4; count += 1) ids.push(await store.add(setOf()));
    const workspace = store.workspace();
    workspace.reserve(120 * KILOBYTE);
    workspace.scratch.reserve(136 * KILOBYTE);
    expect(await thereOf(...ids)).toEqual([true, true, true, true]);
  });

  test('is refused as too large where it alone would take more than there is', () => {
    const workspace = store.workspace();
    workspace.scratch.reserve(200 * KILOBYTE);
    expect(errorOf(() => workspace.scratch.reserve(57 * KILOBYTE))).toBe('entitySetTooLarge');
    expect(errorOf(() => workspace.reserve(57 * KILOBYTE))).toBe('entitySetTooLarge');
    workspace.close();
    expectAllFree();
  });

  test('is refused where other sets that are being built take all, and is not when they are done', () => {
    const [one, other] = [store.workspace(), store.workspace()];
    one.reserve(100 * KILOBYTE);
    one.scratch.reserve(100 * KILOBYTE);
    expect(errorOf(() => other.reserve(57 * KILOBYTE))).toBe('entitySetsBusy');
    other.reserve(56 * KILOBYTE);
    one.close();
    other.reserve(57 * KILOBYTE);
  });

  test('does not count scratch room as the set’s', () => {
    const workspace = store.workspace();
    workspace.scratch.reserve(200 * KILOBYTE);
    workspace.reserve(50 * KILOBYTE);
    expect(errorOf(() => workspace.reserve(78 * KILOBYTE))).toBe('entitySetTooLarge');
  });

  test('does not make other sets go by being kept', async () => {
    const ids = [await store.add(setOf()), await store.add(setOf()), await store.add(setOf())];
    const workspace = store.workspace();
    workspace.reserve(keys.bytes);
    ids.push(await store.add(setOf()));
    workspace.close();
    expect(await thereOf(...ids)).toEqual([true, true, true, true]);
  });

  test('gives everything back when combining it fails or is given up', async () => {
    const sparse = (factor: number) =>
      listOf(integers(Array.from({ length: 10_000 }, (_, index) => index * factor)));
    const work = (workspace: Workspace, signal: AbortSignal) =>
      combined('or', sparse(50_021), sparse(60_013), workspace, signal);
    const workspace = store.workspace();
    await expect(work(workspace, patient)).rejects.toThrow(ProtocolError);
    workspace.close();
    expectAllFree();
    await expect(work(store.workspace(), AbortSignal.abort())).rejects.toThrow(ClientGone);
    expectAllFree();
  });

  /** All room there is can be had. */
  function expectAllFree(): void {
    const workspace = store.workspace();
    workspace.scratch.reserve(256 * KILOBYTE);
    workspace.close();
  }
});
