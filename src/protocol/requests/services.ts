import { ProtocolError, type TextPosition } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type {
  DirectoryRequest,
  InfoRequest,
  OpenApiRequest,
  ParsedRequest,
  ReloadRequest,
  ReportsRequest,
  StampRequest,
  UploadRequest,
} from '../ast.ts';
import { collectParameters, type RawParameter } from '../url/url.ts';
import type { KeywordPath } from '../url/path.ts';
import type { Verb } from '../rest-request.ts';
import { uploadedImage } from './write.ts';

/** The actions of `/rest/$directory/`, and their verbs. */
const ACTIONS: Readonly<Record<DirectoryRequest['action'], readonly Verb[]>> = {
  login: ['POST'],
  // Clients of the family log out by either.
  logout: ['GET', 'POST'],
  currentUser: ['GET', 'HEAD'],
  currentUserBelongsTo: ['POST'],
};

/** Parses a URL below `/rest/$directory/`. @throws ProtocolError unknownKeyword, verbNotAllowed, notApplicable */
export function parseDirectory(
  { keyword, what, at }: KeywordPath,
  verb: Verb,
  parameters: readonly RawParameter[],
): ParsedRequest<DirectoryRequest> {
  if (!isAction(what)) {
    const message = `There is nothing called $directory/${what}.${nameHint(what, Object.keys(ACTIONS))}`;
    throw new ProtocolError('unknownKeyword', message, at);
  }
  checkVerb(`$directory/${what}`, ACTIONS[what], verb, at);
  collectParameters(parameters, `$directory/${what}`, []);
  return { ast: { kind: 'directory', action: what }, shape: keyword, values: [] };
}

function isAction(what: string): what is DirectoryRequest['action'] {
  return Object.hasOwn(ACTIONS, what);
}

/** Parses `/rest/$info`, `/rest/$openapi`, `/rest/$reports` or `/rest/$stamp`, which nothing follows. @throws ProtocolError badUrl, verbNotAllowed, notApplicable */
export function parseStatus(
  kind: 'info' | 'openapi' | 'reports' | 'stamp',
  { keyword, what, at }: KeywordPath,
  verb: Verb,
  parameters: readonly RawParameter[],
): ParsedRequest<InfoRequest | OpenApiRequest | ReportsRequest | StampRequest> {
  if (what !== '') {
    const message = `Expected the end behind /rest/${keyword}, found ${what}.`;
    throw new ProtocolError('badUrl', message, at);
  }
  checkVerb(keyword, kind === 'info' ? ['GET'] : ['GET', 'HEAD'], verb, at);
  collectParameters(parameters, keyword, []);
  return { ast: { kind }, shape: keyword, values: [] };
}

/** Parses `/rest/$info/reload`. @throws ProtocolError badUrl, verbNotAllowed, notApplicable */
export function parseReload(
  { keyword, what, more, at }: KeywordPath,
  verb: Verb,
  parameters: readonly RawParameter[],
): ParsedRequest<ReloadRequest> {
  if (more !== '') {
    const message = `Expected the end behind /rest/${keyword}/${what}, found ${more}.`;
    throw new ProtocolError('badUrl', message, at);
  }
  checkVerb(`${keyword}/${what}`, ['POST'], verb, at);
  collectParameters(parameters, `${keyword}/${what}`, []);
  return { ast: { kind: 'reload' }, shape: `${keyword}/${what}`, values: [] };
}

/** Parses `/rest/$upload`. @throws ProtocolError badUrl, verbNotAllowed, notApplicable */
export function parseUpload(
  { keyword, at }: KeywordPath,
  verb: Verb,
  parameters: readonly RawParameter[],
): ParsedRequest<UploadRequest> {
  checkVerb('$upload', ['POST'], verb, at);
  const given = collectParameters(parameters, 'an upload', ['upload']);
  if (given.size === 0) {
    const message = 'An upload says what it holds: $rawPict=true or $binary=true.';
    throw new ProtocolError('badUrl', message);
  }
  return { ast: { kind: 'upload', image: uploadedImage(given) }, shape: keyword, values: [] };
}

function checkVerb(what: string, allowed: readonly Verb[], verb: Verb, at: TextPosition): void {
  if (allowed.includes(verb)) return;
  const message = `${verb} does not apply to ${what}: use ${allowed.join(' or ')}.`;
  throw new ProtocolError('verbNotAllowed', message, at);
}
