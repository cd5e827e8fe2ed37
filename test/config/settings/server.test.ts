import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { configProblems, sharedFolder } from '../files.ts';
import { rows } from '../../rows.ts';

const folder = await sharedFolder();

describe('settings of the server', () => {
  test('leave it on this machine, and open to none but its clients', async () => {
    const { server, limits, cors } = await loadConfig(await folder.write('config.yaml', ''), {});
    expect({ server, limits, cors }).toEqual({
      server: {
        host: '127.0.0.1',
        port: 8080,
        allowUnauthenticated: false,
        hosts: [],
        trustedProxies: [],
        onMismatch: 'stop',
        shutdownSeconds: 10,
        watch: false,
        workers: 1,
        maxHeaderBytes: 65_536,
        maxBodyBytes: 16_777_216,
        compression: true,
        createdStatus: 200,
      },
      limits: {
        maxTop: 10_000,
        beyondMaxTop: 'refuse',
        maxEntities: 10_000,
        maxFilterComparisons: 500,
        maxExpandDepth: 10,
      },
      cors: undefined,
    });
  });

  test('find the files of TLS beside the configuration', async () => {
    const tls = 'certificate: tls/a.pem, key: /etc/a.key, passphrase: geheim';
    const path = await folder.write('config.yaml', `server: { tls: { ${tls} } }`);
    expect((await loadConfig(path, {})).server.tls).toEqual({
      certificate: join(folder.path, 'tls/a.pem'),
      key: '/etc/a.key',
      passphrase: 'geheim',
      minVersion: 'TLSv1.2',
    });
  });

  test.each([
    ['true', true],
    ['false', false],
    ['', true],
  ])('ENTITYGATE_ALLOW_UNAUTHENTICATED=%s stands in for the file’s', async (text, expected) => {
    const path = await folder.write('config.yaml', 'server: { allowUnauthenticated: true }');
    const { server } = await loadConfig(path, { ENTITYGATE_ALLOW_UNAUTHENTICATED: text });
    expect(server.allowUnauthenticated).toBe(expected);
  });

  test('ENTITYGATE_ALLOW_UNAUTHENTICATED is true or false', async () => {
    expect(await configProblems(folder, '', { ENTITYGATE_ALLOW_UNAUTHENTICATED: 'yes' })).toEqual([
      'ENTITYGATE_ALLOW_UNAUTHENTICATED: expected true or false, found "yes"',
    ]);
  });

  test.each([['10.0.0.1'], ['10.0.0.0/8'], ['::1'], ['2001:db8::/32']])(
    '%s is a proxy to trust',
    async (network) => {
      expect(await configProblems(folder, `server: { trustedProxies: ["${network}"] }`)).toBeNull();
    },
  );

  test.each([
    'proxy',
    '10.0.0.0/0',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0',
    '::/0',
    '::1/129',
    '10.0.0.0/8/8',
    '',
  ])('%j is not a proxy to trust', async (network) => {
    expect(await configProblems(folder, `server: { trustedProxies: ["${network}"] }`)).toEqual([
      'config.yaml:1:28: "server.trustedProxies.0": is not an address and no network: expected one such as 10.0.0.1 or 10.0.0.0/8',
    ]);
  });

  test.each(['erp', 'erp.example.com', 'erp_gateway', 'a-1.b'])('%s is a host', async (host) => {
    expect(await configProblems(folder, `server: { hosts: [${host}] }`)).toBeNull();
  });

  test.each(['erp.example.com:80', 'https://erp', '*.example.com', '.a', 'a..b', '-a', ''])(
    '%j is not a host',
    async (host) => {
      expect(await configProblems(folder, `server: { hosts: ["${host}"] }`)).toEqual([
        'config.yaml:1:19: "server.hosts.0": is not a name of a host: expected one such as gateway.example.com, without port',
      ]);
    },
  );

  test.each(rows`
    server: { tls: { certificate: a } } | config.yaml:1:11: "server.tls.key": expected a text, found nothing
    server: { tls: { certificate: a, key: b, minVersion: TLSv1.1 } } | config.yaml:1:54: "server.tls.minVersion": expected TLSv1.2 or TLSv1.3, found "TLSv1.1". Did you mean TLSv1.2, TLSv1.3?
    server: { tls: { certificate: a, key: b, passphrase: 12 } } | config.yaml:1:54: "server.tls.passphrase": expected a text, found a number. Write it in quotes.
    limits: { maxTop: 0 } | config.yaml:1:19: "limits.maxTop": expected at least 1, found 0
    limits: { maxUrlBytes: 70000 } | config.yaml:1:24: "limits.maxUrlBytes": is more than server.maxHeaderBytes, which is what URL and headers may have together
  `)('%s is refused', async (text, ...expected) => {
    expect(await configProblems(folder, text)).toEqual(expected);
  });
});

describe('origins whose pages may call', () => {
  test.each([
    'https://app.example.com',
    'http://localhost:3000',
    'http://[::1]:3000',
    'https://xn--mnchen-3ya.example',
    'capacitor://localhost',
    '*',
  ])('%s is one', async (origin) => {
    expect(await configProblems(folder, `cors: { origins: ["${origin}"] }`)).toBeNull();
  });

  test.each([
    ['app.example.com', ''],
    ['https://app.example.com/', '. Did you mean https://app.example.com?'],
    ['https://app.example.com/shop', '. Did you mean https://app.example.com?'],
    ['https://app.example.com:443', '. Did you mean https://app.example.com?'],
    ['https://App.Example.com', '. Did you mean https://app.example.com?'],
    ['https://münchen.example', '. Did you mean https://xn--mnchen-3ya.example?'],
    ['https://*.example.com', ''],
    ['https://user@app.example.com', '. Did you mean https://app.example.com?'],
    ['null', ''],
    ['', ''],
  ])('%j is none', async (origin, hint) => {
    expect(await configProblems(folder, `cors: { origins: ["${origin}"] }`)).toEqual([
      `config.yaml:1:19: "cors.origins.0": is not an origin: expected scheme and host as browsers send them, such as https://app.example.com${hint}`,
    ]);
  });

  test.each(rows`
    cors: {} | config.yaml:1:1: "cors.origins": expected a list, found nothing
    cors: { origins: [] } | config.yaml:1:9: "cors.origins": expected at least 1 entry, found an empty list
    cors: { origins: [https://a.example, "*"] } | config.yaml:1:38: "cors.origins.1": "*" stands for all origins: it stands alone
    cors: { origins: ["*"], credentials: true } | config.yaml:1:19: "cors.origins.0": cors.credentials needs named origins: "*" is not allowed with it
  `)('%s is refused', async (text, ...expected) => {
    expect(await configProblems(folder, text)).toEqual(expected);
  });
});
