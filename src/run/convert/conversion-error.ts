import { excerpt } from '../../base/text.ts';
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
  if (type.kind === 'opaque' && type.values !== undefined) return oneOfValues(type.values);
  return `${/^[aeioux]/i.test(type.native) ? 'an' : 'a'} ${type.native}`;
}

/** How many values a message lists. */
const MAX_LISTED = 20;

/** Lists the values that are allowed, as messages say it: the first ones, and how many others there are. */
export function oneOfValues(values: readonly (string | number)[]): string {
  const listed = values.slice(0, MAX_LISTED).map((value) => excerpt(String(value)));
  const others = values.length - listed.length;
  return `one of ${listed.join(', ')}${others === 0 ? '' : `, or ${others} more`}`;
}
