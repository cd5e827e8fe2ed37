import {
  request as send,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { connect, Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import { SET_ID } from '../../state/entity-set/store.ts';
import { handedHeaders } from './client-facts.ts';
import { MOST_HEADER_BYTES, type Peers } from './peers.ts';

/** Says which worker a request is for; null where that is this one. */
export type FindWorker = (request: IncomingMessage) => number | null;

/** What of a request's and an answer's headers is said of the one connection that they are sent on (RFC 9110, 7.6.1). */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
]);

/**
 * Which worker has what a request needs: the client's session, or else the first entity set that its URL names. Where both are named the session decides, as its
 * locks are known to its worker alone; that one asks for the set.
 * @param sessionOf the id of the session that a request names; null where it names none
 */
export function workerFinder(
  peers: Peers,
  sessionOf: (request: IncomingMessage) => string | null,
): FindWorker {
  return (request) => {
    // What is asked of the connection that none of them does (RFC 9110, 10.1.1).
    if (!/^(?:100-continue)?$/i.test(request.headers.expect ?? '')) return null;
    const session = sessionOf(request);
    if (session !== null) return peers.elsewhere(session);
    // In whichever place of the URL: what is asked of a set is answered best by who has it.
    const [set] = SET_ID.exec(request.url ?? '') ?? [];
    return set === undefined ? null : peers.elsewhere(set);
  };
}

/**
 * Hands requests over to the workers that they are for, whole, and passes the answers on as they come. One whose worker has ended is handled here, where the
 * client is told that its session is over, or that its set is gone. Where a worker ends while it works on one, the client's connection is broken off, as
 * if the one process had ended that there would be without workers.
 * @param handle handles requests here
 * @param smallBody bodies of up to as many bytes are read, and thrown away, where their request is refused
 */
export function handingOver(
  peers: Peers,
  find: FindWorker,
  handle: RequestListener,
  smallBody: number,
): RequestListener {
  return (request, response) => {
    const slot = find(request);
    if (slot === null) handle(request, response);
    else handOver(peers, slot, { request, response, smallBody }, () => handle(request, response));
  };
}

/** A request that is handed over, and where its answer goes. */
interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly smallBody: number;
}

function handOver(
  peers: Peers,
  slot: number,
  { request, response, smallBody }: Exchange,
  handleHere: () => void,
): void {
  let isBegun = false;
  const { headers } = request;
  const hasBody =
    headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  const isAsked = isBodyAsked(request, smallBody);
  const worker = send({
    ...peers.connectionTo(slot),
    method: request.method,
    path: request.url,
    setHost: false,
    headers: requestHeaders(request, isAsked, peers.place.secret),
    maxHeaderSize: MOST_HEADER_BYTES,
  });
  const begin = (): void => {
    isBegun = true;
    request.once('close', () => {
      if (!request.complete) worker.destroy();
    });
    response.once('close', () => {
      // Who has gone takes no answer, and a body that nobody wanted is sent no more.
      if (!response.writableFinished || !worker.writableFinished) worker.destroy();
    });
    if (response.destroyed) worker.destroy();
    else if (!hasBody) worker.end();
    else if (!isAsked) request.pipe(worker);
  };
  worker.once('socket', (socket) => {
    if (socket.connecting) socket.once('connect', begin);
    else begin();
  });
  worker.once('continue', () => {
    if (headers.expect !== undefined) response.writeContinue();
    request.pipe(worker);
  });
  worker.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 500, answer.statusMessage ?? '', answerHeaders(answer));
    pipeline(answer, response, (error) => {
      if (error != null) response.destroy();
    });
  });
  worker.on('error', () => {
    if (!isBegun) handleHere();
    else if (!response.headersSent) request.socket.destroy();
  });
}

/**
 * Whether the body of a request is sent when the worker asks for it. Of a large one that is refused the rest is not read, and the connection is closed: the answer would be lost
 * where the body is still being sent. A small one is read to its end, whatever comes of it.
 */
function isBodyAsked({ headers }: IncomingMessage, smallBody: number): boolean {
  const isLarge = Number(headers['content-length'] ?? 0) > smallBody;
  return isLarge || headers['transfer-encoding'] !== undefined || headers.expect !== undefined;
}

/** The headers that a request is handed over with. */
function requestHeaders(request: IncomingMessage, isAsked: boolean, secret: string): string[] {
  const given = handedHeaders(request, secret);
  const { headers, method = 'GET' } = request;
  const kept = withoutThoseOfConnection(given);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) kept.push('Transfer-Encoding', coding);
  // What the client says of its connection concerns an application that the request is forwarded to.
  const named = (headers.connection ?? '')
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '' && !/^(?:close|keep-alive|upgrade)$/i.test(item));
  if (named.length > 0) kept.push('Connection', ['keep-alive', ...named].join(', '));
  if (isAsked && headers.expect === undefined) kept.push('Expect', '100-continue');
  const isWithoutLength = coding === undefined && headers['content-length'] === undefined;
  if (isWithoutLength && ['POST', 'PUT', 'PATCH'].includes(method))
    kept.push('Content-Length', '0');
  return kept;
}

/** The headers of an answer; one that closes its connection has the client's closed. */
function answerHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const kept = withoutThoseOfConnection(rawHeaders);
  if (/\bclose\b/i.test(headers.connection ?? '')) kept.push('Connection', 'close');
  return kept;
}

function withoutThoseOfConnection(rawHeaders: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!OF_CONNECTION.has(name.toLowerCase())) kept.push(name, value);
  }
  return kept;
}

/**
 * Hands a connection over whose client asks to speak another protocol: from now on it is the worker's, which answers on it.
 * @param head what came behind the request's headers
 * @param handleHere what is done where the worker has ended
 */
export function handOverConnection(
  peers: Peers,
  slot: number,
  { request, socket, head }: { request: IncomingMessage; socket: Duplex; head: Buffer },
  handleHere: () => void,
): void {
  const { method = 'GET', url = '/' } = request;
  const given = handedHeaders(request, peers.place.secret);
  const fields: string[] = [];
  for (let at = 0; at + 1 < given.length; at += 2) {
    fields.push(`${given[at] ?? ''}: ${given[at + 1] ?? ''}\r\n`);
  }
  const worker = connect(peers.connectionTo(slot).socketPath);
  worker.once('connect', () => {
    worker.off('error', handleHere);
    joinEnds(worker, socket);
    joinEnds(socket, worker);
    worker.write(`${method} ${url} HTTP/1.1\r\n${fields.join('')}\r\n`, 'latin1');
    worker.write(head);
    socket.pipe(worker).pipe(socket);
  });
  worker.once('error', handleHere);
}

/** Has one connection end when the other one has, and what was written to it is sent. */
function joinEnds(one: Duplex, other: Duplex): void {
  one.on('error', () => one.destroy());
  one.once('close', () => {
    if (other instanceof Socket) other.destroySoon();
    else other.destroy();
  });
}
