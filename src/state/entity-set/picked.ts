import { KeyListBuilder } from './builder.ts';
import { CHUNK_SIZE } from './chunk.ts';
import type { KeyList } from './keys.ts';
import type { Room } from './store.ts';
import { TimeSlice } from '../../base/time-slice.ts';

/** How many keys are picked without a look at the clock. */
const PACE = 1024;

/**
 * The keys of a list with these indexes, in their order. Others have their turn meanwhile.
 * @throws RangeError where there is no such key; the signal's reason, when it is aborted; ProtocolError entitySetTooLarge,
 * entitySetsBusy: there is no room for them
 */
export async function picked(
  list: KeyList,
  indexes: Uint32Array,
  room: Room,
  signal: AbortSignal,
): Promise<KeyList> {
  const slice = new TimeSlice(signal);
  const builder = new KeyListBuilder('integer', room);
  for (let start = 0; start < indexes.length; start += PACE) {
    for (const index of indexes.subarray(start, start + PACE)) {
      const chunk = list.chunks[Math.floor(index / CHUNK_SIZE)];
      if (chunk === undefined || index >= list.size) {
        throw new RangeError(`There is no key ${index} among ${list.size}`);
      }
      builder.addFrom(chunk, index % CHUNK_SIZE);
    }
    await slice.pause();
  }
  return builder.finish();
}
