import { ProtocolError } from '../base/errors.ts';
import { parseRequest } from '../request/parse.ts';
import type { Verb } from '../request/verb.ts';

const VERBS: readonly Verb[] = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];

/**
 * The verbs that a URL of the API knows, as the header Allow lists them: those to which the grammar does not answer 405.
 * @param url in origin form
 */
export function allowedVerbs(url: string): string {
  return VERBS.filter((verb) => applies(url, verb)).join(', ');
}

/** Whatever else may be wrong with the request is another verb's error, too. */
function applies(url: string, verb: Verb): boolean {
  try {
    parseRequest(url, verb);
    return true;
  } catch (error) {
    return !(error instanceof ProtocolError && error.errorName === 'verbNotAllowed');
  }
}
