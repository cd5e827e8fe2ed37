import { createServer, type Server, type Socket } from 'node:net';
import {
  preloginReply,
  loginAck,
  done,
  doneInProc,
  doneProc,
  changed,
  metadata,
  mixedRow,
  row,
  errorToken,
  returnStatus,
  returnValue,
} from './tds-tokens.ts';

/**
 * A scripted TDS endpoint: it speaks just enough of the protocol (https://learn.microsoft.com/openspecs/windows_protocols/ms-tds)
 * for the driver to log in, and then answers each request as the test says: what no engine shows on demand.
 */
export interface TdsEndpoint {
  readonly port: number;
  /** What came in: `login` (`login to read`), `request`, `attention`, `begin`, `commit`, `rollback`, one entry each. */
  readonly seen: string[];
  /** The settings that each session began with, as the batch that makes them. */
  readonly settings: readonly string[];
  /** How many rows of endless answers were written to the socket. */
  readonly rowsSent: () => number;
  readonly close: () => Promise<void>;
}

/** What a request is answered with. */
export type TdsAnswer =
  | { readonly kind: 'rows'; readonly values: readonly number[] }
  | { readonly kind: 'error'; readonly number: number; readonly message: string }
  /** Several, after a row; with or without word that the server rolled back. */
  | {
      readonly kind: 'errors';
      readonly errors: readonly TdsError[];
      readonly rolledBack: boolean;
    }
  /** Rows, and then word that the server rolled back, as if nothing had happened. */
  | { readonly kind: 'rolledBack' }
  /** One row of ints below 256 and bits. */
  | { readonly kind: 'mixed'; readonly values: readonly (number | boolean)[] }
  /** The connection is gone at once. */
  | { readonly kind: 'gone' }
  /** The first row, and then the connection is gone. */
  | { readonly kind: 'cut' }
  /** Rows, and no end of them until the client gives up. */
  | { readonly kind: 'begun'; readonly values: readonly number[] }
  /** Rows 1, 2, 3, … as fast as the client takes them. */
  | { readonly kind: 'endless' }
  /** What no client can read; behind rows, where there are any. */
  | { readonly kind: 'garbage'; readonly values?: readonly number[] }
  /** Rows, and then the answer to a login, which is none to a request. */
  | { readonly kind: 'astray'; readonly values: readonly number[] }
  /** A procedure's: one result set for each list, what goes out as `@total`, and the return value. */
  | {
      readonly kind: 'procedure';
      readonly results: readonly (readonly number[])[];
      readonly total: number;
      readonly returns: number;
    }
  /** Nothing, until the client gives up and asks for the end of it. */
  | { readonly kind: 'silence' }
  /** Nothing, whatever the client asks for. */
  | { readonly kind: 'noObserver' };

/** An error; its severity is 14 unless it says otherwise. */
export interface TdsError {
  readonly number: number;
  readonly message: string;
  readonly severity?: number;
}

/** What the driver asks of the server's transaction manager. */
export type TdsTransactionStep = 'begin' | 'commit' | 'rollback';

const PACKET = {
  batch: 0x01,
  rpc: 0x03,
  reply: 0x04,
  attention: 0x06,
  transaction: 0x0e,
  login: 0x10,
  prelogin: 0x12,
};

/** By request type: https://learn.microsoft.com/openspecs/windows_protocols/ms-tds/4e7a1b4b-6f65-4ac9-9c2b-67a7bfd2fb5c */
const STEPS: Partial<Record<number, TdsTransactionStep>> = {
  5: 'begin',
  7: 'commit',
  8: 'rollback',
};

const END_OF_MESSAGE = 0x01;
const HEADER_LENGTH = 8;
const ROWS_PER_PACKET = 500;

/** Where a login says that it means to read only. */
const LOGIN_TYPE_FLAGS = 26;
const READ_ONLY = 0x20;

/**
 * @param answer called for each statement with its text as far as it can be read; the driver's own session setup is
 *   answered without it
 * @param login what a login is refused with; granted where that is nothing, and null where the connection is closed
 * @param manage how a step of a transaction is answered, where it does not simply succeed
 * @param version what is answered of the server and its database
 */
export async function startTdsEndpoint(
  answer: (text: string) => TdsAnswer,
  login: () => readonly TdsError[] | null = () => [],
  manage: (step: TdsTransactionStep) => TdsAnswer | null = () => null,
  version: TdsAnswer = { kind: 'rows', values: [1] },
): Promise<TdsEndpoint> {
  const seen: string[] = [];
  const settings: string[] = [];
  const sockets = new Set<Socket>();
  const noObserver = new Set<Socket>();
  const endless = new Set<Socket>();
  let rowsSent = 0;
  const pour = (socket: Socket): void => {
    while (endless.has(socket) && !socket.writableNeedDrain) {
      const rows = Array.from({ length: ROWS_PER_PACKET }, () => row((rowsSent += 1)));
      send(socket, Buffer.concat(rows), 0);
    }
  };
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => {
      sockets.delete(socket);
      endless.delete(socket);
    });
    socket.on('drain', () => {
      pour(socket);
    });
    socket.on('error', () => undefined);
    readMessages(socket, (type, body) => {
      switch (type) {
        case PACKET.prelogin:
          send(socket, preloginReply());
          break;
        case PACKET.login: {
          seen.push(
            (body.readUInt8(LOGIN_TYPE_FLAGS) & READ_ONLY) === 0 ? 'login' : 'login to read',
          );
          const refusal = login();
          if (refusal === null) socket.destroy();
          else send(socket, loginReply(refusal));
          break;
        }
        case PACKET.attention:
          // The interrupted answer ends first, then comes the acknowledgement.
          seen.push('attention');
          endless.delete(socket);
          if (noObserver.has(socket)) break;
          send(socket, done(0x02));
          send(socket, done(0x20));
          break;
        case PACKET.batch:
        case PACKET.rpc: {
          const text = body.toString('utf16le');
          if (text.includes('set ansi_nulls on')) {
            settings.push(text.slice(text.indexOf('set ansi_nulls on')));
            send(socket, done());
            break;
          }
          seen.push('request');
          const said = text.includes('@@VERSION') ? version : answer(text);
          if (said.kind === 'noObserver') noObserver.add(socket);
          reply(socket, said);
          if (said.kind === 'endless') {
            endless.add(socket);
            pour(socket);
          }
          break;
        }
        case PACKET.transaction: {
          // Behind the headers, whose length comes first.
          const step = STEPS[body.readUInt16LE(body.readUInt32LE(0))] ?? 'rollback';
          seen.push(step);
          const special = manage(step);
          if (special === null) send(socket, Buffer.concat([changed(step), done()]));
          else reply(socket, special);
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
    settings,
    rowsSent: () => rowsSent,
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => {
          resolve();
        });
      }),
  };
}

const tokenOf = ({ number, message, severity }: TdsError): Buffer =>
  errorToken(number, message, severity);

function loginReply(refusal: readonly TdsError[]): Buffer {
  return Buffer.concat(
    refusal.length === 0 ? [loginAck(), done()] : [...refusal.map(tokenOf), done(0x02)],
  );
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
  if (answer.kind === 'gone') socket.destroy();
  const isWhole = !['cut', 'begun', 'endless'].includes(answer.kind);
  const tokens = tokensOf(answer);
  if (tokens.length > 0) send(socket, Buffer.concat(tokens), isWhole ? END_OF_MESSAGE : 0);
  if (answer.kind === 'cut') setTimeout(() => socket.destroy(), 20);
}

const rowsOf = (values: readonly number[]): Buffer[] => [metadata(), ...values.map(row)];

/** What is sent of an answer; nothing where there is none. */
function tokensOf(answer: TdsAnswer): readonly Buffer[] {
  switch (answer.kind) {
    case 'rows':
      return [...rowsOf(answer.values), done(0x10)];
    case 'error':
      return [errorToken(answer.number, answer.message), done(0x02)];
    case 'errors': {
      // As SQL Server does: the end of the transaction comes before the word of it.
      const end = answer.rolledBack ? [changed('rollback')] : [];
      return [...rowsOf([1]), done(0x11), ...end, ...answer.errors.map(tokenOf), done(0x02)];
    }
    case 'rolledBack':
      return [...rowsOf([1]), done(0x11), changed('rollback'), done()];
    case 'mixed':
      return [mixedRow(answer.values), done(0x10)];
    case 'cut':
      return rowsOf([1]);
    case 'begun':
      return rowsOf(answer.values);
    case 'endless':
      return rowsOf([]);
    case 'garbage':
      return [...(answer.values ? rowsOf(answer.values) : []), Buffer.from([0x00, 0x01, 0x02])];
    case 'astray':
      return [...rowsOf(answer.values), loginAck(), done()];
    case 'procedure': {
      const sets = answer.results.flatMap((values) => [...rowsOf(values), doneInProc()]);
      const total = returnValue('@total', answer.total);
      return [...sets, returnStatus(answer.returns), total, doneProc()];
    }
    case 'gone':
    case 'silence':
    case 'noObserver':
      return [];
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
