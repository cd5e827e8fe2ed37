import { leave, type Placed } from './placed.ts';

/** Something that takes too long when a moment comes, with its place among all of them. */
interface Limited extends Placed {
  readonly due: number;
  readonly onOver: () => void;
}

/** How much earlier than its time a timer may fire, in milliseconds. */
const EARLY = 1;

const limited: Limited[] = [];
let timer: NodeJS.Timeout | null = null;
let looksAt = Infinity;

/**
 * Calls back when something takes too long. All that has a limit has one timer: what comes and goes as often as statements do would make and remove
 * one each time, which takes as long as reading their URLs. It does not keep the process alive.
 * @param milliseconds how long it may take; Infinity for as long as it takes
 * @returns what is called when it is over
 */
export function limitTime(milliseconds: number, onOver: () => void): () => void {
  const due = performance.now() + milliseconds;
  const own: Limited = { due, onOver, place: limited.length };
  limited.push(own);
  if (due < looksAt) lookAt(due, milliseconds);
  return () => {
    leave(limited, own);
  };
}

function lookAt(due: number, milliseconds: number): void {
  if (timer !== null) clearTimeout(timer);
  looksAt = due;
  timer = setTimeout(look, milliseconds).unref();
}

function look(): void {
  const now = performance.now();
  timer = null;
  looksAt = Infinity;
  const over = limited.filter(({ due }) => due - now <= EARLY);
  const next = limited
    .filter(({ due }) => due - now > EARLY)
    .reduce((first, { due }) => Math.min(first, due), Infinity);
  if (next < Infinity) lookAt(next, next - now);
  for (const one of over) {
    if (one.place === -1) continue;
    leave(limited, one);
    one.onOver();
  }
}
