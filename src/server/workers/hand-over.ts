import { request as send, type IncomingMessage, type RequestListener } from 'node:http';
import { connect, Socket } from 'node:net';
import { pipeline, type Duplex } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { SET_ID } from '../../state/entity-set/store.ts';
import { namedSession, type SessionNames } from '../../state/session/sessions.ts';
import { SMALL_BODY } from '../bodies/receive-body.ts';
import { originForm } from '../http/admission.ts';
import { HOP_BY_HOP, headerPairs, listed, requestHead, withoutHeaders } from '../http/headers.ts';
import { handedHeaders, MOST_HEADER_BYTES, type Peers } from './peers.ts';

/** A connection whose client asks to speak another protocol. */
interface UpgradeRequest {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  /** What has arrived behind the headers. */
  readonly head: Buffer;
}

/** Has each request answered by the worker that holds its client's state, whichever worker the client is connected to. */
export class OtherWorkers {
  readonly #peers: Peers;
  readonly #sessionNames: SessionNames;
  readonly #isServed: (url: string) => boolean;
  #handle: RequestListener = () => undefined;

  /** @param isServed whether the API, or an application, is served at a URL in origin form: all else any worker answers alike */
  constructor(peers: Peers, sessionNames: SessionNames, isServed: (url: string) => boolean) {
    this.#peers = peers;
    this.#sessionNames = sessionNames;
    this.#isServed = isServed;
  }

  /** @param handle handles requests here, also those that others hand over */
  handing(handle: RequestListener): RequestListener {
    this.#handle = handle;
    return handingOver(this.#peers, (request) => this.#find(request), handle, SMALL_BODY);
  }

  /** Hands a connection over; one for this worker, or for one that has ended, is handled here. */
  handConnection(upgrade: UpgradeRequest, handleHere: () => void): void {
    const worker = this.#find(upgrade.request);
    if (worker === null) handleHere();
    else handOverConnection(this.#peers, worker, upgrade, handleHere);
  }

  /** Answers the others as soon as the server is ready. */
  serve(server: FastifyInstance): void {
    server.addHook('onReady', () =>
      this.#peers.serve(this.#handle, (request, socket, head) =>
        server.server.emit('upgrade', request, socket, head),
      ),
    );
  }

  /**
   * Finds the worker of the client's session, or else of the first entity set in the URL; null where that is this one. With both, the session
   * decides, as only its worker knows its locks; that one asks for the set.
   */
  #find({ url = '/', headers }: IncomingMessage): number | null {
    if (!this.#isServed(originForm(url))) return null;
    // No worker fulfils other expectations (RFC 9110, 10.1.1).
    if (!/^(?:100-continue)?$/i.test(headers.expect ?? '')) return null;
    const session = namedSession(headers, this.#sessionNames);
    if (session !== null) return this.#peers.elsewhere(session);
    const [set] = SET_ID.exec(url) ?? [];
    return set === undefined ? null : this.#peers.elsewhere(set);
  }
}

/**
 * Hands whole requests over to their workers, and passes the answers on as they come. A request whose worker has ended is handled here, where the
 * client learns that its session is over, or its set is gone. When a worker ends during a request, the client's connection is broken off, as it
 * would be with a single process.
 * @param find returns the worker of a request; null for this one
 * @param handle handles requests here
 * @param smallBody bodies of up to so many bytes are read, and thrown away, where their request is refused
 */
export function handingOver(
  peers: Peers,
  find: (request: IncomingMessage) => number | null,
  handle: RequestListener,
  smallBody: number,
): RequestListener {
  return (request, response) => {
    const worker = find(request);
    if (worker === null) {
      handle(request, response);
      return;
    }
    let isBegun = false;
    const { headers } = request;
    const length = Number(headers['content-length'] ?? 0);
    const isChunked = headers['transfer-encoding'] !== undefined;
    const hasBody = isChunked || length > 0;
    // The worker asks for a large body. A refused one is not read to its end, and the connection is closed: the answer would be lost while the
    // body is still being sent.
    const isAsked = length > smallBody || isChunked || headers.expect !== undefined;
    const handed = send({
      ...peers.connectionTo(worker),
      method: request.method,
      path: request.url,
      setHost: false,
      headers: requestHeaders(request, isAsked, peers.place.secret),
      maxHeaderSize: MOST_HEADER_BYTES,
    });
    const begin = (): void => {
      isBegun = true;
      request.once('close', () => {
        if (!request.complete) handed.destroy();
      });
      response.once('close', () => {
        // The client has disconnected, or the worker has not wanted the body.
        if (!response.writableFinished || !handed.writableFinished) handed.destroy();
      });
      if (response.destroyed) handed.destroy();
      else if (!hasBody) handed.end();
      else if (!isAsked) request.pipe(handed);
    };
    handed.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', begin);
      else begin();
    });
    handed.once('continue', () => {
      if (headers.expect !== undefined) response.writeContinue();
      request.pipe(handed);
    });
    handed.once('response', (answer) => {
      response.writeHead(
        answer.statusCode ?? 500,
        answer.statusMessage ?? '',
        answerHeaders(answer),
      );
      pipeline(answer, response, (error) => {
        if (error != null) response.destroy();
      });
    });
    handed.on('error', () => {
      if (!isBegun) handle(request, response);
      else if (!response.headersSent) request.socket.destroy();
    });
  };
}

function requestHeaders(request: IncomingMessage, isAsked: boolean, secret: string): string[] {
  const { headers, method = 'GET' } = request;
  const kept = withoutHeaders(handedHeaders(request, secret), HOP_BY_HOP);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined) kept.push('Transfer-Encoding', coding);
  // An application must not get the headers that the client names here.
  const named = listed(headers.connection).filter(
    (item) => !['close', 'keep-alive', 'upgrade'].includes(item),
  );
  if (named.length > 0) kept.push('Connection', ['keep-alive', ...named].join(', '));
  if (isAsked && headers.expect === undefined) kept.push('Expect', '100-continue');
  const isWithoutLength = coding === undefined && headers['content-length'] === undefined;
  if (isWithoutLength && ['POST', 'PUT', 'PATCH'].includes(method)) {
    kept.push('Content-Length', '0');
  }
  return kept;
}

/** The headers of an answer; where the worker closes its connection, the client's is closed, too. */
function answerHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  const kept = withoutHeaders(rawHeaders, HOP_BY_HOP);
  if (/\bclose\b/i.test(headers.connection ?? '')) kept.push('Connection', 'close');
  return kept;
}

/** Hands a connection over: from now on the worker answers on it. @param handleHere is called where the worker has ended */
export function handOverConnection(
  peers: Peers,
  worker: number,
  { request, socket, head }: UpgradeRequest,
  handleHere: () => void,
): void {
  const headers = headerPairs(handedHeaders(request, peers.place.secret));
  const handed = connect(peers.connectionTo(worker).socketPath);
  handed.once('connect', () => {
    handed.off('error', handleHere);
    joinEnds(handed, socket);
    joinEnds(socket, handed);
    handed.write(requestHead(request, '1.1', headers), 'latin1');
    handed.write(head);
    socket.pipe(handed).pipe(socket);
  });
  handed.once('error', handleHere);
}

/** Ends one connection when the other one has ended, and everything written to it has been sent. */
function joinEnds(one: Duplex, other: Duplex): void {
  one.on('error', () => one.destroy());
  one.once('close', () => {
    if (other instanceof Socket) other.destroySoon();
    else other.destroy();
  });
}
