import { setFlagsFromString } from 'node:v8';

/**
 * Keeps V8's heap for new objects small. While a gateway starts, that heap would grow to its full size and hardly ever shrink again: about 15 MB in a process
 * that then serves few requests.
 */
export function keepYoungHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Lets the heap for new objects grow, as V8 does by default: a small one is slow. */
export function letYoungHeapGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
