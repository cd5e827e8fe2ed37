import type { Audience } from '../../access/roles/audiences.ts';
import { ProtocolError } from '../../base/errors.ts';
import type { Model } from '../../model/types.ts';
import type { RequestAst } from '../../protocol/ast.ts';
import { parseRequest } from '../../protocol/parse.ts';
import type { Verb } from '../../protocol/rest-request.ts';
import { operationOf } from '../operations/operations.ts';
import type { Caller } from './caller.ts';

const VERBS: readonly Verb[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The verbs that the server knows, as the header Allow lists them. */
export const KNOWN_VERBS = [...VERBS, 'OPTIONS'].join(', ');

/** Lists the verbs of a URL for the header Allow: those that the grammar takes, and that the model can serve to the caller, if it is known. */
export function allowedVerbs(url: string, caller: Caller | null): string {
  const audience = caller?.audience ?? null;
  return [...VERBS.filter((verb) => applies(url, verb, audience)), 'OPTIONS'].join(', ');
}

/** Whether a verb applies to a URL: other errors than verbNotAllowed do not concern the verb. */
function applies(url: string, verb: Verb, audience: Audience | null): boolean {
  try {
    const { ast } = parseRequest(url, verb, undefined, audience?.isFunction);
    return audience === null || isServed(ast, audience.model);
  } catch (error) {
    return !(error instanceof ProtocolError && error.errorName === 'verbNotAllowed');
  }
}

/** Whether the model can serve a request. One that names what does not exist has an error of its own. */
function isServed(ast: RequestAst, { dataclasses }: Model): boolean {
  const { addresses, isServed: isOffered } = operationOf(ast);
  const addressed = addresses?.(ast) ?? null;
  const dataclass = dataclasses.get(addressed?.dataclass ?? '');
  if (addressed === null || dataclass === undefined) return true;
  const isByKey = addressed.selector.kind !== 'all' && addressed.selector.kind !== 'unique';
  if (isByKey && dataclass.key.length === 0) return false;
  return isOffered === undefined || isOffered(ast, dataclass, isByKey);
}
