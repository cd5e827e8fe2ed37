import type { Client } from 'undici';

/** A request, as one side is sent it. */
export interface Sent {
  readonly method?: 'GET' | 'POST';
  /** The path and the query, encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string;
}

/** What came back. */
export interface Received {
  readonly status: number;
  /** Where it was asked for, else empty. */
  readonly body: string;
  /** Until the last byte, in milliseconds. */
  readonly took: number;
}

/** Sends a request on a connection. @param keep whether the body is wanted */
export function send(
  client: Client,
  { method = 'GET', path, headers = {}, body }: Sent,
  keep: boolean,
): Promise<Received> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const start = performance.now();
  return new Promise((resolve, reject) => {
    let status = 0;
    const kept: Buffer[] = [];
    client.dispatch(
      { method, path, headers: { ...type, ...headers }, body: body ?? null },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, code) => {
          status = code;
        },
        onResponseData: (_, chunk) => {
          if (keep) kept.push(chunk);
        },
        onResponseEnd: () => {
          const took = performance.now() - start;
          resolve({ status, body: Buffer.concat(kept).toString('utf8'), took });
        },
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}
