import type { ColumnType } from '../../schema/types.ts';
import type { Side } from '../../sql/ir/statement.ts';

/** Why a type cannot hold a value. */
export type ConversionErrorName = 'wrongType' | 'tooSmall' | 'tooLarge' | 'tooLong';

const SIDES: Readonly<Partial<Record<ConversionErrorName, Side>>> = {
  tooSmall: 'below',
  tooLarge: 'above',
};

/** A value that its column's type cannot hold; the message says what is expected. */
export class ConversionError extends Error {
  readonly errorName: ConversionErrorName;
  /** The side of the type's values on which it lies; null for values of another kind. */
  readonly side: Side | null;
  /** For a value between two of the type's, the lower one, as canonical text. */
  readonly floor: string | null;

  constructor(
    expected: string,
    errorName: ConversionErrorName = 'wrongType',
    {
      side = SIDES[errorName] ?? null,
      floor = null,
    }: { readonly side?: Side | null; readonly floor?: string | null } = {},
  ) {
    super(expected);
    this.name = 'ConversionError';
    this.errorName = errorName;
    this.side = floor === null ? side : 'between';
    this.floor = floor;
  }

  /** Whether the value is a number that is out of the type's range. */
  get isOutOfRange(): boolean {
    return this.errorName === 'tooSmall' || this.errorName === 'tooLarge';
  }
}

/** What is expected of a value that only the database can read, as messages say it. */
export function expectedOf(type: ColumnType): string {
  if (type.kind === 'opaque' && type.values !== undefined)
    return `one of ${type.values.join(', ')}`;
  return `${/^[aeioux]/i.test(type.native) ? 'an' : 'a'} ${type.native}`;
}
