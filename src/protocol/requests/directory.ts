import { ProtocolError, type TextPosition } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type { DirectoryRequest, InfoRequest } from '../ast.ts';
import { collectParameters } from '../url/keywords.ts';
import type { RawParameter } from '../url/url.ts';
import type { Verb } from '../rest-request.ts';

/** What stands behind `/rest/$directory/`, and the verbs that it is asked by. */
const ACTIONS: Readonly<Record<DirectoryRequest['action'], readonly Verb[]>> = {
  login: ['POST'],
  // Clients of the family log out by either.
  logout: ['GET', 'POST'],
  currentUser: ['GET', 'HEAD'],
  currentUserBelongsTo: ['POST'],
};

/**
 * Reads a URL below `/rest/$directory/`.
 * @param what the part of the path behind it
 * @throws ProtocolError unknownKeyword, verbNotAllowed, notApplicable
 */
export function parseDirectory(
  what: string,
  verb: Verb,
  parameters: readonly RawParameter[],
  at: TextPosition,
): DirectoryRequest {
  if (!isAction(what)) {
    throw new ProtocolError(
      'unknownKeyword',
      `There is nothing called $directory/${what}.${nameHint(what, Object.keys(ACTIONS))}`,
      at,
    );
  }
  needVerb(`$directory/${what}`, ACTIONS[what], verb, at);
  collectParameters(parameters, `$directory/${what}`, new Set());
  return { kind: 'directory', action: what };
}

/** Reads `/rest/$info`. @throws as {@link parseDirectory} */
export function parseInfo(
  what: string,
  verb: Verb,
  parameters: readonly RawParameter[],
  at: TextPosition,
): InfoRequest {
  if (what !== '') {
    throw new ProtocolError('badUrl', `Expected the end behind /rest/$info, found ${what}.`, at);
  }
  needVerb('$info', ['GET'], verb, at);
  collectParameters(parameters, '$info', new Set());
  return { kind: 'info' };
}

function needVerb(what: string, allowed: readonly Verb[], verb: Verb, at: TextPosition): void {
  if (allowed.includes(verb)) return;
  const message = `${verb} does not apply to ${what}: use ${allowed.join(' or ')}.`;
  throw new ProtocolError('verbNotAllowed', message, at);
}

function isAction(what: string): what is DirectoryRequest['action'] {
  return Object.hasOwn(ACTIONS, what);
}
