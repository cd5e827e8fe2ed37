import type { Stage } from './observer.ts';

/** How long each stage of a request took. */
export class StageTimes {
  readonly #stages: Stage[] = [];
  readonly #milliseconds: number[] = [];

  add(stage: Stage, milliseconds: number): void {
    const index = this.#stages.indexOf(stage);
    if (index === -1) {
      this.#stages.push(stage);
      this.#milliseconds.push(milliseconds);
    } else {
      this.#milliseconds[index] = (this.#milliseconds[index] ?? 0) + milliseconds;
    }
  }

  /** The milliseconds of each stage, in the order in which they began, as a JSON object. */
  json(): string {
    const timed = this.#stages.map(
      (stage, index) => `"${stage}":${decimal(this.#milliseconds[index] ?? 0)}`,
    );
    return `{${timed.join(',')}}`;
  }
}

/** Milliseconds to the microsecond. */
export function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** The decimals of each number of microseconds. */
const FRACTIONS = Array.from(
  { length: 1000 },
  (_, microseconds) => `.${String(microseconds).padStart(3, '0')}`,
);

/** Milliseconds as JSON, to the microsecond: printing the fraction takes as long as the rest of the line. */
export function decimal(milliseconds: number): string {
  const microseconds = Math.round(milliseconds * 1000);
  return `${Math.floor(microseconds / 1000)}${FRACTIONS[microseconds % 1000] ?? ''}`;
}
