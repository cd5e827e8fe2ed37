import { picked } from '../../state/entity-set/builder.ts';
import type { KeyList, StoredKeys } from '../../state/entity-set/keys.ts';
import { bindStatement, keysText } from '../run.ts';
import { retryingDeadlocks } from '../../database/connection.ts';
import {
  KEYS_AT_ONCE,
  neededKeys,
  noOtherSet,
  type SetExecution,
  sourceKeys,
  wholeList,
} from './set-keys.ts';
import { combined } from '../../state/entity-set/combine.ts';
import type { EntitySetPlan, SetNarrowing } from '../../plan/read/entity-set.ts';

/** How many keys one statement is asked about where the order is that of the set: each piece is sent while little waits. */
const KEYS_ASKED_FOR = 20_000;

/** The keys of a set whose entities are there and meet a condition, in an order of their own or in that of the set. */
export async function narrowKeys(
  stored: StoredKeys,
  narrowing: SetNarrowing,
  execution: SetExecution,
): Promise<KeyList> {
  const keys = await wholeList(stored, execution);
  const { workspace, activity } = execution;
  const bytes = keys.size * (Uint32Array.BYTES_PER_ELEMENT + Uint8Array.BYTES_PER_ELEMENT);
  workspace.scratch.reserve(bytes);
  const found = new FoundOrdinals(keys.size);
  // What an order is made of has to be there at once.
  const most = narrowing.isOrder ? Math.max(keys.size, 1) : KEYS_ASKED_FOR;
  for (let from = 0; from < keys.size; from += most) {
    const to = Math.min(from + most, keys.size);
    await findOrdinals(keys, from, to, narrowing, execution, found);
  }
  if (narrowing.keepsUndefined) {
    for (let ordinal = 0; ordinal < keys.size; ordinal += 1) found.add(ordinal);
  }
  const narrowed = await picked(keys, found.inOrder(), workspace, activity.signal);
  workspace.scratch.reserve(-bytes);
  return narrowed;
}

/** Ordinals in the order in which they were found, each once. */
class FoundOrdinals {
  readonly #ordinals: Uint32Array;
  readonly #isFound: Uint8Array;
  #count = 0;

  /** @param size above all ordinals */
  constructor(size: number) {
    this.#ordinals = new Uint32Array(size);
    this.#isFound = new Uint8Array(size);
  }

  get count(): number {
    return this.#count;
  }

  add(ordinal: number): void {
    if (this.#isFound[ordinal] !== 0) return;
    this.#isFound[ordinal] = 1;
    this.#ordinals[this.#count] = ordinal;
    this.#count += 1;
  }

  /** Forgets all but those that were found first. */
  truncate(count: number): void {
    for (const ordinal of this.#ordinals.subarray(count, this.#count)) this.#isFound[ordinal] = 0;
    this.#count = count;
  }

  inOrder(): Uint32Array {
    return this.#ordinals.subarray(0, this.#count);
  }
}

/** Asks about keys `from` to `to`; again from the start where that fell victim to a deadlock. */
async function findOrdinals(
  keys: KeyList,
  from: number,
  to: number,
  { statement }: SetNarrowing,
  { database, activity, workspace, values, fresh = false }: SetExecution,
  found: FoundOrdinals,
): Promise<void> {
  const text = await keysText(keys, from, to, statement, { database, activity });
  const bytes = text.length;
  workspace.scratch.reserve(bytes);
  const command = bindStatement(
    statement,
    { values, rowsText: text },
    database.dialect,
    activity.principal.claims,
  );
  const { count } = found;
  await retryingDeadlocks(async () => {
    found.truncate(count);
    for await (const rows of database.stream(command, {
      fresh,
      batchRows: KEYS_AT_ONCE,
      ...activity,
    })) {
      for (const row of rows) found.add(Number(row[0]));
    }
  });
  workspace.scratch.reserve(-bytes);
}

/** Which keys a request is about. */
type ChosenKeys = Pick<EntitySetPlan, 'dataclass' | 'source' | 'combination' | 'narrowing'>;

/** The keys that a request is about: those of its set or selection, combined with those of another set, and narrowed. */
export async function chosenKeys(
  { dataclass, source, combination, narrowing }: ChosenKeys,
  execution: SetExecution,
): Promise<StoredKeys> {
  const own = await sourceKeys(source, dataclass, execution);
  const keys = await combinedKeys(own, { dataclass, combination }, execution);
  return narrowing === null ? keys : narrowKeys(keys, narrowing, execution);
}

/** Keys combined with those of another set; unchanged without one, or where the request only asks whether the two intersect. */
export async function combinedKeys(
  keys: StoredKeys,
  { dataclass, combination }: Pick<ChosenKeys, 'dataclass' | 'combination'>,
  execution: SetExecution,
): Promise<StoredKeys> {
  if (combination === null || combination.operator === 'intersect') return keys;
  const { workspace, activity } = execution;
  const other = await neededKeys(combination.other, dataclass, execution, noOtherSet);
  return combined(combination.operator, keys, other, workspace, activity.signal);
}
