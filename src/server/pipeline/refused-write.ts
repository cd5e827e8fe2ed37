import { attempted, ProtocolError } from '../../base/errors.ts';
import { NOBODY } from '../../base/principal.ts';
import { TimeSlice } from '../../base/time.ts';
import type { Database } from '../../database/database.ts';
import { membersNamed, writableMembers } from '../../run/write/write-report.ts';
import type { Dataclass } from '../../model/types.ts';
import type { ObservedRequest } from '../../base/observe/observer.ts';
import { urlTarget } from '../../plan/write/save.ts';
import type { Literal } from '../../protocol/ast.ts';
import { attributeNames, type Body } from '../../protocol/body/body.ts';
import { parseRequest } from '../../protocol/parse.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { decodeEscapes } from '../../protocol/url/url.ts';
import { bodyKey, keyText, keyValues, OWN_KEY, urlKeys } from '../../run/body/entity-key.ts';
import type { Caller } from './caller.ts';
import { optionalBody } from '../bodies/write-body.ts';
import { operationOf } from '../operations/operations.ts';
import { clientError } from './error-answers.ts';
import { type NamedCall, type NamedWrite, namedWrite } from './operation.ts';

type ValueLimits = Database['dialect']['limits'];

interface UrlWrite extends NamedWrite {
  readonly values: readonly Literal[];
}

/** With these errors a URL is not a write, whatever its verb. */
const NO_WRITES: readonly unknown[] = ['noSuchFunction', 'verbNotAllowed'];

/**
 * Reports a write that failed as a whole to the audit log: its sender is unknown, say, or it cannot be read. Its entities were reported where they
 * were written. @param caller null when unknown
 */
export async function reportRefusedWrite(
  error: unknown,
  request: RestRequest,
  caller: Caller | null,
  { observer: { writes }, signal }: ObservedRequest,
  { limits, maxEntities }: { readonly limits: ValueLimits; readonly maxEntities: number },
): Promise<void> {
  const failure = writes === null ? null : clientError(error, signal);
  // What waits for the audit log itself would only make it longer.
  if (writes === null || failure === null || failure.errorName === 'auditUnavailable') return;
  const principal = caller?.principal ?? NOBODY;
  const call = await callIn(request, caller, failure);
  if (call !== null) {
    const { function: name, dataclass } = call;
    writes.requestRefused(principal, { function: name, dataclass, error: failure });
    return;
  }
  const write = writeIn(request);
  if (write === null) return;
  const dataclass = caller?.audience.model.dataclasses.get(write.dataclass) ?? null;
  const isRead = write.attribute === null && dataclass !== null;
  const reading = { slice: new TimeSlice(), maxEntities };
  const body = isRead ? await attempted(() => optionalBody(request, reading)) : null;
  const key = await keyIn(write, dataclass, body, limits);
  writes.requestRefused(principal, {
    action: write.action === 'save' && key !== null ? 'update' : write.action,
    dataclass: write.dataclass,
    key,
    attributes: write.action === 'delete' ? [] : attributesIn(write, dataclass, body),
    error: failure,
  });
}

/**
 * The call that a request asks for, by any verb; null for none, and when the caller does not see the function. Any POST to a name by an unknown sender
 * may be one. A call by GET changes nothing, unless the function is not allowed by GET.
 */
async function callIn(
  { verb, url }: RestRequest,
  caller: Caller | null,
  { errorName }: ProtocolError,
): Promise<NamedCall | null> {
  if ((verb === 'GET' || verb === 'HEAD') && errorName !== 'functionNotOnGet') return null;
  const isFunction = caller === null ? () => false : caller.audience.isFunction;
  const call = await attempted(() => parseRequest(url, 'POST', undefined, isFunction).ast);
  if (call?.kind !== 'call') return null;
  const name = operationOf(call).writes?.(call) ?? null;
  if (name?.kind !== 'call') return null;
  if (caller === null) return verb === 'POST' ? name : null;
  const { on, read } = call;
  const { dataclasses, functions, singletons } = caller.audience.model;
  switch (on.kind) {
    case 'datastore':
      return functions.has(call.name) ? name : null;
    case 'singleton':
      return singletons.get(on.name)?.functions.has(call.name) === true ? name : null;
    case 'dataclass': {
      const path = read.segments.map(([segment]) => segment?.names.join('.') ?? '');
      const isCalled =
        dataclasses.has(read.dataclass) && isFunction(read.dataclass, [...path, call.name]);
      return isCalled ? name : null;
    }
  }
}

function writeIn({ verb, url }: RestRequest): UrlWrite | null {
  try {
    const { ast, values } = parseRequest(url, verb);
    const named = operationOf(ast).writes?.(ast) ?? null;
    return named?.kind === 'write' ? { ...named, values } : null;
  } catch (error) {
    if (error instanceof ProtocolError && NO_WRITES.includes(error.errorName)) return null;
    return verb === 'GET' || verb === 'HEAD' ? null : unreadableWrite(verb, url);
  }
}

/** The write that a refused URL would be, by its beginning and its `$method`. */
function unreadableWrite(verb: RestRequest['verb'], url: string): UrlWrite | null {
  const [path = '', ...rest] = url.split('?');
  const query = decodeEscapes(rest.join('?'));
  const [, dataclass] = /^\/rest\/+([^$/([:\s][^/([:]*)/.exec(decodeEscapes(path)) ?? [];
  const [, method] = /(?:^|&)\$method=["']?(\w*)/.exec(query) ?? [];
  const isDry = /(?:^|&)\$refresh=["']?true\b/i.test(query);
  const isOfSets = /^(?:(?:sub)?entityset|release)$/.test(method ?? '');
  if (dataclass === undefined || isDry || isOfSets) return null;
  const isUpload = /(?:^|&)\$(?:rawPict|binary)=/.test(query);
  const action = verb === 'DELETE' || method === 'delete' ? 'delete' : 'save';
  const isUpdate = isUpload && action === 'save';
  const addressed = { dataclass, selector: { kind: 'all' } } as const;
  return { ...namedWrite(isUpdate ? 'update' : action, addressed), values: [] };
}

/** The key of the one entity that a request names; as the URL has it when the dataclass is unknown. */
async function keyIn(
  { selector, values }: UrlWrite,
  dataclass: Dataclass | null,
  body: Body | null,
  limits: ValueLimits,
): Promise<string | null> {
  if (dataclass === null) {
    if (selector.kind !== 'key' || selector.key.kind !== 'scalar') return null;
    const text = values[selector.key.value.parameter]?.value;
    return typeof text === 'string' ? text : null;
  }
  return attempted(() => {
    const target = urlTarget(selector, dataclass);
    if (target !== null && target.unique !== null) return null;
    const [own] = body?.form === 'one' ? body.entities : [];
    const keys =
      target !== null
        ? urlKeys(target, values, dataclass, limits)
        : own?.key == null
          ? []
          : [bodyKey(own.key, dataclass, OWN_KEY, limits)];
    const [key, ...more] = keys;
    return key === undefined || more.length > 0 ? null : keyText(keyValues(dataclass, key));
  });
}

/** The names of the attributes that a request gives a value, of all its entities. */
function attributesIn(
  { attribute }: NamedWrite,
  dataclass: Dataclass | null,
  body: Body | null,
): readonly string[] {
  if (attribute !== null) return [attribute];
  if (dataclass === null || body === null) return [];
  const given = new Set(body.entities.flatMap(attributeNames));
  return membersNamed(writableMembers(dataclass), given);
}
