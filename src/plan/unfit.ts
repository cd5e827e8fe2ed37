/** A value that its column's type cannot hold: what was expected, for a message, and in which way it does not fit. */
export class Unfit extends Error {
  readonly errorName: UnfitName;

  constructor(expected: string, errorName: UnfitName = 'wrongType') {
    super(expected);
    this.name = 'Unfit';
    this.errorName = errorName;
  }
}

/** The ways in which a value may not fit. */
export type UnfitName = 'wrongType' | 'tooSmall' | 'tooLarge' | 'tooLong';
