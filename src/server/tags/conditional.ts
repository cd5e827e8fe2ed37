import type { IncomingHttpHeaders } from 'node:http';
import { ProtocolError } from '../../base/errors.ts';
import type { Answer } from '../../answer/answer.ts';

/** An entity tag in a list of them, weak or not (RFC 9110, 8.8.3). */
const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** The headers by which a client may keep an answer. */
export type CachingHeaders = Readonly<Record<'etag' | 'cache-control' | 'vary', string>>;

/** The headers that tell who asks, beside that of sessions. */
const CREDENTIALS = 'Authorization, api-key, Cookie';

/** For what may be kept by who asked for it, and has to be asked about each time. */
const ASK_EACH_TIME = 'private, no-cache';

/**
 * The headers of an answer that its client may keep. Who may see it is told by the credentials, and a browser may be the next user's, too.
 * @param etag the tag, with its quotes
 * @param sessionHeader the header that names a session
 * @param more for how long it may be kept unasked, and what else of a request decides what is answered
 */
export function cachingHeaders(
  etag: string,
  sessionHeader: string,
  { control = ASK_EACH_TIME, by = [] }: { control?: string; by?: readonly string[] } = {},
): CachingHeaders {
  return {
    etag,
    'cache-control': control,
    vary: `${by.map((name) => `${name}, `).join('')}${CREDENTIALS}, ${sessionHeader}`,
  };
}

/**
 * What the conditions of a read come to, in their order (RFC 9110, 13.2.2). Conditions of time are passed over, as no answer has one.
 * @returns the answer that the client has it, with the headers that go with one (15.4.5); null where it is to be sent
 * @throws ProtocolError preconditionFailed where the client wants nothing but what `If-Match` names
 */
export function unlessHeld(
  { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: IncomingHttpHeaders,
  { etag, vary, 'cache-control': cacheControl }: CachingHeaders,
): Answer | null {
  if (!isMatch(ifMatch, etag)) {
    throw new ProtocolError(
      'preconditionFailed',
      'What there is now is none of what If-Match names: read it without that header.',
    );
  }
  if (!hasIt(ifNoneMatch, etag)) return null;
  return { status: 304, headers: { etag, vary, 'cache-control': cacheControl }, body: null };
}

/**
 * Whether a client has what it would be sent (RFC 9110, 13.1.2): then it is told so in place of that.
 * @param ifNoneMatch the header: tags, or `*` for any
 */
export function hasIt(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return tagsIn(ifNoneMatch).some((one) => opaque(one) === opaque(tag));
}

/** Whether what there is is what a client wants (RFC 9110, 13.1.1), of which a weak tag does not tell. */
function isMatch(ifMatch: string | undefined, tag: string): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true;
  return opaque(tag) === tag && tagsIn(ifMatch).includes(tag);
}

/**
 * Whether a client that has a part may be sent the rest (RFC 9110, 13.1.5): what it has a part of is still the same. A date tells nothing of that
 * here, as no answer has one.
 * @param ifRange the header: one tag, or a date
 */
export function mayGoOn(ifRange: string | undefined, tag: string): boolean {
  return ifRange === undefined || ifRange.trim() === tag;
}

/** The tags of a list, as they are written. */
export function tagsIn(list: string): readonly string[] {
  return list.match(TAG) ?? [];
}

/** Whether a text is a list of tags, one at least; places may be empty (RFC 9110, 5.6.1). */
export function isTagList(text: string): boolean {
  const places = text.replace(TAG, '""').split(',');
  const tags = places.filter((place) => place.trim() !== '');
  return tags.length > 0 && tags.every((place) => place.trim() === '""');
}

/** A tag without the mark of a weak one. */
function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
