import { withoutPadding } from '../base/padding.ts';
import type { ColumnType } from './types.ts';

/** Whether a column pads its text with blanks, which are none of the text's own: CHAR and NCHAR. */
export function isPadded(type: ColumnType): boolean {
  return type.kind === 'text' && type.padded;
}

/** Text of a column as the protocol has it in keys: without what the column pads it with. */
export function unpadded(text: string, type: ColumnType): string {
  return isPadded(type) ? withoutPadding(text) : text;
}

/** Whether text of a column goes to another one without its padding, as it would be a part of the text there: CHAR that leads to VARCHAR. */
export function losesPadding(from: ColumnType, to: ColumnType): boolean {
  return isPadded(from) && !isPadded(to);
}
