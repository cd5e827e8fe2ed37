import { ProtocolError } from '../../base/errors.ts';
import type { Text } from '../../base/text.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import { runExport, SLICE } from '../../run/read/export.ts';
import type { SetPage } from '../../run/sets/entity-set.ts';
import type { PrintedRead } from '../../run/read/print-read.ts';
import { readPageCount, slotNumber } from '../../run/read/read.ts';
import { readingFrom, sharingCounts } from '../../run/run.ts';
import { type Activity, timedAsync } from '../../base/observe/observer.ts';
import { exportOf } from '../../plan/read/entity-set.ts';
import type { Literal, ParsedRequest, ReadRequest } from '../../protocol/ast.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { type Answer, JSON_TYPE } from '../../answer/answer.ts';
import type { CollectionWriter } from '../../answer/entities/collection-writer.ts';
import { inOrder, writtenText } from '../../answer/entities/list-writing.ts';
import { accessOf, type Caller, executionOf } from '../pipeline/caller.ts';
import { printedPage } from '../pipeline/printed-reads.ts';
import type { Services } from '../pipeline/services.ts';
import { streamed, textsInTurn } from '../http/reply.ts';

/** Whether a read asks for a page that is longer than what is read at once: its answer is sent as it is read. */
export function isLongPage(
  { top, format, explain }: ReadRequest,
  { plan }: PrintedRead,
  values: readonly Literal[],
): boolean {
  const isPage = format === undefined && explain === undefined && plan.answer === 'collection';
  return isPage && slotNumber(top, values) > SLICE && plan.dataclass.key.length > 0;
}

/**
 * The life of a read of a long page: its keys are read at once, its entities in slices, as fast as the client takes them, as those of an export are. So its
 * memory does not grow with its length, and it has no tag.
 * @param asked the moment of the counts that it was asked for
 */
export async function answerLongPage(
  { ast, shape, values }: ParsedRequest<ReadRequest>,
  caller: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
  { read, asked }: { read: PrintedRead; asked: number },
): Promise<Answer> {
  const { model } = caller.audience;
  refuseTags(request);
  const { printed, write } = printedPage(exportOf(ast), shape, model, services, activity);
  const execution = executionOf(caller, services, activity);
  const access = accessOf(caller, request, services);
  const { page, count } = await timedAsync(activity, 'execute', async () => {
    const page = await runExport(printed, values, execution, access);
    try {
      const source = sharingCounts(readingFrom(execution), execution, services, asked);
      return { page, count: await readPageCount(read, page.size, values, source) };
    } catch (error) {
      page.close();
      throw error;
    }
  });
  const headers = { 'content-type': JSON_TYPE };
  if (request.verb === 'HEAD') {
    page.close();
    return { status: 200, headers, body: null };
  }
  const first = slotNumber(ast.skip, values);
  const head = { globalStamp: page.first.globalStamp, count, first };
  const slice = new TimeSlice(activity.signal);
  const { writing, sent } = write.entities(page.first);
  // The rows do not wait for the client: what waits is text, whose length is known to those who bound it.
  const beginning = await timedAsync(activity, 'respond', () =>
    writtenText(
      inOrder([write.head(head), writing, page.hasMore ? '' : write.tail(head, sent)]),
      slice,
    ),
  ).catch((error: unknown) => {
    page.close();
    throw error;
  });
  if (!page.hasMore) {
    page.close();
    return { status: 200, headers, body: beginning };
  }
  const rest = { parts: page.rest(), write, head, sent };
  return {
    status: 200,
    headers,
    body: streamed(textsOf([beginning], rest, slice), page.close, activity),
  };
}

/** @throws ProtocolError preconditionFailed where the page has to have a tag */
function refuseTags({ headers }: RestRequest): void {
  const ifMatch = headers['if-match']?.trim() ?? '*';
  if (ifMatch === '*') return;
  throw new ProtocolError(
    'preconditionFailed',
    `A page of more than ${SLICE} entities has no ETag: nothing tells whether it is what If-Match names.`,
  );
}

/** What is left of a page behind its first slice. */
interface Rest {
  readonly parts: AsyncIterator<SetPage, void>;
  readonly write: CollectionWriter;
  readonly head: Parameters<CollectionWriter['tail']>[0];
  /** How many of its entities are written. */
  sent: number;
}

async function* textsOf(made: Text[], rest: Rest, slice: TimeSlice): AsyncGenerator<Text> {
  yield* textsInTurn(made, () => nextText(rest, slice));
  yield rest.write.tail(rest.head, rest.sent);
}

async function nextText(rest: Rest, slice: TimeSlice): Promise<Text | null> {
  const { value: part, done } = await rest.parts.next();
  if (done === true) return null;
  const { writing, sent } = rest.write.entities(part);
  const comma = sent > 0 && rest.sent > 0 ? ',' : '';
  rest.sent += sent;
  return writtenText(inOrder([comma, writing]), slice);
}
