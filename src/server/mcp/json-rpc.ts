import { type Answer, jsonAnswer } from '../../answer/answer.ts';
import { ProtocolError } from '../../base/errors.ts';
import { excerpt } from '../../base/text.ts';
import { digitsOf, isJsonArray, isJsonObject, type JsonValue } from '../../protocol/body/json.ts';
import { jsonText } from '../../protocol/body/json-writer.ts';

/** The codes of errors (https://www.jsonrpc.org/specification#error_object), and those of MCP. */
const CODES = {
  transport: -32_000,
  noSuchResource: -32_002,
  invalidRequest: -32_600,
  noSuchMethod: -32_601,
  invalidParams: -32_602,
  parseError: -32_700,
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

/** The error of the protocol that tells of a mistake in a message; null for any other error. */
export function messageError(error: unknown): RpcError | null {
  if (error instanceof RpcError) return error;
  if (!(error instanceof ProtocolError) || error.status >= 500) return null;
  const { errorName, message, status } = error;
  return new RpcError(errorName === 'badBody' ? 'parseError' : 'transport', message, status);
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

const EXPECTED = 'expected one message of MCP, a JSON object.';

/**
 * Reads a message by hand, as a library's schema would look at all of it: one, so that the limit of requests holds for calls.
 * @param message undefined for an empty body
 * @returns null for a notification or an answer
 * @throws RpcError
 */
export function readMessage(message: JsonValue | undefined): RpcRequest | null {
  if (message === undefined)
    throw new RpcError('parseError', `The body is empty; ${EXPECTED}`, 400);
  if (isJsonArray(message)) throw invalidRequest(`The body is an array; ${EXPECTED}`);
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

/** How many characters of a message are told: each takes at most three bytes, and an error with its id at most 1 KB. */
const LONGEST_MESSAGE = 250;

/** The answer of a request that failed. @param request null where it cannot be told which @param headers further ones */
export function errorAnswer(
  request: RpcRequest | null,
  { code, status, message }: RpcError,
  headers: Answer['headers'],
): Answer {
  const told = excerpt(message, LONGEST_MESSAGE)
    .replace(/\p{Cc}/gu, ' ')
    .toWellFormed();
  const error = JSON.stringify({ code, message: told });
  const answer = jsonAnswer(
    `{"jsonrpc":"2.0","id":${request?.id ?? 'null'},"error":${error}}`,
    status,
  );
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
