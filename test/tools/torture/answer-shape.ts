import { errorTable } from '../../../src/base/errors.ts';
import type { Reply } from './client.ts';

/** The statuses that each code may have. */
const statuses = new Map<number, Set<number>>();
for (const { code, status } of Object.values(errorTable)) {
  statuses.set(code, (statuses.get(code) ?? new Set()).add(status));
}

/** Errors that tell of a fault of the gateway's, where nobody has changed the schema: internal, refusedByDatabase, schemaChanged. */
const faults: ReadonlySet<number> = new Set([9000, 9011, 9022]);

/** What engines, drivers and stack traces say, and the gateway never does. */
const foreign: readonly RegExp[] = [
  /syntax error at or near/,
  /invalid input syntax/,
  /invalid byte sequence/,
  /relation "[^"]*" does not exist/,
  /violates (?:foreign|unique|check|not-null)/,
  /Incorrect syntax near/,
  /Conversion failed/,
  /Arithmetic overflow/,
  /Cannot insert/,
  /SQLSTATE/,
  /babelfish|pglite|tedious|node_modules/i,
  /\bat \S+ \(?\S+\.[jt]s:\d+/,
  /Maximum call stack|out of memory|is not a function|Cannot read propert|Invalid string length/,
  /\b(?:TBL_EMP|ORD_HDR|CAT_REF|PRD_MST)\b/,
];

/** The longest message that is answered, in characters. */
const LONGEST_MESSAGE = 4001;

interface ErrorItem {
  readonly message: unknown;
  readonly errCode: unknown;
  readonly componentSignature: unknown;
}

/**
 * What is wrong with an answer whatever was asked; null where nothing is.
 * @param isBreaking whether it may be an answer to a request that cannot be read as HTTP, which may be broken off
 */
export function problemOf(reply: Reply, method: string): string | null {
  if ('broken' in reply) return `no answer: ${reply.broken}`;
  const { status, headers, bytes } = reply;
  if (method === 'HEAD' || status === 204 || status === 304) {
    return bytes.length === 0 ? null : `${status} with a body of ${bytes.length} bytes`;
  }
  const type = headers['content-type'] ?? '';
  if (!type.startsWith('application/json')) {
    return status < 400 ? null : `${status} with content-type "${type}"`;
  }
  let body: unknown;
  try {
    body = JSON.parse(bytes.toString('utf8'));
  } catch {
    return `${status} with a body that is not JSON: ${bytes.toString('utf8', 0, 200)}`;
  }
  if (isRpcError(body)) return problemOfRpcError(body.error, bytes.length);
  const errors =
    typeof body === 'object' && body !== null
      ? (body as { __ERROR?: readonly ErrorItem[] }).__ERROR
      : undefined;
  if (errors === undefined) return status < 400 ? null : `${status} without __ERROR`;
  return problemOfErrors(errors, status);
}

interface RpcError {
  readonly jsonrpc: '2.0';
  readonly error: { readonly code: number; readonly message: string };
}

function isRpcError(body: unknown): body is RpcError {
  return typeof body === 'object' && body !== null && 'jsonrpc' in body && 'error' in body;
}

/** How long an error of MCP may be, in bytes. */
const LONGEST_RPC_ERROR = 1024;

function problemOfRpcError({ code, message }: RpcError['error'], length: number): string | null {
  if (length > LONGEST_RPC_ERROR) return `${code} of ${length} bytes: ${message.slice(0, 100)}…`;
  const found = foreign.find((pattern) => pattern.test(message));
  return found === undefined ? null : `${code}: the message holds ${String(found)}: ${message}`;
}

function problemOfErrors(errors: readonly ErrorItem[], status: number): string | null {
  if (!Array.isArray(errors) || errors.length === 0) return `${status} with an empty __ERROR`;
  for (const [index, { message, errCode, componentSignature }] of errors.entries()) {
    const said = `${status} ${String(errCode)}`;
    if (typeof message !== 'string' || message === '') return `${said} without a message`;
    const known = typeof errCode === 'number' ? statuses.get(errCode) : undefined;
    if (known === undefined) return `${said}: the code is not in the table`;
    if (componentSignature !== 'dbmg') return `${said} of ${String(componentSignature)}`;
    if (index === 0 && status >= 400 && !known.has(status)) return `${said}: not that status`;
    if (faults.has(errCode as number)) return `${said}: ${message.slice(0, 200)}`;
    if (message.length > LONGEST_MESSAGE) {
      return `${said}: a message of ${message.length} characters: ${message.slice(0, 100)}…`;
    }
    const found = foreign.find((pattern) => pattern.test(message));
    if (found !== undefined) return `${said}: the message holds ${String(found)}: ${message}`;
  }
  return null;
}
