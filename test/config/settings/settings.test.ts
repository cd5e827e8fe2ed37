import { join, resolve } from 'node:path';
import { existsSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { configProblems, sharedFolder, startupProblems } from '../files.ts';
import { parsed, rows } from '../../rows.ts';
import { type Config, configSchema } from '../../../src/config/config.ts';
import { checkListening, isLoginNeeded } from '../../../src/config/settings/listening.ts';
import { checkGivenRoles } from '../../../src/access/auth/given-roles.ts';
import { isSecretName } from '../../../src/base/text.ts';
import { mayHoldSecret, redacted } from '../../../src/config/settings/connection-string.ts';

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
        maxGroups: 10_000,
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
    ...['proxy', '10.0.0.0/0', '10.0.0.0/33', '10.0.0.0/', '10.0.0', '::/0', '::1/129'],
    ...['10.0.0.0/8/8', ''],
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
    ...['https://app.example.com', 'http://localhost:3000', 'http://[::1]:3000'],
    ...['https://xn--mnchen-3ya.example', 'capacitor://localhost', '*'],
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

const DATABASE = 'database: { engine: postgres, url: "postgres://ada:secret@nowhere/legacy" }\n';

test('every gateway keeps its own state by default', async () => {
  const { state } = await loadConfig(await folder.write('config.yaml', DATABASE), {});
  expect(state).toBeUndefined();
});

test('a password may stand outside of the file, and the path of a certificate is absolute', async () => {
  const text = `${DATABASE}state: { url: 'valkeys://store', password: '\${ENV:STORE}', ca: ca.pem, cluster: ['10.0.0.2:7000', '[::1]:7001'] }`;
  const { state } = await loadConfig(await folder.write('config.yaml', text), { STORE: 'p@ss' });
  expect(state).toEqual({
    url: 'valkeys://store',
    password: 'p@ss',
    ca: join(folder.path, 'ca.pem'),
    cluster: ['10.0.0.2:7000', '[::1]:7001'],
    prefix: 'entitygate',
    timeoutSeconds: 2,
  });
});

test.each(['redis://store', 'rediss://store:6380/2', 'valkey://ada:p%40ss@10.0.0.1:6379/0'])(
  '%s is the URL of a state store',
  async (url) => {
    expect(await configProblems(folder, `${DATABASE}state: { url: '${url}' }`)).toBeNull();
  },
);

const NOT_A_URL =
  'is not the URL of a state store: expected valkey://user:password@host:6379, or valkeys:// with TLS';

test.each(rows`
  { url: "http://store" } | config.yaml:2:15: "state.url": ${NOT_A_URL}
  { url: "valkey://" } | config.yaml:2:15: "state.url": ${NOT_A_URL}
  { url: "valkey://:secret@store/legacy" } | config.yaml:2:15: "state.url": has a path that is not the number of a database: leave it out, or write one such as /1
  { url: "valkey://store", ca: ca.pem } | config.yaml:2:37: "state.ca": is for TLS: write valkeys:// in the url, or leave it out
  { url: "redis://store", ca: ca.pem } | config.yaml:2:36: "state.ca": is for TLS: write valkeys:// in the url, or leave it out
  { url: "valkey://store/1", cluster: ["a:1"] } | config.yaml:2:15: "state.url": names a database, and a cluster has only one: leave out its number
  { url: "valkey://store", cluster: [a] } | config.yaml:2:43: "state.cluster.0": is not an address: expected host:port
  { url: "valkey://store", prefix: "{a}" } | config.yaml:2:41: "state.prefix": is not a prefix: expected at most 64 letters, digits, and - . _
`)('state: %s is refused', async (state, problem) => {
  expect(await configProblems(folder, `${DATABASE}state: ${state}`)).toEqual([problem]);
});

test('the embedded database shares no state', async () => {
  expect(await configProblems(folder, 'state: { url: "valkey://store" }')).toEqual([
    'config.yaml:1:15: "state.url": is for several gateways, and the embedded database serves one: use a database server, or leave state out',
  ]);
});

test('gateways that share state need a secret that they share', async () => {
  const text =
    'database: { engine: postgres, url: "postgres://ada@nowhere/legacy" }\nstate: { url: "valkey://store" }';
  expect(await configProblems(folder, text)).toEqual([
    'config.yaml:2:15: "state.url": needs a secret that all gateways share, and the database login has no password to derive it from: set stampSecret',
  ]);
  expect(await configProblems(folder, `${text}\nstampSecret: ${'s'.repeat(16)}`)).toBeNull();
});

function listening(
  host: string,
  allowUnauthenticated = false,
  authentication?: unknown,
): Pick<Config, 'server' | 'authentication' | 'locate'> {
  const read = configSchema.parse({ server: { host, allowUnauthenticated }, authentication });
  return { ...read, locate: (setting) => `at ${setting}` };
}

const open = { anonymous: ['admin'], users: 'users.yaml' };

describe('where nobody has to log in', () => {
  test.each([
    ...['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1', 'localhost', 'no-such-host.invalid'],
  ])('%s is listened on', async (host) => {
    expect(await checkListening(listening(host))).toBeNull();
    expect(await checkListening(listening(host, false, { anonymous: [] }))).toBeNull();
  });

  test.each(['0.0.0.0', '::', '192.0.2.1', '10.0.0.1', '::ffff:10.0.0.1', 'fe80::1', '128.0.0.1'])(
    '%s is not, unless that is asked for',
    async (host) => {
      await expect(checkListening(listening(host))).rejects.toThrow(
        `at server.host: other machines reach ${host}, and would read and write what the mapping files expose without saying who they are. ` +
          `Configure authentication, as ${resolve('docs/how-to/security.md')} shows, or listen on 127.0.0.1. Where something else decides who reaches the port, ` +
          'say so by server.allowUnauthenticated: true (also ENTITYGATE_ALLOW_UNAUTHENTICATED=true)',
      );
      expect(existsSync('docs/how-to/security.md')).toBe(true);
      expect(await checkListening(listening(host, true))).toBe(
        `without authentication, every client that reaches ${host} reads and writes what the mapping files expose`,
      );
    },
  );

  test.each([
    [
      { anonymous: ['guest'] },
      'have the roles of authentication.anonymous',
      'has the roles of authentication.anonymous: guest',
    ],
    [
      { anonymous: ['admin'] },
      'read and write what the mapping files expose',
      'reads and writes what the mapping files expose',
    ],
    [
      open,
      'read and write what the mapping files expose',
      'reads and writes what the mapping files expose',
    ],
  ])('with %j neither', async (authentication, refused, told) => {
    await expect(checkListening(listening('::', false, authentication))).rejects.toThrow(
      `at server.host: other machines reach ::, and would ${refused} without saying who they are. ` +
        `Configure keys, passwords or tokens in authentication, and no admin in anonymous, as ${resolve('docs/how-to/security.md')} shows, or listen`,
    );
    expect(await checkListening(listening('::', true, authentication))).toBe(
      `without authentication, every client that reaches :: ${told}`,
    );
  });
});

test.each([{ users: 'users.yaml' }, { anonymous: ['guest'], users: 'users.yaml' }])(
  'where clients can log in, and have to for more than anybody may, every address is listened on: %j',
  async (authentication) => {
    expect(await checkListening(listening('0.0.0.0', false, authentication))).toBeNull();
    expect(isLoginNeeded(configSchema.parse({ authentication }).authentication)).toBe(true);
  },
);

test.each([undefined, { anonymous: [] }, { anonymous: ['guest'] }, open])(
  'nobody has to log in with %j',
  (authentication) => {
    expect(isLoginNeeded(configSchema.parse({ authentication }).authentication)).toBe(false);
  },
);

const USERS = 'authentication: { users: users.yaml }\nroles: { ops: { dataclasses: {} } }\n';

test('nothing is measured by default', async () => {
  const { metrics, traces, log } = await loadConfig(await folder.write('config.yaml', ''), {});
  expect({ metrics, traces, log }).toEqual({
    ...{ metrics: undefined, traces: false },
    log: { level: 'info' },
  });
});

test.each([
  'metrics: { port: 9464 }',
  'metrics: { port: 0, host: 0.0.0.0 }',
  `${USERS}metrics: { role: ops }\nproxy: [{ prefix: /, to: 'http://127.0.0.1:1' }]`,
  'traces: true\nlog: { slowRequestMs: 1000 }',
])('%j is a configuration', async (text) => {
  expect(await configProblems(folder, text)).toBeNull();
});

test.each(rows`
  metrics: {} | config.yaml:1:1: "metrics": says neither on which port the metrics are served, and to which role: expected either port or role
  ${USERS}metrics: { port: 1, role: ops } | config.yaml:3:1: "metrics": says both on which port the metrics are served, and to which role: expected either port or role
  ${USERS}metrics: { role: ops, host: localhost } | config.yaml:3:29: "metrics.host": is not used without metrics.port
  server: { port: 9000 }\nmetrics: { port: 9000 } | config.yaml:2:18: "metrics.port": is server.port, too: give the metrics another one
  metrics: { role: ops } | config.yaml:1:18: "metrics.role": without authentication there are no users: configure authentication, or serve the metrics on metrics.port
  ${USERS}metrics: { role: ops }\nproxy: [{ prefix: /metrics/old, to: 'http://127.0.0.1:1' }] | config.yaml:4:19: "proxy.0.prefix": overlaps /metrics, which metrics.role has served there
  metrics: { port: 70000 } | config.yaml:1:18: "metrics.port": expected at most 65535, found 70000
  metrics: { port: 1, rol: x } | config.yaml:1:21: unknown setting "rol". Did you mean role?
  traces: yes | config.yaml:1:9: "traces": expected true or false, found "yes"
  log: { slowRequestMs: 0 } | config.yaml:1:23: "log.slowRequestMs": expected at least 1, found 0
`)('%j is refused', async (text, problem) => {
  expect(await configProblems(folder, text)).toEqual([problem]);
});

test('the role has to be one of the configuration’s', async () => {
  const path = await folder.write('config.yaml', `${USERS}metrics: { role: op }`);
  const config = await loadConfig(path, {});
  const problems = await startupProblems(
    () => Promise.resolve().then(() => checkGivenRoles(config)),
    folder,
  );
  expect(problems).toEqual(['config.yaml:3:18: there is no role op. Did you mean ops?']);
});

test('agents are not served by default, and then only read', async () => {
  const { mcp } = await loadConfig(await folder.write('config.yaml', ''), {});
  const tools = [
    'describe_model',
    'query',
    'read',
    'aggregate',
    'compute',
    'distinct',
    'functions',
  ];
  expect(mcp).toEqual({
    enabled: false,
    tools: [...tools, 'save', 'delete'],
    write: false,
    maxRequestBytes: 262_144,
    maxAnswerBytes: 65_536,
  });
});

test('a role lets agents read, and says where they may write', async () => {
  const text =
    'authentication: { users: users.yaml }\nroles:\n  a: { dataclasses: {} }\n  b: { mcp: write, dataclasses: {} }';
  const { roles } = await loadConfig(await folder.write('config.yaml', text), {});
  expect([roles?.['a']?.mcp, roles?.['b']?.mcp]).toEqual(['read', 'write']);
});

test.each(rows<[text: string, problem?: string]>`
  mcp: { enabled: true, tools: [query, describe_model] }
  proxy: [{ prefix: /mcp, to: 'http://127.0.0.1:1' }]
  mcp:\n  tools: [query, reed] | 2:18: "mcp.tools.1": expected describe_model, query, read, aggregate, compute, distinct, functions, save or delete, found "reed". Did you mean read?
  mcp: { maxAnswerBytes: 1 } | 1:24: "mcp.maxAnswerBytes": expected at least 4096, found 1
  mcp: { enabeld: true } | 1:8: unknown setting "enabeld". Did you mean enabled?
  mcp: { enabled: true }\nproxy: [{ prefix: /mcp/app, to: 'http://127.0.0.1:1' }] | 2:19: "proxy.0.prefix": overlaps /mcp, where mcp.enabled serves agents
`)('%s is a configuration, or says why not', async (text, problem) => {
  const expected = problem === undefined ? null : [`config.yaml:${problem}`];
  expect(await configProblems(folder, text)).toEqual(expected);
});

const postgres = 'database:\n  engine: postgres\n  url: postgres://a@b/c\n  tellUser: ';
const sqlServer = 'database:\n  engine: sqlserver\n  url: mssql://a:b@c/d\n  tellUser: ';

test.each(rows`
  ${postgres}false | false
  ${postgres}true | true
  ${postgres}{} | {user: entitygate.user, claims: {}}
  ${postgres}{ user: app.user, roles: app.roles, claims: { region: app.sales.region } } | {user: app.user, roles: app.roles, claims: {region: app.sales.region}}
  ${sqlServer}{} | {user: user, claims: {}}
  ${sqlServer}{ user: The user, claims: { region: region } } | {user: The user, claims: {region: region}}
  database:\n  engine: pglite\n  tellUser: { user: a.b } | {user: a.b, claims: {}}
`)('database.tellUser: %s', async (text, expected) => {
  const path = await folder.write('config.yaml', text);
  expect((await loadConfig(path, {})).database.tellUser).toEqual(parsed(expected));
});

const NO_NAME =
  'is not a name of a custom parameter: expected names with a dot between them, such as app.user';

test.each(rows`
  ${postgres}{ user: role } | 4:21: "database.tellUser.user": ${NO_NAME}
  ${postgres}{ roles: search_path } | 4:22: "database.tellUser.roles": ${NO_NAME}
  ${postgres}{ claims: { region: "a.b'; DROP" } } | 4:33: "database.tellUser.claims.region": ${NO_NAME}
  ${postgres}{ user: a.b, roles: A.b } | 4:33: "database.tellUser.roles": is the key of something else, too: give each its own
  ${sqlServer}{ claims: { region: user } } | 4:33: "database.tellUser.claims.region": is the key of something else, too: give each its own
  ${sqlServer}{ user: ${'a'.repeat(129)} } | 4:21: "database.tellUser.user": expected a text of 128 characters or less
  ${sqlServer}{ readOnly: true } | 4:15: unknown setting "readOnly". Known: user, roles, claims.
  ${sqlServer}yes | 4:13: "database.tellUser": expected true or false or { user, roles, claims }, found "yes"
`)('is refused: %s', async (text, expected) => {
  const path = await folder.write('config.yaml', text);
  const problems = await startupProblems(() => loadConfig(path, {}), folder);
  expect(problems).toEqual([`config.yaml:${expected}`]);
});

describe('a name', () => {
  test.each([
    ...['password', 'Password', 'PWD', 'sslpassword', 'clientSecret', 'Client Secret'],
    ...['msi_secret', 'USR_PASSWD', 'PWD_HASH', 'accesstoken', 'AccessToken'],
  ])('%s is a secret', (name) => {
    expect(isSecretName(name)).toBe(true);
  });

  test.each(['user', 'User Id', 'TrustServerCertificate', 'tenantId', 'PWDX', 'SECRETARY', ''])(
    '%s is none',
    (name) => {
      expect(isSecretName(name)).toBe(false);
    },
  );
});

test.each([
  ['postgres://h/d', true],
  ['Server=h;Password=x', true],
  ['host=h password=x', true],
  ['pwd =x', true],
  ['Server=h;Database=d', false],
  ['password', false],
  ['camel', false],
])('%s may hold a secret: %s', (text, expected) => {
  expect(mayHoldSecret(text)).toBe(expected);
});

test.each([
  ['postgres://u:p@h:5432/d', 'postgres://u:***@h:5432/d'],
  ['postgres://u:p:q%40r@h/d?sslmode=require', 'postgres://u:***@h/d?sslmode=require'],
  ['postgres://h:5432/d?sslpassword=x&a=b@c', 'postgres://h:5432/d?sslpassword=***&a=b@c'],
  ['mssql://sa:a@b@h/d', 'mssql://sa:***@h/d'],
  ['postgres://u@h/d', 'postgres://u@h/d'],
  ['postgres://h/d?sslp%61ssword=x&a=b', 'postgres://h/d?sslp%61ssword=***&a=b'],
  ['Server=h;Pwd="a;b";Database=d', 'Server=h;Pwd=***;Database=d'],
])('%s is shown as %s', (connection, shown) => {
  expect(redacted(connection)).toBe(shown);
});
