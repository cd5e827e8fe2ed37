import { request, type RequestOptions } from 'node:https';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { testFolder, type TestFolder } from '../config/files.ts';
import { makeCertificate, type Certificate } from '../fixtures/certificates.ts';
import { answerTo } from '../fixtures/http.ts';
import { runGateway, type GatewayProcess } from './gateway-process.ts';

/** Where the program listens, how, and what it refuses of whoever calls. */
let folder: TestFolder;
let certificate: Certificate;
let gateway: GatewayProcess | null = null;
beforeAll(async () => {
  folder = await testFolder();
  certificate = await makeCertificate();
  await folder.write('mappings/t.yaml', 'table: public.t');
  await folder.write('seed.sql', 'create table t (id int primary key); insert into t values (1);');
  await folder.write('tls/cert.pem', certificate.cert);
  await folder.write('tls/key.pem', certificate.key);
});
afterEach(async () => {
  gateway?.child.kill('SIGTERM');
  await gateway?.ended;
  gateway = null;
});
afterAll(() => folder.remove());

const database = 'database: { engine: pglite, directory: "memory:", seed: seed.sql }\n';

async function run(
  config: string,
  args: readonly string[] = [],
  environment: Readonly<Record<string, string>> = {},
): Promise<GatewayProcess> {
  const path = await folder.write('config.yaml', config + database);
  gateway = runGateway(['serve', '--config', path, '--port', '0', ...args], environment);
  return gateway;
}

describe('beyond this machine, where nobody has to log in', () => {
  test.each([
    ['--host', ['--host', '0.0.0.0'], {}],
    ['ENTITYGATE_HOST', [], { ENTITYGATE_HOST: '0.0.0.0' }],
  ])('%s does not lead', async (name, args, environment) => {
    const { ended } = await run('', args, environment);
    const { code, stderr } = await ended;
    expect(code).toBe(1);
    expect(stderr.split('\n').slice(0, 2)).toEqual([
      'entitygate cannot start:',
      expect.stringMatching(
        new RegExp(`^  ${name}: other machines reach 0\\.0\\.0\\.0, and would`),
      ),
    ]);
  });

  test('it listens when it is told to, and says so', async () => {
    const { serving, child, ended } = await run('', [], {
      ENTITYGATE_HOST: '0.0.0.0',
      ENTITYGATE_ALLOW_UNAUTHENTICATED: 'true',
    });
    const { port } = new URL(await serving);
    expect((await fetch(`http://127.0.0.1:${port}/rest/T`)).status).toBe(200);
    child.kill('SIGTERM');
    const { stdout } = await ended;
    expect(stdout).toContain(
      '"msg":"without authentication, every client that reaches 0.0.0.0 reads and writes what the mapping files expose"',
    );
  });
});

/** An answer over TLS. */
async function ask(options: RequestOptions): Promise<{ status: number; body: unknown }> {
  const sent = request({
    host: '127.0.0.1',
    servername: 'localhost',
    ca: certificate.cert,
    agent: false,
    ...options,
  });
  const { status, bytes } = await answerTo(sent);
  return { status, body: JSON.parse(bytes.toString('utf8')) as unknown };
}

test('with a certificate it serves HTTPS', async () => {
  const { child, serving, ended } = await run(
    'server: { hosts: [gateway], tls: { certificate: tls/cert.pem, key: tls/key.pem } }\n',
  );
  const { protocol, port } = new URL(await serving);
  expect(protocol).toBe('https:');
  const to = (path: string, host?: string): RequestOptions => ({
    port,
    path,
    headers: host === undefined ? {} : { host },
  });
  expect(await ask(to('/rest/T?$asArray=true'))).toEqual({
    status: 200,
    body: [expect.objectContaining({ id: 1 })],
  });
  expect(await ask(to('/health/ready'))).toEqual({ status: 200, body: { status: 'ready' } });
  expect((await ask(to('/rest/T', 'gateway'))).status).toBe(200);
  expect(await ask(to('/rest/T', 'evil.example'))).toEqual({
    status: 421,
    body: { __ERROR: [expect.objectContaining({ errCode: 9029 })] },
  });
  child.kill('SIGTERM');
  const { stdout } = await ended;
  expect(stdout).toMatch(/"msg":"Server listening at https:\/\/127\.0\.0\.1:\d+"/);
  expect(stdout).not.toContain('Server listening at http:');
});
