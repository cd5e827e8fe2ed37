import { createServer, type Server, type Socket } from 'node:net';

/**
 * A scripted TDS endpoint: it speaks just enough of the protocol (https://learn.microsoft.com/openspecs/windows_protocols/ms-tds)
 * for the driver to log in, and then answers each request as the test says: what no engine shows on demand.
 */
export interface TdsEndpoint {
  readonly port: number;
  /** What came in: `login`, `request`, `attention`, one entry each. */
  readonly seen: string[];
  readonly close: () => Promise<void>;
}

/** What a request is answered with. */
export type TdsAnswer =
  | { readonly kind: 'rows'; readonly values: readonly number[] }
  | { readonly kind: 'error'; readonly number: number; readonly message: string }
  /** The first row, and then the connection is gone. */
  | { readonly kind: 'cut' }
  /** Nothing, until the client gives up and asks for the end of it. */
  | { readonly kind: 'silence' };

const PACKET = {
  batch: 0x01,
  rpc: 0x03,
  reply: 0x04,
  attention: 0x06,
  login: 0x10,
  prelogin: 0x12,
};
const END_OF_MESSAGE = 0x01;
const HEADER_LENGTH = 8;

/**
 * @param answer called for each statement with its text as far as it can be read; the driver's own session setup is
 *   answered without it
 */
export async function startTdsEndpoint(
  answer: (text: string) => TdsAnswer,
  login: 'granted' | 'refused' = 'granted',
): Promise<TdsEndpoint> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    readMessages(socket, (type, body) => {
      switch (type) {
        case PACKET.prelogin:
          send(socket, preloginReply());
          break;
        case PACKET.login:
          seen.push('login');
          send(
            socket,
            login === 'granted'
              ? Buffer.concat([loginAck(), done()])
              : Buffer.concat([errorToken(18456, "Login failed for user 'sa'."), done(0x02)]),
          );
          break;
        case PACKET.attention:
          // The interrupted answer ends first, then comes the acknowledgement.
          seen.push('attention');
          send(socket, done(0x02));
          send(socket, done(0x20));
          break;
        case PACKET.batch:
        case PACKET.rpc: {
          const text = body.toString('utf16le');
          if (text.includes('set ansi_nulls on')) {
            send(socket, done());
            break;
          }
          seen.push('request');
          reply(socket, text.includes('@@VERSION') ? { kind: 'rows', values: [1] } : answer(text));
          break;
        }
        default:
          socket.destroy();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    seen,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}

function readMessages(socket: Socket, onMessage: (type: number, body: Buffer) => void): void {
  let pending = Buffer.alloc(0);
  let body: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= HEADER_LENGTH) {
      const length = pending.readUInt16BE(2);
      if (pending.length < length) return;
      const type = pending.readUInt8(0);
      const isLast = (pending.readUInt8(1) & END_OF_MESSAGE) !== 0;
      body.push(pending.subarray(HEADER_LENGTH, length));
      pending = pending.subarray(length);
      if (isLast) {
        onMessage(type, Buffer.concat(body));
        body = [];
      }
    }
  });
}

function reply(socket: Socket, answer: TdsAnswer): void {
  switch (answer.kind) {
    case 'rows':
      send(socket, Buffer.concat([metadata(), ...answer.values.map(row), done(0x10)]));
      return;
    case 'error':
      send(socket, Buffer.concat([errorToken(answer.number, answer.message), done(0x02)]));
      return;
    case 'cut':
      send(socket, Buffer.concat([metadata(), row(1)]), 0);
      setTimeout(() => socket.destroy(), 20);
      return;
    case 'silence':
      return;
  }
}

function send(socket: Socket, body: Buffer, status = END_OF_MESSAGE): void {
  const header = Buffer.alloc(HEADER_LENGTH);
  header.writeUInt8(PACKET.reply, 0);
  header.writeUInt8(status, 1);
  header.writeUInt16BE(HEADER_LENGTH + body.length, 2);
  header.writeUInt8(1, 6);
  socket.write(Buffer.concat([header, body]));
}

/** Version, and "encryption is not supported". */
function preloginReply(): Buffer {
  const options = Buffer.from([0x00, 0x00, 0x0b, 0x00, 0x06, 0x01, 0x00, 0x11, 0x00, 0x01, 0xff]);
  return Buffer.concat([options, Buffer.from([16, 0, 0x10, 0, 0, 0, 0x02])]);
}

function loginAck(): Buffer {
  const name = Buffer.from('Scripted', 'utf16le');
  const content = Buffer.concat([
    Buffer.from([0x01, 0x74, 0x00, 0x00, 0x04, name.length / 2]),
    name,
    Buffer.from([16, 0, 0, 0]),
  ]);
  const head = Buffer.alloc(3);
  head.writeUInt8(0xad, 0);
  head.writeUInt16LE(content.length, 1);
  return Buffer.concat([head, content]);
}

function done(status = 0): Buffer {
  const token = Buffer.alloc(13);
  token.writeUInt8(0xfd, 0);
  token.writeUInt16LE(status, 1);
  return token;
}

/** One nullable int column called `n`. */
function metadata(): Buffer {
  return Buffer.concat([
    Buffer.from([0x81, 1, 0, 0, 0, 0, 0, 0x01, 0x00, 0x26, 4, 1]),
    Buffer.from('n', 'utf16le'),
  ]);
}

function row(value: number): Buffer {
  const token = Buffer.alloc(6);
  token.writeUInt8(0xd1, 0);
  token.writeUInt8(4, 1);
  token.writeInt32LE(value, 2);
  return token;
}

function errorToken(number: number, message: string): Buffer {
  const text = Buffer.from(message, 'utf16le');
  const content = Buffer.alloc(4 + 1 + 1 + 2);
  content.writeInt32LE(number, 0);
  content.writeUInt8(1, 4);
  content.writeUInt8(14, 5);
  content.writeUInt16LE(message.length, 6);
  const tail = Buffer.from([0, 0, 1, 0, 0, 0]);
  const head = Buffer.alloc(3);
  head.writeUInt8(0xaa, 0);
  head.writeUInt16LE(content.length + text.length + tail.length, 1);
  return Buffer.concat([head, content, text, tail]);
}
