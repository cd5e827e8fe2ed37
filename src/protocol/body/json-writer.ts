import { isLongText, jsonStringPieces, textPieces } from '../../base/text.ts';
import { atOnce } from '../../base/time.ts';
import { digitsOf, isJsonArray, isJsonObject, type JsonObject, type JsonValue } from './json.ts';

/** How many values are written before other requests may have their turn. */
const PIECE = 5000;

/** Throws where something is wrong with a value, or with a piece of a long text. @param depth how many arrays and objects it is within */
type Check = (value: JsonValue, depth: number) => void;

/** An array or object that is being written, and the index of its next value. */
type Open =
  | { readonly names: null; readonly items: readonly JsonValue[]; at: number }
  | { readonly names: readonly string[]; readonly members: JsonObject; at: number };

/** JSON text without blanks; numbers as they were written. */
export function jsonText(value: JsonValue): string {
  return atOnce(jsonWriting(value));
}

/** Writes JSON text without blanks, in steps; open values are in a list, not on the stack. @param check called for each value and name before it */
export function* jsonWriting(
  whole: JsonValue,
  check: Check = () => undefined,
): Generator<void, string> {
  const pieces: string[] = [];
  const opened: Open[] = [];
  // A text that grew part by part would be a tree of its parts, which is slow to collect.
  let parts: string[] = [];
  let written = 0;
  let value: JsonValue | undefined = whole;
  for (;;) {
    if (typeof value === 'string' && isLongText(value)) {
      pieces.push(parts.join(''));
      parts = [];
      yield* longText(value, opened.length, pieces, check);
    } else if (value !== undefined) {
      check(value, opened.length);
      if (isJsonArray(value)) {
        parts.push('[');
        opened.push({ names: null, items: value, at: 0 });
      } else if (isJsonObject(value)) {
        parts.push('{');
        opened.push({ names: Object.keys(value), members: value, at: 0 });
      } else {
        parts.push(digitsOf(value) ?? JSON.stringify(value));
      }
    }
    const open = opened.at(-1);
    if (open === undefined) return [...pieces, ...parts].join('');
    if (open.at === (open.names ?? open.items).length) {
      parts.push(open.names === null ? ']' : '}');
      opened.pop();
      value = undefined;
      continue;
    }
    if (open.at > 0) parts.push(',');
    const name = open.names?.[open.at];
    value = (open.names === null ? open.items[open.at] : open.members[name ?? '']) ?? null;
    if (name !== undefined && isLongText(name)) {
      pieces.push(parts.join(''));
      parts = [':'];
      yield* longText(name, opened.length, pieces, check);
    } else if (name !== undefined) {
      check(name, opened.length);
      parts.push(JSON.stringify(name), ':');
    }
    open.at += 1;
    written += 1;
    if (written % PIECE === 0) {
      pieces.push(parts.join(''));
      parts = [];
      yield;
    }
  }
}

/** Checks a long text, and adds it to the written pieces. */
function* longText(
  text: string,
  depth: number,
  written: string[],
  check: Check,
): Generator<void, void> {
  for (const piece of textPieces(text)) {
    check(piece, depth);
    yield;
  }
  for (const piece of jsonStringPieces(text)) {
    written.push(piece);
    yield;
  }
}
