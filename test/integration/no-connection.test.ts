import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/app.ts';
import { configSchema } from '../../src/config/config.ts';
import { startTdsEndpoint, type TdsEndpoint } from '../database/sqlserver/tds-endpoint.ts';
import { rows } from '../rows.ts';
import { describeWith } from '../targets/missing.ts';
import { postgresTarget } from '../targets/postgres.ts';

/** Says why a database cannot be opened. @param connectTimeoutSeconds how long an answer is waited for, where one comes */
async function refusal(url: string, connectTimeoutSeconds = 20): Promise<string> {
  const engine = url.startsWith('mssql:') ? 'sqlserver' : 'postgres';
  const limits = { connectTimeoutSeconds, startupWaitSeconds: 0 };
  const config = configSchema.parse({ database: { engine, url, ...limits } });
  return openDatabase({ ...config, locate: (setting) => setting }).then(
    () => 'it is open',
    (error: unknown) => (error as Error).message,
  );
}

const NOTHING = 'Nothing listens there: start the server, or correct host and port.';
const UNKNOWN = 'The name is unknown here: correct it, or the DNS of this machine.';
const OTHER = 'Another kind of server may listen there: check host and port.';
const SILENT =
  'No answer came: check host, port and firewalls, and that no other kind of server listens there.';
const LOGIN = 'Check user and password, and whether the server lets this user in from here.';
const MISSING = 'Check the name of the database, and whether this user may open it.';

const web = createServer((_request, response) => response.end());
let tds: TdsEndpoint;
beforeAll(async () => {
  web.listen(0, '127.0.0.1');
  await once(web, 'listening');
  tds = await startTdsEndpoint(
    () => ({ kind: 'silence' }),
    () => [
      { number: 4060, message: 'Cannot open database "erp" requested by the login.' },
      { number: 18456, message: "Login failed for user 'u'." },
    ],
  );
});
afterAll(async () => {
  web.close();
  await tds.close();
});

test.each(rows`
  mssql://u:s3cret@127.0.0.1:1/erp | SQL Server at 127.0.0.1:1/erp cannot be used: connect ECONNREFUSED 127.0.0.1:1. ${NOTHING}
  mssql://u:s3cret@db.invalid/erp
    | SQL Server at db.invalid:1433/erp cannot be used: Failed to connect to db.invalid:1433 - getaddrinfo ENOTFOUND db.invalid. ${UNKNOWN}
  postgres://u:s3cret@127.0.0.1:1/erp
    | PostgreSQL at postgres://u:***@127.0.0.1:1/erp cannot be used: connect ECONNREFUSED 127.0.0.1:1. ${NOTHING}
  postgres://u:s3cret@db.invalid/erp
    | PostgreSQL at postgres://u:***@db.invalid/erp cannot be used: getaddrinfo ENOTFOUND db.invalid. ${UNKNOWN}
`)('%s', async (url = '', message = '') => {
  expect(await refusal(url)).toBe(`database: ${message}`);
});

test('where no instance is told of, the host is silent', async () => {
  expect(await refusal('mssql://u:s3cret@127.0.0.1/erp?instanceName=SQL1', 1)).toBe(
    `database: SQL Server at 127.0.0.1\\SQL1/erp cannot be used: Failed to connect to 127.0.0.1\\SQL1 in 1000ms. ${SILENT}`,
  );
});

test('a web server is neither', async () => {
  const { port } = web.address() as AddressInfo;
  expect(await refusal(`mssql://u:s3cret@127.0.0.1:${port}/erp`)).toBe(
    `database: SQL Server at 127.0.0.1:${port}/erp cannot be used: Connection lost - socket hang up. ${OTHER}`,
  );
  expect(await refusal(`postgres://u:s3cret@127.0.0.1:${port}/erp`)).toBe(
    `database: PostgreSQL at postgres://u:***@127.0.0.1:${port}/erp cannot be used: Connection terminated unexpectedly. ${OTHER}`,
  );
});

test('a SQL Server is no PostgreSQL, and says that a database is missing', async () => {
  const { port } = tds;
  expect(await refusal(`mssql://u:s3cret@127.0.0.1:${port}/erp?encrypt=false`)).toBe(
    `database: SQL Server at 127.0.0.1:${port}/erp cannot be used: Cannot open database "erp" requested by the login. ${MISSING}`,
  );
  expect(await refusal(`postgres://u:s3cret@127.0.0.1:${port}/erp`, 1)).toBe(
    `database: PostgreSQL at postgres://u:***@127.0.0.1:${port}/erp cannot be used: Connection terminated due to connection timeout. ${SILENT}`,
  );
});

test.each(['', '?encrypt=true', '?encrypt=yes'])(
  'no login is sent to a SQL Server that does not encrypt: %s',
  async (parameters) => {
    const { port, seen } = tds;
    const before = seen.length;
    expect(await refusal(`mssql://u:s3cret@127.0.0.1:${port}/erp${parameters}`)).toBe(
      `database: SQL Server at 127.0.0.1:${port}/erp cannot be used: The server does not encrypt the connection. Set TLS up there; only encrypt=false sends the login in plain text.`,
    );
    expect(seen.slice(before)).toEqual([]);
  },
);

describeWith(await postgresTarget.unavailable(), 'a PostgreSQL server', () => {
  const server = new URL(process.env['ENTITYGATE_TEST_POSTGRES_URL'] ?? 'postgres://u@h/d');

  test('is no SQL Server', async () => {
    const at = `127.0.0.1:${server.port}`;
    expect(await refusal(`mssql://u:s3cret@${at}/erp`)).toBe(
      `database: SQL Server at ${at}/erp cannot be used: Connection lost - socket hang up. ${OTHER}`,
    );
  });

  test('is not used without the encryption that is asked for', async () => {
    const encrypted = new URL(server);
    encrypted.searchParams.set('sslmode', 'verify-full');
    expect(await refusal(encrypted.href)).toMatch(
      /cannot be used: The server does not support SSL connections\. Set TLS up there, or leave out sslmode\.$/,
    );
  });

  test('names what is missing, or who may not log in', async () => {
    const missing = new URL(server);
    missing.pathname = '/nonesuch';
    expect(await refusal(missing.href)).toMatch(
      `cannot be used: database "nonesuch" does not exist. ${MISSING}`,
    );
    const nobody = new URL(server);
    nobody.username = 'nobody';
    nobody.password = 's3cret';
    expect(await refusal(nobody.href)).toMatch(
      new RegExp(`postgres://nobody:\\*\\*\\*@.* cannot be used: .*"nobody".*\\. ${LOGIN}$`),
    );
  });
});
