import type { Row } from '../../database/database.ts';

/**
 * How the bytes of a value become JSON: those of a whole number, or of one with a point, as they are; of text between quotes, of ASCII alone or of any; of text within an address or within other
 * text without quotes; `t` and `f`.
 */
export type CopiedForm = 'integer' | 'decimal' | 'ascii' | 'text' | 'address' | 'within' | 'truth';

/** A part of the JSON that rows are written as. */
export type Part =
  /** The same for all rows. */
  | { readonly kind: 'same'; readonly text: string }
  /** Values that are copied, each with the text before it, and the text behind the last one. */
  | {
      readonly kind: 'copied';
      readonly values: readonly CopiedValue[];
      readonly tail: string;
      /** All of it where a value is null; left out where the row tells that. */
      readonly whenNull?: string;
      /** All of it where a value is not of its form, or where it is null. */
      readonly asText: (row: Row) => string;
    }
  /** A value that has to be decoded. */
  | {
      readonly kind: 'decoded';
      readonly column: number;
      readonly whenNull: string;
      readonly asText: (value: string) => string;
    }
  /** What more than one value tells. */
  | { readonly kind: 'row'; readonly asText: (row: Row) => string }
  /** Parts that are there where a value is not null. */
  | {
      readonly kind: 'present';
      readonly column: number;
      readonly whenNull: string;
      readonly parts: readonly Part[];
    };

/** A value of a column that is copied, and the text before it. */
export interface CopiedValue {
  readonly head: string;
  readonly form: CopiedForm;
  readonly column: number;
}

/** What a step writes behind its text: numbers of their own, which the loop over the steps has as constants. */
export const SAME = 0;
export const INTEGER = 1;
export const DECIMAL = 2;
export const ASCII = 3;
export const TEXT = 4;
export const ADDRESS = 5;
export const WITHIN = 6;
export const TRUTH = 7;
export const DECODED = 8;
export const ROW = 9;
export const PRESENT = 10;

const CODES: Readonly<Record<CopiedForm, number>> = {
  integer: INTEGER,
  decimal: DECIMAL,
  ascii: ASCII,
  text: TEXT,
  address: ADDRESS,
  within: WITHIN,
  truth: TRUTH,
};

/** One step: a text that is the same for all rows, and what is written behind it. */
export interface Step {
  readonly text: string;
  readonly code: number;
  readonly column: number;
  /** Whether a part begins here. */
  readonly begins: boolean;
  readonly whenNull: string | null;
  readonly asText: ((row: Row) => string) | null;
  readonly ofValue: ((value: string) => string) | null;
  /** How many steps its part has behind it, which are passed over where it is written otherwise. */
  readonly others: number;
}

const STEP: Step = {
  text: '',
  code: SAME,
  column: -1,
  begins: true,
  whenNull: null,
  asText: null,
  ofValue: null,
  others: 0,
};

/** The steps that a part is written by. */
export function stepsOf(part: Part): Step[] {
  switch (part.kind) {
    case 'same':
      return [{ ...STEP, text: part.text }];
    case 'copied': {
      const { values, tail, whenNull = null, asText } = part;
      const hasTail = tail !== '';
      const steps = values.map(({ head, form, column }, index): Step => ({
        ...STEP,
        text: head,
        code: CODES[form],
        column,
        begins: index === 0,
        whenNull,
        asText,
        others: values.length - 1 - index + (hasTail ? 1 : 0),
      }));
      return hasTail ? [...steps, { ...STEP, text: tail, begins: false }] : steps;
    }
    case 'decoded': {
      const { column, whenNull, asText } = part;
      return [{ ...STEP, code: DECODED, column, whenNull, ofValue: asText }];
    }
    case 'row':
      return [{ ...STEP, code: ROW, asText: part.asText }];
    case 'present': {
      const { column, whenNull, parts } = part;
      const steps = parts.flatMap(stepsOf);
      return [{ ...STEP, code: PRESENT, column, whenNull, others: steps.length }, ...steps];
    }
  }
}

/** Texts that are written often: their bytes in UTF-8, by fours. The last four of one may go beyond its end: what comes next is written over that. */
export class Texts {
  readonly #words: number[] = [];
  readonly #starts = [0];
  readonly #lengths: number[] = [];

  add(text: string): void {
    const bytes = Buffer.from(text);
    const padded = Buffer.alloc(4 * Math.ceil(bytes.length / 4));
    bytes.copy(padded);
    for (let at = 0; at < padded.length; at += 4) this.#words.push(padded.readInt32BE(at));
    this.#starts.push(this.#words.length);
    this.#lengths.push(bytes.length);
  }

  made(): { words: Int32Array; starts: Int32Array; lengths: Int32Array } {
    return {
      words: Int32Array.from(this.#words),
      starts: Int32Array.from(this.#starts),
      lengths: Int32Array.from(this.#lengths),
    };
  }
}
