import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ProtocolError } from '../base/errors.ts';
import { isLongText, isText } from '../base/text.ts';
import { timedAsync } from '../base/observe/observer.ts';
import type { RestRequest } from '../protocol/rest-request.ts';
import { type Answer, encoded } from '../answer/answer.ts';
import { allowedVerbs } from './pipeline/allowed-verbs.ts';
import { bodyGates } from './bodies/body-gate.ts';
import type { Caller } from './pipeline/caller.ts';
import { answerOf, reportError } from './pipeline/error-answers.ts';
import type { Handling } from './pipeline/handle.ts';
import { receiveBody, type BodyReception } from './bodies/receive-body.ts';
import { attendanceOf, send } from './http/reply.ts';
import { originForm } from './http/admission.ts';

/** What the API is served with. */
export interface RestOptions extends Handling {
  /** The largest body that is read, and how much of bodies is worked on at once. */
  readonly maxBodyBytes: number;
}

/** Whether a request target in origin form is the API's. */
export function isRest(url: string): boolean {
  return /^\/rest(?:[/?]|$)/.test(url);
}

/** What Fastify is told of bodies: it would refuse a type that is none, and take each body past its parsers. The raw headers keep what came. */
const WITHOUT_BODY = {
  'content-type': undefined,
  'content-length': undefined,
  'transfer-encoding': undefined,
};

/**
 * The API below `/rest`, as a plugin of its own: how it reads bodies is not a business of what else the server serves. The router
 * has to be given `/rest` for all of its URLs; it would decode them, and refuse some, and the protocol's grammar needs them as
 * they came.
 */
export function restPlugin(
  server: FastifyInstance,
  { maxBodyBytes, ...handling }: RestOptions,
  done: () => void,
): void {
  const serving: Serving = { ...handling, gates: bodyGates(maxBodyBytes), maxBytes: maxBodyBytes };
  // A body is not read before there is room for it, and whatever it says it is: what it holds is the protocol's business.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
  server.addHook('onRequest', (request, _reply, next) => {
    request.headers = WITHOUT_BODY;
    next();
  });
  server.route({
    method: ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'],
    url: '/rest',
    // Nothing is written to it but by an observer, which names the request itself.
    childLoggerFactory: (logger) => logger,
    handler: async (request, reply) => {
      const isOptions = request.method === 'OPTIONS';
      const answer = isOptions
        ? await answerOptions(request, handling)
        : await answerTo(request, reply, serving);
      if (answer === null) return reply.hijack();
      const isLong = isText(answer.body) && isLongText(answer.body);
      return send(isLong && request.method !== 'HEAD' ? await encoded(answer) : answer, reply);
    },
  });
  done();
}

/** Says which verbs a URL knows: those of what the caller sees, or where it is not known who asks, those of the grammar. */
export async function allowedFor(
  request: FastifyRequest,
  { admit }: Pick<Handling, 'admit'>,
): Promise<string> {
  const activity = attendanceOf(request);
  const asked = restRequest(request, null, activity.signal);
  const caller = await admit(asked, activity).catch((error: unknown) => {
    if (error instanceof ProtocolError) return null;
    throw error;
  });
  return allowedVerbs(asked.url, caller);
}

/** OPTIONS asks for nothing but the verbs (RFC 9110, 9.3.7). */
async function answerOptions(request: FastifyRequest, handling: Handling): Promise<Answer> {
  const allow = await allowedFor(request, handling);
  const left = request.raw.complete ? {} : { connection: 'close' };
  return { status: 204, headers: { allow, ...left }, body: null };
}

/** What every request is answered with. */
interface Serving extends Handling, Pick<BodyReception, 'gates' | 'maxBytes'> {}

/** @returns null where the client has gone: nobody is there to be answered */
async function answerTo(
  request: FastifyRequest,
  reply: FastifyReply,
  { admit, handle, failed, refusalHeaders, gates, maxBytes }: Serving,
): Promise<Answer | null> {
  const activity = attendanceOf(request);
  const { signal, observer } = activity;
  const proceed = (): void => {
    if (request.raw.headers.expect !== undefined) reply.raw.writeContinue();
  };
  let asked = restRequest(request, null, signal);
  let caller: Caller | null = null;
  try {
    refuseRepeated(request.raw.rawHeaders);
    caller = await admit(asked, activity);
    if (request.method === 'GET' || request.method === 'HEAD') {
      return await handle(asked, caller, observer);
    }
    refuseEncoded(request.raw);
    const { bytes, place } = await timedAsync(activity, 'body', () =>
      receiveBody(request.raw, { gates, maxBytes, signal, proceed }),
    );
    try {
      asked = restRequest(request, bytes, signal);
      return await handle(asked, caller, observer);
    } finally {
      place.leave();
    }
  } catch (error) {
    await failed(error, asked, caller, activity);
    if (signal.aborted) return null;
    reportError(error, observer);
    const name = error instanceof ProtocolError ? error.errorName : null;
    const isVerb = name === 'verbNotAllowed';
    return answerOf(error, {
      ...refusalHeaders(error, request.protocol === 'https'),
      ...(isVerb ? { allow: allowedVerbs(asked.url, caller) } : {}),
      ...(name === 'functionNotOnGet' ? { allow: 'POST, OPTIONS' } : {}),
      // What is left of a body that was not read would be taken for the next request.
      ...(request.raw.complete ? {} : { connection: 'close' }),
    });
  }
}

/** Headers that say who asks: of two, nobody knows which one counts. */
const SAID_ONCE: ReadonlySet<string> = new Set(['authorization', 'username-4d', 'password-4d']);

/** Most headers are told from them by their length alone. */
const LENGTHS: ReadonlySet<number> = new Set([...SAID_ONCE].map(({ length }) => length));

/**
 * @param rawHeaders names and values in turn, as they came
 * @throws ProtocolError badRequest where one is there twice
 */
function refuseRepeated(rawHeaders: readonly string[]): void {
  let seen: Set<string> | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const text = rawHeaders[at] ?? '';
    if (!LENGTHS.has(text.length)) continue;
    const name = text.toLowerCase();
    if (!SAID_ONCE.has(name)) continue;
    seen ??= new Set();
    if (seen.has(name)) {
      throw new ProtocolError('badRequest', `The header ${text} is there twice.`);
    }
    seen.add(name);
  }
}

/** A body that was compressed would be read as if it were text. @throws ProtocolError badMediaType */
function refuseEncoded({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding']?.trim() ?? '';
  if (/^(?:identity)?$/i.test(encoding)) return;
  throw new ProtocolError(
    'badMediaType',
    `The body is encoded, as Content-Encoding says: ${encoding.slice(0, 100)}. Send it as it is, without that header.`,
  );
}

function restRequest(
  request: FastifyRequest,
  body: Buffer | null,
  signal: AbortSignal,
): RestRequest {
  const { method, raw, originalUrl, ip, host, protocol } = request;
  return {
    verb: method as RestRequest['verb'],
    url: originForm(originalUrl),
    headers: raw.headers,
    body,
    address: ip,
    host,
    isSecure: protocol === 'https',
    signal,
  };
}
