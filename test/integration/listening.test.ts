import { request, type RequestOptions } from 'node:https';
import { beforeAll, expect, test } from 'vitest';
import { run } from '../cli/run.ts';
import { sharedFolder } from '../config/files.ts';
import { makeCertificate } from '../fixtures/certificates.ts';
import { answerTo } from '../fixtures/http.ts';
import { runGateway } from './gateway-process.ts';

/** Where the program listens, how, and what it refuses of whoever calls. */
const folder = await sharedFolder();
const certificate = await makeCertificate();
beforeAll(async () => {
  await folder.write('mappings/t.yaml', 'table: public.t');
  await folder.write('seed.sql', 'create table t (id int primary key); insert into t values (1);');
  await folder.write('tls/cert.pem', certificate.cert);
  await folder.write('tls/key.pem', certificate.key);
});

const database = 'database: { engine: pglite, directory: "memory:", seed: seed.sql }\n';

test.each([
  ['--host', ['--host', '0.0.0.0'], {}],
  ['ENTITYGATE_HOST', [], { ENTITYGATE_HOST: '0.0.0.0' }],
])(
  'where nobody has to log in, %s does not lead beyond this machine',
  async (name, args, environment) => {
    const path = await folder.write('config.yaml', database);
    const { code, error } = await run(['serve', '--config', path, ...args], environment);
    expect([code, ...error.split('\n').slice(0, 2)]).toEqual([
      1,
      'entitygate cannot start:',
      expect.stringMatching(
        new RegExp(`^  ${name}: other machines reach 0\\.0\\.0\\.0, and would`),
      ),
    ]);
  },
);

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

test('with a certificate it serves HTTPS, beyond this machine where it is told to, and says so', async () => {
  const config = await folder.write(
    'config.yaml',
    `server: { hosts: [gateway], tls: { certificate: tls/cert.pem, key: tls/key.pem } }\n${database}`,
  );
  const gateway = runGateway(['serve', '--config', config, '--port', '0'], {
    ENTITYGATE_HOST: '0.0.0.0',
    ENTITYGATE_ALLOW_UNAUTHENTICATED: 'true',
  });
  try {
    const { protocol, port } = new URL(await gateway.serving);
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
  } finally {
    await gateway.end('SIGTERM');
  }
  const { stdout } = gateway.said;
  expect(stdout).toContain(
    '"msg":"without authentication, every client that reaches 0.0.0.0 reads and writes what the mapping files expose"',
  );
  expect(stdout).toMatch(/"msg":"Server listening at https:\/\/127\.0\.0\.1:\d+"/);
  expect(stdout).not.toContain('Server listening at http:');
});
