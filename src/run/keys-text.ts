import { setImmediate } from 'node:timers/promises';
import type { KeyList } from '../state/entity-set/keys.ts';
import type { Statement } from '../sql/dialect.ts';
import type { Execution } from './run.ts';
import { rowsText } from './rows-text.ts';

/** How many keys become text before others get their turn. */
const KEYS_PER_TURN = 5000;

/**
 * Keys as the JSON text that a statement takes them as, made in turns with others.
 * @param from the ordinal of the first one
 * @param to the ordinal behind the last one
 * @throws what the signal was aborted with
 */
export async function keysText(
  keys: KeyList,
  from: number,
  to: number,
  { parameters }: Statement,
  { database, activity }: Pick<Execution, 'database' | 'activity'>,
): Promise<string> {
  const list = parameters.find(({ kind }) => kind === 'keyList' || kind === 'rows');
  const types = list?.kind === 'keyList' || list?.kind === 'rows' ? list.types : [];
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
