import { literal } from './literals.ts';

/** The first major version with pg_input_is_valid. */
const SOFT_INPUT_VERSION = 16;

/**
 * A condition: whether text can be cast to jsonb, so that one row cannot fail a statement. A cast fails on text that is not JSON, and on JSON
 * with U+0000, half a surrogate pair, or numbers out of numeric's range (https://www.postgresql.org/docs/current/datatype-json.html). Very deep
 * nesting counts as not JSON: the parser is recursive, and a stack overflow ends the statement, or the embedded database.
 * @param text an expression of type text; @param isJson whether it is known to be JSON
 */
export function isJsonb(text: string, isJson: boolean, version: number): string {
  // https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-VALIDITY
  if (version >= SOFT_INPUT_VERSION) {
    return isShallow(text, DEEPEST, `pg_input_is_valid(${text}, 'jsonb')`);
  }
  const storable =
    `${text} !~ ${NULL_CHARACTER} AND ${without(SURROGATE_PAIR, text)} !~ ${SURROGATE}` +
    ` AND ${emptied(text)} !~ ${HUGE_NUMBER} AND ${hasShortNumbers(text)}`;
  return isJson
    ? isShallow(text, DEEPEST, `(${storable})`)
    : isShallow(text, DEEPEST_CHECKED, `(${storable} AND ${isGrammatical(text)})`);
}

/** Levels of nesting that the parser takes whatever else is on its stack. */
const DEEPEST = 1000;

/** Levels of nesting of text that is checked level by level, with a pass over the text for each. */
const DEEPEST_CHECKED = 100;

/** A condition, or false where brackets are nested more deeply. The depth of many brackets is counted in one pass. */
function isShallow(text: string, deepest: number, condition: string): string {
  const brackets = replaced(emptied(text), '[^][{}]', '');
  const levels =
    `SELECT SUM(CASE WHEN c IN ('[', '{') THEN 1 ELSE -1 END) OVER (ORDER BY n) AS d` +
    ` FROM string_to_table(${brackets}, NULL) WITH ORDINALITY s(c, n)`;
  return (
    `CASE WHEN length(${text}) - length(translate(${text}, '[{', '')) <= ${deepest}` +
    ` OR (SELECT COALESCE(MAX(d), 0) FROM (${levels}) l) <= ${deepest} THEN ${condition} ELSE FALSE END`
  );
}

/** A condition: whether numeric can hold all numbers, with the longest exponent that {@link HUGE_NUMBER} allows. */
function hasShortNumbers(text: string): string {
  const most = `CASE WHEN ${emptied(text)} ~ ${LONG_EXPONENT} THEN 6383 ELSE 16383 END`;
  const runs = `regexp_split_to_table(${emptied(text)}, '[^0-9]+') r`;
  return `CASE WHEN length(${text}) <= 6383 THEN TRUE ELSE (SELECT MAX(length(r)) FROM ${runs}) <= ${most} END`;
}

/** Behind an even number of backslashes: an odd one is an escaped backslash, and text. */
const UNESCAPED = String.raw`(?<!\\)(?:\\\\)*`;
const NULL_CHARACTER = literal(String.raw`${UNESCAPED}\\u0000`);
const SURROGATE_PAIR = String.raw`\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}`;
const SURROGATE = literal(String.raw`${UNESCAPED}\\u[dD][89a-fA-F]`);
const HUGE_NUMBER = literal('[eE][+-]?0*[1-9][0-9]{4}');
const LONG_EXPONENT = literal('[eE][+-]?0*[1-9][0-9]{3}');

const STRING = String.raw`"(?:[^"\\\x01-\x1f]|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*"`;
const SCALAR = String.raw`-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null`;
const BLANKS = String.raw`[ \t\n\r]+`;
const VALUE = '(?:0|"")';
const FLAT = String.raw`\[(?:${VALUE}(?:,${VALUE})*)?\]|\{(?:"":${VALUE}(?:,"":${VALUE})*)?\}`;

/** Replaces strings by empty ones, numbers and words by 0, then arrays and objects of these by 0: only of JSON one value is left. */
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
