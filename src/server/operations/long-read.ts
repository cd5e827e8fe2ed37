import { type Answer, JSON_TYPE } from '../../answer/answer.ts';
import { compileSlices, type SliceWriter } from '../../answer/entities/collection-writer.ts';
import { inOrder, writtenText } from '../../answer/entities/entity-writer.ts';
import { ProtocolError } from '../../base/errors.ts';
import { lengthOf, wholeText } from '../../base/text.ts';
import { TimeSlice } from '../../base/time.ts';
import { exportOf, planEntitySet } from '../../plan/read/entity-set.ts';
import { planSlicedRead } from '../../plan/read/read.ts';
import type { EntitySetRequest, ExportFormat, ReadRequest } from '../../protocol/ast.ts';
import { isExport } from '../../protocol/requests/read.ts';
import { type SlicedRead, readInSlices, type Slice, SLICE } from '../../run/read/slices.ts';
import { parameterNumber, readPageCount, runRead } from '../../run/read/read.ts';
import { readingFrom } from '../../run/run.ts';
import { streamed } from '../http/reply.ts';
import {
  executionOf,
  type OperationContext,
  planOf,
  setRequestOf,
  staged,
} from '../pipeline/operation.ts';
import { readPlan } from './read.ts';

/** Streams an export or a long page, without a tag: reads the entities in slices, as fast as the client takes them. */
export const longRead = staged({
  name: 'stream',
  changes: false,
  plan: (ast: ReadRequest | EntitySetRequest, planning) =>
    ast.kind === 'read'
      ? (planSlicedRead(ast, planning) ?? planEntitySet(exportOf(ast), planning))
      : planEntitySet(ast, planning),
  compile: (plan) => compileSlices(plan, 'behind' in plan ? plan.fetch : plan.page),
  isPage: ({ layout: { format } }) => !isExport(format),
  run: async ({ plan, writer }, _, context: OperationContext<ReadRequest | EntitySetRequest>) => {
    const { ast, request } = context;
    const isPage = ast.kind === 'read' && !isExport(ast.format);
    if (isPage && (request.headers['if-match']?.trim() ?? '*') !== '*') {
      const message = `A page of more than ${SLICE} entities has no ETag to compare with If-Match.`;
      throw new ProtocolError('preconditionFailed', message);
    }
    const page = await readInSlices(plan, setRequestOf(context), writer.encoded !== null);
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
    const write = partWriter(writer, isExport(format) ? '' : ',', new TimeSlice(signal));
    try {
      // The rows do not wait for the client, but their text, whose length is known and bounded.
      const { parts, sent } = await write(page.first, 0);
      const beginning = [writer.head(whole), ...parts];
      const end = (all: number): string => writer.tail(whole, all);
      if (page.hasMore && request.verb !== 'HEAD') {
        // The room of the keys is given up when the stream ends, or is never read.
        // As a method it would hold the first slice until the end.
        const { rest } = page;
        const all = allParts([beginning], rest(lengthOf(parts)), { write, sent, end });
        return { status: 200, headers, body: streamed(all, page.close, context) };
      }
      page.close();
      if (page.hasMore) return { status: 200, headers, body: null };
      const text = [...beginning, end(sent)].map(String);
      // Fastify adds a charset to the type of text that looks like JSON, and none to bytes.
      return { status: 200, headers, body: isExport(format) ? Buffer.from(wholeText(text)) : text };
    } catch (error) {
      page.close();
      throw error;
    }
  },
});

function countOf(page: SlicedRead, context: OperationContext<ReadRequest>): Promise<number> {
  const { values, epoch } = context;
  const source = readingFrom(executionOf(context), { epoch });
  return readPageCount(planOf(readPlan, context).plan, page, values, source);
}

/** The text of a slice and how many entities it shows. */
interface WrittenPart {
  readonly parts: readonly (string | Buffer)[];
  readonly sent: number;
}

/** Writes a slice behind others, of which `before` entities were sent. */
type PartWriter = (slice: Slice, before: number) => Promise<WrittenPart>;

/** Makes the writer of slices. @param separator stands between two entities */
export function partWriter(writer: SliceWriter, separator: string, turn: TimeSlice): PartWriter {
  return async ({ encoded, ...slice }, before) => {
    if (encoded !== undefined && writer.encoded !== null) {
      const { rowOf } = slice;
      const rows = { rows: encoded, ...(rowOf !== undefined && { rowOf }) };
      return writer.encoded(rows, before > 0, turn);
    }
    const { writing, sent } = writer.entities(slice);
    const between = before > 0 && sent > 0 ? separator : '';
    const text = await writtenText(inOrder([between, writing]), turn);
    return { parts: typeof text === 'string' ? [text] : text, sent };
  };
}

/** The parts of an answer: its beginning, which is taken out of its list and not held, one for each slice behind the first, and its end. */
async function* allParts(
  beginning: WrittenPart['parts'][],
  rest: AsyncGenerator<Slice>,
  {
    write,
    sent,
    end,
  }: { readonly write: PartWriter; readonly sent: number; readonly end: (sent: number) => string },
): AsyncGenerator<WrittenPart['parts']> {
  yield beginning.pop() ?? [];
  for await (const slice of rest) {
    const written = await write(slice, sent);
    sent += written.sent;
    yield written.parts;
  }
  yield [end(sent)];
}

const CSV_TYPE = 'text/csv; charset=utf-8; header=present';

export const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: CSV_TYPE,
  spreadsheet: CSV_TYPE,
  ndjson: 'application/x-ndjson',
};

/** Exports entities without a key by one statement, as they cannot be read again one by one. @throws ProtocolError answerTooLarge above `limits.maxTop` */
export const keylessExport = staged({
  ...readPlan,
  run: async ({ plan }, _, context: OperationContext<ReadRequest>) => {
    const { ast, values, services } = context;
    const { maxTop } = services.settings.limits;
    const some = values.map((value, index) =>
      index === plan.top.parameter
        ? { ...value, value: String(Math.min(Number(value.value), maxTop + 1)) }
        : value,
    );
    const result = await runRead(plan, some, readingFrom(executionOf(context)));
    if (result.fetched.rows.length <= maxTop) return result;
    const message = `${ast.dataclass} has no key, and more than ${maxTop} entities, the most that one answer has then: read them in pages, with $top and $skip.`;
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
