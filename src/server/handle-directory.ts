import { ProtocolError } from '../base/errors.ts';
import { TimeSlice } from '../base/time-slice.ts';
import type { DirectoryRequest } from '../request/ast.ts';
import { bodyJson } from '../request/body.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../request/json-value.ts';
import type { RestRequest } from '../request/rest-request.ts';
import { jsonAnswer, type Answer } from '../respond/answer.ts';
import { closingHeaders } from '../session/session-cookie.ts';
import type { Caller } from './caller.ts';
import { tellingOf } from './client-session.ts';
import type { Services } from './services.ts';

/** Lets somebody in, lets them go, or says who they are (DECISIONS, "Sessions and login"). */
export async function answerDirectory(
  { action }: DirectoryRequest,
  request: RestRequest,
  caller: Caller,
  services: Services,
): Promise<Answer> {
  switch (action) {
    case 'login':
      return logIn(request, caller, services);
    case 'logout':
      return logOut(request, caller, services);
    case 'currentUser':
      return currentUser(caller);
  }
}

/**
 * Whoever logs in has a new session: an id that somebody else may have known, or planted, before is worth nothing afterwards.
 * https://owasp.org/www-community/attacks/Session_fixation
 */
async function logIn(request: RestRequest, caller: Caller, services: Services): Promise<Answer> {
  const { authentication, sessions } = services;
  const { user, password } = await credentialsIn(request);
  const timeoutSeconds = sessionLength(request, services);
  const principal = await authentication.logIn(user, password, request.address);
  if (principal === null) {
    return { ...jsonAnswer('{"result":false}'), status: 401 };
  }
  if (caller.session !== null) sessions.end(caller.session.id);
  const session = sessions.open(principal, true, timeoutSeconds);
  return tellingOf(session, jsonAnswer('{"result":true}'), request, services);
}

function logOut(
  { isSecure }: RestRequest,
  { session }: Caller,
  { sessions, sessionNames }: Services,
): Answer {
  if (session !== null) sessions.end(session.id);
  const answer = jsonAnswer('{"result":true}');
  const headers = closingHeaders(sessionNames, isSecure);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** As the family's servers say it; null for whoever gave no name. */
function currentUser({ principal: { name, roles } }: Caller): Answer {
  const result = name === null ? null : { userName: name, fullName: name, ID: name, roles };
  return jsonAnswer(JSON.stringify({ result }));
}

interface LoginCredentials {
  readonly user: string;
  readonly password: string;
}

/** The name and password of a login, by its headers or its body. @throws ProtocolError badBody, badMediaType */
async function credentialsIn({ headers, body, signal }: RestRequest): Promise<LoginCredentials> {
  const user = headers['username-4d'];
  const password = headers['password-4d'];
  const isInHeaders = typeof user === 'string' && typeof password === 'string';
  // With the headers clients send a body of any type that says nothing.
  const json = headers['content-type']?.startsWith('multipart/') === true ? null : body;
  const given =
    json === null
      ? null
      : loginOf(
          (await bodyJson(
            { contentType: headers['content-type'], bytes: json },
            new TimeSlice(signal),
          )) ?? null,
        );
  if (isInHeaders && given === null) {
    return { user: fromHeader(user), password: fromHeader(password) };
  }
  if (isInHeaders)
    throw new ProtocolError(
      'badBody',
      'The headers of the login and its body both say who it is: send one of them.',
    );
  if (given !== null) return given;
  throw new ProtocolError(
    'badBody',
    'A login says who it is: by the headers username-4D and password-4D, or by a body such as ["user","password"] or {"user":"…","password":"…"}.',
  );
}

/** Node reads headers as Latin-1; clients send UTF-8. */
function fromHeader(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8');
}

function loginOf(value: JsonValue): LoginCredentials | null {
  if (isJsonArray(value)) {
    const [user, password, ...others] = value;
    return others.length === 0 ? textsOf(user, password) : null;
  }
  if (!isJsonObject(value)) return null;
  return textsOf(value['user'] ?? value['username'], value['password']);
}

function textsOf(
  user: JsonValue | undefined,
  password: JsonValue | undefined,
): LoginCredentials | null {
  return typeof user === 'string' && typeof password === 'string' ? { user, password } : null;
}

/**
 * How long the session is to live without a request, in seconds: as the client asks, in minutes, or as the configuration says, which is the longest.
 * @throws ProtocolError badNumber
 */
function sessionLength({ headers }: RestRequest, { settings }: Services): number {
  const longest = settings.sessions.timeoutSeconds;
  const asked = headers['session-4d-length'];
  if (typeof asked !== 'string') return longest;
  if (!/^\d{1,9}$/.test(asked.trim())) {
    throw new ProtocolError(
      'badNumber',
      'The header session-4D-length is a whole number of minutes.',
      { within: 'session-4D-length', position: 1 },
    );
  }
  return Math.min(longest, Math.max(1, Number(asked)) * 60);
}
