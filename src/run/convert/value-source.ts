import type { Claims } from '../../base/principal.ts';
import { isNullLiteral } from '../../plan/condition/comparison.ts';
import type { ValueSource } from '../../sql/ir/ir.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { ColumnType } from '../../schema/types.ts';
import { withoutPadding } from '../../base/text.ts';
import { type DifferingPair, losesPadding } from '../../schema/type-rules.ts';
import { ConversionError } from './conversion-error.ts';
import { canonicalText } from './convert.ts';

/** What the values of a statement come from, those of the model aside. */
export interface GivenValues {
  /** The values of the request, by slot. */
  readonly values: readonly Literal[];
  /** What is known of whoever asks. */
  readonly claims: Claims;
}

/** The value that a source leads to. */
export function valueOf(source: ValueSource, { values, claims }: GivenValues): Literal {
  switch (source.from) {
    case 'model':
      return fixedLiteral(source.value);
    case 'claim': {
      const claim = claims.get(source.name);
      // Whoever lacks a claim is shown a model that does not ask for it.
      if (claim === undefined) throw new Error(`no claim ${source.name}`);
      return fixedLiteral(claim);
    }
    case 'request': {
      const literal = values[source.slot];
      if (literal === undefined) throw new Error(`no value for slot ${source.slot}`);
      return literal;
    }
  }
}

/** What fits: the model's values were looked at when it was built, and claims when it was chosen. */
export function fixedLiteral(value: string | readonly string[]): Literal {
  const literal = (text: string): Literal => ({ value: text, ...FIXED });
  return typeof value === 'string'
    ? literal(value)
    : { ...FIXED, value: value.map(literal), class: 'list' };
}

const FIXED = { class: 'text', within: 'where', position: 1 } as const;

/** The items of a list, or the one value that stands for it, without nulls: no value equals those. */
export function itemsOf(list: Literal, type: ColumnType): readonly Literal[] {
  const items = typeof list.value === 'string' ? [list] : list.value;
  return items.filter((item) => !isNullLiteral(item.class, type));
}

/** The text by which a value of one column is looked for in the other; null where no value there equals it. */
export function linkedText(text: string, { from, to }: DifferingPair): string | null {
  if (losesPadding(from, to)) return withoutPadding(text);
  try {
    return canonicalText(text, to);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    return null;
  }
}
