import { wholeText } from '../../base/text.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import { runRead } from '../../run/read/read.ts';
import { type PrintedStatement, printedStatements } from '../../run/read/printed-statements.ts';
import { readingFrom } from '../../run/run.ts';
import { findDataclass } from '../../model/lookup.ts';
import { type Activity, timedAsync } from '../../base/observe/observer.ts';
import type { CatalogRequest, ParsedRequest, ReadRequest } from '../../protocol/ast.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { type Answer, jsonAnswer } from '../../answer/answer.ts';
import { catalogText } from '../../answer/catalog.ts';
import { writtenText } from '../../answer/entities/list-writing.ts';
import type { Caller } from '../pipeline/caller.ts';
import { explaining } from '../pipeline/explained.ts';
import { answerLongPage, isLongPage } from './handle-long-page.ts';
import type { CachedRead } from '../pipeline/plan-cache.ts';
import { printedRead } from '../pipeline/printed-reads.ts';
import type { Services } from '../pipeline/services.ts';
import { roomForStamp, STAMP_PLACE, taggedAnswer, taggedBytes } from '../tags/tagged-answer.ts';

/** The life of a read: the stages that depend on its shape alone are run once for all requests of the shape. */
export async function answerRead(
  parsed: ParsedRequest<ReadRequest>,
  caller: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  const { ast, shape, values } = parsed;
  const read = printedRead(ast, shape, caller.audience.model, services, activity);
  // A count that begins while the page waits for its turn is not too old.
  const epoch = services.database.epoch();
  const answer = isLongPage(ast, read.printed, values)
    ? () =>
        answerLongPage(parsed, caller, request, services, activity, { read: read.printed, epoch })
    : () => answerAtOnce(parsed, { read, epoch }, caller, request, services, activity);
  return read.printed.plan.answer === 'entity' ? answer() : services.pages.pass(activity, answer);
}

/** A read of what is in memory at once. */
async function answerAtOnce(
  { ast, values }: ParsedRequest<ReadRequest>,
  { read, epoch }: { read: CachedRead; epoch: number },
  caller: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  const { database } = services;
  const { printed, write, writeEncoded, stampOf } = read;
  const query = explaining(ast.explain, values, caller, services, activity);
  const execution = { database, activity: query.activity };
  const encoded = printed.plan.answer === 'collection' && writeEncoded !== null;
  const batch = printed.plan.answer === 'entity' || encoded;
  // A query plan is that of the request's own statements.
  const options = ast.explain === undefined ? { encoded, batch, epoch } : {};
  const source = readingFrom(execution, options);
  const result = await timedAsync(activity, 'execute', () => runRead(printed, values, source));
  const slice = new TimeSlice(activity.signal);
  if (ast.explain === undefined) {
    return timedAsync(activity, 'respond', async () => {
      const { fetched, encoded: rows, count, first, globalStamp } = result;
      if (rows !== undefined && writeEncoded !== null) {
        const page = { rows, count, first, globalStamp: STAMP_PLACE };
        const before = roomForStamp(globalStamp);
        const pieces = await writeEncoded(page, before, slice);
        return taggedBytes({ pieces, before, globalStamp }, request, services);
      }
      const text = await writtenText(
        write({ fetched, count, first, globalStamp: STAMP_PLACE }),
        slice,
      );
      return taggedAnswer({ text, globalStamp, stamp: stampOf(result) }, request, services);
    });
  }
  const answer = await timedAsync(activity, 'respond', () => writtenText(write(result), slice));
  const statements = (): PrintedStatement[] => printedStatements(printed, values);
  return jsonAnswer(await query.told(wholeText(answer), { plan: printed.plan, statements }));
}

/** The life of a request for the catalog, which the model alone answers. */
export function answerCatalog(
  { detail, names }: CatalogRequest,
  { audience: { model } }: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  return timedAsync(activity, 'respond', async () => {
    const dataclasses =
      names.length === 0
        ? model.dataclasses.values()
        : names.map((name) => findDataclass(model, name));
    const text = catalogText(model, dataclasses, detail, services.catalog);
    return taggedAnswer({ text }, request, services);
  });
}
