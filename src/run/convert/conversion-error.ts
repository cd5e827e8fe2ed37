import type { Side } from '../../sql/dialect.ts';

/** A value that its column's type cannot hold: what was expected, for a message, and in which way it does not fit. */
export class ConversionError extends Error {
  readonly errorName: ConversionErrorName;
  /** Where the value lies among those of the type; null for what is not compared with them at all. */
  readonly side: Side | null;
  /** Of a value between two of the type's, the one below it, as canonical text. */
  readonly floor: string | null;

  constructor(
    expected: string,
    errorName: ConversionErrorName = 'wrongType',
    { side = SIDES[errorName] ?? null, floor = null }: Place = {},
  ) {
    super(expected);
    this.name = 'ConversionError';
    this.errorName = errorName;
    this.side = floor === null ? side : 'between';
    this.floor = floor;
  }

  /** Whether the value is a number that lies outside of what the type holds. */
  get isOutOfRange(): boolean {
    return this.errorName === 'tooSmall' || this.errorName === 'tooLarge';
  }
}

/** What is known of a value that the type does not have; what is left out, the name of the error says. */
interface Place {
  readonly side?: Side | null;
  readonly floor?: string | null;
}

const SIDES: Readonly<Partial<Record<ConversionErrorName, Side>>> = {
  tooSmall: 'below',
  tooLarge: 'above',
};

/** The ways in which a value may not fit. */
export type ConversionErrorName = 'wrongType' | 'tooSmall' | 'tooLarge' | 'tooLong';
