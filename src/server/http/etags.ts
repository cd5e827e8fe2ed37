import { createHash, hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { type Answer, encoded, inPieces, JSON_TYPE } from '../../answer/answer.ts';
import type { EncodedPage, EncodedWriter } from '../../answer/entities/collection-writer.ts';
import { type Writing, writtenText } from '../../answer/entities/entity-writer.ts';
import { ProtocolError } from '../../base/errors.ts';
import { isLongText, type Text, textPieces } from '../../base/text.ts';
import { TimeSlice } from '../../base/time.ts';
import type { Dataclass } from '../../model/types.ts';
import type { SavePlan } from '../../plan/write/save.ts';
import type { Body, BodyEntity } from '../../protocol/body/body.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { stampDigits } from '../../run/body/entity-key.ts';
import type { RefusedEntity } from '../../run/convert/types.ts';
import type { OperationContext, Services } from '../pipeline/operation.ts';

/** Stands for `__GlobalStamp` in a text that a tag is made from. JSON escapes this character, so that no text has it. */
export const STAMP_PLACE = '\0';

/** The characters of a digest that tell any two answers apart: 132 bits. */
const DIGEST = 22;

export interface Tagged {
  /** The answer, with {@link STAMP_PLACE} for its `__GlobalStamp`. */
  readonly text: Text;
  /** The `__GlobalStamp`; left out where the text has none. */
  readonly globalStamp?: string;
  /** The stamp of the one entity that is answered, as digits; null or left out where it is none, or keeps no stamps. */
  readonly stamp?: string | null;
}

/**
 * Answers JSON with the tag of what it holds (RFC 9110, 8.8.3), or 304 where the client has that. It is read and written in any case, as nothing else
 * tells whether it is the same; what is saved is the way to the client.
 * The tag is a digest of the text without `__GlobalStamp`, which changes with whatever is saved anywhere; such a tag is weak, as the bytes differ. The tag
 * of one entity begins with its stamp, so that a save can say by `If-Match` which version it is for ({@link stampTag}).
 * @throws ProtocolError preconditionFailed, and the reason of the request's signal
 */
export async function taggedAnswer(
  tagged: Tagged,
  request: RestRequest,
  services: Pick<Services, 'sessionNames'>,
): Promise<Answer> {
  const { text, globalStamp = '' } = tagged;
  const isWhole = !(typeof text === 'string'
    ? text.includes(STAMP_PLACE)
    : text.some((part) => part.includes(STAMP_PLACE)));
  const stamped = (piece: string): string => piece.replaceAll(STAMP_PLACE, globalStamp);
  if (typeof text === 'string' && !isLongText(text)) {
    const answer = answerOf(tagged, hash('sha256', text, 'base64url'), isWhole, request, services);
    return isWhole || answer.body === null ? answer : { ...answer, body: stamped(text) };
  }
  const slice = new TimeSlice(request.signal);
  const sha256 = await digestOf(textPieces(text), slice);
  const answer = answerOf(tagged, sha256, isWhole, request, services);
  return encoded(answer, slice, isWhole ? undefined : stamped);
}

/** Rows as a statement found them: decoded, or as they came. */
interface FoundPage extends Omit<EncodedPage, 'rows' | 'globalStamp'> {
  globalStamp: string;
  readonly encoded?: EncodedPage['rows'];
}

/** The writers of a page: from decoded rows; and from rows as they came, null where that cannot be. */
interface PageWriters<Page> {
  readonly write: (page: Page) => string | Writing;
  readonly writeEncoded: EncodedWriter | null;
}

/**
 * Writes what a read found, and answers it with a tag.
 * @param found is this request's own, and changed: a copy of it takes longer than the tag
 * @throws ProtocolError as {@link taggedAnswer}, and answerTooLarge
 */
export async function taggedPage<Page extends FoundPage>(
  found: Page,
  { write, writeEncoded }: PageWriters<Page>,
  slice: TimeSlice,
  { request, services }: Pick<OperationContext, 'request' | 'services'>,
  stamp: string | null = null,
): Promise<Answer> {
  const { encoded: rows, globalStamp } = found;
  found.globalStamp = STAMP_PLACE;
  if (writeEncoded !== null && rows !== undefined) {
    const bytes = (before: number): Promise<readonly Buffer[]> =>
      writeEncoded({ rows, enough: request.enoughBytes, ...found }, before, slice);
    return taggedBytes(globalStamp, bytes, request, services);
  }
  const text = await writtenText(write(found), slice, undefined, request.enoughBytes);
  return taggedAnswer({ text, globalStamp, stamp }, request, services);
}

/**
 * Answers a page that is written as bytes, as {@link taggedAnswer} answers the same text.
 * @param write writes JSON in UTF-8, with {@link STAMP_PLACE} once, in the first piece, and leaves as many bytes free at its beginning as asked
 */
export async function taggedBytes(
  globalStamp: string,
  write: (before: number) => Promise<readonly Buffer[]>,
  request: RestRequest,
  services: Pick<Services, 'sessionNames'>,
): Promise<Answer> {
  // The stamp may be longer than what stands in its place.
  const before = globalStamp.length - STAMP_PLACE.length;
  const pieces = await write(before);
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

/** The answer with its tag, or 304 without it. @param isWhole whether the text has no `__GlobalStamp` */
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

/** The SHA-256 of what is long, in base64url. */
async function digestOf(pieces: Iterable<string | Buffer>, slice: TimeSlice): Promise<string> {
  const digest = createHash('sha256');
  for (const piece of pieces) {
    await slice.pause();
    digest.update(piece);
  }
  return digest.digest('base64url');
}

/** A tag for the version of an entity. @param more tells its representations apart, in letters, digits, `_` and `-` */
export function stampTag(stamp: string, more?: string): string {
  return more === undefined ? `"${stamp}"` : `"${stamp}.${more}"`;
}

/** The stamp in a tag that {@link stampTag} made, weak or not, as digits; null in any other. */
export function stampInTag(tag: string): string | null {
  const [, digits] = /^(?:W\/)?"(\d{1,16})(?:\.[\w-]*)?"$/.exec(tag) ?? [];
  return digits === undefined ? null : BigInt(digits).toString();
}

/** An entity tag in a list of them, weak or not (RFC 9110, 8.8.3). */
const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g;

/** The headers by which a client may keep an answer. */
export type CachingHeaders = Readonly<Record<'etag' | 'cache-control' | 'vary', string>>;

/** The headers that identify a user, beside that of sessions. */
const CREDENTIALS = 'Authorization, api-key, Cookie';

/** The client may keep the answer, and asks each time whether it is current. */
const ASK_EACH_TIME = 'private, no-cache';

/** The headers of an answer that its client may keep. It varies by the credentials, as the next user may have the same browser. */
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
 * Checks the conditions of a read in their order (RFC 9110, 13.2.2); no answer has a time. Returns the 304 (15.4.5), or null where the answer is to be sent.
 * @throws ProtocolError preconditionFailed where the client wants nothing but what `If-Match` names
 */
export function unlessHeld(
  { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: IncomingHttpHeaders,
  { etag, vary, 'cache-control': cacheControl }: CachingHeaders,
): Answer | null {
  if (!isMatch(ifMatch, etag)) {
    const message =
      'The current version is not one that If-Match names: read it without that header.';
    throw new ProtocolError('preconditionFailed', message);
  }
  if (!hasIt(ifNoneMatch, etag)) return null;
  return { status: 304, headers: { etag, vary, 'cache-control': cacheControl }, body: null };
}

/** Whether a client has what it would be sent, by its If-None-Match (RFC 9110, 13.1.2). */
export function hasIt(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return tagsIn(ifNoneMatch).some((one) => opaque(one) === opaque(tag));
}

/** Whether the answer is the one that a client wants (RFC 9110, 13.1.1); a weak tag does not prove it. */
function isMatch(ifMatch: string | undefined, tag: string): boolean {
  if (ifMatch === undefined || ifMatch.trim() === '*') return true;
  return opaque(tag) === tag && tagsIn(ifMatch).includes(tag);
}

/** Whether a client that has a part may be sent the rest, by its If-Range (RFC 9110, 13.1.5): no answer has a date. */
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

export type Precondition =
  /** `If-Match`: the stamp that it has to have, as digits; null for any, of an entity that is there (`*`). */
  | { readonly kind: 'present'; readonly stamp: string | null }
  /** `If-None-Match: *`: that it is not there yet. */
  | { readonly kind: 'absent' };

/**
 * What a write is to meet; null without such a header. `If-Match` is a stamp, as in the tag that the entity was read with, or alone, `"7"`; it is compared
 * as `__STAMP` is, where the entity is written. HTTP would compare tags, and no weak one (RFC 9110, 13.1.1), but proxies that compress make all tags weak.
 * @throws ProtocolError badRequest for what is not a list of tags, preconditionFailed where no tag names a version, notApplicable for contradictions
 */
export function preconditionOf({ headers }: Pick<RestRequest, 'headers'>): Precondition | null {
  const text = headers['if-match']?.trim();
  const ifNoneMatch = headers['if-none-match']?.trim();
  if (ifNoneMatch !== undefined) {
    if (ifNoneMatch === '*' && text === undefined) return { kind: 'absent' };
    throw notApplicable(
      'If-None-Match is allowed on reads, and as * on the creation of an entity.',
    );
  }
  if (text === undefined) return null;
  if (text === '*') return { kind: 'present', stamp: null };
  const list = /^\d{1,16}$/.test(text) ? `"${text}"` : text;
  if (!isTagList(list)) {
    const message = 'If-Match is not a list of ETags: send the ETag of the last read, in quotes.';
    throw new ProtocolError('badRequest', message);
  }
  const stamps = new Set(
    tagsIn(list)
      .map(stampInTag)
      .filter((stamp) => stamp !== null),
  );
  const [stamp, ...others] = stamps;
  if (stamp === undefined) {
    const message =
      'If-Match is not an entity’s ETag: send the ETag of the last read, or the __STAMP in quotes.';
    throw new ProtocolError('preconditionFailed', message);
  }
  if (others.length === 0) return { kind: 'present', stamp };
  throw notApplicable(
    'If-Match names several versions of the entity: send the one that you have read.',
  );
}

type StampedPlan = Pick<SavePlan, 'target' | 'method' | 'dataclass' | 'naturalKey' | 'atomic'>;

const NO_STAMP =
  'If-Match: * names no version, only that the entity exists, and an update needs the one that was read: send the ETag of the last read, or its __STAMP in quotes, such as If-Match: "7".';

/** The body of a save with the stamp of `If-Match` in it. @throws ProtocolError notApplicable unless it is for one existing entity, with one stamp */
export function stampedBody(
  body: Body,
  precondition: Precondition | null,
  { target, method, dataclass, naturalKey, atomic }: StampedPlan,
): Body {
  if (precondition === null) return body;
  const isNew = ({ key }: BodyEntity): boolean =>
    method === 'insert' || (target === null && (key ?? null) === null);
  if (precondition.kind === 'absent') {
    // A new entity takes no place that is taken, which is all that the header asks for.
    if (naturalKey === null && body.entities.every(isNew)) return body;
    throw notNew();
  }
  const [entity] = body.entities;
  if (body.form === 'many' || entity === undefined) throw notOne();
  if (isNew(entity)) {
    throw notApplicable('If-Match needs the key of an existing entity.');
  }
  const given = stampDigits(entity.stamp);
  const needsStamp = dataclass.requireStamp && dataclass.stamp.kind !== 'none' && !atomic;
  if (needsStamp && precondition.stamp === null && (entity.stamp ?? null) === null) {
    throw new ProtocolError('stampMissing', NO_STAMP);
  }
  const stamp = agreed(given, precondition.stamp, dataclass);
  return stamp === given ? body : { form: 'one', entities: [{ ...entity, stamp }] };
}

/** The one entity to write with the stamp of `If-Match`. @throws ProtocolError notApplicable where they are several, or there are two stamps */
export function stamped<Planned extends { readonly stamp: string | null }>(
  entities: readonly (Planned | RefusedEntity)[],
  precondition: Precondition | null,
  dataclass: Dataclass,
): (Planned | RefusedEntity)[] {
  if (precondition === null) return [...entities];
  if (precondition.kind === 'absent') throw notNew();
  if (entities.length !== 1) throw notOne();
  return entities.map((entity) =>
    'error' in entity
      ? entity
      : { ...entity, stamp: agreed(entity.stamp, precondition.stamp, dataclass) },
  );
}

/** @throws ProtocolError notApplicable where the header is there, and so may not be passed over in silence */
export function refusePrecondition(request: Pick<RestRequest, 'headers'>): void {
  if (request.headers['if-match'] !== undefined) throw notOne();
}

function agreed(
  given: string | null,
  stamp: string | null,
  { name, stamp: { kind } }: Dataclass,
): string | null {
  if (stamp === null) return given;
  if (kind === 'none') {
    throw notApplicable(`Entities of ${name} have no stamps to compare with If-Match.`);
  }
  if (given === null || given === stamp) return stamp;
  throw notApplicable(
    `If-Match has the stamp ${stamp}, the body the __STAMP ${given}: send one of them.`,
  );
}

/**
 * Does a write of an entity that may have another stamp by now than `If-Match` names (RFC 9110, 15.5.13).
 * @throws ProtocolError preconditionFailed in place of stampChanged, and what else the write throws
 */
export function underPrecondition<Result>(
  precondition: Precondition | null,
  write: () => Promise<Result>,
): Promise<Result> {
  if (!namesStamp(precondition)) return write();
  return write().catch((error: unknown) => {
    if (!isStampChanged(error)) throw error;
    const { message, consequences } = error;
    throw new ProtocolError('preconditionFailed', message, undefined, error).leadingTo(
      ...consequences,
    );
  });
}

/** Whether a header names a stamp. */
export function namesStamp(precondition: Precondition | null): boolean {
  return precondition?.kind === 'present' && precondition.stamp !== null;
}

/** Whether the entity of the request itself has another stamp, not a nested one. */
function isStampChanged(error: unknown): error is ProtocolError {
  return (
    error instanceof ProtocolError && error.errorName === 'stampChanged' && error.errorPath === null
  );
}

function notNew(): ProtocolError {
  return notApplicable(
    'If-None-Match is allowed on the creation of entities only; use If-Match for existing ones.',
  );
}

function notOne(): ProtocolError {
  return notApplicable(
    'If-Match is allowed on the save or the delete of one entity only: name it by its key.',
  );
}

function notApplicable(message: string): ProtocolError {
  return new ProtocolError('notApplicable', message);
}
