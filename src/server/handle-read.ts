import { runRead } from '../execute/read.ts';
import { printedStatements, type PrintedStatement } from '../execute/printed-statements.ts';
import { readingFrom } from '../execute/run.ts';
import { findDataclass } from '../model/lookup.ts';
import { timed, timedAsync } from '../observe/timed.ts';
import type { Activity } from '../observe/observer.ts';
import type { CatalogRequest, ParsedRequest, ReadRequest } from '../request/ast.ts';
import type { RestRequest } from '../request/rest-request.ts';
import { jsonAnswer, type Answer } from '../respond/answer.ts';
import { catalogText } from '../respond/catalog.ts';
import type { Caller } from './caller.ts';
import { explaining } from './explained.ts';
import { printedRead } from './printed-reads.ts';
import type { Services } from './services.ts';
import { taggedAnswer } from './tagged-answer.ts';

/** The life of a read: the stages that depend on its shape alone are run once for all requests of the shape. */
export async function answerRead(
  { ast, shape, values }: ParsedRequest<ReadRequest>,
  caller: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  const { model } = caller.audience;
  const { database } = services;
  const query = explaining(ast.explain, values, caller, services, activity);
  const { printed, write, stampOf } = printedRead(ast, shape, model, services, activity);
  const result = await timedAsync(activity, 'execute', () =>
    runRead(printed, values, readingFrom({ database, activity: query.activity })),
  );
  if (ast.explain === undefined) {
    const { globalStamp } = result;
    const tagged = {
      write: (place: string) => write({ ...result, globalStamp: place }),
      globalStamp,
      stamp: stampOf(result),
    };
    return timed(activity, 'respond', () => taggedAnswer(tagged, request, services));
  }
  const answer = timed(activity, 'respond', () => write(result));
  const statements = (): PrintedStatement[] => printedStatements(printed);
  return jsonAnswer(await query.told(answer, { plan: printed.plan, statements }));
}

/** The life of a request for the catalog, which the model alone answers. */
export function answerCatalog(
  { detail, names }: CatalogRequest,
  { audience: { model } }: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Answer {
  return timed(activity, 'respond', () => {
    const dataclasses =
      names.length === 0
        ? model.dataclasses.values()
        : names.map((name) => findDataclass(model, name));
    const text = catalogText(model, dataclasses, detail, services.catalog);
    return taggedAnswer({ write: () => text }, request, services);
  });
}
