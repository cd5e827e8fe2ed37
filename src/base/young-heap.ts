import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the part of JavaScript's heap where new objects are small, as it is at first. While a gateway starts, what it loads and reads would make
 * it grow to its full size, and it is hardly ever given back: about 15 MB in a process that then serves few requests.
 */
export function keepYoungHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Lets that part grow with what is done, as V8 does by itself: a small one costs speed. */
export function letYoungHeapGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
