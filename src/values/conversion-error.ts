/** A value that its column's type cannot hold: what was expected, for a message, and in which way it does not fit. */
export class ConversionError extends Error {
  readonly errorName: ConversionErrorName;

  constructor(expected: string, errorName: ConversionErrorName = 'wrongType') {
    super(expected);
    this.name = 'ConversionError';
    this.errorName = errorName;
  }

  /** Whether the value is a number that lies outside of what the type holds. */
  get isOutOfRange(): boolean {
    return this.errorName === 'tooSmall' || this.errorName === 'tooLarge';
  }
}

/** The ways in which a value may not fit. */
export type ConversionErrorName = 'wrongType' | 'tooSmall' | 'tooLarge' | 'tooLong';
