import { setFlagsFromString } from 'node:v8';

/** Keeps V8's heap for new objects small: at the start it would grow by about 15 MB and hardly ever shrink, also in a process that serves few requests. */
export function keepYoungHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Lets the heap for new objects grow, as V8 does by default: a small one is slow. */
export function letYoungHeapGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}

/**
 * Keeps the heap small for good: beside the embedded database, collecting garbage more often is hardly noticed. To be called when the database's thread
 * has started: V8 resets how the young heap grows when a thread starts.
 */
export function keepHeapSmall(): void {
  keepYoungHeapSmall();
  // The old generation is collected when it has grown by so much; by default, up to four times.
  setFlagsFromString('--heap-growing-percent=30');
}
