import { ProtocolError } from '../../base/errors.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import { runCall } from '../../run/call/call.ts';
import { printCall } from '../../run/call/print-call.ts';
import { type Activity, timed, timedAsync } from '../../base/observe/observer.ts';
import { planCall } from '../../plan/call/call.ts';
import type { CallRequest, Literal, ParsedRequest } from '../../protocol/ast.ts';
import { bodyParams, urlParams } from '../../protocol/body/body.ts';
import type { JsonValue } from '../../protocol/body/json-value.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { type Answer, jsonAnswer } from '../../answer/answer.ts';
import { compileCall } from '../../answer/call-writer.ts';
import { callValues } from '../../run/call/call-values.ts';
import { writtenText } from '../../answer/entities/list-writing.ts';
import { accessOf, type Caller, executionOf } from '../pipeline/caller.ts';
import { refusePrecondition } from '../tags/if-match.ts';
import { fetchUploads } from '../bodies/write-body.ts';
import type { Services } from '../pipeline/services.ts';
import { planKinds } from '../pipeline/plan-cache.ts';

/** The life of a call of a function; what depends on its shape alone is run once for all requests of the shape. */
export async function answerCall(
  { ast, shape, values }: ParsedRequest<CallRequest>,
  caller: Caller,
  request: RestRequest,
  services: Services,
  activity: Activity,
): Promise<Answer> {
  const { model } = caller.audience;
  const { database, settings, uploads, plans } = services;
  refusePrecondition(request);
  const slice = new TimeSlice(activity.signal);
  const given = await timedAsync(activity, 'body', () => parametersOf(ast, values, request, slice));
  await fetchUploads(given, uploads, caller.principal.name, slice);
  const { printed, write } = plans.planOf(planKinds.call, shape, () => {
    const plan = timed(activity, 'plan', () => planCall(ast, model, settings));
    const printed = timed(activity, 'sql', () => printCall(plan, database.dialect));
    return { printed, write: timed(activity, 'respond', () => compileCall(printed)) };
  });
  const parameters = await timedAsync(activity, 'values', () =>
    callValues(
      printed.plan.called,
      given,
      (id) => uploads.find(id, caller.principal.name),
      database.dialect.limits,
      slice,
    ),
  );
  const readOnly = ast.byGet || settings.readOnly;
  const result = await timedAsync(activity, 'execute', () =>
    runCall(
      printed,
      { parameters, values, readOnly },
      executionOf(caller, services, activity),
      accessOf(caller, request, services),
    ),
  );
  return timedAsync(activity, 'respond', async () =>
    jsonAnswer(await writtenText(write(result), slice)),
  );
}

/** Those of the body, or of the URL, where it has them. */
async function parametersOf(
  { params }: CallRequest,
  values: readonly Literal[],
  { body, headers }: RestRequest,
  slice: TimeSlice,
): Promise<readonly JsonValue[]> {
  const text = params === null ? '' : values[params.slot]?.value;
  const ofUrl = typeof text === 'string' ? urlParams(text) : [];
  const ofBody = await bodyParams(
    body === null ? null : { contentType: headers['content-type'], bytes: body },
    slice,
  );
  if (ofUrl.length === 0) return ofBody;
  if (ofBody.length === 0) return ofUrl;
  throw new ProtocolError(
    'badParameters',
    'Parameters are in the body, and in $params, too: give them once.',
  );
}
