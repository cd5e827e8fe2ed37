import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/** A request that Node's parser refuses, because letters beyond ASCII stand in its URL as they are. */
export interface RawRequest {
  /** The URL as it should have come. */
  readonly url: string;
  /** The request as it should have come, and the last one of its connection. */
  readonly packet: string;
}

/** Verb, target, version and headers of a packet that is one whole request, in whose target a letter is raw. */
const WHOLE =
  /^(GET|HEAD) ([\x21-\x7e]*[\x80-\xff][\x21-\x7e\x80-\xff]*) (HTTP\/1\.[01])\r\n((?:[\w-]+:[^\r\n]*\r\n)+)\r\n$/;

/**
 * Reads a packet as a request without a body whose URL holds raw bytes beyond ASCII; they are escaped, as clients should have
 * done (RFC 3986, 2.1).
 * @returns null for any other packet
 */
export function readRawRequest(packet: Buffer): RawRequest | null {
  const [, verb, target, version, fields] = WHOLE.exec(packet.toString('latin1')) ?? [];
  if (target === undefined || fields === undefined) return null;
  const lines = fields.trimEnd().split('\r\n');
  const names = lines.map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
  // Of two nobody knows which one counts.
  if (new Set(names).size < names.length) return null;
  const hasBody = names.includes('content-length') || names.includes('transfer-encoding');
  if (hasBody || !names.includes('host')) return null;
  const url = target.replace(
    /[\x80-\xff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const others = lines.filter((_, at) => names[at] !== 'connection');
  const head = [`${verb ?? ''} ${url} ${version ?? ''}`, ...others, 'connection: close'];
  return { url, packet: `${head.join('\r\n')}\r\n\r\n` };
}

/** The connections that are served here: whatever else their parsers say is not news. */
const resumed = new WeakSet<Duplex>();

/** Whether such a request has been read from a connection: nothing that comes behind it is. */
export function isResumed(socket: Duplex): boolean {
  return resumed.has(socket);
}

/**
 * Serves such a request as any other, with a parser of its own: Node takes any stream for a connection.
 * https://nodejs.org/docs/latest-v20.x/api/http.html#event-connection
 */
export function serveRawRequest(server: Server, { packet }: RawRequest, socket: Socket): void {
  resumed.add(socket);
  const connection = new ResumedConnection(socket);
  server.emit(connection.encrypted ? 'secureConnection' : 'connection', connection);
  connection.push(packet, 'latin1');
}

/** A connection from which one request is read that has come already, and to which its answer is written as fast as the client takes it. */
class ResumedConnection extends Duplex {
  /** As Fastify asks for them. */
  readonly encrypted: boolean;
  readonly remoteAddress: string | undefined;
  readonly remotePort: number | undefined;
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super();
    this.#socket = socket;
    this.encrypted = socket instanceof TLSSocket;
    this.remoteAddress = socket.remoteAddress;
    this.remotePort = socket.remotePort;
    socket.once('close', () => this.destroy());
    socket.on('error', () => this.destroy());
    socket.on('timeout', () => this.emit('timeout'));
  }

  /** As a socket has it: what Node's server, and whoever watches an answer, waits for. */
  setTimeout(milliseconds: number): this {
    this.#socket.setTimeout(milliseconds);
    return this;
  }

  override _read(): void {
    // All that there is to read has been pushed.
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void) {
    this.#socket.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#socket.destroySoon();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
