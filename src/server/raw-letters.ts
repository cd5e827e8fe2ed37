import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, InjectOptions } from 'fastify';

/** A request that Node's parser refuses, because letters beyond ASCII stand in its URL as they are. */
export type RawRequest = Pick<InjectOptions, 'headers'> & {
  readonly method: 'GET' | 'HEAD';
  readonly url: string;
};

/** Verb, target and headers of a packet that is one whole request, in whose target a letter is raw. */
const WHOLE =
  /^(GET|HEAD) ([\x21-\x7e]*[\x80-\xff][\x21-\x7e\x80-\xff]*) HTTP\/1\.[01]\r\n((?:[\w-]+:[^\r\n]*\r\n)+)\r\n$/;

/**
 * Reads a packet as a request without a body whose URL holds raw bytes beyond ASCII; they are escaped, as clients should have
 * done (RFC 3986, 2.1).
 * @returns null for any other packet
 */
export function readRawRequest(packet: Buffer): RawRequest | null {
  const [, verb, target, fields] = WHOLE.exec(packet.toString('latin1')) ?? [];
  if (verb === undefined || target === undefined || fields === undefined) return null;
  const pairs = fields
    .trimEnd()
    .split('\r\n')
    .map((field) => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()] as const;
    });
  const headers = Object.fromEntries(pairs);
  // Of two nobody knows which one counts.
  if (Object.keys(headers).length < pairs.length) return null;
  const hasBody = 'content-length' in headers || 'transfer-encoding' in headers;
  if (hasBody || !('host' in headers)) return null;
  const url = target.replace(
    /[\x80-\xff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return { method: verb === 'HEAD' ? 'HEAD' : 'GET', url, headers };
}

/** Serves such a request and ends its connection, which the parser has given up. */
export async function serveRawRequest(
  server: FastifyInstance,
  request: RawRequest,
  socket: Socket,
): Promise<void> {
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  socket.on('error', () => socket.destroy());
  const { statusCode, headers, rawPayload } = await server.inject({
    ...request,
    remoteAddress: socket.remoteAddress ?? '',
    signal: gone.signal,
  });
  const fields = Object.entries({ ...headers, connection: 'close' }).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((one) => `${name}: ${String(one)}\r\n`),
  );
  const reason = STATUS_CODES[statusCode] ?? '';
  socket.write(`HTTP/1.1 ${statusCode} ${reason}\r\n${fields.join('')}\r\n`);
  socket.end(rawPayload);
}
