import { Agent, request } from 'node:http';
import { answerTo, type WholeAnswer } from '../../fixtures/http.ts';

/** What is sent: a URL as it goes over the wire, each character a byte, and a body. */
export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly body?: Buffer;
  readonly headers?: Readonly<Record<string, string | number>>;
}

/** What came back, or how the connection ended instead. */
export type Reply =
  (WholeAnswer & { readonly took: number }) | { readonly broken: string; readonly took: number };

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

  async #once({ method, url, body, headers = {} }: Sent): Promise<Reply> {
    const start = performance.now();
    const length = body === undefined ? {} : { 'content-length': body.length };
    const out = request({
      ...{ host: '127.0.0.1', port: this.#port, agent: this.#agent, timeout: PATIENCE },
      ...{ method, headers: { ...length, ...headers } },
    });
    // The constructor takes no path that is none; what is set afterwards goes out as it is.
    out.path = url;
    out.on('timeout', () => out.destroy(Object.assign(new Error(), { code: 'no answer' })));
    try {
      return { ...(await answerTo(out, body)), took: performance.now() - start };
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const broken = message === 'aborted' ? 'an answer was broken off' : (code ?? message);
      return { broken, took: performance.now() - start };
    }
  }
}
