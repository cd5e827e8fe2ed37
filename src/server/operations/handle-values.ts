import { printValues, runCompute, runDistinct } from '../../run/read/values.ts';
import { type Activity, timed, timedAsync } from '../../base/observe/observer.ts';
import { planCompute } from '../../plan/read/compute.ts';
import { planDistinct } from '../../plan/read/distinct.ts';
import type { ComputeRequest, DistinctRequest, ParsedRequest } from '../../protocol/ast.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import type { Answer } from '../../answer/answer.ts';
import { compileCompute, compileDistinct } from '../../answer/values-writer.ts';
import { accessOf, type Caller, executionOf } from '../pipeline/caller.ts';
import type { Services } from '../pipeline/services.ts';
import { taggedAnswer } from '../tags/tagged-answer.ts';
import { planKinds } from '../pipeline/plan-cache.ts';

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
  const { printed, write } = plans.planOf(planKinds.compute, shape, () => {
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
  const { printed, write } = plans.planOf(planKinds.distinct, shape, () => {
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
