import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { StartupError } from '../../../src/base/errors.ts';
import type { Database } from '../../../src/database/database.ts';
import { levelProblem } from '../../../src/database/sqlserver/open.ts';
import type { TdsAnswer, TdsError } from './tds-endpoint.ts';
import { change, query } from '../../targets/sql.ts';
import { certificateProblem } from '../../../src/database/sqlserver/new-connection.ts';
import { makeCertificate } from '../../fixtures/certificates.ts';
import { Gathering } from '../../../src/database/sqlserver/row-stream.ts';
import { NOBODY } from '../../../src/base/principal.ts';
import { gatewayContext } from '../../../src/base/observe/observer.ts';
import { closeAll, open, refusal } from './scripted.ts';

afterEach(closeAll);

test('a refused login is one readable sentence without the password', async () => {
  const login = (): readonly TdsError[] => [
    { number: 18456, message: "Login failed for user 'sa'." },
  ];
  const opening = open([], { login });
  await expect(opening).rejects.toThrow(StartupError);
  await expect(opening).rejects.toMatchObject({
    message: expect.stringMatching(
      /^database: SQL Server at 127\.0\.0\.1:\d+\/legacy cannot be used: Login failed for user 'sa'\. Check user and password, and whether the server lets this user in from here\.$/,
    ) as unknown,
  });
});

test('the certificate of an address has to have it, and to be trusted', async () => {
  // For localhost and 127.0.0.1.
  const certificate = await makeCertificate();
  const server = createServer(certificate);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  /** Why a connection does not take the server for an address; undefined if it does. */
  const problem = async (address: string, options: object): Promise<unknown> => {
    const insecure = { port, rejectUnauthorized: false, servername: '' };
    const socket: TLSSocket = connect({ ...insecure, ...options });
    await once(socket, 'secureConnect');
    const found = certificateProblem(socket, address) as { readonly code?: unknown } | undefined;
    socket.destroy();
    return found?.code;
  };
  const ca = certificate.cert;
  const altname = Object.assign(new Error('localhost'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
  expect(await problem('127.0.0.1', { ca })).toBeUndefined();
  // The driver's socket takes its server for localhost.
  expect(await problem('127.0.0.1', { ca, checkServerIdentity: () => altname })).toBeUndefined();
  expect(await problem('127.0.0.2', { ca })).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
  expect(await problem('127.0.0.1', {})).toBe('DEPTH_ZERO_SELF_SIGNED_CERT');
  server.close();
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

test('chunks are put behind each other as they come, the last one beyond what is wanted, while there is room', () => {
  const gathering = new Gathering(Buffer.from('ab'), 4);
  expect(['c', 'def'].map((chunk) => gathering.add(Buffer.from(chunk)))).toEqual([true, true]);
  expect([gathering.length, gathering.bytes().toString()]).toEqual([6, 'abcdef']);
  expect(new Gathering(Buffer.from('ab'), 1).add(Buffer.alloc(65_537))).toBe(false);
  // No more is reserved than a server may answer, whatever it says.
  expect(new Gathering(Buffer.from('ab'), 2 ** 50).bytes().toString()).toBe('ab');
});

describe('session context', () => {
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
