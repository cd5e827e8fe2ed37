import { wholeText } from '../../base/text.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import { runDeleteSet } from '../../run/delete/delete-set.ts';
import { runEntitySet, type SetResult } from '../../run/sets/entity-set.ts';
import { printDeleteSet } from '../../run/sets/print-entity-set.ts';
import { printedSetStatements, type PrintedStatement } from '../../run/read/printed-statements.ts';
import { releaseSet } from '../../run/sets/set-keys.ts';
import { findDataclass } from '../../model/lookup.ts';
import { type Activity, timed, timedAsync } from '../../base/observe/observer.ts';
import { planDeleteSet } from '../../plan/read/entity-set.ts';
import type {
  DeleteSetRequest,
  EntitySetRequest,
  ParsedRequest,
  ReleaseRequest,
} from '../../protocol/ast.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { type Answer, jsonAnswer } from '../../answer/answer.ts';
import type { EntitySetWriter } from '../../answer/entities/collection-writer.ts';
import { writtenText } from '../../answer/entities/list-writing.ts';
import { accessOf, type Caller, executionOf } from '../pipeline/caller.ts';
import { explaining } from '../pipeline/explained.ts';
import { printedEntitySet } from '../pipeline/printed-reads.ts';
import type { Services } from '../pipeline/services.ts';
import { refusePrecondition } from '../tags/if-match.ts';
import {
  roomForStamp,
  STAMP_PLACE,
  type Tagged,
  taggedAnswer,
  taggedBytes,
} from '../tags/tagged-answer.ts';
import { deleteBody, refuseBody } from '../bodies/write-body.ts';
import { planKinds } from '../pipeline/plan-cache.ts';

/** The answer where there is nothing to tell (§4.6). */
const OK = '{"ok":true}';

/** The life of a read by way of an entity set; what depends on its shape alone is run once for all requests of the shape. */
export function answerEntitySet(
  parsed: ParsedRequest<EntitySetRequest>,
  caller: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  return services.pages.pass(activity, () =>
    answerAtOnce(parsed, caller, request, services, activity),
  );
}

async function answerAtOnce(
  { ast, shape, values }: ParsedRequest<EntitySetRequest>,
  caller: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  const { model } = caller.audience;
  const query = explaining(ast.read.explain, values, caller, services, activity);
  const { printed, write, writeEncoded } = printedEntitySet(ast, shape, model, services, activity);
  const isExplained = ast.read.explain !== undefined;
  const result = await timedAsync(activity, 'execute', () =>
    runEntitySet(
      printed,
      values,
      executionOf(caller, services, query.activity),
      accessOf(caller, request, services),
      writeEncoded === null || isExplained ? 'decoded' : 'encoded',
    ),
  );
  const slice = new TimeSlice(activity.signal);
  // Whoever has a set made is to have the new one.
  const isNew = printed.plan.lifetime !== null;
  if (!isExplained && !isNew) {
    return timedAsync(activity, 'respond', async () => {
      if (writeEncoded === null || result.kind !== 'page' || result.encoded === undefined) {
        return taggedAnswer(await taggedSet(result, write, slice), request, services);
      }
      const { encoded: rows, globalStamp, ...page } = result;
      const before = roomForStamp(globalStamp);
      const pieces = await writeEncoded({ rows, globalStamp: STAMP_PLACE, ...page }, before, slice);
      return taggedBytes({ pieces, before, globalStamp }, request, services);
    });
  }
  const answer = await timedAsync(activity, 'respond', () => writtenText(write(result), slice));
  const statements = (): PrintedStatement[] => printedSetStatements(printed);
  return jsonAnswer(await query.told(wholeText(answer), { plan: printed.plan, statements }));
}

async function taggedSet(
  result: SetResult,
  write: EntitySetWriter,
  slice: TimeSlice,
): Promise<Tagged> {
  if (result.kind !== 'page') return { text: await writtenText(write(result), slice) };
  const text = await writtenText(write({ ...result, globalStamp: STAMP_PLACE }), slice);
  return { text, globalStamp: result.globalStamp };
}

/** The life of a delete of a set's entities; the set stays, as it is known to those who hold its id (§3.1). */
export async function answerDeleteSet(
  { ast, shape, values }: ParsedRequest<DeleteSetRequest>,
  caller: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  const { model } = caller.audience;
  const { database, settings, plans, writeStatements } = services;
  refusePrecondition(request);
  const slice = new TimeSlice(activity.signal);
  const { maxEntities } = settings.limits;
  refuseBody(await timedAsync(activity, 'body', () => deleteBody(request, { slice, maxEntities })));
  const printed = plans.planOf(planKinds.deleteSet, shape, () => {
    const plan = timed(activity, 'plan', () => planDeleteSet(ast, model, settings));
    return timed(activity, 'sql', () => printDeleteSet(plan, database.dialect, writeStatements));
  });
  await timedAsync(activity, 'execute', () =>
    runDeleteSet(
      printed,
      values,
      executionOf(caller, services, activity),
      accessOf(caller, request, services),
    ),
  );
  return jsonAnswer(OK);
}

/** Gives a set up (§4.6). */
export async function answerRelease(
  { ast, values }: ParsedRequest<ReleaseRequest>,
  caller: Caller,
  request: RestRequest,
  services: Services,
): Promise<Answer> {
  const dataclass = findDataclass(caller.audience.model, ast.dataclass);
  await releaseSet(ast, dataclass, values, accessOf(caller, request, services));
  return jsonAnswer(OK);
}
