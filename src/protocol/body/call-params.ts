import { ProtocolError } from '../../base/errors.ts';
import type { TimeSlice } from '../../base/time-slice.ts';
import { bodyJson, type RawBody } from './body.ts';
import { parseJson } from './json.ts';
import { BrokenJson, isJsonArray, isJsonObject, type JsonValue } from './json-value.ts';
import { decodeQuoteCodes } from '../url/literals.ts';

/**
 * The parameters of a call that is posted: a JSON array, or an object that has one as `params`; none for an empty body.
 * @throws ProtocolError badMediaType, badBody
 */
export async function bodyParams(
  body: RawBody | null,
  slice: TimeSlice,
): Promise<readonly JsonValue[]> {
  const value = body === null ? undefined : await bodyJson(body, slice);
  if (value === undefined) return [];
  if (isJsonArray(value)) return value;
  if (isJsonObject(value)) {
    const { params } = value;
    if (isJsonArray(params)) return params;
    if (Object.keys(value).length === 0) return [];
  }
  throw new ProtocolError(
    'badBody',
    'The body holds no parameters: expected a JSON array of them, or {"params": […]}.',
  );
}

/**
 * The parameters of a call by GET: the text of `$params`.
 * @throws ProtocolError badParameters
 */
export function urlParams(text: string): readonly JsonValue[] {
  const trimmed = text.trim();
  if (trimmed === '') return [];
  try {
    const value = parseJson(trimmed);
    if (isJsonArray(value)) return value.map(withQuotes);
  } catch (error) {
    if (!(error instanceof BrokenJson)) throw error;
    throw new ProtocolError('badParameters', 'The value of $params is not valid JSON.', {
      within: '$params',
      position: error.position,
    });
  }
  throw new ProtocolError(
    'badParameters',
    'The value of $params is not a JSON array of the function’s parameters.',
  );
}

/** Clients write quotes inside of texts as character codes (§4.3). */
function withQuotes(value: JsonValue): JsonValue {
  return typeof value === 'string' ? decodeQuoteCodes(value) : value;
}
