import type { Readable } from 'node:stream';
import { ProtocolError } from '../../base/errors.ts';
import { isText, type Text, wholeText } from '../../base/text.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import type { SetPage } from '../../run/sets/entity-set.ts';
import { type Export, runExport } from '../../run/read/export.ts';
import { runRead } from '../../run/read/read.ts';
import { readingFrom } from '../../run/run.ts';
import { type Activity, timedAsync } from '../../base/observe/observer.ts';
import { exportOf, hasKeys } from '../../plan/read/entity-set.ts';
import type {
  EntitySetRequest,
  ExportFormat,
  Literal,
  ParsedRequest,
  ReadRequest,
} from '../../protocol/ast.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import type { Answer } from '../../answer/answer.ts';
import type { CollectionWriter } from '../../answer/entities/collection-writer.ts';
import { inOrder, writtenText } from '../../answer/entities/list-writing.ts';
import { accessOf, type Caller, executionOf } from '../pipeline/caller.ts';
import { printedPage, printedRead } from '../pipeline/printed-reads.ts';
import type { Services } from '../pipeline/services.ts';
import { streamed, textsInTurn } from '../http/reply.ts';

/** The life of an export: a read of all entities, which are sent as they are read, as fast as the client takes them. */
export async function answerExport(
  { ast, shape, values }: ParsedRequest<ReadRequest | EntitySetRequest>,
  format: ExportFormat,
  caller: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  const { model } = caller.audience;
  if (ast.kind === 'read' && !hasKeys(ast, model)) {
    return answerKeyless({ ast, shape, values }, format, caller, services, activity);
  }
  const asked = ast.kind === 'read' ? exportOf(ast) : ast;
  const { printed, write } = printedPage(asked, shape, model, services, activity);
  const access = accessOf(caller, request, services);
  const execution = executionOf(caller, services, activity);
  const exported = await timedAsync(activity, 'execute', () =>
    runExport(printed, values, execution, access),
  );
  try {
    const slice = new TimeSlice(activity.signal);
    const { first } = exported;
    const beginning = await timedAsync(activity, 'respond', () =>
      writtenText(inOrder([write.head(first), write.entities(first).writing]), slice),
    );
    // A HEAD asks for no more than the headers.
    const hasMore = exported.hasMore && request.verb !== 'HEAD';
    if (!hasMore) exported.close();
    // The room of the keys is given up with the stream, however that ends, and also where it is never read.
    const body = hasMore ? bodyOf(beginning, exported, write, activity) : beginning;
    return exportAnswer(format, exported.hasMore && !hasMore ? null : body);
  } catch (error) {
    exported.close();
    throw error;
  }
}

/** The content types of exports. */
const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
};

/** Text goes as bytes, because Fastify adds a charset to the type of what looks like JSON. */
function exportAnswer(format: ExportFormat, content: Text | Readable | null): Answer {
  const body = isText(content) ? Buffer.from(wholeText(content)) : content;
  return { status: 200, headers: { 'content-type': EXPORT_TYPES[format] }, body };
}

function bodyOf(
  beginning: Text,
  { rest, close }: Export,
  write: CollectionWriter,
  activity: Activity,
): Readable {
  const pages = rest();
  const slice = new TimeSlice(activity.signal);
  return streamed(
    textsInTurn([beginning], () => nextText(pages, write, slice)),
    close,
    activity,
  );
}

async function nextText(
  pages: AsyncIterator<SetPage, void>,
  write: CollectionWriter,
  slice: TimeSlice,
): Promise<Text | null> {
  const { value: page, done } = await pages.next();
  return done === true ? null : writtenText(write.entities(page).writing, slice);
}

/**
 * Entities without a key cannot be read again one by one: they come by one statement, and are no more than a page may hold.
 * @throws ProtocolError answerTooLarge where there are more than `limits.maxTop`
 */
async function answerKeyless(
  { ast, shape, values }: ParsedRequest<ReadRequest>,
  format: ExportFormat,
  { audience: { model } }: Caller,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  const { database, settings } = services;
  const { printed, write } = printedRead(ast, shape, model, services, activity);
  const { maxTop } = settings.limits;
  const result = await timedAsync(activity, 'execute', () =>
    runRead(
      printed,
      bounded(values, printed.plan.top.slot, maxTop + 1),
      readingFrom({ database, activity }),
    ),
  );
  if (result.fetched.rows.length > maxTop) {
    throw new ProtocolError(
      'answerTooLarge',
      `${ast.dataclass} has no key, and more entities than the ${maxTop} that limits.maxTop allows in one statement: ask for them in pages, by $top and $skip.`,
    );
  }
  const slice = new TimeSlice(activity.signal);
  return timedAsync(activity, 'respond', async () =>
    exportAnswer(format, await writtenText(write(result), slice)),
  );
}

/** The values of a request, of which one number is no larger than another. */
function bounded(values: readonly Literal[], slot: number, most: number): readonly Literal[] {
  return values.map((value, index) =>
    index === slot ? { ...value, value: String(Math.min(Number(value.value), most)) } : value,
  );
}
