import { Agent, request, type IncomingHttpHeaders } from 'node:http';

/** What is sent: a URL as it goes over the wire, each character a byte, and a body. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly body?: Buffer;
  readonly headers?: Readonly<Record<string, string | number>>;
}

/** What came back, or how the connection ended instead. */
export type Reply =
  | {
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      /** The beginning of the body: as much as is looked at. */
      readonly bytes: Buffer;
      readonly length: number;
      readonly took: number;
    }
  | { readonly broken: string; readonly took: number };

/** How much of an answer is kept, in bytes. */
const KEPT = 4_194_304;

/** Longer than anything may take, in milliseconds: statements end after 30 s. */
const PATIENCE = 60_000;

/** Sends requests to a gateway over connections that are kept. */
export class HostileClient {
  readonly #port: number;
  readonly #agent: Agent;

  /** @param connections how many at once */
  constructor(port: number, connections: number) {
    this.#port = port;
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /** Sends a request. It is sent again where a connection that was kept was closed meanwhile. */
  async send(sent: Sent): Promise<Reply> {
    const reply = await this.#once(sent);
    return 'broken' in reply && reply.broken === 'ECONNRESET' ? this.#once(sent) : reply;
  }

  close(): void {
    this.#agent.destroy();
  }

  #once({ method, url, body, headers = {} }: Sent): Promise<Reply> {
    const start = performance.now();
    const took = (): number => performance.now() - start;
    return new Promise((resolve) => {
      const length = body === undefined ? {} : { 'content-length': body.length };
      const out = request({
        host: '127.0.0.1',
        port: this.#port,
        agent: this.#agent,
        method,
        headers: { ...length, ...headers },
        timeout: PATIENCE,
      });
      // The constructor takes no path that is none; what is set afterwards goes out as it is.
      out.path = url;
      out.on('response', (response) => {
        const kept: Buffer[] = [];
        let received = 0;
        response.on('data', (chunk: Buffer) => {
          if (received < KEPT) kept.push(chunk);
          received += chunk.length;
        });
        response.on('error', () => undefined);
        response.on('close', () => {
          const { statusCode: status = 0, headers: answered, complete } = response;
          if (!complete) {
            resolve({ broken: `an answer ${status} was broken off`, took: took() });
            return;
          }
          const bytes = Buffer.concat(kept);
          resolve({ status, headers: answered, bytes, length: received, took: took() });
        });
      });
      out.on('timeout', () => out.destroy(Object.assign(new Error(), { code: 'no answer' })));
      out.on('error', (error: NodeJS.ErrnoException) => {
        resolve({ broken: error.code ?? error.message, took: took() });
      });
      out.end(body);
    });
  }
}
