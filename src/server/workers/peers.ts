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
import { once } from 'node:events';
import { type Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { buffer, text } from 'node:stream/consumers';
import { isFromWorker, secretHeaders, takeFacts } from './client-facts.ts';
import { type Channel, markedId, slotOf, type WorkerPlace } from './messages.ts';

/** What a worker asks of another one: a thing by its id, and what else decides. */
export type Question = Readonly<Record<string, string | null>>;

/** What it is answered. */
export interface Reply {
  /** What is JSON of it. */
  readonly head: object;
  /** What is bytes. */
  readonly body: Iterable<Uint8Array>;
}

/** Serves requests that others handed over. */
export interface Serving {
  readonly handle: RequestListener;
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** The header of what is JSON of an answer, as base64. */
const HEAD_HEADER = 'x-entitygate-head';

/** The longest headers between workers, in bytes: those of a client, and what is written for it. */
export const MOST_HEADER_BYTES = 2 * 1_048_576;

/** What a connection to a worker fails with that has ended. */
const GONE: ReadonlySet<string | undefined> = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ECONNRESET',
  'EPIPE',
]);

/**
 * The processes that serve together with this one. Each listens on a socket that the others alone reach, in a folder of the user that runs them: for
 * requests of clients whose state it has, and for questions.
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

  /** A new id by which the others know that this process made it. */
  readonly newId = (): string => markedId(this.place);

  /** The worker that made an id, where it is another one; null where it is this one, or it was none. */
  elsewhere(id: string): number | null {
    const slot = slotOf(id, this.place.count);
    return slot === this.place.slot ? null : slot;
  }

  /** By what a worker is reached. */
  connectionTo(slot: number): { readonly socketPath: string; readonly agent: Agent } {
    return { socketPath: socketPath(this.place.folder, slot), agent: this.#agent };
  }

  /** Answers the questions of a kind; null where what is asked for is not there. */
  answer(kind: string, find: (question: Question) => Promise<Reply | null>): void {
    this.#answers.set(kind, find);
  }

  /**
   * Asks the worker that made an id.
   * @param read reads the answer
   * @returns null where this process made it or none did, it is not there any more, or the worker has ended, and all that it had with it
   */
  async ask<Result>(
    kind: string,
    id: string,
    question: Question,
    read: (head: unknown, body: Readable) => Promise<Result>,
  ): Promise<Result | null> {
    const slot = this.elsewhere(id);
    if (slot === null) return null;
    const body = JSON.stringify({ ...question, id });
    const request = send({
      ...this.connectionTo(slot),
      method: 'POST',
      path: `/${kind}`,
      headers: [
        ...secretHeaders(this.place.secret),
        'content-length',
        `${Buffer.byteLength(body)}`,
      ],
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
      throw new Error(`worker ${slot + 1} does not answer: ${problem}`);
    } catch (error) {
      if (GONE.has((error as NodeJS.ErrnoException).code)) return null;
      throw error;
    }
  }

  /** Tells all others. */
  tell(news: unknown): void {
    this.#channel.tell({ kind: 'news', news });
  }

  /** Hears what the others tell. */
  hear(listener: (news: unknown) => void): void {
    this.#channel.hear((message) => {
      if (message.kind === 'news') listener(message.news);
    });
  }

  /** Listens for the others. */
  async serve({ handle, upgrade }: Serving): Promise<void> {
    const { folder, slot, secret } = this.place;
    const admitted = (request: IncomingMessage, refuse: () => void): boolean => {
      const isAdmitted = isFromWorker(request, secret);
      if (!isAdmitted) refuse();
      return isAdmitted;
    };
    const listener = (request: IncomingMessage, response: ServerResponse): void => {
      if (!admitted(request, () => response.writeHead(403).end())) return;
      if (takeFacts(request)) handle(request, response);
      else void this.#reply(request, response);
    };
    // The worker that a client is connected to sees to it that nothing takes for ever.
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
      if (!admitted(request, () => socket.destroy())) return;
      takeFacts(request);
      upgrade(request, socket, head);
    });
    const path = socketPath(folder, slot);
    // That of the one whose place this one takes.
    await rm(path, { force: true });
    server.listen(path);
    await once(server, 'listening');
    this.#server = server;
  }

  /** Waits until no other one has anything for this one any more, and answers no more then. To be called when clients reach it no more. */
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
      const question = JSON.parse((await buffer(request)).toString('utf8')) as Question;
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

/** Where the workers' sockets are: Windows has pipes by names of their own. */
function socketPath(folder: string, slot: number): string {
  return process.platform === 'win32'
    ? `\\\\.\\pipe\\${folder.replace(/^.*[\\/]/, '')}-${slot}`
    : join(folder, `${slot}.sock`);
}
