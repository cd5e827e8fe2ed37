import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { Connection } from 'tedious';
import { reason, StartupError } from '../../base/errors.ts';
import type { ResultSet } from '../database.ts';
import { plainStatement } from '../../sql/ir/statement.ts';
import { SqlServerConnection } from './connection.ts';
import { prepareConnection } from './new-connection.ts';

/** Types of packets: https://learn.microsoft.com/openspecs/windows_protocols/ms-tds, 2.2.3.1.1 */
const LOGIN = 0x10;
const REPLY = '0401';

/** What a server answers that cannot encrypt, without the headers of the packets: to the first message, to the login, and to the first batch. */
const SESSION = [
  '00000b000601001100 01ff 100010000000 02',
  'ad1a00 01 74000004 08 5200650063006f007200640065006400 10000000 fd000000000000000000000000',
  'fd000000000000000000000000',
];

/** The answer of sp_executesql to a query of two rows, the second with nulls. */
const ANSWER =
  '810300 000000000100 2604 016e00 000000000100 6a112602 016400 000000000100 e7401f0904d00034 017400' +
  'd1 0407000000 1101 cb444271764eb642 9d02000000000000 0200e900' +
  'd206 0408000000' +
  'ff1100c1000200000000000000 7900000000 fe0000e0000000000000000000';

const EXPECTED = {
  columns: ['n', 'd', 't'],
  rows: [
    [7, '123456789012345678901.23', 'é'],
    [8, null, null],
  ],
};

/** The socket of a server that answers each message with what was recorded. */
class RecordedServer extends Duplex {
  /** The types of the messages that came. */
  readonly seen: number[] = [];

  /** Of the socket that it stands for. */
  readonly setKeepAlive = (): void => undefined;

  override _read(): void {
    // An answer comes when its message has come.
  }

  override _write(message: Buffer, _encoding: string, done: () => void): void {
    const body = Buffer.from(
      [...SESSION, ANSWER][this.seen.length]?.replaceAll(' ', '') ?? '',
      'hex',
    );
    this.seen.push(message[0] ?? 0);
    const header = Buffer.from(`${REPLY}${'00'.repeat(6)}`, 'hex');
    header.writeUInt16BE(header.length + body.length, 2);
    this.push(Buffer.concat([header, body]));
    done();
  }
}

/** How long an answer may take that is already there, in milliseconds. */
const PATIENCE = 5000;

/** Connects to the recorded server, and runs the query. @throws the driver's error */
async function runRecorded(server: RecordedServer, encrypt: boolean): Promise<ResultSet> {
  const connection = new Connection({
    server: 'localhost',
    options: {
      encrypt,
      connector: () => Promise.resolve(server as unknown as Socket),
      connectTimeout: PATIENCE,
      requestTimeout: PATIENCE,
      cancelTimeout: 1,
    },
  });
  connection.on('error', () => undefined);
  try {
    prepareConnection(connection, 0, true);
    await new Promise<void>((resolve, reject) => {
      connection.connect((error) => {
        if (error === undefined) resolve();
        else reject(error);
      });
    });
    const session = new SqlServerConnection(connection, () => undefined);
    return await session.run({ statement: plainStatement('SELECT n, d, t FROM t'), values: [] });
  } finally {
    connection.close();
  }
}

/**
 * Tries what the gateway knows of the inside of the driver on recorded answers.
 * @param warn is told if this version of the driver has to read rows itself
 * @returns whether requests and rows go past the driver's own streams
 * @throws StartupError if it would send a login in plain text, against the configuration
 */
export async function checkDriver(warn: (message: string) => void): Promise<boolean> {
  const plain = new RecordedServer();
  const refusal = await runRecorded(plain, true).then(() => null, reason);
  if (refusal === null || plain.seen.includes(LOGIN)) {
    const message =
      'this version of tedious would send the login without TLS: install the version of package.json';
    throw StartupError.at('database', message);
  }
  try {
    const { columns, rows } = await runRecorded(new RecordedServer(), false);
    if (isDeepStrictEqual({ columns, rows }, EXPECTED)) return true;
  } catch {
    // As for other rows.
  }
  warn('this version of tedious is unknown: it reads rows itself, which takes longer');
  return false;
}
