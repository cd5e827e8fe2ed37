import { TimeSlice } from '../../base/time-slice.ts';
import {
  type Attended,
  type RequestObserver,
  timed,
  timedAsync,
} from '../../base/observe/observer.ts';
import type { Answer } from '../../answer/answer.ts';
import { functionsOf } from '../../plan/call/call.ts';
import { postsAttributes, withPostedAttributes } from '../../protocol/body/posted-attributes.ts';
import { isDeleteByGet } from '../../protocol/url/url.ts';
import { ParsedKeys } from '../../protocol/parse.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { refuseCrossSite } from '../http/admission.ts';
import { changesSomething, operationOf } from '../operations/operations.ts';
import { audited } from './audited.ts';
import { type Caller, callerOf, type Head, refusalHeaders } from './caller.ts';
import { tellRefusedWrite } from './refused-write.ts';
import type { Services } from './operation.ts';

/**
 * Answers a request below `/rest`.
 * @throws ProtocolError for what the client is told, anything else for what is the gateway's own fault, and the reason of the
 *   request's signal where the client has gone
 */
export type Handler = (
  request: RestRequest,
  caller: Caller,
  observer: RequestObserver,
) => Promise<Answer>;

export interface Handling {
  /** Identifies the sender of a request before its body is read. @throws ProtocolError as {@link callerOf} */
  readonly admit: (head: Head, attended: Attended) => Promise<Caller>;
  readonly handle: Handler;
  /** Reports a request that fails, before it is answered. @param caller null when unknown */
  readonly failed: (
    error: unknown,
    request: RestRequest,
    caller: Caller | null,
    attended: Attended,
  ) => Promise<void>;
  /** The headers of a refusal to an unknown sender. @param isSecure whether the client reached the gateway by TLS */
  readonly refusalHeaders: (error: unknown, isSecure: boolean) => Readonly<Record<string, string>>;
}

/** The life of every request: find out who sends it, parse its URL, and perform its operation. */
export function createHandler(services: Services): Handling {
  const { database, settings } = services;
  const { limits } = settings;
  const urls = new ParsedKeys(limits);
  /** The request with its real verb, as older clients send some with another one. */
  const withOwnVerb = (request: RestRequest): RestRequest => {
    if (settings.compatibility.deleteByGet && isDeleteByGet(request)) {
      return { ...request, verb: 'POST' };
    }
    const { verb, url } = request;
    const isRead = verb === 'POST' && url.includes('extendedAttributes') && postsAttributes(url);
    return isRead ? { ...request, verb: 'GET' } : request;
  };
  return {
    refusalHeaders: (error, isSecure) => refusalHeaders(error, isSecure, services),
    failed: (error, request, caller, attended) =>
      tellRefusedWrite(error, withOwnVerb(request), caller, attended, {
        limits: database.dialect.limits,
        maxEntities: limits.maxEntities,
      }),
    admit: (head, attended) => timedAsync(attended, 'admit', () => callerOf(head, services)),
    handle: async (received, caller, observer) => {
      const { signal } = received;
      const asked = withOwnVerb(received);
      const isPostedRead = asked.verb === 'GET' && asked.body !== null;
      const request = isPostedRead
        ? await withPostedAttributes(asked, new TimeSlice(signal))
        : asked;
      const { principal, audience } = caller;
      const parsed = timed({ signal, observer }, 'request', () =>
        urls.parse(request.url, request.verb, audience.key, (dataclass, names) =>
          functionsOf(audience.model)(dataclass, names),
        ),
      );
      const { ast, values } = parsed;
      if (changesSomething(ast)) {
        refuseCrossSite(request, services.crossOrigins, services.sessionNames.header);
      }
      // A plan is for all callers who see the same model.
      const shape = audience.key === '' ? parsed.shape : `${audience.key}\n${parsed.shape}`;
      const epoch = database.epoch();
      const context = {
        ast,
        shape,
        values,
        request,
        caller,
        services,
        signal,
        observer,
        principal,
        epoch,
      };
      const { writes } = observer;
      const operation = operationOf(ast);
      return writes === null ? operation.answer(context) : audited(operation, context, writes);
    },
  };
}
