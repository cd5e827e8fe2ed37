import { table } from '../bench/endpoints/table.ts';
import type { Reading } from './gateway.ts';
import type { Outcome } from './section.ts';

/** How many kinds of broken invariants of a section are printed; all are counted. */
const PRINTED = 100;

/** How many characters of a broken invariant are printed, and how many tell one kind from others. */
const LINE = 500;
const KIND = 40;

/** A section on its way into the table. */
export interface OpenRow {
  /** Takes note of an invariant that does not hold. */
  readonly broken: (what: string) => void;
  /** @param rest before the section; @param after it, garbage collected */
  readonly end: (outcome: Outcome, rest: Reading, after: Reading) => void;
  /** Shows the end of what the gateway has logged, where something is broken. */
  readonly log: (text: string) => void;
}

/** What was found, as a table in Markdown. */
export class Report {
  readonly #seed: number;
  readonly #rows: Record<string, string>[] = [];
  #broken = 0;

  constructor(seed: number) {
    this.#seed = seed;
  }

  get isBroken(): boolean {
    return this.#broken > 0;
  }

  begin(engine: string, section: string): OpenRow {
    const kinds = new Map<string, number>();
    let broken = 0;
    return {
      broken: (what) => {
        this.#broken += 1;
        broken += 1;
        // One fault is met by many inputs.
        const kind = what.replace(/\d{4,} |(?<=characters: ).*/gs, '').slice(0, KIND);
        const times = (kinds.get(kind) ?? 0) + 1;
        kinds.set(kind, times);
        if (times === 1 && kinds.size <= PRINTED) {
          console.log(`BROKEN ${engine}, ${section}: ${what.slice(0, LINE)}`);
        }
      },
      end: ({ inputs, held, peak, also }, rest, after) => {
        const memory = [rest.rss, peak, after.rss].map((bytes) =>
          bytes === null ? '–' : megabytes(bytes),
        );
        const row = {
          engine,
          section,
          inputs: inputs.toLocaleString('en'),
          'longest hold': `${held.toFixed(0)} ms`,
          'memory at rest, under load, after': memory.join(', '),
          'what else': also,
          broken: String(broken),
        };
        this.#rows.push(row);
        console.log(JSON.stringify(row));
      },
      log: (text) => {
        if (broken > 0 && text !== '') console.log(`its log ends with:\n${text.slice(-3000)}`);
      },
    };
  }

  /** The whole table. */
  table(): string {
    const heads = [...new Set(this.#rows.flatMap((row) => Object.keys(row)))];
    const cells = this.#rows.map((row) => heads.map((head) => row[head] ?? ''));
    return `seed ${this.#seed}\n\n${table(heads, cells)}`;
  }
}

/** Bytes as people read them. */
export function megabytes(bytes: number): string {
  return `${(bytes / 1_048_576).toFixed(0)} MB`;
}
