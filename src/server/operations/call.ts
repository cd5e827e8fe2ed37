import { ProtocolError } from '../../base/errors.ts';
import { TimeSlice } from '../../base/time.ts';
import { callValues, runCall } from '../../run/call/call.ts';
import { calledBy, planCall } from '../../plan/call/call.ts';
import type { CallRequest, Literal } from '../../protocol/ast.ts';
import { bodyParams, urlParams } from '../../protocol/body/body.ts';
import type { JsonValue } from '../../protocol/body/json.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { jsonAnswer } from '../../answer/answer.ts';
import { compileCall } from '../../answer/call-writer.ts';
import { parameterText } from '../../run/sets/set-keys.ts';
import { writtenText } from '../../answer/entities/entity-writer.ts';
import { enoughRows, type OperationContext, setRequestOf, staged } from '../pipeline/operation.ts';
import { refusePrecondition } from '../http/etags.ts';
import { fetchUploads } from '../bodies/write-body.ts';

/** Calls a function (§2.4, §4.1). */
export const call = staged({
  name: 'call',
  // A call by GET changes nothing.
  changes: ({ isGet }) => !isGet,
  // Behind relations it is another dataclass's function.
  addresses: ({ on, read }) =>
    on.kind === 'dataclass' && read.segments.length === 0 ? read : null,
  isServed: ({ name, isGet }, { functions }) => {
    const called = functions.get(name);
    return called !== undefined && (!isGet || called.allowedOnHTTPGET);
  },
  writes: ({ isGet, on, name, read }) =>
    isGet
      ? null
      : {
          kind: 'call',
          function: on.kind === 'singleton' ? `${on.name}.${name}` : name,
          dataclass: on.kind === 'dataclass' ? read.dataclass : null,
        },
  body: async (context: OperationContext<CallRequest>) => {
    const { ast, values, request, caller, services, principal, signal } = context;
    refusePrecondition(request);
    // Before its parameters: an object that is sent to a relation holds none.
    calledBy(ast, caller.audience.model);
    const slice = new TimeSlice(signal);
    const given = await parametersOf(ast, values, request, slice);
    await fetchUploads(given, services.uploads, principal.name, slice);
    return given;
  },
  plan: planCall,
  compile: compileCall,
  values: ({ called }, given, { services: { uploads, database }, principal, signal }) =>
    callValues(
      called,
      given,
      (id) => uploads.find(id, principal.name),
      database.dialect.limits,
      new TimeSlice(signal),
    ),
  run: ({ plan }, parameters, context) => {
    const { ast, services } = context;
    const readOnly = ast.isGet || services.settings.readOnly;
    const request = { ...setRequestOf(context), enoughRows: enoughRows(context.request) };
    return runCall(plan, { parameters, readOnly }, request);
  },
  write: async (result, { writer: write }, { signal, request: { enoughBytes } }) =>
    jsonAnswer(await writtenText(write(result), new TimeSlice(signal), undefined, enoughBytes)),
});

/** The parameters of the body or of the URL. @throws ProtocolError badParameters */
async function parametersOf(
  { params }: CallRequest,
  values: readonly Literal[],
  { body, headers }: RestRequest,
  slice: TimeSlice,
): Promise<readonly JsonValue[]> {
  const ofUrl = params === null ? [] : urlParams(parameterText(params, values));
  const ofBody = await bodyParams(
    body === null ? null : { contentType: headers['content-type'], bytes: body },
    slice,
  );
  if (ofUrl.length === 0) return ofBody;
  if (ofBody.length === 0) return ofUrl;
  const message = 'Parameters are in the body and in $params: send them once.';
  throw new ProtocolError('badParameters', message);
}
