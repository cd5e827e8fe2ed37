/** A value that its column's type cannot hold: what was expected, for a message, and in which way it does not fit. */
export class ConversionError extends Error {
  readonly errorName: ConversionErrorName;

  constructor(expected: string, errorName: ConversionErrorName = 'wrongType') {
    super(expected);
    this.name = 'ConversionError';
    this.errorName = errorName;
  }
}

/** The ways in which a value may not fit. */
export type ConversionErrorName = 'wrongType' | 'tooSmall' | 'tooLarge' | 'tooLong';
