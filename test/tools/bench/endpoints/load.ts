import { connect, type Socket } from 'node:net';

/** A request, as one side is sent it. */
export interface Sent {
  readonly method?: 'GET' | 'POST';
  /** The path and the query, encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What came back. */
export interface Received {
  readonly status: number;
  /** Where it was asked for, else empty. */
  readonly body: string;
  /** How many bytes the body has, with the frames of its chunks. */
  readonly bytes: number;
  /** Until the first and the last byte, in milliseconds. */
  readonly first: number;
  readonly last: number;
}

/** A connection that is kept, one request at a time on it. */
export interface Client {
  /** Resolves when it is there; never, where it does not come. */
  readonly connected: Promise<void>;
  /** @param keep whether the body is wanted */
  readonly send: (sent: Sent, keep: boolean, received: (answer: Received) => void) => void;
  readonly close: () => void;
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n');
const HEAD_END = Buffer.from('\r\n\r\n');

/**
 * A client of HTTP/1.1 that does no more than what is measured needs, since it shares the processor with what it measures: it knows lengths and
 * chunks, and looks at nothing else but the status. What ends a chunked body cannot stand in JSON, where a carriage return is escaped.
 * @param failed gets what broke the connection
 */
export function openClient(port: number, failed: (error: Error) => void): Client {
  const socket: Socket = connect({ host: '127.0.0.1', port, noDelay: true });
  let start = 0;
  let first = 0;
  let status = 0;
  let head: Buffer | null = null;
  /** Bytes of the body that are to come; -1 for a chunked one. */
  let left = 0;
  let bytes = 0;
  let kept: Buffer[] | null = null;
  let tail = Buffer.alloc(0);
  let waiting: ((answer: Received) => void) | null = null;
  let closing = false;

  const done = (): void => {
    const received = waiting;
    const last = performance.now() - start;
    const body = kept === null ? '' : readBody(Buffer.concat(kept), left === -1);
    head = null;
    waiting = null;
    received?.({ status, body, bytes, first, last });
  };

  const readHead = (chunk: Buffer): Buffer | null => {
    const all: Buffer = head === null ? chunk : Buffer.concat([head, chunk]);
    const end = all.indexOf(HEAD_END);
    head = all;
    if (end === -1) return null;
    const text = all.toString('latin1', 0, end).toLowerCase();
    status = Number(text.slice(9, 12));
    const length = /content-length: (\d+)/.exec(text)?.[1];
    left = length === undefined ? -1 : Number(length);
    bytes = 0;
    tail = Buffer.alloc(0);
    return all.subarray(end + 4);
  };

  let inBody = false;
  socket.on('data', (chunk: Buffer) => {
    if (start !== 0 && first === 0) first = performance.now() - start;
    let part: Buffer | null = chunk;
    if (!inBody) {
      part = readHead(chunk);
      if (part === null) return;
      inBody = true;
    }
    bytes += part.length;
    kept?.push(part);
    if (left === -1) tail = Buffer.concat([tail, part]).subarray(-LAST_CHUNK.length);
    if (left === -1 ? tail.equals(LAST_CHUNK) : bytes >= left) {
      inBody = false;
      done();
    }
  });
  socket.on('error', failed);
  socket.on('close', () => {
    if (!closing) failed(new Error(`the connection to port ${port} was closed`));
  });
  return {
    connected: new Promise((resolve) => socket.once('connect', resolve)),
    send: (sent, keep, received) => {
      kept = keep ? [] : null;
      waiting = received;
      first = 0;
      start = performance.now();
      socket.write(printed(sent));
    },
    close: () => {
      closing = true;
      socket.destroy();
    },
  };
}

/** A request as it is sent. */
export function printed({ method = 'GET', path, headers = {}, body }: Sent): string {
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1'];
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  if (body !== undefined) {
    lines.push('Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`);
  }
  return `${lines.join('\r\n')}\r\n\r\n${body ?? ''}`;
}

function readBody(bytes: Buffer, chunked: boolean): string {
  if (!chunked) return bytes.toString('utf8');
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    const length = parseInt(bytes.toString('latin1', at, end), 16);
    if (!(length > 0)) return Buffer.concat(parts).toString('utf8');
    parts.push(bytes.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}

/** What one round of load came to. */
export interface Round {
  readonly requests: number;
  readonly seconds: number;
  /** Of each request until its last and its first byte, in milliseconds. */
  readonly latencies: readonly number[];
  readonly firsts: readonly number[];
}

/**
 * Keeps connections busy for some time.
 * @param next makes the request that the connection of an index sends next
 * @throws Error for an answer that is not 200
 */
export function runRound(
  clients: readonly Client[],
  seconds: number,
  next: (connection: number) => Sent,
): Promise<Round> {
  return new Promise((resolve, reject) => {
    const latencies: number[] = [];
    const firsts: number[] = [];
    const start = performance.now();
    const end = start + seconds * 1000;
    let busy = clients.length;
    clients.forEach((client, index) => {
      const send = (): void => {
        const sent = next(index);
        client.send(sent, false, ({ status, first, last }) => {
          if (status !== 200) {
            reject(new Error(`status ${status} to ${sent.path}`));
            return;
          }
          latencies.push(last);
          firsts.push(first);
          const now = performance.now();
          if (now < end) send();
          else if (--busy === 0) {
            const took = (now - start) / 1000;
            resolve({ requests: latencies.length, seconds: took, latencies, firsts });
          }
        });
      };
      send();
    });
  });
}
