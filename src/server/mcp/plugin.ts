import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyPluginCallback, FastifyReply, FastifyRequest } from 'fastify';
import { type Answer, jsonAnswer } from '../../answer/answer.ts';
import { ProtocolError } from '../../base/errors.ts';
import { timedAsync } from '../../base/observe/observer.ts';
import { TimeSlice } from '../../base/time.ts';
import { MCP_PATH } from '../../config/settings/mcp.ts';
import { bodyJson } from '../../protocol/body/body.ts';
import { type BodyGates, bodyGates, type BodyMemory, receiveBody } from '../bodies/receive-body.ts';
import { requestContextOf, send } from '../http/reply.ts';
import { closingUnread, reportError } from '../pipeline/error-answers.ts';
import { type Served, refuseEncoded, refuseRepeated, restRequest } from '../rest.ts';
import { type AgentContext, performed, VERSIONS } from './agent-server.ts';
import { errorAnswer, messageError, readMessage, RpcError, type RpcRequest } from './json-rpc.ts';

interface McpOptions {
  readonly served: Served;
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
  { served, maxBodyBytes, maxUrlBytes }: McpOptions,
): Promise<Answer | null> {
  const activity = requestContextOf(request);
  const { signal, observer } = activity;
  const { handling } = served;
  const { agents } = handling;
  const head = restRequest(request, null, signal);
  observer.requestNamed?.({ operation: 'mcp', dataclass: null });
  try {
    refuseRepeated(request.raw.rawHeaders);
    agents.refuseOtherSite(head);
    const caller = agents.actingFor(await handling.admit({ ...head, isForAgents: true }, activity));
    const context = { handling, agents, caller, activity, http: head, maxUrlBytes };
    const maxBytes = Math.min(agents.settings.maxRequestBytes, maxBodyBytes);
    return await exchanged(request.raw, context, { gates, maxBytes });
  } catch (error) {
    if (signal.aborted) return null;
    void reply.headers(handling.refusalHeaders(error, head));
    throw error;
  }
}

/**
 * Answers a message, by itself; null where the client has disconnected. What is wrong with the message is answered in its own protocol
 * (https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#sending-messages-to-the-server).
 */
async function exchanged(
  raw: IncomingMessage,
  context: AgentContext,
  { gates, maxBytes }: { readonly gates: BodyGates; readonly maxBytes: number },
): Promise<Answer | null> {
  const { signal } = context.activity;
  const { headers } = raw;
  let memory: BodyMemory | null = null;
  let request: RpcRequest | null = null;
  try {
    refuseEncoded(raw);
    const received = await timedAsync(context.activity, 'body', () =>
      receiveBody(raw, gates, maxBytes, signal, () => undefined),
    );
    memory = received.memory;
    const body = { contentType: headers['content-type'], bytes: received.bytes ?? Buffer.alloc(0) };
    request = readMessage(await bodyJson(body, new TimeSlice(signal)));
    refuseHeaders(headers, request);
    if (request === null) return { status: 202, headers: {}, body: null };
    const result = await performed(request, context);
    if (signal.aborted) return null;
    return jsonAnswer(`{"result":${result},"jsonrpc":"2.0","id":${request.id}}`);
  } catch (error) {
    const told = signal.aborted ? null : messageError(error);
    if (told === null) throw error;
    if (error instanceof ProtocolError) reportError(error, context.activity.observer);
    return errorAnswer(request, told, closingUnread(raw));
  } finally {
    memory?.release();
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
