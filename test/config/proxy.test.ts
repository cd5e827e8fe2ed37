import { join } from 'node:path';
import { generate } from 'selfsigned';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { readProxyFiles } from '../../src/config/settings/proxy.ts';
import { configProblems, startupProblems, sharedFolder } from './files.ts';
import { rows } from '../rows.ts';

const folder = await sharedFolder();

const EXPECTED_PREFIX =
  'is not a prefix: expected / alone, or a path such as /app or /erp/app of letters, digits and - . _ ~, without / at its end';
const EXPECTED_URL =
  'is not an address of a web application: expected http:// or https://, its host, and perhaps a port and a path';
const ITSELF =
  'is the gateway itself: it would forward to itself for ever. Name the application’s own address';

describe('an entry of proxy', () => {
  test('has defaults for all but prefix and address', async () => {
    const text = 'proxy: [{ prefix: /app, to: "http://127.0.0.1:8081/app", ca: tls/ca.pem }]';
    const { proxy } = await loadConfig(await folder.write('config.yaml', text), {});
    expect(proxy).toEqual([
      {
        prefix: '/app',
        to: 'http://127.0.0.1:8081/app',
        authentication: false,
        webSocket: true,
        timeoutSeconds: 60,
        preserveHost: false,
        ca: join(folder.path, 'tls/ca.pem'),
        verifyCertificate: true,
        userHeader: 'X-Entitygate-User',
        rolesHeader: 'X-Entitygate-Roles',
        forwardCredentials: false,
        headers: {},
      },
    ]);
    expect((await loadConfig(await folder.write('config.yaml', ''), {})).proxy).toEqual([]);
  });

  test.each(['/', '/app', '/erp/app-2', '/a.b/~c', '/restore', '/healthy'])(
    'may forward %s',
    async (prefix) => {
      const text = `proxy: [{ prefix: ${prefix}, to: "https://erp" }]`;
      expect(await configProblems(folder, text)).toBeNull();
    },
  );

  test.each([
    ['app', EXPECTED_PREFIX],
    ['', EXPECTED_PREFIX],
    ['/app/', EXPECTED_PREFIX],
    ['//app', EXPECTED_PREFIX],
    ['/a/../b', EXPECTED_PREFIX],
    ['/.', EXPECTED_PREFIX],
    ['/:id', EXPECTED_PREFIX],
    ['/*', EXPECTED_PREFIX],
    ['/a%20b', EXPECTED_PREFIX],
    ['/a?b', EXPECTED_PREFIX],
    ['/rest', 'overlaps /rest, which is the API’s'],
    ['/REST/app', 'overlaps /rest, which is the API’s'],
    ['/health', 'overlaps /health, where the probes are'],
    ['/health/live', 'overlaps /health, where the probes are'],
  ])('may not forward %j', async (prefix, message) => {
    const text = `proxy:\n  - prefix: "${prefix}"\n    to: "https://erp"`;
    expect(await configProblems(folder, text)).toEqual([
      `config.yaml:2:13: "proxy.0.prefix": ${message}`,
    ]);
  });

  test.each(rows`
    ftp://erp                   | ${EXPECTED_URL}
    erp:8080                    | ${EXPECTED_URL}
    /app                        | ${EXPECTED_URL}
    http://                     | ${EXPECTED_URL}
    http://erp:99999            | ${EXPECTED_URL}
    http://erp/app?x            | ${EXPECTED_URL}
    http://erp/app#x            | ${EXPECTED_URL}
    http://user:geheim@erp      | holds a login, which would end up in messages: have it sent by headers: { Authorization: \${ENV:…} }
    http://127.0.0.1:8080/app   | ${ITSELF}
    http://localhost:8080       | ${ITSELF}
    https://[::1]:8080          | ${ITSELF}
    http://GATEWAY.example:8080 | ${ITSELF}
  `)('does not lead to %s', async (to, message) => {
    const text = `proxy:\n  - prefix: /app\n    to: "${to}"\nserver: { hosts: [gateway.example] }`;
    expect(await configProblems(folder, text)).toEqual([
      `config.yaml:3:9: "proxy.0.to": ${message}`,
    ]);
  });

  test.each([
    ['server: { port: 80, host: 0.0.0.0 }', 'http://localhost', ITSELF],
    ['server: { port: 443, host: erp.example }', 'https://erp.example', ITSELF],
    ['server: { port: 0 }', 'http://localhost:1', null],
    ['server: { host: 10.0.0.1 }', 'http://localhost:8080', null],
    ['', 'http://127.0.0.1:8081', null],
    ['', 'http://erp:8080', null],
  ])('with %j may lead to %s, or is the gateway', async (server, to, message) => {
    const problems = await configProblems(
      folder,
      `proxy: [{ prefix: /app, to: "${to}" }]\n${server}`,
    );
    expect(problems).toEqual(
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
    websocket: true                      | unknown setting "websocket". Did you mean webSocket?
  `)('is refused with %s', async (setting, message) => {
    const text = `proxy:\n  - prefix: /app\n    to: https://erp\n    ${setting}`;
    const problems = await configProblems(folder, text);
    expect(problems?.map((problem) => problem.replace(/^config\.yaml:4:\d+: /, ''))).toEqual([
      message,
    ]);
  });

  test('has a prefix of its own', async () => {
    const text =
      'proxy:\n  - { prefix: /app, to: "http://a" }\n  - { prefix: /App, to: "http://b" }';
    expect(await configProblems(folder, text)).toEqual([
      'config.yaml:3:15: "proxy.1.prefix": is the prefix of another entry, too',
    ]);
  });
});

describe('the certificates of an entry', () => {
  const reading = async (ca: string): Promise<string | undefined> => {
    const text = `proxy: [{ prefix: /app, to: https://erp, ca: ${ca} }]`;
    const { proxy } = await loadConfig(await folder.write('config.yaml', text), {});
    const [entry] = await readProxyFiles(proxy);
    return entry?.ca;
  };

  test('are read', async () => {
    const { cert } = await generate([{ name: 'commonName', value: 'erp' }]);
    await folder.write('ca.pem', `# ours\n${cert}`);
    expect(await reading('ca.pem')).toBe(`# ours\n${cert}`);
  });

  test.each(rows`
    none.pem   | none.pem: there is no such file
    key.pem    | key.pem holds no certificates in PEM form, "-----BEGIN CERTIFICATE-----" and what follows
    broken.pem | broken.pem holds no certificates in PEM form, "-----BEGIN CERTIFICATE-----" and what follows
  `)('cannot be those of %s', async (name, message) => {
    await folder.write('key.pem', '-----BEGIN PRIVATE KEY-----');
    await folder.write(
      'broken.pem',
      '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    );
    expect(await startupProblems(() => reading(name), folder)).toEqual([`proxy.0.ca: ${message}`]);
  });
});
