import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ProtocolError, StartupError } from '../../../src/base/errors.ts';
import type { Database } from '../../../src/database/database.ts';
import { levelProblem, openSqlServer } from '../../../src/database/sqlserver/open.ts';
import { startTdsEndpoint, type TdsAnswer, type TdsEndpoint } from './tds-endpoint.ts';
import { change, query } from '../../targets/sql.ts';
import { certificateProblem } from '../../../src/database/sqlserver/new-connection.ts';
import { type Certificate, makeCertificate } from '../../fixtures/certificates.ts';
import { Gathering } from '../../../src/database/sqlserver/row-stream.ts';
import { NOBODY } from '../../../src/base/principal.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import { closeAll, open, refusal } from './scripted.ts';
import { SERVER_SETTINGS } from '../../targets/server.ts';

/** The edge of the driver: what an engine does only when something breaks. */
describe('a SQL Server that breaks', () => {
  const closers: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
  });

  async function open(
    answers: readonly TdsAnswer[],
    statementTimeoutSeconds = 5,
  ): Promise<{ database: Database; endpoint: TdsEndpoint }> {
    const rest = [...answers];
    const endpoint = await startTdsEndpoint(() => rest.shift() ?? { kind: 'rows', values: [] });
    closers.push(() => endpoint.close());
    const database = await openSqlServer(settings(endpoint.port, statementTimeoutSeconds), {
      timeZone: 'UTC',
      bigNumbersAsStrings: false,
    });
    closers.push(() => database.close());
    return { database, endpoint };
  }

  function settings(
    port: number,
    statementTimeoutSeconds: number,
  ): Parameters<typeof openSqlServer>[0] {
    return {
      engine: 'sqlserver',
      url: `mssql://sa:secret@127.0.0.1:${port}/legacy?encrypt=false`,
      ...SERVER_SETTINGS,
      poolSize: 1,
      statementTimeoutSeconds,
      connectTimeoutSeconds: 1,
    };
  }

  async function failure(work: Promise<unknown>): Promise<ProtocolError> {
    try {
      await work;
    } catch (error) {
      if (error instanceof ProtocolError) return error;
      throw error;
    }
    throw new Error('it did not fail');
  }

  test('rows come as arrays', async () => {
    const { database } = await open([{ kind: 'rows', values: [1, 2, 3] }]);
    expect(await query(database, 'SELECT n FROM t')).toEqual([[1], [2], [3]]);
  });

  test('a connection cut in the middle of a result is the database being away, and heals', async () => {
    const { database, endpoint } = await open([{ kind: 'cut' }, { kind: 'rows', values: [7] }]);
    const error = await failure(query(database, 'SELECT n FROM t'));
    expect([error.errorName, error.status]).toEqual(['databaseUnavailable', 503]);
    expect(await query(database, 'SELECT n FROM t')).toEqual([[7]]);
    expect(endpoint.seen.filter((event) => event === 'login').length).toBeGreaterThan(1);
  });

  test('a statement that takes too long is cancelled on the server, and the connection lives on', async () => {
    const { database, endpoint } = await open(
      [{ kind: 'silence' }, { kind: 'rows', values: [7] }],
      0.2,
    );
    const error = await failure(query(database, 'SELECT n FROM t'));
    expect([error.errorName, error.status]).toEqual(['statementTimeout', 504]);
    expect(await query(database, 'SELECT n FROM t')).toEqual([[7]]);
    expect(endpoint.seen).toContain('attention');
  });

  test.each([
    [1205, 'Transaction was deadlocked and has been chosen as the deadlock victim.', 'deadlock'],
    [334, 'The target table cannot have any enabled triggers.', 'refusedByDatabase'],
    [208, "Invalid object name 'HR.SECRET'.", 'schemaChanged'],
  ])('error %i is answered without the engine’s words', async (number, message, name) => {
    const { database } = await open([{ kind: 'error', number, message }]);
    const error = await failure(query(database, 'SELECT n FROM t'));
    expect(error.errorName).toBe(name);
    expect(error.message).not.toContain(message);
    expect((error.cause as Error).message).toBe(message);
  });

  test('requests that find no free connection in time are told so', async () => {
    const { database } = await open([{ kind: 'silence' }, { kind: 'silence' }], 3);
    const first = failure(query(database, 'SELECT n FROM t'));
    const second = await failure(query(database, 'SELECT n FROM t'));
    expect([second.errorName, second.status]).toEqual(['connectionsBusy', 503]);
    expect((await first).errorName).toBe('statementTimeout');
  });

  test('a refused login is one readable sentence without the password', async () => {
    const endpoint = await startTdsEndpoint(
      () => ({ kind: 'silence' }),
      () => [{ number: 18456, message: "Login failed for user 'sa'." }],
    );
    closers.push(() => endpoint.close());
    const opening = openSqlServer(settings(endpoint.port, 5), {
      timeZone: 'UTC',
      bigNumbersAsStrings: false,
    });
    await expect(opening).rejects.toThrow(StartupError);
    await expect(opening).rejects.toMatchObject({
      message:
        `database: SQL Server at 127.0.0.1:${endpoint.port}/legacy cannot be used: Login failed for user 'sa'. ` +
        'Check user and password, and whether the server lets this user in from here.',
    });
  });
});

describe('certificate', () => {
  /** A server whose certificate is for localhost and 127.0.0.1. */
  const server = createServer();
  let certificate: Certificate;
  beforeAll(async () => {
    certificate = await makeCertificate();
    server.setSecureContext(certificate);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => server.close());

  /** Why a connection does not take the server for an address; undefined if it does. */
  async function problem(address: string, options: object): Promise<unknown> {
    const { port } = server.address() as AddressInfo;
    const socket: TLSSocket = connect({
      port,
      rejectUnauthorized: false,
      servername: '',
      ...options,
    });
    await once(socket, 'secureConnect');
    const found = certificateProblem(socket, address) as { readonly code?: unknown } | undefined;
    socket.destroy();
    return found?.code;
  }

  test('the certificate of an address has to have it, and to be trusted', async () => {
    const ca = certificate.cert;
    const altname = Object.assign(new Error('localhost'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect(await problem('127.0.0.1', { ca })).toBeUndefined();
    // The driver's socket takes its server for localhost.
    expect(await problem('127.0.0.1', { ca, checkServerIdentity: () => altname })).toBeUndefined();
    expect(await problem('127.0.0.2', { ca })).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await problem('127.0.0.1', {})).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  });
});

const SERVER = 'Microsoft SQL Server 2019 (RTM-CU18) (KB5017593) - 15.0.4261.1 (X64)';

test('a compatibility level below 130 is told with the mend (learn: openjson)', () => {
  expect(levelProblem(SERVER, 120)).toBe(
    'the database has compatibility level 120, and the gateway needs at least 130: ' +
      'ALTER DATABASE CURRENT SET COMPATIBILITY_LEVEL = 130, on SQL Server 2016 or later',
  );
  expect(levelProblem('Microsoft SQL Azure (RTM) - 12.0.2000.8', 100)).toContain('level 100');
});

test.each([
  [SERVER, 130],
  [SERVER, 160],
  [SERVER, null],
  ['Babelfish for PostgreSQL with SQL Server Compatibility - 12.0.2000.8', 120],
])('%s with level %s will do', (version, level) => {
  expect(levelProblem(version, level)).toBeNull();
});

test('chunks are put behind each other as they come, the last one beyond what is wanted', () => {
  const gathering = new Gathering(Buffer.from('ab'), 4);
  expect(gathering.add(Buffer.from('c'))).toBe(true);
  expect(gathering.add(Buffer.from('def'))).toBe(true);
  expect([gathering.length, gathering.bytes().toString()]).toEqual([6, 'abcdef']);
});

test('what there is no room for is not taken', () => {
  const gathering = new Gathering(Buffer.from('ab'), 1);
  expect(gathering.add(Buffer.alloc(65_537))).toBe(false);
  expect(gathering.add(Buffer.from('c'))).toBe(true);
  expect(gathering.bytes().toString()).toBe('abc');
});

test('no more is reserved than a server may answer, whatever it says', () => {
  const gathering = new Gathering(Buffer.from('ab'), 2 ** 50);
  expect(gathering.bytes().toString()).toBe('ab');
});

describe('session context', () => {
  afterEach(closeAll);

  const ann = { ...gatewayContext, principal: { ...NOBODY, name: 'ann' } };
  const good: TdsAnswer = { kind: 'rows', values: [] };

  /** A database that is told who asks. @returns what came in behind what it is told at the start */
  async function openTelling(
    answers: readonly TdsAnswer[],
  ): Promise<{ database: Database; since: () => string[] }> {
    // Telling, a statement and forgetting, and a statement that has waited for that.
    const { database, since } = await open([good, good, good, good, ...answers], {
      tellUser: true,
    });
    await query(database, 'SELECT 1');
    const start = since().length;
    return { database, since: () => since().slice(start) };
  }

  test('a session is told before and after the transaction, which may be rolled back beneath it', async () => {
    const { database, since } = await openTelling([good, { kind: 'rolledBack' }]);
    expect((await refusal(change(database, 'INSERT', ann))).violation.rule).toBe('raised');
    await query(database, 'SELECT 1');
    // No login: it is the same connection, on which nobody is known any more.
    expect(since()).toEqual(['request', 'begin', 'request', 'request', 'request']);
  });

  test('a session that does not say that it forgot is ended', async () => {
    const failed: TdsAnswer = { kind: 'error', number: 50_000, message: 'no' };
    const { database, since } = await openTelling([good, good, failed]);
    await query(database, 'SELECT 1', ann);
    await query(database, 'SELECT 1');
    expect(since()).toEqual(['request', 'request', 'request', 'login', 'request']);
  });
});
