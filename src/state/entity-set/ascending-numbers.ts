import type { NumberChunk } from './chunk.ts';
import type { NumberMembers } from './number-members.ts';
import type { Numbers } from './numbers.ts';

/** Ascending numbers, among which others are looked up that ascend, too: both are read once, side by side, and it takes no memory. */
export class AscendingNumbers implements NumberMembers {
  readonly #parts: Numbers[] = [];
  #part = 0;
  #index = 0;

  add(values: Numbers): void {
    this.#parts.push(values);
  }

  mark({ values }: NumberChunk, marks: Uint8Array): void {
    let from = 0;
    while (from < values.length && this.#part < this.#parts.length) {
      from = this.#markWithin(this.#parts[this.#part] ?? values, values, from, marks);
      if (from < values.length) {
        this.#part += 1;
        this.#index = 0;
      }
    }
  }

  /** @returns the index of the first value that is past the part */
  #markWithin(part: Numbers, values: Numbers, from: number, marks: Uint8Array): number {
    const { length } = part;
    let index = this.#index;
    let at = from;
    for (; at < values.length; at += 1) {
      const value = values[at] ?? 0;
      while (index < length && (part[index] ?? 0) < value) index += 1;
      if (index === length) break;
      if (part[index] === value) marks[at] = 1;
    }
    this.#index = index;
    return at;
  }
}
