import { timingSafeEqual } from 'node:crypto';
import { rm } from 'node:fs/promises';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as send,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { once } from 'node:events';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { json, text } from 'node:stream/consumers';
import { withoutHeaders } from '../http/headers.ts';
import { type Channel, markedId, workerOf, type WorkerPlace } from './messages.ts';

/** A question to another worker: an id, and what else decides. */
export type Question = Readonly<Record<string, string | null>>;

/** Its answer. */
export interface Reply {
  /** The part that is JSON. */
  readonly head: object;
  readonly body: Iterable<Uint8Array>;
}

/** The header by which workers recognise each other's requests. */
const SECRET_HEADER = 'x-entitygate-worker';

/** The header that describes the client of a request that is handed over. */
const CLIENT_HEADER = 'x-entitygate-client';

const OWN_HEADERS: ReadonlySet<string> = new Set([SECRET_HEADER, CLIENT_HEADER]);

/** What the connection says about its client, and no header does. */
interface ClientFacts {
  readonly address: string | undefined;
  readonly port: number | undefined;
  readonly isSecure: boolean;
  readonly httpVersion: string;
}

/** The header of a reply's head, as base64. */
const HEAD_HEADER = 'x-entitygate-head';

/** The longest headers between workers, in bytes: those of a client, and those that are added. */
export const MOST_HEADER_BYTES = 2 * 1_048_576;

/** How long a worker may take to answer a question to all, in milliseconds. */
const MOST_SILENCE = 5000;

/** The errors of a connection to a worker that has ended. */
const GONE: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ECONNRESET',
  'EPIPE',
]);

/**
 * The processes that serve together with this one. Each listens on a socket that only the others can reach, for requests of clients whose state it
 * holds, and for questions.
 */
export class Peers {
  readonly place: WorkerPlace;
  readonly #channel: Channel;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #answers = new Map<string, (question: Question) => Promise<Reply | null>>();
  #server: Server | null = null;

  constructor(place: WorkerPlace, channel: Channel) {
    this.place = place;
    this.#channel = channel;
  }

  /** Makes an id from which the others can tell that this process made it. */
  readonly newId = (): string => markedId(this.place);

  /** The other worker that made an id; null where this one made it, or none. */
  elsewhere(id: string): number | null {
    const worker = workerOf(id, this.place.count);
    return worker === this.place.worker ? null : worker;
  }

  /** The options of a connection to a worker; on Windows, sockets are named pipes. */
  connectionTo(worker: number): { readonly socketPath: string; readonly agent: Agent } {
    const { folder } = this.place;
    const socketPath =
      process.platform === 'win32'
        ? `\\\\.\\pipe\\${folder.replace(/^.*[\\/]/, '')}-${worker}`
        : join(folder, `${worker}.sock`);
    return { socketPath, agent: this.#agent };
  }

  /** Answers the questions of a kind; null where there is nothing. */
  answer(kind: string, find: (question: Question) => Promise<Reply | null>): void {
    this.#answers.set(kind, find);
  }

  /**
   * Asks the worker that made an id.
   * @param read reads the reply
   * @returns null where no other worker made the id, or there is nothing any more, or the worker has ended
   */
  async ask<Result>(
    kind: string,
    id: string,
    question: Question,
    read: (head: unknown, body: Readable) => Promise<Result>,
  ): Promise<Result | null> {
    const worker = this.elsewhere(id);
    return worker === null ? null : this.#ask(kind, worker, { ...question, id }, read);
  }

  /**
   * Asks all other workers, which have some seconds to answer.
   * @param read reads a reply
   * @returns the replies of those that have one
   */
  async askOthers<Result>(
    kind: string,
    read: (head: unknown, body: Readable) => Promise<Result>,
  ): Promise<Result[]> {
    const others = Array.from({ length: this.place.count }, (_, worker) => worker).filter(
      (worker) => worker !== this.place.worker,
    );
    const signal = AbortSignal.timeout(MOST_SILENCE);
    const replies = await Promise.all(
      others.map((worker) =>
        this.#ask(kind, worker, {}, read, signal).catch((error: unknown) => {
          if (signal.aborted) return null;
          throw error;
        }),
      ),
    );
    return replies.filter((reply) => reply !== null);
  }

  async #ask<Result>(
    kind: string,
    worker: number,
    question: Question,
    read: (head: unknown, body: Readable) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result | null> {
    const body = JSON.stringify(question);
    const request = send({
      ...this.connectionTo(worker),
      ...(signal !== undefined && { signal }),
      method: 'POST',
      path: `/${kind}`,
      headers: [SECRET_HEADER, this.place.secret, 'content-length', `${Buffer.byteLength(body)}`],
      maxHeaderSize: MOST_HEADER_BYTES,
    });
    try {
      request.end(body);
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      const head = answer.headers[HEAD_HEADER];
      if (typeof head === 'string' && answer.statusCode === 200) {
        return await read(JSON.parse(Buffer.from(head, 'base64url').toString('utf8')), answer);
      }
      const problem = await text(answer);
      if (answer.statusCode === 404) return null;
      throw new Error(`worker ${worker + 1} does not answer: ${problem}`);
    } catch (error) {
      if (GONE.has((error as NodeJS.ErrnoException).code)) return null;
      throw error;
    }
  }

  /** Sends news to all others. */
  tell(news: unknown): void {
    this.#channel.tell({ kind: 'news', news });
  }

  /** Listens to the news of the others. */
  hear(listener: (news: unknown) => void): void {
    this.#channel.hear((message) => {
      if (message.kind === 'news') listener(message.news);
    });
  }

  /** Serves the requests that the others hand over, and answers their questions. */
  async serve(
    handle: RequestListener,
    upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void,
  ): Promise<void> {
    const { worker, secret } = this.place;
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      if (!isFromWorker(request, secret)) response.writeHead(403).end();
      else if (takeFacts(request)) handle(request, response);
      else void this.#reply(request, response);
    };
    // The worker that the client is connected to limits the times.
    const server = createServer(
      {
        maxHeaderSize: MOST_HEADER_BYTES,
        requireHostHeader: false,
        keepAliveTimeout: 0,
        requestTimeout: 0,
        headersTimeout: 0,
      },
      listener,
    );
    server.maxHeadersCount = 0;
    server.on('checkContinue', listener);
    server.on('checkExpectation', listener);
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      if (!isFromWorker(request, secret)) {
        socket.destroy();
        return;
      }
      takeFacts(request);
      upgrade(request, socket, head);
    });
    const { socketPath } = this.connectionTo(worker);
    // The worker that this one replaces may have left its socket.
    await rm(socketPath, { force: true });
    server.listen(socketPath);
    await once(server, 'listening');
    this.#server = server;
  }

  /** Waits until no other worker needs this one, and stops serving. To be called when clients reach it no more. */
  async leave(): Promise<void> {
    const server = this.#server;
    if (server === null) return;
    const isOver = new Promise<void>((resolve) => {
      this.#channel.hear(({ kind }) => {
        if (kind === 'end') resolve();
      });
    });
    this.#channel.tell({ kind: 'drained' });
    await isOver;
    this.#agent.destroy();
    const closed = once(server, 'close');
    server.close();
    server.closeIdleConnections();
    await closed;
  }

  async #reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const question = (await json(request)) as Question;
      const reply = await this.#answers.get((request.url ?? '').slice(1))?.(question);
      if (reply == null) {
        response.writeHead(404).end();
        return;
      }
      const head = Buffer.from(JSON.stringify(reply.head)).toString('base64url');
      response.writeHead(200, { [HEAD_HEADER]: head });
      await pipeline(Readable.from(reply.body, { objectMode: false }), response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else response.writeHead(500).end(String(error));
    }
  }
}

/** Whether a request comes from a worker; nobody else has the secret. */
function isFromWorker({ headers }: IncomingMessage, secret: string): boolean {
  const given = Buffer.from(String(headers[SECRET_HEADER] ?? ''));
  const known = Buffer.from(secret);
  return given.length === known.length && timingSafeEqual(given, known);
}

/** The raw headers of a request that is handed over: the client's, and those that describe the client. */
export function handedHeaders(request: IncomingMessage, secret: string): string[] {
  const { socket, rawHeaders, httpVersion } = request;
  const facts: ClientFacts = {
    address: socket.remoteAddress,
    port: socket.remotePort,
    isSecure: (socket as Partial<TLSSocket>).encrypted === true,
    httpVersion,
  };
  const text = Buffer.from(JSON.stringify(facts)).toString('base64url');
  const own = [SECRET_HEADER, secret, CLIENT_HEADER, text];
  return [...withoutHeaders(rawHeaders, OWN_HEADERS), ...own];
}

/** Restores a request that was handed over as its client sent it. @returns false where it was not handed over */
function takeFacts(request: IncomingMessage): boolean {
  const text = request.headers[CLIENT_HEADER];
  if (typeof text !== 'string') return false;
  const facts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as ClientFacts;
  request.rawHeaders = withoutHeaders(request.rawHeaders, OWN_HEADERS);
  for (const name of OWN_HEADERS) Reflect.deleteProperty(request.headers, name);
  request.httpVersion = facts.httpVersion;
  Object.defineProperties(request.socket, {
    remoteAddress: { value: facts.address, configurable: true },
    remotePort: { value: facts.port, configurable: true },
    encrypted: { value: facts.isSecure, configurable: true },
  });
  return true;
}
