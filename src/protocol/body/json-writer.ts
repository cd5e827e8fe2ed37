import { isLongText, jsonStringPieces, textPieces } from '../../base/text.ts';
import { atOnce } from '../../base/time-slice.ts';
import { digitsOf, isJsonArray, isJsonObject, type JsonValue } from './json-value.ts';

/** How many values are written before others may have their turn. */
const PIECE = 5000;

/** What is wrong with a value, if anything is; of a long text each piece is looked at. @param depth how many arrays and objects it is within */
type Check = (value: JsonValue, depth: number) => void;

interface Open {
  readonly value: JsonValue;
  /** The names of an object's members; null of an array. */
  readonly names: readonly string[] | null;
  readonly length: number;
  at: number;
}

/** JSON text without blanks; numbers as they were written. */
export function jsonText(value: JsonValue): string {
  return atOnce(jsonWriting(value));
}

/**
 * Writes JSON text without blanks, numbers as they were written, in pieces. What is open is kept in a list, not on the stack.
 * @param check called for each value, and each name, before it is written
 */
export function* jsonWriting(
  whole: JsonValue,
  check: Check = () => undefined,
): Generator<void, string> {
  const pieces: string[] = [];
  const opened: Open[] = [];
  // A text that grew by each part would be a tree of them, which takes the collector of garbage long.
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
      const open = openOf(value);
      if (open === null) parts.push(scalarText(value));
      else {
        parts.push(open.names === null ? '[' : '{');
        opened.push(open);
      }
    }
    const open = opened.at(-1);
    if (open === undefined) return [...pieces, ...parts].join('');
    if (open.at === open.length) {
      parts.push(open.names === null ? ']' : '}');
      opened.pop();
      value = undefined;
      continue;
    }
    if (open.at > 0) parts.push(',');
    const name = open.names?.[open.at];
    value = memberOf(open, name);
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

/** Checks a long text, and writes it to the end of what is written. */
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

function openOf(value: JsonValue): Open | null {
  if (isJsonArray(value)) return { value, names: null, length: value.length, at: 0 };
  if (!isJsonObject(value)) return null;
  const names = Object.keys(value);
  return { value, names, length: names.length, at: 0 };
}

/** The next value of what is open. @param name that of a member; left out in arrays */
function memberOf({ value, at }: Open, name = ''): JsonValue {
  if (isJsonArray(value)) return value[at] ?? null;
  return isJsonObject(value) ? (value[name] ?? null) : null;
}

function scalarText(value: JsonValue): string {
  return digitsOf(value) ?? JSON.stringify(value);
}
