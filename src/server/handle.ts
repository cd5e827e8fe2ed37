import { NOBODY } from '../base/principal.ts';
import { timed } from '../observe/timed.ts';
import type { Activity, RequestObserver } from '../observe/observer.ts';
import { parseRequest } from '../request/parse.ts';
import type { RestRequest } from '../request/rest-request.ts';
import type { Answer } from '../respond/answer.ts';
import { answerDeleteSet, answerEntitySet, answerRelease } from './handle-entity-set.ts';
import { sessionOf } from './client-session.ts';
import { answerLock } from './handle-lock.ts';
import { answerCatalog, answerRead } from './handle-read.ts';
import { answerAttributeUpload, answerDelete, answerSave, answerUpload } from './handle-write.ts';
import type { Services } from './services.ts';

/**
 * Answers a request below `/rest`.
 * @throws ProtocolError for what the client is told, anything else for what is the gateway's own fault, and the reason of the
 *   request's signal where the client has gone
 */
export type Handler = (request: RestRequest, observer: RequestObserver) => Promise<Answer>;

/** The whole life of every request: its URL is read, and what it asks for has a function that runs the stages, a line each. */
export function createHandler(services: Services): Handler {
  return async (request, observer) => {
    const activity: Activity = { signal: request.signal, observer, principal: NOBODY };
    const { url, verb } = request;
    // Whatever it asks for, its session is in use.
    sessionOf(request, services);
    const { ast, ...parsed } = timed(activity, 'request', () =>
      parseRequest(url, verb, services.settings.limits),
    );
    switch (ast.kind) {
      case 'catalog':
        return answerCatalog(ast, services, activity);
      case 'read':
        return answerRead({ ast, ...parsed }, services, activity);
      case 'entitySet':
        return answerEntitySet({ ast, ...parsed }, request, services, activity);
      case 'release':
        return answerRelease({ ast, ...parsed }, request, services);
      case 'deleteSet':
        return answerDeleteSet({ ast, ...parsed }, request, services, activity);
      case 'save':
        return answerSave({ ast, ...parsed }, request, services, activity);
      case 'delete':
        return answerDelete({ ast, ...parsed }, request, services, activity);
      case 'attributeUpload':
        return answerAttributeUpload({ ast, ...parsed }, request, services, activity);
      case 'lock':
        return answerLock({ ast, ...parsed }, request, services, activity);
      case 'upload':
        return answerUpload(ast, request, services);
    }
  };
}
