import { setImmediate } from 'node:timers/promises';
import { picked } from '../entity-set/picked.ts';
import type { KeyList } from '../entity-set/keys.ts';
import type { Literal } from '../request/ast.ts';
import type { Statement } from '../sql/dialect.ts';
import type { PrintedNarrowing } from './print-entity-set.ts';
import { bindStatement, rowsText, type Execution } from './run.ts';
import { KEYS_AT_ONCE, type SetExecution } from './set-keys.ts';

/** How many keys one statement is asked about where the order is that of the set: each piece is sent while little waits. */
const KEYS_ASKED_FOR = 20_000;

/** How many keys become text before others get their turn. */
const KEYS_PER_TURN = 5000;

/**
 * The keys of a set whose entities are there and meet a condition, in an order of their own or in that of the set.
 * @throws what the database throws
 */
export async function narrowedKeys(
  keys: KeyList,
  narrowing: PrintedNarrowing,
  values: readonly Literal[],
  execution: SetExecution,
): Promise<KeyList> {
  const { workspace, activity } = execution;
  const bytes = keys.size * (Uint32Array.BYTES_PER_ELEMENT + Uint8Array.BYTES_PER_ELEMENT);
  workspace.scratch.reserve(bytes);
  const ordinals = new Uint32Array(keys.size);
  const isFound = new Uint8Array(keys.size);
  let count = 0;
  const keep = (ordinal: number): void => {
    if (isFound[ordinal] !== 0) return;
    isFound[ordinal] = 1;
    ordinals[count] = ordinal;
    count += 1;
  };
  // What an order is made of has to be there at once.
  const most = narrowing.isOrder ? Math.max(keys.size, 1) : KEYS_ASKED_FOR;
  for (let from = 0; from < keys.size; from += most) {
    await findOrdinals(
      keys,
      from,
      Math.min(from + most, keys.size),
      narrowing,
      values,
      execution,
      keep,
    );
  }
  if (narrowing.keepsUndefined) {
    for (let ordinal = 0; ordinal < keys.size; ordinal += 1) keep(ordinal);
  }
  const indexes = ordinals.subarray(0, count);
  const narrowed = await picked(keys, indexes, workspace, activity.signal);
  workspace.scratch.reserve(-bytes);
  return narrowed;
}

/** Asks about keys `from` to `to`. */
async function findOrdinals(
  keys: KeyList,
  from: number,
  to: number,
  { statement }: PrintedNarrowing,
  values: readonly Literal[],
  { database, activity, workspace }: SetExecution,
  keep: (ordinal: number) => void,
): Promise<void> {
  const keysText = await textOf(keys, from, to, statement, { database, activity });
  const bytes = 2 * keysText.length;
  workspace.scratch.reserve(bytes);
  const command = bindStatement(statement, { values, rowsText: keysText }, database.dialect);
  for await (const rows of database.stream(command, { ...activity, batchRows: KEYS_AT_ONCE })) {
    for (const row of rows) keep(Number(row[0]));
  }
  workspace.scratch.reserve(-bytes);
}

/** Keys as the JSON text that a statement takes them as, made in turns with others. */
async function textOf(
  keys: KeyList,
  from: number,
  to: number,
  { parameters }: Statement,
  { database, activity }: Pick<Execution, 'database' | 'activity'>,
): Promise<string> {
  const list = parameters.find(({ kind }) => kind === 'keyList');
  const types = list?.kind === 'keyList' ? list.types : [];
  const pieces: string[] = [];
  for (let at = from; at < to; at += KEYS_PER_TURN) {
    if (at > from) {
      await setImmediate();
      activity.signal.throwIfAborted();
    }
    const some = keys.slice(at, Math.min(at + KEYS_PER_TURN, to));
    pieces.push(rowsText(some, types, database.dialect, at).slice(1, -1));
  }
  return `[${pieces.join(',')}]`;
}
