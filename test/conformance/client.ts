import { stringify } from 'lossless-json';
import { expect } from 'vitest';
import { type Answer, ExactNumber, type Gateway } from '../targets/gateway.ts';

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
}

/** JSON text of what a client sends; numbers that a double cannot hold with all their digits. */
function jsonText(value: unknown): string {
  const digits = {
    test: (item: unknown) => item instanceof ExactNumber,
    stringify: (item: unknown) => (item as ExactNumber).digits,
  };
  return stringify(value, null, undefined, [digits]) ?? '';
}
