import { ProtocolError } from '../../base/errors.ts';
import { textClaim } from '../../base/principal.ts';
import { TimeSlice } from '../../base/time.ts';
import type { DirectoryRequest } from '../../protocol/ast.ts';
import { bodyJson } from '../../protocol/body/body.ts';
import { isJsonArray, isJsonObject, type JsonValue } from '../../protocol/body/json.ts';
import type { RestRequest } from '../../protocol/rest-request.ts';
import { type Answer, jsonAnswer } from '../../answer/answer.ts';
import { closingHeaders } from '../../state/session/sessions.ts';
import { EXPLORER_PATH } from '../http/browsers.ts';
import { publicUrlOf } from '../http/public-url.ts';
import { type Caller, withSessionHeaders } from '../pipeline/caller.ts';
import type { Operation, OperationContext } from '../pipeline/operation.ts';

/** Logs a user in or out, or names the user (DECISIONS, "Sessions and login"). */
export const directory: Operation<DirectoryRequest> = {
  changes: true,
  answer: async (context) => {
    switch (context.ast.action) {
      case 'login':
        return logIn(context);
      case 'logout':
        return logOut(context);
      case 'currentUser':
        return currentUser(context);
      case 'currentUserBelongsTo':
        return currentUserBelongsTo(context.request, context.caller);
    }
  },
};

/** Opens a new session, so that an id planted before is worthless (https://owasp.org/www-community/attacks/Session_fixation). */
async function logIn(context: OperationContext): Promise<Answer> {
  const { request, caller, services } = context;
  const { authentication, sessions } = services;
  if (request.headers['hashed-password-4d'] !== undefined) {
    const message =
      'hashed-password-4D is not supported: the gateway stores salted scrypt hashes and needs the password itself. Send password-4D over TLS.';
    throw new ProtocolError('notServed', message);
  }
  const { user, password, seconds } = await credentialsIn(request);
  const longest = services.settings.sessions.timeoutSeconds;
  const timeoutSeconds = Math.min(longest, seconds ?? headerSeconds(request) ?? longest);
  const principal = await authentication.logIn(user, password, request.address);
  if (principal === null) {
    return { ...jsonAnswer('{"result":false}'), status: 401 };
  }
  if (caller.session !== null) await sessions.close(caller.session.id);
  const session = await sessions.open(principal, true, timeoutSeconds);
  return withSessionHeaders(session, jsonAnswer('{"result":true}'), context);
}

async function logOut({
  request,
  caller: { session },
  services,
}: OperationContext): Promise<Answer> {
  if (session !== null) await services.sessions.close(session.id);
  const signOut = session?.grant && (await signOutUrl(request, services));
  const answer = jsonAnswer(JSON.stringify({ result: true, ...(signOut && { signOut }) }));
  const headers = closingHeaders(services.sessionNames, request.isSecure);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** Where a browser signs out at the provider that has signed its user in, which leads it back to the explorer; null where there is nothing to sign out of. */
async function signOutUrl(
  request: RestRequest,
  { authentication: { signIn }, settings }: OperationContext['services'],
): Promise<string | null> {
  const base = publicUrlOf(request, settings.server);
  return signIn === null || base === null ? null : signIn.endUrl(`${base}${EXPLORER_PATH}`);
}

/**
 * The user in the form of the family's servers; null for an anonymous one. Where nothing is served without a login, `logins` tells those who are not logged
 * in how to log in: a page learns so that it has to ask, without a request that fails. `signIn` names the identity provider, where users can sign in.
 */
function currentUser({ caller, request, services }: OperationContext): Answer {
  const { name, roles, claims } = caller.principal;
  const { anonymous, logins, signIn } = services.authentication;
  if (name !== null) {
    const said = (claim: string): string => textClaim(claims, claim) ?? name;
    return jsonAnswer(
      JSON.stringify({
        result: { userName: name, fullName: said('name'), ID: said('sub'), roles },
      }),
    );
  }
  const answer = jsonAnswer(
    JSON.stringify({
      result: null,
      ...(anonymous === null ? { logins } : {}),
      ...(signIn && { signIn: signIn.title }),
    }),
  );
  const { sessionNames } = services;
  // A session that the header names is not that of the cookie.
  if (!caller.hasEnded || request.headers[sessionNames.header] !== undefined) return answer;
  const headers = closingHeaders(sessionNames, request.isSecure);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** Whether the user has a role, which clients call a group (DECISIONS, "What clients send"). @throws ProtocolError badBody */
async function currentUserBelongsTo(
  request: RestRequest,
  { principal: { name, roles } }: Caller,
): Promise<Answer> {
  const body = await bodyOf(request);
  const [group, ...others] = isJsonArray(body) ? body : [];
  if (typeof group !== 'string' || others.length > 0) {
    const message =
      'The body does not name a group; expected an array with its name, such as ["Admin"].';
    throw new ProtocolError('badBody', message);
  }
  return jsonAnswer(JSON.stringify({ result: name !== null && roles.includes(group) }));
}

interface LoginCredentials {
  readonly user: string;
  readonly password: string;
  /** How long the session lives without a request, in seconds; null when the body does not say. */
  readonly seconds: number | null;
}

/** The JSON of a body; null where there is none. @throws ProtocolError badBody, badMediaType */
async function bodyOf({ headers, body, signal }: RestRequest): Promise<JsonValue> {
  if (body === null) return null;
  const raw = { contentType: headers['content-type'], bytes: body };
  return (await bodyJson(raw, new TimeSlice(signal))) ?? null;
}

/** The name and password of a login, by its headers or its body. @throws ProtocolError badBody, badMediaType */
async function credentialsIn(request: RestRequest): Promise<LoginCredentials> {
  const { headers } = request;
  const user = headers['username-4d'];
  const password = headers['password-4d'];
  const isInHeaders = typeof user === 'string' && typeof password === 'string';
  // With the headers clients send a body of any type that says nothing.
  const isForm = headers['content-type']?.startsWith('multipart/') === true;
  const given = isForm ? null : loginOf(await bodyOf(request));
  if (isInHeaders && given === null) {
    return { user: fromHeader(user), password: fromHeader(password), seconds: null };
  }
  if (isInHeaders) {
    const message = 'The login is in the headers and in the body: send one of them.';
    throw new ProtocolError('badBody', message);
  }
  if (given !== null) return given;
  const message =
    'The login has no user and password. Send the headers username-4D and password-4D, or a body such as ["user","password"] or {"user":"…","password":"…"}.';
  throw new ProtocolError('badBody', message);
}

/** Node reads headers as Latin-1; clients send UTF-8. */
function fromHeader(value: string): string {
  return Buffer.from(value, 'latin1').toString('utf8');
}

function loginOf(value: JsonValue): LoginCredentials | null {
  if (isJsonArray(value)) {
    const [user, password, seconds, ...others] = value;
    return others.length === 0 ? loginBy(user, password, seconds) : null;
  }
  if (!isJsonObject(value)) return null;
  return loginBy(value['user'] ?? value['username'], value['password']);
}

function loginBy(
  user: JsonValue | undefined,
  password: JsonValue | undefined,
  seconds: JsonValue | undefined = null,
): LoginCredentials | null {
  if (typeof user !== 'string' || typeof password !== 'string') return null;
  if (seconds === null) return { user, password, seconds: null };
  if (typeof seconds === 'number' && seconds >= 1) {
    return { user, password, seconds: Math.floor(seconds) };
  }
  const message =
    'The third element of a login is the lifetime of an unused session in seconds: expected a number from 1 on, or null.';
  throw new ProtocolError('badBody', message);
}

/** The seconds a session lives without a request, from the minutes of session-4D-length; null when it is missing. @throws ProtocolError badNumber */
function headerSeconds({ headers }: RestRequest): number | null {
  const asked = headers['session-4d-length'];
  if (typeof asked !== 'string') return null;
  if (!/^\d{1,9}$/.test(asked.trim())) {
    const message = 'The header session-4D-length must be a whole number of minutes.';
    throw new ProtocolError('badNumber', message, { within: 'session-4D-length', position: 1 });
  }
  return Math.max(1, Number(asked)) * 60;
}
