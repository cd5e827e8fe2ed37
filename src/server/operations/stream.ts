import { ProtocolError } from '../../base/errors.ts';
import { type Text, wholeText } from '../../base/text.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import { type Answer, JSON_TYPE } from '../../answer/answer.ts';
import { inOrder, writtenText } from '../../answer/entities/entity-writer.ts';
import { type CollectionWriter, compilePage } from '../../answer/entities/collection-writer.ts';
import { exportOf, planEntitySet } from '../../plan/read/entity-set.ts';
import type { EntitySetRequest, ExportFormat, Literal, ReadRequest } from '../../protocol/ast.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { isExport } from '../../protocol/requests/read.ts';
import { type Export, runExport, SLICE } from '../../run/read/export.ts';
import { readPageCount, runRead, parameterNumber } from '../../run/read/read.ts';
import { readingFrom } from '../../run/run.ts';
import type { SetPage } from '../../run/sets/entity-set.ts';
import { streamed } from '../http/reply.ts';
import {
  executionOf,
  type OperationContext,
  planOf,
  setRequestOf,
  staged,
} from '../pipeline/operation.ts';
import { readPlan } from './read.ts';

/** Streams an export or a long page, without a tag: reads the keys at once, and the entities in slices as fast as the client takes them. */
export const stream = staged({
  name: 'stream',
  changes: false,
  plan: (ast: ReadRequest | EntitySetRequest, planning) =>
    planEntitySet(ast.kind === 'read' ? exportOf(ast) : ast, planning),
  compile: compilePage,
  isPage: ({ layout: { format } }) => !isExport(format),
  run: async ({ plan }, _, context: OperationContext<ReadRequest | EntitySetRequest>) => {
    const { ast, request } = context;
    const isPage = ast.kind === 'read' && !isExport(ast.format);
    if (isPage) refuseTags(request);
    const page = await runExport(plan, setRequestOf(context));
    try {
      return { page, count: isPage ? await countOf(page, { ...context, ast }) : page.size };
    } catch (error) {
      page.close();
      throw error;
    }
  },
  write: async ({ page, count }, { plan, writer }, context) => {
    const { values, request, signal } = context;
    const { format } = plan.layout;
    const headers = { 'content-type': isExport(format) ? EXPORT_TYPES[format] : JSON_TYPE };
    const { globalStamp } = page.first;
    const whole = { globalStamp, count, first: parameterNumber(plan.skip, values) };
    const { writing, sent } = writer.entities(page.first);
    const slice = new TimeSlice(signal);
    try {
      // The rows do not wait for the client, but their text, whose length is known and bounded.
      const end = page.hasMore ? '' : writer.tail(whole, sent);
      const beginning = await writtenText(inOrder([writer.head(whole), writing, end]), slice);
      const isStreamed = page.hasMore && request.verb !== 'HEAD';
      if (!isStreamed) page.close();
      // Fastify adds a charset to the type of text that looks like JSON, and none to bytes.
      const text = isExport(format) ? Buffer.from(wholeText(beginning)) : beginning;
      if (!isStreamed) return { status: 200, headers, body: page.hasMore ? null : text };
      // The room of the keys is given up when the stream ends, or is never read.
      const begun = { page, writer, separator: isExport(format) ? '' : ',', whole, sent };
      const body = streamed(textsOf(beginning, begun, slice), page.close, context);
      return { status: 200, headers, body };
    } catch (error) {
      page.close();
      throw error;
    }
  },
});

function countOf(page: Export, context: OperationContext<ReadRequest>): Promise<number> {
  const { values, epoch } = context;
  const source = readingFrom(executionOf(context), { epoch });
  return readPageCount(planOf(readPlan, context).plan, page.size, values, source);
}

/** @throws ProtocolError preconditionFailed where the page has to have a tag */
function refuseTags({ headers }: RestRequest): void {
  const ifMatch = headers['if-match']?.trim() ?? '*';
  if (ifMatch === '*') return;
  const message = `A page of more than ${SLICE} entities has no ETag to compare with If-Match.`;
  throw new ProtocolError('preconditionFailed', message);
}

/** The texts of an answer: its beginning, a text for each slice behind the first, and its end. */
async function* textsOf(
  beginning: Text,
  { page, writer, separator, whole, sent: before }: Begun,
  slice: TimeSlice,
): AsyncGenerator<Text> {
  const rest: AsyncIterator<SetPage, void> = page.rest();
  let sent = before;
  const next = async (): Promise<Text | null> => {
    const { value: part, done } = await rest.next();
    if (done === true) return null;
    const written = writer.entities(part);
    const between = sent > 0 && written.sent > 0 ? separator : '';
    sent += written.sent;
    return writtenText(inOrder([between, written.writing]), slice);
  };
  for (let text: Text | null = beginning; text !== null; text = await next()) yield text;
  yield writer.tail(whole, sent);
}

interface Begun {
  readonly page: Export;
  readonly writer: CollectionWriter;
  readonly separator: string;
  readonly whole: Parameters<CollectionWriter['tail']>[0];
  readonly sent: number;
}

const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
};

/** Exports entities without a key by one statement, as they cannot be read again one by one. @throws ProtocolError answerTooLarge above `limits.maxTop` */
export const keylessExport = staged({
  ...readPlan,
  run: async ({ plan }, _, context: OperationContext<ReadRequest>) => {
    const { ast, values, services } = context;
    const { maxTop } = services.settings.limits;
    const some = bounded(values, plan.top.parameter, maxTop + 1);
    const result = await runRead(plan, some, readingFrom(executionOf(context)));
    if (result.fetched.rows.length <= maxTop) return result;
    const message = `${ast.dataclass} has no key, and more entities than limits.maxTop (${maxTop}): read them in pages, with $top and $skip.`;
    throw new ProtocolError('answerTooLarge', message);
  },
  write: async (result, { plan, writer: { write } }, { signal }): Promise<Answer> => {
    const { format } = plan.layout;
    if (!isExport(format)) throw new Error(`${format} is not the format of an export`);
    const text = await writtenText(write(result), new TimeSlice(signal));
    const headers = { 'content-type': EXPORT_TYPES[format] };
    return { status: 200, headers, body: Buffer.from(wholeText(text)) };
  },
});

/** The values of a request, one of them no larger than a bound. */
function bounded(values: readonly Literal[], parameter: number, most: number): readonly Literal[] {
  return values.map((value, index) =>
    index === parameter ? { ...value, value: String(Math.min(Number(value.value), most)) } : value,
  );
}
