import { withoutPadding } from '../../base/padding.ts';
import type { DifferingPair } from '../../schema/differing-pair.ts';
import { losesPadding } from '../../schema/padded.ts';
import { ConversionError } from './conversion-error.ts';
import { canonicalText } from './convert.ts';

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
