import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import type sql from 'mssql';
import type { Connection, Request } from 'tedious';

/*
 * What the drivers' interfaces do not tell. Another version may have it otherwise: `checkDriver` finds out at the start.
 */

const require = createRequire(import.meta.url);

/** Loads a module of the driver; one without exports if this version has no such module. */
function load(name: string): unknown {
  try {
    return require(name);
  } catch {
    return {};
  }
}

/** The methods of the driver's pool that lend a connection. */
interface Lending {
  readonly acquire: (borrower: object) => Promise<Connection>;
  readonly release: (connection: Connection) => void;
}

export function lendingOf(pool: sql.ConnectionPool): Lending {
  return pool as unknown as Lending;
}

/** The private parts of the driver's connection. */
export interface Internals {
  getInitialSql: () => string;
  createTokenStreamParser: (message: Readable, handler: TokenHandler) => object;
  makeRequest: (
    request: object,
    type: number,
    payload: Iterable<Buffer> | AsyncIterable<Buffer>,
  ) => void;
  sendPreLogin: () => void;
  sendLogin7Packet: () => void;
  /** There from the connection on. */
  readonly messageIo?: {
    readonly tlsNegotiationComplete: boolean;
    startTls: (credentials: object, host: string, trustsAll: boolean) => Promise<void>;
    /** There once TLS has begun. */
    readonly securePair: { readonly cleartext: TLSSocket };
  };
  readonly config: { readonly options: ParserOptions };
  readonly socket?: { readonly destroy: (error: Error) => void };
}

/** Whether a request was cancelled: its rows are dropped. */
export function isCancelled(request: Request): boolean {
  return (request as unknown as { readonly canceled: boolean }).canceled;
}

/** The request whose answer a handler takes; undefined where it is none, as while the session begins. */
export function requestOf(handler: TokenHandler): object | undefined {
  return (handler as unknown as { readonly request?: object }).request;
}

/** The driver's handler of tokens: a method for each kind. */
export type TokenHandler = Readonly<Record<string, (token: Token) => void>>;

/** The description of a column. */
export interface ColumnMetadata {
  readonly colName: string;
  readonly type: { readonly name: string; readonly hasTableName?: boolean };
  readonly collation?: { readonly codepage?: string };
  readonly precision?: number;
  readonly scale?: number;
  /** In bytes; 65535 for max. */
  readonly dataLength?: number;
}

/** The connection's settings, for the driver's parsers. */
export type ParserOptions = Readonly<Record<string, unknown>>;

/** The result of a parser, and where it ends. */
export interface Parsed<Value> {
  readonly value: Value;
  readonly offset: number;
}

/** A token, with the name of the handler's method for it. */
export interface Token {
  readonly handlerName: string;
}

/** Parses at an offset of a buffer. @throws if the buffer ends too early, see {@link missingBytes} */
type Parse<Value> = (buffer: Buffer, offset: number, options: ParserOptions) => Parsed<Value>;

/* The driver's own parsers, for everything but rows. */

const { readMetadata } = load('tedious/lib/metadata-parser.js') as {
  readonly readMetadata: Parse<Omit<ColumnMetadata, 'colName'>>;
};

export const { readValue } = load('tedious/lib/value-parser.js') as {
  /** A value of any type that is not sent in parts. */
  readonly readValue: (
    buffer: Buffer,
    offset: number,
    metadata: Omit<ColumnMetadata, 'colName'>,
    options: ParserOptions,
  ) => Parsed<unknown>;
};

const done = load('tedious/lib/token/done-token-parser.js') as Readonly<
  Record<'doneParser' | 'doneInProcParser' | 'doneProcParser', Parse<Token>>
>;

const messages = load('tedious/lib/token/infoerror-token-parser.js') as Readonly<
  Record<'infoParser' | 'errorParser', Parse<Token>>
>;

/** Types of tokens: https://learn.microsoft.com/openspecs/windows_protocols/ms-tds, 2.2.5.1.1 */
export const TOKEN = { returnValue: 0xac, columns: 0x81, row: 0xd1, rowWithNulls: 0xd2 } as const;

/** The parsers of the tokens that answer a request besides {@link TOKEN}, by their types. */
export const tokenParsers: ReadonlyMap<number, Parse<Token | undefined>> = new Map([
  [0xfd, done.doneParser],
  [0xfe, done.doneProcParser],
  [0xff, done.doneInProcParser],
  [0xaa, messages.errorParser],
  [0xab, messages.infoParser],
  [0xe3, load('tedious/lib/token/env-change-token-parser.js') as Parse<Token | undefined>],
  [0xa9, load('tedious/lib/token/order-token-parser.js') as Parse<Token>],
  [0x79, load('tedious/lib/token/returnstatus-token-parser.js') as Parse<Token>],
]);

/** The length that a buffer needs, from the error of a parser; null for any other error. */
export function missingBytes(error: unknown): number | null {
  const { byteCount } = error as { readonly byteCount?: unknown };
  return typeof byteCount === 'number' ? byteCount : null;
}

/** The error of a parser for a buffer that ends too early, as the driver's have it. */
class NotEnoughData extends Error {
  readonly byteCount: number;

  constructor(byteCount: number) {
    super();
    this.byteCount = byteCount;
  }
}

/** Reads the columns of a result, behind the type of the token (MS-TDS 2.2.7.4). */
export function readColumns(
  buffer: Buffer,
  start: number,
  options: ParserOptions,
): Parsed<readonly ColumnMetadata[]> {
  const columns: ColumnMetadata[] = [];
  const count = reaching(buffer, start + 2).readUInt16LE(start);
  let at = start + 2;
  // 65535 means none.
  for (let index = 0; index < count && count !== 0xffff; index += 1) {
    const { value, offset } = readMetadata(buffer, at, options);
    at = offset;
    if (value.type.hasTableName === true) {
      const parts = reaching(buffer, at + 1).readUInt8(at);
      at += 1;
      for (let part = 0; part < parts; part += 1) {
        at += 2 + 2 * reaching(buffer, at + 2).readUInt16LE(at);
      }
    }
    const end = at + 1 + 2 * reaching(buffer, at + 1).readUInt8(at);
    columns.push({ ...value, colName: reaching(buffer, end).toString('utf16le', at + 1, end) });
    at = end;
  }
  return { value: columns, offset: at };
}

/** Where an output parameter ends, behind the type of the token (MS-TDS 2.2.7.19): the gateway reads none. */
export function skipReturnValue(buffer: Buffer, start: number, options: ParserOptions): number {
  const name = start + 2;
  const status = name + 1 + 2 * reaching(buffer, name + 1).readUInt8(name);
  const { value, offset } = readMetadata(buffer, status + 1, options);
  return readValue(buffer, offset, value, options).offset;
}

/** @throws as a parser does if the buffer is shorter */
function reaching(buffer: Buffer, end: number): Buffer {
  if (buffer.length < end) throw notEnough(end);
  return buffer;
}

/** The error of a parser for a buffer that ends too early. @param end the length that it needs */
export function notEnough(end: number): Error {
  return new NotEnoughData(end);
}
