import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import type { Answer } from '../../answer/answer.ts';
import { ProtocolError } from '../../base/errors.ts';
import { timedAsync } from '../../base/observe/observer.ts';
import { TimeSlice } from '../../base/time-slice.ts';
import { MCP_PATH } from '../../config/settings/mcp.ts';
import { bodyJson } from '../../protocol/body/body.ts';
import { isJsonArray, type JsonValue } from '../../protocol/body/json-value.ts';
import { type BodyGates, bodyGates, receiveBody } from '../bodies/receive-body.ts';
import { requestContextOf, send } from '../http/reply.ts';
import { type Handling, refuseEncoded, refuseRepeated, restRequest } from '../rest.ts';
import { type AgentContext, performed, VERSIONS } from './agent-server.ts';
import { errorAnswer, readMessage, resultAnswer, RpcError, type RpcRequest } from './json-rpc.ts';

interface McpOptions {
  readonly handling: () => Handling;
  readonly maxBodyBytes: number;
  /** The longest URL that a tool call may be. */
  readonly maxUrlBytes: number;
}

/** Serves agents at `/mcp` by the Model Context Protocol: a message is a POST, and its answer the whole response. */
export function serveMcp(server: FastifyInstance, options: McpOptions): void {
  const gates = bodyGates(options.maxBodyBytes);
  const plugin: FastifyPluginCallback = (instance, _options, done) => {
    // Bodies are read when there is memory for them.
    instance.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null));
    instance.route({
      method: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'],
      url: MCP_PATH,
      handler: async (request, reply) => {
        if (request.method === 'OPTIONS') {
          return send({ status: 204, headers: { allow: 'POST, OPTIONS' }, body: null }, reply);
        }
        if (request.method !== 'POST') throw notAllowed(request, reply);
        const answer = await answerTo(request, reply, gates, options);
        return answer === null ? reply.hijack() : send(answer, reply);
      },
    });
    done();
  };
  server.register(plugin);
}

/** There are no sessions to end, and no streams to listen to: each message is answered by itself. */
function notAllowed({ method }: FastifyRequest, reply: FastifyReply): ProtocolError {
  void reply.header('allow', 'POST, OPTIONS');
  const message = `${method} does not apply to ${MCP_PATH}: messages are sent by POST.`;
  return new ProtocolError('verbNotAllowed', message);
}

/** @returns null where the client has disconnected */
async function answerTo(
  request: FastifyRequest,
  reply: FastifyReply,
  gates: BodyGates,
  { handling: current, maxBodyBytes, maxUrlBytes }: McpOptions,
): Promise<Answer | null> {
  const activity = requestContextOf(request);
  const { signal, observer } = activity;
  const handling = current();
  const { maxRequestBytes } = handling.agents.settings;
  const head = restRequest(request, null, signal);
  observer.requestNamed?.({ operation: 'mcp', dataclass: null });
  try {
    refuseRepeated(request.raw.rawHeaders);
    handling.agents.refuseOtherSite(head);
    const user = await handling.admit(head, activity);
    refuseEncoded(request.raw);
    const { bytes, memory } = await timedAsync(activity, 'body', () =>
      receiveBody(
        request.raw,
        gates,
        Math.min(maxRequestBytes, maxBodyBytes),
        signal,
        () => undefined,
      ),
    );
    try {
      const message = await messageIn(bytes, head.headers, new TimeSlice(signal));
      const { address, host, isSecure } = head;
      const http = { address, host, isSecure };
      const caller = handling.agents.actingFor(user);
      const { agents } = handling;
      return await exchanged(
        message,
        { handling, agents, caller, activity, http, maxUrlBytes },
        head.headers,
      );
    } finally {
      memory.release();
    }
  } catch (error) {
    if (signal.aborted) return null;
    const { isSecure, headers } = head;
    void reply.headers(handling.refusalHeaders(error, { isSecure, headers }));
    throw error;
  }
}

/** The message in a body: one, so that the limit of requests holds for calls. @throws ProtocolError badBody, badMediaType */
async function messageIn(
  bytes: Buffer | null,
  headers: IncomingHttpHeaders,
  slice: TimeSlice,
): Promise<JsonValue> {
  const body = { contentType: headers['content-type'], bytes: bytes ?? Buffer.alloc(0) };
  const message = await bodyJson(body, slice);
  if (message !== undefined && !isJsonArray(message)) return message;
  const what = message === undefined ? 'The body is empty' : 'The body is an array';
  throw new ProtocolError('badBody', `${what}; expected one message of MCP, a JSON object.`);
}

/** Answers a message, by itself; null where the client has disconnected. */
async function exchanged(
  message: JsonValue,
  context: AgentContext,
  headers: IncomingHttpHeaders,
): Promise<Answer | null> {
  const { signal } = context.activity;
  let request: RpcRequest | null = null;
  try {
    request = readMessage(message);
    refuseHeaders(headers, request);
    if (request === null) return { status: 202, headers: {}, body: null };
    const result = await performed(request, context);
    return signal.aborted ? null : resultAnswer(request, result);
  } catch (error) {
    if (error instanceof RpcError) return errorAnswer(request, error);
    throw error;
  }
}

/** @throws RpcError for a client that does not take what every client has to, sends something else than JSON, or speaks another version */
function refuseHeaders(
  { accept = '', 'content-type': type = '', 'mcp-protocol-version': version }: IncomingHttpHeaders,
  request: RpcRequest | null,
): void {
  if (!['application/json', 'text/event-stream'].every((one) => accept.includes(one))) {
    const message = 'The header Accept has to list application/json and text/event-stream.';
    throw new RpcError('transport', message, 406);
  }
  if (!/^application\/json\s*(?:;|$)/i.test(type)) {
    throw new RpcError('transport', 'The header Content-Type has to be application/json.', 415);
  }
  // The first message settles the version.
  const isSettled = version !== undefined && request?.method !== 'initialize';
  if (!isSettled || VERSIONS.includes(String(version))) return;
  const message = `The header MCP-Protocol-Version has to be one of ${VERSIONS.join(', ')}.`;
  throw new RpcError('transport', message, 400);
}
