import { TimeSlice } from '../../base/time-slice.ts';
import {
  type Activity,
  type Attended,
  type RequestObserver,
  timed,
  timedAsync,
} from '../../base/observe/observer.ts';
import { contentOfRead } from '../../plan/read/content.ts';
import { functionsOf } from '../../plan/call/call.ts';
import { isDeleteByGet, isExport } from '../../protocol/url/keywords.ts';
import { postsAttributes, withPostedAttributes } from '../../protocol/body/posted-attributes.ts';
import { ParsedKeys } from '../../protocol/url/parsed-keys.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import type { Answer } from '../../answer/answer.ts';
import { audited, auditedCall } from './audited.ts';
import { type Caller, callerOf, type Head, refusalHeaders } from './caller.ts';
import { changesSomething, refuseCrossSite } from '../http/admission.ts';
import { answerCall } from '../operations/handle-call.ts';
import { answerContent } from '../operations/handle-content.ts';
import { answerDirectory } from '../operations/handle-directory.ts';
import {
  answerDeleteSet,
  answerEntitySet,
  answerRelease,
} from '../operations/handle-entity-set.ts';
import { answerExport } from '../operations/handle-export.ts';
import { answerInfo } from '../operations/handle-info.ts';
import { answerLock } from '../operations/handle-lock.ts';
import { answerCatalog, answerRead } from '../operations/handle-read.ts';
import { answerCompute, answerDistinct } from '../operations/handle-values.ts';
import {
  answerAttributeUpload,
  answerDelete,
  answerSave,
  answerUpload,
} from '../operations/handle-write.ts';
import { refusePrecondition } from '../tags/if-match.ts';
import { tellRefusedWrite } from './refused-write.ts';
import type { Services } from './services.ts';

/** Says who sends a request, before anything of its body is read. @throws ProtocolError where nobody is let in */
export type Admit = (head: Head, attended: Attended) => Promise<Caller>;

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

/** The whole life of every request, in two steps. */
export interface Handling {
  readonly admit: Admit;
  readonly handle: Handler;
  /**
   * Hears of every request that fails, before its client is told.
   * @param caller who sent it; null where that is not known
   */
  readonly failed: (
    error: unknown,
    request: RestRequest,
    caller: Caller | null,
    attended: Attended,
  ) => Promise<void>;
  /**
   * The headers that go with a refusal of whoever is not known: what they are asked for, and the end of a session that is over.
   * @param isSecure whether the client reached the gateway by TLS
   */
  readonly refusalHeaders: (error: unknown, isSecure: boolean) => Readonly<Record<string, string>>;
}

/** The whole life of every request: who sends it is told, its URL is read, and what it asks for has a function that runs the stages, a line each. */
export function createHandler(services: Services): Handling {
  const urls = new ParsedKeys(services.settings.limits);
  const { deleteByGet } = services.settings.compatibility;
  /** The request with the verb of what it asks for, where older clients send it with another one. */
  const withOwnVerb = (request: RestRequest): RestRequest => {
    if (deleteByGet && isDeleteByGet(request)) return { ...request, verb: 'POST' };
    return postsAttributes(request) ? { ...request, verb: 'GET' } : request;
  };
  return {
    refusalHeaders: (error, isSecure) => refusalHeaders(error, isSecure, services),
    failed: (error, request, caller, attended) =>
      tellRefusedWrite(error, withOwnVerb(request), caller, attended, {
        limits: services.database.dialect.limits,
        maxEntities: services.settings.limits.maxEntities,
      }),
    admit: (head, attended) => timedAsync(attended, 'admit', () => callerOf(head, services)),
    handle: async (received, caller, observer) => {
      const asked = withOwnVerb(received);
      const isPostedRead = asked.verb === 'GET' && asked.body !== null;
      const request = isPostedRead
        ? await withPostedAttributes(asked, new TimeSlice(asked.signal))
        : asked;
      const { principal, audience } = caller;
      const activity: Activity = { signal: request.signal, observer, principal };
      const { url, verb } = request;
      const { ast, shape, values } = timed(activity, 'request', () =>
        urls.parse(url, verb, audience.key, functionsOf(audience.model)),
      );
      if (changesSomething(ast)) {
        refuseCrossSite(request, services.crossOrigins, services.sessionNames.header);
      }
      // What is planned is planned for those who see the same.
      const parsed = { shape: audience.key === '' ? shape : `${audience.key}\n${shape}`, values };
      switch (ast.kind) {
        case 'catalog':
          return answerCatalog(ast, caller, request, services, activity);
        case 'read': {
          if (isExport(ast.format)) {
            const { format } = ast;
            return answerExport({ ast, ...parsed }, format, caller, request, services, activity);
          }
          const content = contentOfRead(ast, audience.model);
          return content === null
            ? answerRead({ ast, ...parsed }, caller, request, services, activity)
            : answerContent({ ast: content, ...parsed }, caller, request, services, activity);
        }
        case 'content':
          return answerContent({ ast, ...parsed }, caller, request, services, activity);
        case 'entitySet': {
          const { format } = ast.read;
          if (isExport(format)) {
            return answerExport({ ast, ...parsed }, format, caller, request, services, activity);
          }
          return answerEntitySet({ ast, ...parsed }, caller, request, services, activity);
        }
        case 'compute':
          return answerCompute({ ast, ...parsed }, caller, request, services, activity);
        case 'distinct':
          return answerDistinct({ ast, ...parsed }, caller, request, services, activity);
        case 'release':
          return answerRelease({ ast, ...parsed }, caller, request, services);
        case 'deleteSet':
          return audited(false, activity, (heard) =>
            answerDeleteSet({ ast, ...parsed }, caller, request, services, heard),
          );
        case 'save':
          return audited(ast.dryRun, activity, (heard) =>
            answerSave({ ast, ...parsed }, caller, request, services, heard),
          );
        case 'delete':
          return audited(false, activity, (heard) =>
            answerDelete({ ast, ...parsed }, caller, request, services, heard),
          );
        case 'attributeUpload':
          return audited(false, activity, (heard) =>
            answerAttributeUpload({ ast, ...parsed }, caller, request, services, heard),
          );
        case 'call':
          return auditedCall(ast, activity, () =>
            answerCall({ ast, ...parsed }, caller, request, services, activity),
          );
        case 'lock':
          refusePrecondition(request);
          return answerLock({ ast, ...parsed }, caller, request, services, activity);
        case 'upload':
          refusePrecondition(request);
          return answerUpload(ast, caller, request, services);
        case 'directory':
          return answerDirectory(ast, request, caller, services);
        case 'info':
          return answerInfo(request, caller, services);
      }
    },
  };
}
