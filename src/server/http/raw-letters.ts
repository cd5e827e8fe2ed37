import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';

/** A request that Node's parser refuses because its URL has unescaped characters beyond ASCII. */
export interface RawRequest {
  readonly url: string;
  /** The request with the escaped URL, as the last one of its connection. */
  readonly packet: string;
}

/** Verb, target, version and headers of a packet that is one whole request with raw bytes in its target. */
const WHOLE =
  /^(GET|HEAD) ([\x21-\x7e]*[\x80-\xff][\x21-\x7e\x80-\xff]*) (HTTP\/1\.[01])\r\n((?:[\w-]+:[^\r\n]*\r\n)+)\r\n$/;

/** Reads a packet as a request without a body whose URL holds raw bytes beyond ASCII, and escapes them (RFC 3986, 2.1); null for any other packet. */
export function readRawRequest(packet: Buffer): RawRequest | null {
  const [, verb, target, version, fields] = WHOLE.exec(packet.toString('latin1')) ?? [];
  if (target === undefined || fields === undefined) return null;
  const lines = fields.trimEnd().split('\r\n');
  const names = lines.map((line) => line.slice(0, line.indexOf(':')).toLowerCase());
  // Nobody can tell which of two equal headers counts.
  if (new Set(names).size < names.length) return null;
  const hasBody = names.includes('content-length') || names.includes('transfer-encoding');
  if (hasBody || !names.includes('host')) return null;
  const url = target.replace(
    /[\x80-\xff]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  const others = lines.filter((_, index) => names[index] !== 'connection');
  const head = [`${verb ?? ''} ${url} ${version ?? ''}`, ...others, 'connection: close'];
  return { url, packet: `${head.join('\r\n')}\r\n\r\n` };
}

const resumed = new WeakSet<Duplex>();

/** Whether a raw request has been read from a connection: nothing behind it is, and errors of its parser do not count. */
export function isResumed(socket: Duplex): boolean {
  return resumed.has(socket);
}

/** Serves a raw request with a parser of its own, on a stream (https://nodejs.org/docs/latest-v20.x/api/http.html#event-connection). */
export function serveRawRequest(server: Server, { packet }: RawRequest, socket: Socket): void {
  resumed.add(socket);
  const connection = new ResumedConnection(socket);
  server.emit(connection.encrypted ? 'secureConnection' : 'connection', connection);
  connection.push(packet, 'latin1');
}

/** A connection that yields one request, and writes its answer to the socket as fast as the client reads. */
class ResumedConnection extends Duplex {
  /** As Fastify reads them. */
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

  /** As a socket has it, for Node's server and `SlowReaders`. */
  setTimeout(milliseconds: number): this {
    this.#socket.setTimeout(milliseconds);
    return this;
  }

  override _read(): void {
    // The request has been pushed.
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
