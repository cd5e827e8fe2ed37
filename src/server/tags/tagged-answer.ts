import { createHash, hash } from 'node:crypto';
import { isLongText, textPieces, type Text } from '../../base/text.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { type Answer, encoded, inPieces, JSON_TYPE } from '../../answer/answer.ts';
import { cachingHeaders, unlessHeld } from './conditional.ts';
import type { Services } from '../pipeline/services.ts';

/** Stands for `__GlobalStamp` in a text of which a tag is made. No JSON text has this character: JSON escapes it. */
export const STAMP_PLACE = '\0';

/** As many characters of a digest as tell any two answers apart: 132 bits. */
const DIGEST = 22;

/** What is tagged. */
export interface Tagged {
  /** The answer, with {@link STAMP_PLACE} for its `__GlobalStamp`. */
  readonly text: Text;
  /** The `__GlobalStamp`; left out where the text has none. */
  readonly globalStamp?: string;
  /** The stamp of the one entity that is answered, as digits; null or left out where it is none, or keeps no stamps. */
  readonly stamp?: string | null;
}

/**
 * An answer of JSON with the tag of what it holds (RFC 9110, 8.8.3), or, where the client has that, word of it: 304. It is read and written in any
 * case, as nothing else tells whether it is the same; what is saved is the way to the client.
 *
 * The tag is made of the text, so that of any two representations each has its own. Only `__GlobalStamp` is left out, which changes with whatever is
 * saved anywhere; such a tag is weak, as the bytes differ. The tag of one entity begins with its stamp, so that a save can say by `If-Match` which
 * version it is for ({@link stampTag}).
 * A long text is looked through in slices.
 * @throws ProtocolError preconditionFailed, and the reason of the request's signal
 */
export async function taggedAnswer(
  tagged: Tagged,
  request: RestRequest,
  services: Pick<Services, 'sessionNames'>,
): Promise<Answer> {
  const { text, globalStamp = '' } = tagged;
  const isWhole = !hasStamps(text);
  const stamped = (piece: string): string => piece.replaceAll(STAMP_PLACE, globalStamp);
  if (typeof text === 'string' && !isLongText(text)) {
    const answer = answerOf(tagged, hash('sha256', text, 'base64url'), isWhole, request, services);
    return isWhole || answer.body === null ? answer : { ...answer, body: stamped(text) };
  }
  const slice = new TimeSlice(request.signal);
  const answer = answerOf(
    tagged,
    await digestOf(textPieces(text), slice),
    isWhole,
    request,
    services,
  );
  return encoded(answer, slice, isWhole ? undefined : stamped);
}

/** A page as bytes, as what is tagged. */
export interface TaggedBytes {
  /** JSON in UTF-8, with {@link STAMP_PLACE} once, in the first piece. */
  readonly pieces: readonly Buffer[];
  /** How many bytes of the first piece stand before it: {@link roomForStamp}. */
  readonly before: number;
  readonly globalStamp: string;
}

/** How many bytes a stamp is longer than what stands in its place. */
export function roomForStamp(globalStamp: string): number {
  return globalStamp.length - STAMP_PLACE.length;
}

/** What {@link taggedAnswer} answers for the same text. @throws as that does */
export async function taggedBytes(
  { pieces, before, globalStamp }: TaggedBytes,
  request: RestRequest,
  services: Pick<Services, 'sessionNames'>,
): Promise<Answer> {
  const [first = Buffer.alloc(0), ...others] = pieces;
  const tagged = first.subarray(before);
  const sha256 =
    others.length === 0
      ? hash('sha256', tagged, 'base64url')
      : await digestOf([tagged, ...others], new TimeSlice(request.signal));
  const answer = answerOf({ text: '' }, sha256, false, request, services);
  if (answer.body === null) return answer;
  const place = first.indexOf(STAMP_PLACE, before);
  first.copyWithin(0, before, place);
  first.write(globalStamp, place - before, 'latin1');
  return others.length === 0 ? { ...answer, body: first } : inPieces(answer, pieces);
}

/** The answer with its tag, or word of it. @param isWhole whether the text has no place for a stamp */
function answerOf(
  { text, stamp = null }: Tagged,
  sha256: string,
  isWhole: boolean,
  { headers }: RestRequest,
  { sessionNames }: Pick<Services, 'sessionNames'>,
): Answer {
  const digest = sha256.slice(0, DIGEST);
  const tag = stamp === null ? `"${digest}"` : stampTag(stamp, digest);
  const caching = cachingHeaders(isWhole ? tag : `W/${tag}`, sessionNames.header);
  return (
    unlessHeld(headers, caching) ?? {
      status: 200,
      headers: {
        'content-type': JSON_TYPE,
        etag: caching.etag,
        'cache-control': caching['cache-control'],
        vary: caching.vary,
      },
      body: text,
    }
  );
}

/** Whether `__GlobalStamp` stands anywhere in a text. */
function hasStamps(text: Text): boolean {
  return typeof text === 'string'
    ? text.includes(STAMP_PLACE)
    : text.some((part) => part.includes(STAMP_PLACE));
}

/** The SHA-256 of what is long, in base64url. */
async function digestOf(pieces: Iterable<string | Buffer>, slice: TimeSlice): Promise<string> {
  const digest = createHash('sha256');
  for (const piece of pieces) {
    await slice.pause();
    digest.update(piece);
  }
  return digest.digest('base64url');
}

/**
 * A tag that names the version of an entity.
 * @param stamp as digits
 * @param more what tells representations of one version apart, in letters, digits, `_` and `-`
 */
export function stampTag(stamp: string, more?: string): string {
  return more === undefined ? `"${stamp}"` : `"${stamp}.${more}"`;
}

/** The stamp in a tag that {@link stampTag} made, weak or not, as digits; null in any other. */
export function stampInTag(tag: string): string | null {
  const [, digits] = /^(?:W\/)?"(\d{1,16})(?:\.[\w-]*)?"$/.exec(tag) ?? [];
  return digits === undefined ? null : BigInt(digits).toString();
}
