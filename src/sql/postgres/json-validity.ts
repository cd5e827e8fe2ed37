import { literal } from './literals.ts';

/** The first major version that tells what a type's input would refuse. */
const SOFT_INPUT_VERSION = 16;

/**
 * A condition: whether text can be read as jsonb. One row that cannot must not fail a statement for all others: a cast fails on
 * what is no JSON, and on JSON that no jsonb holds: U+0000, half a surrogate pair, numbers past numeric's range
 * (https://www.postgresql.org/docs/current/datatype-json.html).
 * @param text an expression of type text
 * @param isJson whether it is known to be JSON
 */
export function isJsonb(text: string, isJson: boolean, version: number): string {
  // https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-VALIDITY
  if (version >= SOFT_INPUT_VERSION) return `pg_input_is_valid(${text}, 'jsonb')`;
  const storable =
    `${text} !~ ${NULL_CHARACTER} AND ${without(SURROGATE_PAIR, text)} !~ ${SURROGATE}` +
    ` AND ${emptied(text)} !~ ${HUGE_NUMBER}`;
  return isJson ? `(${storable})` : `(${storable} AND ${isGrammatical(text)})`;
}

/** Behind an even number of backslashes: an odd one is an escaped backslash, and text. */
const UNESCAPED = String.raw`(?<!\\)(?:\\\\)*`;
const NULL_CHARACTER = literal(String.raw`${UNESCAPED}\\u0000`);
const SURROGATE_PAIR = String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`;
const SURROGATE = literal(String.raw`${UNESCAPED}\\u[dD][89a-fA-F]`);
const HUGE_NUMBER = literal('[eE][+-]?0*[1-9][0-9]{4}');

const STRING = String.raw`"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"`;
const SCALAR = String.raw`-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null`;
const BLANKS = String.raw`[ \t\n\r]+`;
const VALUE = '(?:0|"")';
const FLAT = String.raw`\[(?:${VALUE}(?:,${VALUE})*)?\]|\{(?:"":${VALUE}(?:,"":${VALUE})*)?\}`;

/**
 * Strings become empty ones, numbers and words 0, and then each array and object that holds nothing else becomes 0, from the
 * innermost out: of JSON, and of nothing else, one value is left.
 */
function isGrammatical(text: string): string {
  const scalars = replaced(emptied(text), SCALAR, '0');
  return (
    `EXISTS (WITH RECURSIVE j(t) AS (SELECT ${without(BLANKS, scalars)}` +
    ` UNION ALL SELECT ${replaced('t', FLAT, '0')} FROM j WHERE t ~ ${literal(FLAT)})` +
    ` SELECT 1 FROM j WHERE t IN ('0', '""'))`
  );
}

function emptied(text: string): string {
  return replaced(text, STRING, '""');
}

function without(pattern: string, text: string): string {
  return replaced(text, pattern, '');
}

function replaced(text: string, pattern: string, by: string): string {
  return `regexp_replace(${text}, ${literal(pattern)}, ${literal(by)}, 'g')`;
}
