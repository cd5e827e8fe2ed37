import { setFlagsFromString } from 'node:v8';

/** Keeps V8's heap for new objects small: at the start it would grow by about 15 MB and hardly ever shrink, also in a process that serves few requests. */
export function keepYoungHeapSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Lets the heap for new objects grow, as V8 does by default: a small one is slow. */
export function letYoungHeapGrow(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
}
