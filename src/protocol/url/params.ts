import { ProtocolError } from '../../base/errors.ts';
import { MOST_ITEMS } from '../../base/limits.ts';
import type { Literal } from '../ast.ts';
import { parseJson } from '../body/json.ts';
import { BrokenJson, digitsOf, isJsonArray, type JsonValue } from '../body/json-value.ts';
import { classifyText, decodeQuoteCodes } from './literals.ts';

/** As many placeholders as the protocol family allows. */
const MOST_PLACEHOLDERS = 128;

/**
 * Reads `$params`: a JSON array of the values for `:1`, `:2`, … (§4.3), numbers with all their digits.
 * @throws ProtocolError badPlaceholder where it is no such array
 */
export function parseParams(text: string): readonly Literal[] {
  const within = '$params';
  const trimmed = text.trim();
  if (trimmed === '') return [];
  let values: JsonValue;
  try {
    values = parseJson(trimmed);
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
    throw new ProtocolError(
      'badPlaceholder',
      'The value of $params is not valid JSON; expected an array such as ["text", 1, true, null].',
      { within, position: error.position },
    );
  }
  if (!isJsonArray(values)) {
    throw new ProtocolError(
      'badPlaceholder',
      'The value of $params is no JSON array; expected one value for each placeholder.',
      { within, position: 1 },
    );
  }
  if (values.length > MOST_PLACEHOLDERS) {
    throw new ProtocolError(
      'badPlaceholder',
      `$params holds ${values.length} values; at most ${MOST_PLACEHOLDERS} are allowed.`,
      { within, position: 1 },
    );
  }
  return values.map((value, index) => literal(value, index + 1));
}

function literal(value: JsonValue, number: number): Literal {
  const at = { within: '$params', position: number };
  if (value === null) return { ...at, value: 'null', class: 'null' };
  if (typeof value === 'boolean') return { ...at, value: String(value), class: 'boolean' };
  const digits = digitsOf(value);
  if (digits !== null) return { ...at, value: digits, class: 'number' };
  if (typeof value === 'string') {
    const text = decodeQuoteCodes(value);
    return { ...at, value: text, class: classifyText(text) };
  }
  if (isJsonArray(value) && value.length > MOST_ITEMS) {
    throw new ProtocolError(
      'badPlaceholder',
      `Value ${number} of $params is a list of ${value.length} items; at most ${MOST_ITEMS} are allowed.`,
      at,
    );
  }
  if (isJsonArray(value) && !value.some(isJsonArray)) {
    return { ...at, value: value.map((item) => literal(item, number)), class: 'list' };
  }
  throw new ProtocolError(
    'badPlaceholder',
    `Value ${number} of $params is a JSON object or a nested array; expected text, a number, true, false, null or an array of these.`,
    at,
  );
}
