import { Readable } from 'node:stream';
import { ProtocolError } from '../../base/errors.ts';
import { type Content, ContentChanged, readContent } from '../../run/read/content.ts';
import { readingFrom } from '../../run/run.ts';
import { bestFormat, type ImageType } from '../../answer/image/formats.ts';
import { storedImage, type StoredImage } from '../../answer/image/stored-image.ts';
import type { RequestContext } from '../../base/observe/observer.ts';
import { type ContentPlan, planContent } from '../../plan/read/content.ts';
import type { ContentRequest } from '../../protocol/ast.ts';
import { type Answer, jsonAnswer, NO_IMAGE } from '../../answer/answer.ts';
import { executionOf, type OperationContext, staged } from '../pipeline/operation.ts';
import {
  cachingHeaders,
  type CachingHeaders,
  mayGoOn,
  stampTag,
  unlessHeld,
} from '../http/etags.ts';

/** A double holds numbers of 15 digits exactly. */
const RANGE = /^bytes=\s*(?:(\d{1,15})-(\d{0,15})|-(\d{1,15}))\s*$/i;

/** The range that a header asks for (RFC 9110, 14.2); null for all bytes: when there is no range, or several. @param length how many bytes there are */
export function byteRange(
  header: string | undefined,
  length: number,
): { readonly start: number; readonly end: number } | 'unsatisfiable' | null {
  const [, first, last, suffix] = RANGE.exec(header ?? '') ?? [];
  if (suffix !== undefined) {
    const wanted = Math.min(Number(suffix), length);
    return wanted === 0 ? 'unsatisfiable' : { start: length - wanted, end: length };
  }
  if (first === undefined) return null;
  const start = Number(first);
  const end = last === undefined || last === '' ? length : Math.min(Number(last) + 1, length);
  if (last !== undefined && last !== '' && Number(last) < start) return null;
  return start >= length ? 'unsatisfiable' : { start, end };
}

/** How often a read is tried when the content changes meanwhile. */
const MOST_TRIES = 3;

/** Reads what an image or BLOB holds (§4.5). */
export const content = staged({
  name: 'content',
  changes: false,
  addresses: ({ read }) => read,
  plan: planContent,
  run: async ({ plan }, _, context: OperationContext<ContentRequest>) => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await answerOnce(plan, context);
      } catch (error) {
        if (!(error instanceof ContentChanged) || tries === MOST_TRIES) throw error;
      }
    }
  },
  write: (answer) => answer,
});

async function answerOnce(
  plan: ContentPlan,
  context: OperationContext<ContentRequest>,
): Promise<Answer> {
  const { ast, values, request, services, signal } = context;
  const found = await readContent(plan, values, readingFrom(executionOf(context)));
  const isImage = plan.attribute.type === 'image' && !ast.binary;
  if (found === null) {
    return isImage ? jsonAnswer(NO_IMAGE) : { status: 204, headers: {}, body: null };
  }
  const known = values[plan.version?.parameter ?? -1]?.value;
  const isCurrent = found.stamp !== null && known === found.stamp;
  const caching = (form: string, isBest = false): CachingHeaders =>
    cachingHeaders(contentTag(found, form), services.sessionNames.header, {
      // A URL with the current version always has the same content; any other is asked about each time.
      ...(isCurrent ? { control: 'private, max-age=31536000, immutable' } : {}),
      by: isBest ? ['Accept'] : [],
    });
  if (!isImage) {
    const whole = { start: 0, length: found.length, type: null };
    return sentAsIs(found, whole, caching('raw'), context);
  }
  const stored = storedImage(found.beginning, found.length);
  const isBest = ast.format === 'best';
  const format = isBest ? bestFormat(request.headers.accept, stored.type) : ast.format;
  if (format === null || format === stored.type) {
    const headers = caching(stored.type ?? 'raw', isBest);
    return sentAsIs(found, stored, headers, context);
  }
  // Nothing is converted to a bitmap: a client takes a stored one as it is or not at all.
  if (format === 'none' || format === 'bmp' || stored.type === null) return jsonAnswer(NO_IMAGE);
  const headers = { ...caching(format, isBest), ...typeHeaders(format) };
  const held = unlessHeld(request.headers, headers);
  if (held !== null) return held;
  const converted = await services.images.convert(format, {
    length: stored.length,
    read: () => wholeOf(found, stored),
    signal,
  });
  return converted === null ? jsonAnswer(NO_IMAGE) : { status: 200, headers, body: converted };
}

/** A tag that names the entity's stamp when that tells contents apart, so that an upload can name it by `If-Match`. */
function contentTag({ stamp, version }: Content, form: string): string {
  return stamp === null ? `"${version}-${form}"` : stampTag(stamp, `${version}-${form}`);
}

/** Browsers do not show content of an unknown type. */
function typeHeaders(type: ImageType | null): Readonly<Record<string, string>> {
  return type === null
    ? { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment' }
    : { 'content-type': `image/${type}` };
}

/** Bytes as they are stored, or a range of them, as fast as the client takes them. */
function sentAsIs(
  content: Content,
  { start, length, type }: StoredImage,
  caching: CachingHeaders,
  context: OperationContext,
): Answer {
  const { headers: asked, verb } = context.request;
  const held = unlessHeld(asked, caching);
  if (held !== null) return held;
  // A range of a HEAD would be told of nothing (RFC 9110, 14.2).
  const wanted = verb === 'GET' && mayGoOn(headerText(asked['if-range']), caching.etag);
  const range = byteRange(wanted ? asked.range : undefined, length);
  if (range === 'unsatisfiable') {
    const refusal = new ProtocolError(
      'rangeNotSatisfiable',
      `The content has ${length} bytes: the range begins behind its end.`,
    );
    const { headers, body } = jsonAnswer(refusal.toJsonText());
    return {
      status: refusal.status,
      headers: { ...headers, 'content-range': `bytes */${length}`, 'accept-ranges': 'bytes' },
      body,
    };
  }
  const part = range ?? { start: 0, end: length };
  const isPartial = range !== null;
  return {
    status: isPartial ? 206 : 200,
    headers: {
      ...caching,
      ...typeHeaders(type),
      'accept-ranges': 'bytes',
      'content-length': String(part.end - part.start),
      ...(isPartial ? { 'content-range': `bytes ${part.start}-${part.end - 1}/${length}` } : {}),
    },
    body: bodyOf(content, { start: start + part.start, end: start + part.end }, context),
  };
}

function headerText(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}

function bodyOf(
  content: Content,
  { start, end }: { readonly start: number; readonly end: number },
  { observer, signal }: RequestContext,
): Uint8Array | Readable {
  if (end <= content.beginning.length) return content.beginning.subarray(start, end);
  const slices = async function* (): AsyncGenerator<Buffer> {
    try {
      yield* content.slices(start, end);
    } catch (error) {
      // The answer has begun: all that is left is to break it off, and to say why.
      if (!signal.aborted) observer.errorMet(error instanceof Error ? error : new Error());
      throw error;
    }
  };
  return Readable.from(slices(), { objectMode: false });
}

async function wholeOf(content: Content, { start, length }: StoredImage): Promise<Buffer> {
  const slices: Buffer[] = [];
  for await (const slice of content.slices(start, start + length)) slices.push(slice);
  return Buffer.concat(slices);
}
