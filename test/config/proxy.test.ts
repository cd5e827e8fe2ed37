import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { readProxyFiles } from '../../src/config/settings/proxy.ts';
import { makeCertificate } from '../fixtures/certificates.ts';
import { configProblems, startupProblems, sharedFolder } from './files.ts';
import { rows } from '../rows.ts';

const folder = await sharedFolder();

const EXPECTED_PREFIX =
  'is not a prefix: expected / alone, or a path such as /app or /erp/app of letters, digits and - . _ ~, without / at its end';
const EXPECTED_URL =
  'is not an address of a web application: expected http:// or https://, its host, and perhaps a port and a path';
const ITSELF =
  'is the gateway itself: it would forward to itself for ever. Name the application’s own address';
const LOGIN =
  'holds a login, which would end up in messages: have it sent by headers: { Authorization: ${ENV:…} }';

/** The entries of some prefixes, or to some addresses. */
const entries = (key: 'prefix' | 'to', values: readonly string[]): string =>
  `server: { hosts: [gateway.example] }\nproxy:\n${values
    .map((value, index) =>
      key === 'to'
        ? `  - { to: "${value}", prefix: /${index} }\n`
        : `  - { prefix: "${value}", to: "https://erp" }\n`,
    )
    .join('')}`;

test.each<[key: 'prefix' | 'to', said: string | null, values: string[]]>([
  ['prefix', null, ['/', '/app', '/erp/app-2', '/a.b/~c', '/restore', '/healthy']],
  ['prefix', EXPECTED_PREFIX, ['app', '', '/app/', '//a', '/a/../b', '/.', '/:id', '/*', '/a%20b']],
  ['prefix', EXPECTED_PREFIX, ['/a?b']],
  ['prefix', 'overlaps /rest, which is the API’s', ['/rest', '/REST/app']],
  ['prefix', 'overlaps /health, where the probes are', ['/health', '/health/live']],
  ['to', null, ['http://127.0.0.1:8081', 'http://erp:8080']],
  ['to', EXPECTED_URL, ['ftp://erp', 'erp:8080', '/app', 'http://', 'http://erp:99999']],
  ['to', EXPECTED_URL, ['http://erp/app?x', 'http://erp/app#x', 'http://erp/app?', 'http://erp/#']],
  ['to', EXPECTED_URL, ['http://erp\\\\app']],
  ['to', LOGIN, ['http://user:geheim@erp']],
  ['to', ITSELF, ['http://127.0.0.1:8080/app', 'http://localhost:8080', 'https://[::1]:8080']],
  ['to', ITSELF, ['http://GATEWAY.example:8080', 'http://0.0.0.0:8080', 'http://[::]:8080']],
])('%s: %s: %j', async (key, said, values) => {
  const at = key === 'to' ? 11 : 15;
  expect(await configProblems(folder, entries(key, values))).toEqual(
    said === null
      ? null
      : values.map(
          (_, index) => `config.yaml:${index + 3}:${at}: "proxy.${index}.${key}": ${said}`,
        ),
  );
});

test.each([
  ['server: { port: 80, host: 0.0.0.0 }', 'http://localhost', ITSELF],
  ['server: { port: 443, host: erp.example }', 'https://erp.example', ITSELF],
  ['server: { port: 0 }', 'http://localhost:1', null],
  ['server: { port: 0 }', 'http://localhost:0', null],
  ['server: { host: 10.0.0.1 }', 'http://localhost:8080', null],
])('with %j, %s is another application, or the gateway', async (server, to, message) => {
  const text = `proxy: [{ prefix: /app, to: "${to}" }]\n${server}`;
  expect(await configProblems(folder, text)).toEqual(
    message === null ? null : [`config.yaml:1:29: "proxy.0.to": ${message}`],
  );
});

test.each(rows`
  timeoutSeconds: 0                    | "proxy.0.timeoutSeconds": expected more than 0, found 0
  authentication: true                 | "proxy.0.authentication": without authentication there are no users: configure authentication
  userHeader: "X User"                 | "proxy.0.userHeader": is not a name of a header: expected letters, digits and -
  userHeader: Cookie                   | "proxy.0.userHeader": is a header that the gateway writes
  rolesHeader: x-entitygate-user       | "proxy.0.rolesHeader": is the header of the user’s name, too: give each its own
  headers: { X-Entitygate-User: root } | "proxy.0.headers.X-Entitygate-User": gives the user’s name: it cannot have a fixed value
  headers: { A: "a\\nb" }              | "proxy.0.headers.A": is not a value of a header
`)('an entry is refused with %s', async (setting, message) => {
  const text = `proxy:\n  - prefix: /app\n    to: https://erp\n    ${setting}`;
  const problems = await configProblems(folder, text);
  expect(problems?.map((problem) => problem.replace(/^config\.yaml:4:\d+: /, ''))).toEqual([
    message,
  ]);
});

test('an entry has a prefix of its own', async () => {
  expect(await configProblems(folder, entries('prefix', ['/app', '/App']))).toEqual([
    'config.yaml:4:15: "proxy.1.prefix": is the prefix of another entry, too',
  ]);
});

const certificatesOf = async (ca: string): Promise<readonly unknown[]> => {
  const text = `proxy: [{ prefix: /app, to: https://erp, ca: ${ca} }]`;
  const { proxy } = await loadConfig(await folder.write('config.yaml', text), {});
  const read = await readProxyFiles(proxy);
  return [proxy[0]?.ca, read[0]?.ca];
};

test('the certificates of an entry are read', async () => {
  const { cert } = await makeCertificate();
  await folder.write('ca.pem', `# ours\n${cert}`);
  expect(await certificatesOf('ca.pem')).toEqual([join(folder.path, 'ca.pem'), `# ours\n${cert}`]);
});

test.each(rows`
  none.pem   | none.pem: there is no such file
  key.pem    | key.pem holds no certificates in PEM form, "-----BEGIN CERTIFICATE-----" and what follows
  broken.pem | broken.pem holds no certificates in PEM form, "-----BEGIN CERTIFICATE-----" and what follows
`)('the certificates of an entry cannot be those of %s', async (name, message) => {
  await folder.write('key.pem', '-----BEGIN PRIVATE KEY-----');
  await folder.write('broken.pem', '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----');
  expect(await startupProblems(() => certificatesOf(name), folder)).toEqual([
    `proxy.0.ca: ${message}`,
  ]);
});
