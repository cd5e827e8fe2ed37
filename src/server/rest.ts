import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { attempted, ProtocolError } from '../base/errors.ts';
import { isLongText, isText } from '../base/text.ts';
import {
  type ObservedRequest,
  type RequestObserver,
  timed,
  timedAsync,
} from '../base/observe/observer.ts';
import type { RestRequest } from '../protocol/rest-request.ts';
import { type Answer, encoded, withNote } from '../answer/answer.ts';
import { type BodyGates, bodyGates, receiveBody } from './bodies/receive-body.ts';
import {
  compressAnswers,
  compressible,
  NOT_COMPRESSED,
  requestContextOf,
  send,
} from './http/reply.ts';
import { originForm, refuseCrossSite, refuseOtherOrigin } from './http/admission.ts';
import type { McpSettings } from '../config/settings/mcp.ts';
import type { ValueSettings } from '../contract/value-schemas.ts';
import { allowedVerbs } from './pipeline/allowed-verbs.ts';
import {
  type Caller,
  callerOf,
  type Head,
  refusalHeaders,
  type Refused,
} from './pipeline/caller.ts';
import { answerOf, noteOutdated, reportError } from './pipeline/error-answers.ts';
import { TimeSlice } from '../base/time.ts';
import { postsAttributes, withPostedAttributes } from '../protocol/body/body.ts';
import { explainUnread } from '../run/convert/unread-value.ts';
import { isDeleteByGet } from '../protocol/url/url.ts';
import { ParsedUrls } from '../protocol/parsed-urls.ts';
import { changesSomething, operationOf } from './operations/operations.ts';
import { audited } from './pipeline/audited.ts';
import { describedQuery } from './pipeline/explained.ts';
import { mixedFilterWarning } from './pipeline/mixed-filter.ts';
import { reportRefusedWrite } from './pipeline/refused-write.ts';
import type { Services } from './pipeline/operation.ts';
import type { SignIn } from '../access/auth/sign-in.ts';
import type { ResourceHandling } from './http/resource-metadata.ts';

/** Whether a request target in origin form is the API's. */
export function isRest(url: string): boolean {
  return /^\/rest(?:[/?]|$)/.test(url);
}

/** The headers that Fastify sees: it would refuse an invalid type, and parse each body. The raw headers keep what came. */
const WITHOUT_BODY = {
  'content-type': undefined,
  'content-length': undefined,
  'transfer-encoding': undefined,
};

/** The same headers, with which the plugin that compresses leaves the answer alone. */
const AS_IT_IS = { ...WITHOUT_BODY, ...NOT_COMPRESSED };

/** What a server serves at the moment. */
export interface Served {
  /** How requests that begin now are handled. A request is handled by one to its end. */
  readonly handling: Handling;
}

interface RestOptions {
  readonly maxBodyBytes: number;
  /** Whether long answers are compressed for clients that ask for it. */
  readonly compression: boolean;
  readonly served: Served;
}

/**
 * The API below `/rest`, as a plugin with its own way to read bodies. The server's router has to be given `/rest` in place of each URL: it would
 * decode them, and refuse some, and the protocol's grammar needs them as they came.
 */
export function restPlugin(
  server: FastifyInstance,
  { maxBodyBytes, compression, served }: RestOptions,
  done: () => void,
): void {
  const gates = bodyGates(maxBodyBytes);
  // Bodies are read when there is memory for them, whatever type they have.
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
  server.addHook('onRequest', (request, _reply, next) => {
    request.headers = AS_IT_IS;
    next();
  });
  if (compression) compressAnswers(server);
  // Compression is loaded by then.
  server.after(() => {
    server.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: '/rest',
      // Only observers write to the log, and they name the request.
      childLoggerFactory: (logger) => logger,
      handler: async (request, reply) => {
        const answer =
          request.method === 'OPTIONS'
            ? await answerOptions(request, served.handling)
            : await answerTo(request, reply, served.handling, gates, maxBodyBytes);
        if (answer === null) return reply.hijack();
        const isLong = isText(answer.body) && isLongText(answer.body);
        const sent = isLong && request.method !== 'HEAD' ? await encoded(answer) : answer;
        const compressed = compression ? compressible(sent, request) : null;
        if (compressed !== null) request.headers = WITHOUT_BODY;
        return send(compressed ?? sent, reply);
      },
    });
  });
  done();
}

/** Lists the verbs of a URL: those of what the caller sees; where the caller is unknown, those of the grammar. */
export async function allowedFor(
  request: FastifyRequest,
  { admit }: Pick<Handling, 'admit'>,
): Promise<string> {
  const context = requestContextOf(request);
  const asked = restRequest(request, null, context.signal);
  const caller = await attempted(() => admit(asked, context));
  return allowedVerbs(asked.url, caller);
}

/** Whether an administrator sends a request, of whatever path; wrong credentials are nobody's. */
export async function isAdministrator(
  request: FastifyRequest,
  { admit }: Pick<Handling, 'admit'>,
): Promise<boolean> {
  const context = requestContextOf(request);
  const asked = restRequest(request, null, context.signal);
  const caller = await attempted(() => admit(asked, context));
  return caller?.audience.isAdmin === true;
}

/** OPTIONS asks for nothing but the verbs (RFC 9110, 9.3.7). */
async function answerOptions(request: FastifyRequest, handling: Handling): Promise<Answer> {
  const allow = await allowedFor(request, handling);
  return { status: 204, headers: { allow, ...closingIncomplete(request.raw) }, body: null };
}

/** @returns null where the client has disconnected */
async function answerTo(
  request: FastifyRequest,
  reply: FastifyReply,
  { admit, handle, failed, refusalHeaders }: Handling,
  gates: BodyGates,
  maxBytes: number,
): Promise<Answer | null> {
  const context = requestContextOf(request);
  const { signal, observer } = context;
  const proceed = (): void => {
    if (request.raw.headers.expect !== undefined) reply.raw.writeContinue();
  };
  let asked = restRequest(request, null, signal);
  let caller: Caller | null = null;
  try {
    refuseRepeated(request.raw.rawHeaders);
    caller = await admit(asked, context);
    if (request.method === 'GET' || request.method === 'HEAD') {
      return await handle(asked, caller, observer);
    }
    refuseEncoded(request.raw);
    const { bytes, memory } = await timedAsync(context, 'body', () =>
      receiveBody(request.raw, gates, maxBytes, signal, proceed),
    );
    try {
      asked = restRequest(request, bytes, signal);
      return await handle(asked, caller, observer);
    } finally {
      memory.release();
    }
  } catch (error) {
    await failed(error, asked, caller, context);
    if (signal.aborted) return null;
    reportError(error, observer);
    const name = error instanceof ProtocolError ? error.errorName : null;
    return answerOf(error, {
      ...refusalHeaders(error, asked),
      ...(name === 'verbNotAllowed' ? { allow: allowedVerbs(asked.url, caller) } : {}),
      ...(name === 'functionNotOnGet' ? { allow: 'POST, OPTIONS' } : {}),
      ...closingIncomplete(request.raw),
    });
  }
}

/** Closes the connection where the body was not read: the rest of it would be taken for the next request. */
function closingIncomplete({ complete }: IncomingMessage): Answer['headers'] {
  return complete ? {} : { connection: 'close' };
}

/** Credentials: of two headers, it would not be clear which one counts. */
const SENT_ONCE: ReadonlySet<string> = new Set(['authorization', 'username-4d', 'password-4d']);

/** Most other headers have another length. */
const LENGTHS: ReadonlySet<number> = new Set([...SENT_ONCE].map(({ length }) => length));

/** @throws ProtocolError badRequest where a header of credentials is there twice */
export function refuseRepeated(rawHeaders: readonly string[]): void {
  let seen: Set<string> | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const text = rawHeaders[index] ?? '';
    if (!LENGTHS.has(text.length)) continue;
    const name = text.toLowerCase();
    if (!SENT_ONCE.has(name)) continue;
    seen ??= new Set();
    if (seen.has(name)) {
      throw new ProtocolError('badRequest', `There are two ${text} headers.`);
    }
    seen.add(name);
  }
}

/** @throws ProtocolError badMediaType for a compressed body, which would be read as if it were text */
export function refuseEncoded({ headers }: IncomingMessage): void {
  const encoding = headers['content-encoding']?.trim() ?? '';
  if (/^(?:identity)?$/i.test(encoding)) return;
  const message = `Content-Encoding ${encoding.slice(0, 100)} is not supported. Send the body unencoded.`;
  throw new ProtocolError('badMediaType', message);
}

/** The parts of an HTTP request that a request of the API has. */
export function restRequest(
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

/** Answers a request below `/rest`. @throws ProtocolError for errors that the client gets, the signal's reason, anything else for the gateway's own fault */
export type Handler = (
  request: RestRequest,
  caller: Caller,
  observer: RequestObserver,
) => Promise<Answer>;

/** How agents are served, which act for users. */
export interface AgentHandling {
  readonly settings: McpSettings;
  /** The application's name. */
  readonly application: string;
  /** The settings that the forms of values depend on. */
  readonly values: ValueSettings;
  /** Returns a user with the rights that their agents have. */
  readonly actingFor: (user: Caller) => Caller;
  /** @throws ProtocolError crossSite for a request of another site's page */
  readonly refuseOtherSite: (request: RestRequest) => void;
}

/** What the sign-in needs of what is served at the moment. */
export interface SignInHandling extends Pick<Services, 'sessions' | 'sessionNames'> {
  readonly signIn: SignIn | null;
  readonly settings: Pick<Services['settings'], 'server' | 'sessions'>;
}

export interface Handling {
  /** Identifies the sender of a request before its body is read. @throws ProtocolError as {@link callerOf} */
  readonly admit: (head: Head, observed: ObservedRequest) => Promise<Caller>;
  readonly handle: Handler;
  readonly unauthenticatedHosts: Services['unauthenticatedHosts'];
  readonly agents: AgentHandling;
  readonly signIn: SignInHandling;
  readonly resource: ResourceHandling;
  /** Reports a request that fails, before it is answered. @param caller null when unknown */
  readonly failed: (
    error: unknown,
    request: RestRequest,
    caller: Caller | null,
    observed: ObservedRequest,
  ) => Promise<void>;
  /** Ends the streams of changes, whose clients come again. */
  readonly endStreams: () => void;
  /** The headers of a refusal to an unknown sender. */
  readonly refusalHeaders: (error: unknown, refused: Refused) => Readonly<Record<string, string>>;
}

/** The life of every request: find out who sends it, parse its URL, and perform its operation. */
export function createHandler(services: Services): Handling {
  const { database, settings } = services;
  const { limits } = settings;
  const urls = new ParsedUrls(limits);
  /** The request with its real verb: older clients send some requests with another verb. */
  const withOwnVerb = (request: RestRequest): RestRequest => {
    if (settings.compatibility.deleteByGet && isDeleteByGet(request)) {
      return { ...request, verb: 'POST' };
    }
    const { verb, url } = request;
    const isRead = verb === 'POST' && url.includes('extendedAttributes') && postsAttributes(url);
    return isRead ? { ...request, verb: 'GET' } : request;
  };
  return {
    unauthenticatedHosts: services.unauthenticatedHosts,
    endStreams: () => services.changes.close(),
    refusalHeaders: (error, refused) => refusalHeaders(error, refused, services),
    signIn: { ...services, signIn: services.authentication.signIn },
    resource: {
      issuers: services.authentication.issuers,
      application: services.catalog.application,
      settings: settings.server,
    },
    agents: {
      settings: services.agents.settings,
      application: services.catalog.application,
      values: services.contract,
      actingFor: (caller) => ({
        ...caller,
        audience: services.agents.audiences.of(caller.principal),
      }),
      refuseOtherSite: (request) => {
        refuseOtherOrigin(request, services.crossOrigins);
        refuseCrossSite(request, services.crossOrigins, services.sessionNames.header);
      },
    },
    failed: (error, request, caller, observed) =>
      reportRefusedWrite(error, withOwnVerb(request), caller, observed, {
        limits: database.dialect.limits,
        maxEntities: limits.maxEntities,
      }),
    admit: (head, observed) => timedAsync(observed, 'admit', () => callerOf(head, services)),
    handle: async (received, caller, observer) => {
      const { signal } = received;
      const asked = withOwnVerb(received);
      const isPostedRead = asked.verb === 'GET' && asked.body !== null;
      const request = isPostedRead
        ? await withPostedAttributes(asked, new TimeSlice(signal))
        : asked;
      const { principal, audience } = caller;
      const parsed = timed({ signal, observer }, 'request', () =>
        urls.parse(request.url, request.verb, audience.key, audience.isFunction),
      );
      const { ast, values } = parsed;
      if (changesSomething(ast)) {
        refuseCrossSite(request, services.crossOrigins, services.sessionNames.header);
      }
      // A plan is for all callers who see the same model.
      const shape = audience.key === '' ? parsed.shape : `${audience.key}\n${parsed.shape}`;
      const epoch = database.epoch();
      const context = {
        ast,
        shape,
        values,
        request,
        caller,
        services,
        signal,
        observer,
        principal,
        epoch,
      };
      const { writes } = observer;
      const operation = operationOf(ast);
      const dataclass = operation.addresses?.(ast)?.dataclass ?? null;
      observer.requestNamed?.({
        operation: ast.kind,
        dataclass,
        describe: () => describedQuery(context),
      });
      const answered =
        writes === null ? operation.answer(context) : audited(operation, context, writes);
      const note = mixedFilterWarning(ast);
      const noted = note === null ? answered : answered.then((answer) => withNote(answer, note));
      return noted.catch((error: unknown) => {
        noteOutdated(error, dataclass, services.outdated);
        throw explainUnread(error, values);
      });
    },
  };
}
