import type { Answer } from '../../answer/answer.ts';
import { excerpt } from '../../base/text.ts';
import { digitsOf, isJsonObject, type JsonValue } from '../../protocol/body/json-value.ts';
import { jsonText } from '../../protocol/body/json-writer.ts';

/** The codes of errors (https://www.jsonrpc.org/specification#error_object), and those of MCP. */
const CODES = {
  transport: -32_000,
  noSuchResource: -32_002,
  invalidRequest: -32_600,
  noSuchMethod: -32_601,
  invalidParams: -32_602,
} as const;

/** An error of the protocol: the client is told its message. */
export class RpcError extends Error {
  readonly code: number;
  /** The HTTP status of its answer. */
  readonly status: number;

  constructor(kind: keyof typeof CODES, message: string, status = 200) {
    super(message);
    this.name = 'RpcError';
    this.code = CODES[kind];
    this.status = status;
  }
}

/** A message that asks for an answer. */
export interface RpcRequest {
  /** As JSON text. */
  readonly id: string;
  readonly method: string;
  readonly params: JsonValue;
}

/** The longest id, in characters: each answer repeats it. */
const LONGEST_ID = 64;

/** Reads a message by hand, as a library's schema would look at all of it; null where it is a notification or an answer. @throws RpcError */
export function readMessage(message: JsonValue): RpcRequest | null {
  if (!isJsonObject(message) || message['jsonrpc'] !== '2.0') {
    throw invalidRequest('The body is not a message of JSON-RPC 2.0.');
  }
  const { id, method, params = null } = message;
  if (method === undefined && (message['result'] ?? message['error']) !== undefined) return null;
  if (typeof method !== 'string') throw invalidRequest('method of the message: expected a text.');
  if (id === undefined) return null;
  if (typeof id !== 'string' && digitsOf(id) === null) {
    throw invalidRequest('id of the message: expected a text or a number.');
  }
  const text = jsonText(id);
  if (text.length <= LONGEST_ID) return { id: text, method, params: params ?? {} };
  throw invalidRequest(`id of the message: expected at most ${LONGEST_ID} characters.`);
}

function invalidRequest(message: string): RpcError {
  return new RpcError('invalidRequest', message, 400);
}

/** The answer of a request. @param result JSON text */
export function resultAnswer({ id }: RpcRequest, result: string): Answer {
  return rpcAnswer(200, `{"result":${result},"jsonrpc":"2.0","id":${id}}`);
}

/** How many characters of a message are told: each takes at most three bytes, and an error with its id at most 1 KB. */
const LONGEST_MESSAGE = 250;

/** The answer of a request that failed; null where it cannot be told which. */
export function errorAnswer(
  request: RpcRequest | null,
  { code, status, message }: RpcError,
): Answer {
  const told = excerpt(message, LONGEST_MESSAGE)
    .replace(/\p{Cc}/gu, ' ')
    .toWellFormed();
  const error = JSON.stringify({ code, message: told });
  return rpcAnswer(status, `{"jsonrpc":"2.0","id":${request?.id ?? 'null'},"error":${error}}`);
}

function rpcAnswer(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'application/json' }, body };
}
