import { ProtocolError } from '../../base/errors.ts';
import type { TimeSlice } from '../../base/time-slice.ts';
import { bodyJson } from './body.ts';
import { isJsonObject, type JsonObject } from './json-value.ts';
import { isWriteMethod, readParameters } from '../url/url.ts';
import { MOST_ATTRIBUTES } from '../url/literals.ts';
import type { RestRequest } from '../rest-request.ts';

/** Whether a POST is a read whose attributes are in its body (`$extendedAttributes`). */
export function postsAttributes(url: string): boolean {
  const given = readParameters(url);
  return (
    given.some(({ name, value }) => name === '$extendedAttributes' && /^true$/i.test(value)) &&
    !given.some(({ name, value }) => name === '$method' && isWriteMethod(value))
  );
}

/**
 * Moves the attributes of a read from its body to its URL: `{"firstName":true,"employer":{"name":true}}` is
 * `$attributes=firstName,employer.name`. @throws ProtocolError badBody, badMediaType, badAttributeList
 */
export async function withPostedAttributes(
  request: RestRequest,
  slice: TimeSlice,
): Promise<RestRequest> {
  const { body, headers, url } = request;
  const contentType = headers['content-type'];
  const value = body === null ? undefined : await bodyJson({ contentType, bytes: body }, slice);
  if (value !== undefined && !isJsonObject(value)) throw notAttributes('The body');
  const paths = [...attributePaths(value ?? {}, [])];
  if (paths.length === 0) return { ...request, body: null };
  const listed = paths.map((path) => path.map(encodeURIComponent).join('.')).join(',');
  return { ...request, body: null, url: `${url}&$attributes=${listed}` };
}

function* attributePaths(
  attributes: JsonObject,
  before: readonly string[],
  count = { paths: 0 },
): Generator<readonly string[]> {
  for (const [name, value] of Object.entries(attributes)) {
    const path = [...before, name];
    if (value === false || value === null) continue;
    if (isJsonObject(value) && Object.keys(value).length > 0) {
      yield* attributePaths(value, path, count);
    } else if (value === true || isJsonObject(value)) {
      count.paths += 1;
      if (count.paths > MOST_ATTRIBUTES) {
        const message = `The body names more than ${MOST_ATTRIBUTES} attributes.`;
        throw new ProtocolError('badAttributeList', message);
      }
      yield path;
    } else {
      throw notAttributes(path.join('.'));
    }
  }
}

function notAttributes(what: string): ProtocolError {
  const message = `${what} is not a list of attributes; expected an object such as {"firstName":true,"employer":{"name":true}}.`;
  return new ProtocolError('badBody', message);
}
