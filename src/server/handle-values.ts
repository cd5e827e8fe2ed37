import { memoize } from '../base/cache.ts';
import { printValues } from '../execute/print-values.ts';
import { runCompute, runDistinct } from '../execute/values.ts';
import { timed, timedAsync } from '../observe/timed.ts';
import type { Activity } from '../observe/observer.ts';
import { planCompute } from '../plan/compute.ts';
import { planDistinct } from '../plan/distinct.ts';
import type { ComputeRequest, DistinctRequest, ParsedRequest } from '../request/ast.ts';
import type { RestRequest } from '../request/rest-request.ts';
import type { Answer } from '../respond/answer.ts';
import { compileCompute } from '../respond/compute-writer.ts';
import { compileDistinct } from '../respond/distinct-writer.ts';
import type { Caller } from './caller.ts';
import { executionOf } from './client-session.ts';
import { accessOf } from './set-access.ts';
import type { Services } from './services.ts';
import { taggedAnswer } from './tagged-answer.ts';

/** The life of a computation (§4.10); what depends on its shape alone is run once for all requests of the shape. */
export async function answerCompute(
  { ast, shape, values }: ParsedRequest<ComputeRequest>,
  caller: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  const { model } = caller.audience;
  const { database, settings, plans } = services;
  const { printed, write } = memoize(plans.computes, shape, () => {
    const plan = timed(activity, 'plan', () => planCompute(ast, model, settings));
    const printed = timed(activity, 'sql', () => printValues(plan, database.dialect));
    return { printed, write: timed(activity, 'respond', () => compileCompute(printed)) };
  });
  const row = await timedAsync(activity, 'execute', () =>
    runCompute(
      printed,
      values,
      executionOf(caller, services, activity),
      accessOf(caller, request, services),
    ),
  );
  return timedAsync(activity, 'respond', async () =>
    taggedAnswer({ text: write(row) }, request, services),
  );
}

/** The life of a question for the distinct values of an attribute (§4.11), in the same way. */
export async function answerDistinct(
  { ast, shape, values }: ParsedRequest<DistinctRequest>,
  caller: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  const { model } = caller.audience;
  const { database, settings, plans } = services;
  const { printed, write } = memoize(plans.distincts, shape, () => {
    const plan = timed(activity, 'plan', () => planDistinct(ast, model, settings));
    const printed = timed(activity, 'sql', () => printValues(plan, database.dialect));
    return { printed, write: timed(activity, 'respond', () => compileDistinct(printed)) };
  });
  const rows = await timedAsync(activity, 'execute', () =>
    runDistinct(
      printed,
      values,
      executionOf(caller, services, activity),
      accessOf(caller, request, services),
    ),
  );
  return timedAsync(activity, 'respond', async () =>
    taggedAnswer({ text: write(rows) }, request, services),
  );
}
