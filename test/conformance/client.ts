import { expect } from 'vitest';
import type { Answer, Gateway } from '../targets/gateway.ts';
import { errors, jsonText } from './write-oracle.ts';

/** A request below `/rest/`. */
export interface Request {
  /** POST where it is left out. */
  readonly method?: string;
  readonly url: string;
  /** Text and bytes go as they are, anything else as JSON. */
  readonly body?: unknown;
  /** The header Content-Type; JSON where it is left out, none where it is null. */
  readonly type?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends the requests of one case, and compares each answer. */
export class Client {
  readonly gateway: Gateway;

  constructor(gateway: Gateway) {
    this.gateway = gateway;
  }

  async send({ method = 'POST', url, body, type, headers }: Request): Promise<Answer> {
    const content = type === null ? {} : { 'content-type': type ?? 'application/json' };
    const raw = typeof body === 'string' || body instanceof Uint8Array;
    return this.gateway.get(`/rest/${url}`, {
      method,
      headers: { ...content, ...headers },
      ...(body === undefined ? {} : { body: raw ? body : jsonText(body) }),
    });
  }

  /** Sends a request and compares the whole answer. */
  async answers(request: Request, body: unknown, status = 200): Promise<Answer> {
    const answer = await this.send(request);
    expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
    return answer;
  }

  /** Sends a delete by a filter, or of a set, which deletes so many entities. */
  async deletes(request: Request, count: number): Promise<void> {
    const { headers } = await this.answers(request, { ok: true });
    expect(headers['entitygate-deleted']).toBe(String(count));
  }

  /** The same with an error: its code and its whole message. */
  async refuses(request: Request, status: number, errCode: number, message: string): Promise<void> {
    await this.answers(request, errors([[errCode, message]]), status);
  }
}
