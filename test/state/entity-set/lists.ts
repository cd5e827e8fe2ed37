import { KeyListBuilder } from '../../../src/state/entity-set/builder.ts';
import type { Key, KeyList } from '../../../src/state/entity-set/keys.ts';
import type { Workspace } from '../../../src/state/entity-set/store.ts';

/** Nobody who waits gives up. */
export const patient = new AbortController().signal;

/** Room without bounds, which tells how much of it is reserved. */
export function tally(): Workspace & { readonly reserved: { set: number; scratch: number } } {
  const reserved = { set: 0, scratch: 0 };
  return {
    reserved,
    reserve: (bytes) => void (reserved.set += bytes),
    scratch: { reserve: (bytes) => void (reserved.scratch += bytes) },
    close: () => undefined,
  };
}

export function listOf(keys: Iterable<Key>): KeyList {
  const builder = new KeyListBuilder(tally());
  for (const key of keys) builder.add(key);
  return builder.finish();
}

/** Whole numbers as keys. */
export function integers(values: Iterable<number | bigint>): Key[] {
  return Array.from(values, (value) => [String(value)]);
}

export function keysOf(list: KeyList): readonly Key[] {
  return list.slice(0, list.size);
}
