import { ProtocolError } from '../../base/errors.ts';
import type { Change, Model } from '../../model/types.ts';
import type { RequestAst, Selector } from '../../protocol/ast.ts';
import { parseRequest } from '../../protocol/parse.ts';
import type { Verb } from '../../protocol/rest-request.ts';
import { functionsOf } from '../../plan/call/call.ts';
import type { Caller } from './caller.ts';

const VERBS: readonly Verb[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/** The verbs that the server knows, as the header Allow lists them. */
export const KNOWN_VERBS = [...VERBS, 'OPTIONS'].join(', ');

/**
 * The verbs that a URL of the API knows, as the header Allow lists them: those to which the grammar does not answer 405 and that the model, as the
 * caller sees it, can serve.
 * @param url in origin form
 * @param caller null where it is not known who asks: then the grammar alone decides
 */
export function allowedVerbs(url: string, caller: Caller | null): string {
  const model = caller?.audience.model ?? null;
  return [...VERBS.filter((verb) => applies(url, verb, model)), 'OPTIONS'].join(', ');
}

/** Whatever else may be wrong with the request is another verb's error, too. */
function applies(url: string, verb: Verb, model: Model | null): boolean {
  try {
    const isFunction = model === null ? undefined : functionsOf(model);
    const { ast } = parseRequest(url, verb, undefined, isFunction);
    return model === null || isServed(ast, model);
  } catch (error) {
    return !(error instanceof ProtocolError && error.errorName === 'verbNotAllowed');
  }
}

/** Whether the model can serve a request. What names nothing that there is has an error of its own. */
function isServed(ast: RequestAst, { dataclasses }: Model): boolean {
  const addressed = addressedBy(ast);
  const dataclass = addressed === null ? undefined : dataclasses.get(addressed.dataclass);
  if (addressed === null || dataclass === undefined) return true;
  const isByKey = addressed.selector.kind !== 'all' && addressed.selector.kind !== 'unique';
  if (isByKey && dataclass.key.length === 0) return false;
  const { readOnly, rights } = dataclass;
  const may = (...changes: readonly Change[]): boolean =>
    !readOnly && changes.some((change) => rights[change] !== 'denied');
  switch (ast.kind) {
    case 'save':
      return isByKey ? may('update') : may('create', 'update');
    case 'attributeUpload':
      return may('update');
    case 'delete':
    case 'deleteSet':
      return may('delete');
    case 'call': {
      const called = dataclass.functions.get(ast.name);
      return called !== undefined && (!ast.byGet || called.allowedOnHTTPGET);
    }
    case 'catalog':
    case 'compute':
    case 'content':
    case 'directory':
    case 'distinct':
    case 'entitySet':
    case 'info':
    case 'lock':
    case 'read':
    case 'release':
    case 'upload':
      return true;
  }
}

/** The dataclass that a request names, and what of it; null where it names none. */
function addressedBy(
  ast: RequestAst,
): { readonly dataclass: string; readonly selector: Selector } | null {
  switch (ast.kind) {
    case 'read':
    case 'save':
    case 'delete':
    case 'lock':
    case 'attributeUpload':
      return ast;
    case 'content':
    case 'entitySet':
      return ast.read;
    case 'compute':
    case 'distinct':
      return ast.of.kind === 'read' ? ast.of : ast.of.read;
    case 'deleteSet':
    case 'release':
      return { dataclass: ast.dataclass, selector: { kind: 'entitySet', id: ast.id } };
    case 'call':
      // Behind relations it is another dataclass's function.
      return ast.on.kind === 'dataclass' && ast.read.segments.length === 0 ? ast.read : null;
    case 'catalog':
    case 'upload':
    case 'directory':
    case 'info':
      return null;
  }
}
