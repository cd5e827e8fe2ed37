import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { type Config, configSchema } from '../../../src/config/config.ts';
import { checkListening, isLoginNeeded } from '../../../src/config/settings/listening.ts';
import { mayHoldSecret, redacted } from '../../../src/config/settings/connection-string.ts';
import { checkGivenRoles } from '../../../src/access/auth/given-roles.ts';
import { isSecretName } from '../../../src/base/text.ts';
import { parsed, rows } from '../../rows.ts';
import { configProblems, sharedFolder, startupProblems } from '../files.ts';

const folder = await sharedFolder();

const load = async (text: string, environment = {}): Promise<Config> =>
  loadConfig(await folder.write('config.yaml', text), environment);

const DATABASE = 'database: { engine: postgres, url: "postgres://ada:secret@nowhere/legacy" }\n';
const USERS = 'authentication: { users: users.yaml }\nroles: { ops: { dataclasses: {} } }\n';

// What bounds, enumerations and defaults there are, the published JSON Schemas show.
test.each(rows`
  server: { tls: { certificate: a, key: b, passphrase: 12 } } | 1:54: "server.tls.passphrase": expected a text, found a number. Write it in quotes.
  server: { workers: 4 }
    | 1:20: "server.workers": the embedded database cannot be shared by 4 processes: remove server.workers, or use PostgreSQL or SQL Server
  ${DATABASE}server: { workers: 4 } | 2:20: "server.workers": 4 processes keep their state together: set state.url, or remove server.workers
  limits: { maxUrlBytes: 70000 } | 1:24: "limits.maxUrlBytes": is more than server.maxHeaderBytes, which is what URL and headers may have together
  cors: { origins: [https://a.example, "*"] } | 1:38: "cors.origins.1": "*" stands for all origins: it stands alone
  cors: { origins: ["*"], credentials: true } | 1:19: "cors.origins.0": cors.credentials needs named origins: "*" is not allowed with it
  cors: { origins: ["*"] }
  metrics: { port: 0, host: 0.0.0.0 }
  ${USERS}metrics: { role: ops }\nproxy: [{ prefix: /, to: 'http://127.0.0.1:1' }]
  metrics: {} | 1:1: "metrics": says neither on which port the metrics are served, and to which role: expected either port or role
  ${USERS}metrics: { port: 1, role: ops } | 3:1: "metrics": says both on which port the metrics are served, and to which role: expected either port or role
  ${USERS}metrics: { role: ops, host: localhost } | 3:29: "metrics.host": is not used without metrics.port
  server: { port: 9000 }\nmetrics: { port: 9000 } | 2:18: "metrics.port": is server.port, too: give the metrics another one
  metrics: { role: ops } | 1:18: "metrics.role": without authentication there are no users: configure authentication, or serve the metrics on metrics.port
  ${USERS}metrics: { role: ops }\nproxy: [{ prefix: /metrics/old, to: 'http://127.0.0.1:1' }] | 4:19: "proxy.0.prefix": overlaps /metrics, which metrics.role has served there
  proxy: [{ prefix: /mcp, to: 'http://127.0.0.1:1' }]
  mcp: { enabled: true }\nproxy: [{ prefix: /mcp/app, to: 'http://127.0.0.1:1' }] | 2:19: "proxy.0.prefix": overlaps /mcp, where mcp.enabled serves agents
  mcp:\n  tools: [query, reed] | 2:18: "mcp.tools.1": expected describe_model, query, read, aggregate, compute, distinct, functions, save or delete, found "reed". Did you mean read?
`)('%j is a configuration, or says why not', async (text, ...problems) => {
  expect((await configProblems(folder, text)) ?? []).toEqual(
    problems.map((problem) => `config.yaml:${problem}`),
  );
});

const NO_PROXY = 'is not an address and no network: expected one such as 10.0.0.1 or 10.0.0.0/8';
const NO_HOST = 'is not a name of a host: expected one such as gateway.example.com, without port';
const NO_ORIGIN =
  'is not an origin: expected scheme and host as browsers send them, such as https://app.example.com';

// The entries of a list, each of which is taken, or refused with what is said; the last one is empty.
test.each(rows`
  server.trustedProxies | ${''} | 10.0.0.1 10.0.0.0/8 ::1 2001:db8::/32
  server.trustedProxies | ${NO_PROXY} | proxy 10.0.0.0/0 10.0.0.0/33 10.0.0.0/ 10.0.0 ::/0 ::1/129 1.0.0.0/8/8\u0020
  server.hosts | ${''} | erp erp.example.com erp_gateway a-1.b
  server.hosts | ${NO_HOST} | erp.example.com:80 https://erp *.example.com .a a..b -a\u0020
  cors.origins | ${''} | https://app.example.com http://[::1]:3000 https://xn--mnchen-3ya.example capacitor://localhost
  cors.origins | ${NO_ORIGIN} | app.example.com https://*.example.com null\u0020
  cors.origins | ${NO_ORIGIN}. Did you mean https://a.example? | https://a.example/ https://a.example:443/b https://u@A.example
  cors.origins | ${NO_ORIGIN}. Did you mean https://xn--mnchen-3ya.example? | https://münchen.example
`)('%s: %s: %s', async (setting, said, entries) => {
  const [section = '', name = ''] = setting.split('.');
  const all = entries.split(' ');
  const found = await configProblems(folder, `${section}: { ${name}: ${JSON.stringify(all)} }`);
  expect((found ?? []).map((line) => line.replace(/^\S+ /, ''))).toEqual(
    said === '' ? [] : all.map((_, index) => `"${setting}.${index}": ${said}`),
  );
});

test('ENTITYGATE_ALLOW_UNAUTHENTICATED stands in for the file’s', async () => {
  const text = 'server: { allowUnauthenticated: true }';
  const allowed = async (value: string): Promise<boolean> =>
    (await load(text, { ENTITYGATE_ALLOW_UNAUTHENTICATED: value })).server.allowUnauthenticated;
  expect([await allowed('true'), await allowed('false'), await allowed('')]).toEqual([
    ...[true, false, true],
  ]);
  expect(await configProblems(folder, '', { ENTITYGATE_ALLOW_UNAUTHENTICATED: 'yes' })).toEqual([
    'ENTITYGATE_ALLOW_UNAUTHENTICATED: expected true or false, found "yes"',
  ]);
});

test('the password of a state store may stand outside of the file, and the path of a certificate is absolute', async () => {
  const text = `${DATABASE}state: { url: 'valkeys://store', password: '\${ENV:STORE}', ca: ca.pem, cluster: ['10.0.0.2:7000', '[::1]:7001'] }`;
  expect((await load(text, { STORE: 'p@ss' })).state).toEqual({
    ...{ url: 'valkeys://store', password: 'p@ss', ca: join(folder.path, 'ca.pem') },
    ...{ cluster: ['10.0.0.2:7000', '[::1]:7001'], prefix: 'entitygate', timeoutSeconds: 2 },
  });
});

const NOT_A_URL =
  'is not the URL of a state store: expected valkey://user:password@host:6379, or valkeys:// with TLS';

test.each(rows`
  { url: "redis://store" }
  { url: "rediss://store:6380/2" }
  { url: "valkey://ada:p%40ss@10.0.0.1:6379/0" }
  { url: "http://store" } | config.yaml:2:15: "state.url": ${NOT_A_URL}
  { url: "valkey://" } | config.yaml:2:15: "state.url": ${NOT_A_URL}
  { url: "valkey://:secret@store/legacy" } | config.yaml:2:15: "state.url": has a path that is not the number of a database: leave it out, or write one such as /1
  { url: "redis://store", ca: ca.pem } | config.yaml:2:36: "state.ca": is for TLS: write valkeys:// in the url, or leave it out
  { url: "valkey://store/1", cluster: ["a:1"] } | config.yaml:2:15: "state.url": names a database, and a cluster has only one: leave out its number
  { url: "valkey://store", cluster: [a] } | config.yaml:2:43: "state.cluster.0": is not an address: expected host:port
  { url: "valkey://store", prefix: "{a}" } | config.yaml:2:41: "state.prefix": is not a prefix: expected at most 64 letters, digits, and - . _
`)('state: %s is taken, or says why not', async (state, ...problems) => {
  expect((await configProblems(folder, `${DATABASE}state: ${state}`)) ?? []).toEqual(problems);
});

test('a state is for several gateways, which share a secret', async () => {
  expect(await configProblems(folder, 'state: { url: "valkey://store" }')).toEqual([
    'config.yaml:1:15: "state.url": is for several gateways, and the embedded database serves one: use a database server, or leave state out',
  ]);
  const text = `${DATABASE.replace(':secret', '')}state: { url: "valkey://store" }`;
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

const users = 'users.yaml';

test.each(rows<[host: string, reached?: string]>`
  127.8.9.10
  ::1
  ::ffff:127.0.0.1
  localhost
  no-such-host.invalid
  0.0.0.0          | reached
  ::               | reached
  10.0.0.1         | reached
  ::ffff:10.0.0.1  | reached
  fe80::1          | reached
  128.0.0.1        | reached
`)('where nobody has to log in, %s is listened on unless it is %s', async (host, reached) => {
  if (reached === undefined) {
    expect(await checkListening(listening(host))).toBeNull();
    expect(await checkListening(listening(host, false, { anonymous: [] }))).toBeNull();
    return;
  }
  await expect(checkListening(listening(host))).rejects.toThrow(
    `at server.host: other machines reach ${host}, and would read and write what the mapping files expose without saying who they are. ` +
      `Configure authentication, as ${resolve('docs/how-to/security.md')} shows, or listen on 127.0.0.1. `,
  );
  expect(await checkListening(listening(host, true))).toBe(
    `without authentication, every client that reaches ${host} reads and writes what the mapping files expose`,
  );
});

const EVERYTHING = 'what the mapping files expose';
const GUESTS = 'the roles of authentication.anonymous';

test.each([
  [{ anonymous: ['guest'] }, `have ${GUESTS}`, `has ${GUESTS}: guest`],
  [{ anonymous: ['admin'] }, `read and write ${EVERYTHING}`, `reads and writes ${EVERYTHING}`],
  [
    { anonymous: ['admin'], users },
    `read and write ${EVERYTHING}`,
    `reads and writes ${EVERYTHING}`,
  ],
])('with %j other machines are not listened to', async (authentication, refused, told) => {
  await expect(checkListening(listening('::', false, authentication))).rejects.toThrow(
    `at server.host: other machines reach ::, and would ${refused} without saying who they are. ` +
      `Configure keys, passwords or tokens in authentication, and no admin in anonymous, as ${resolve('docs/how-to/security.md')} shows, or listen`,
  );
  expect(await checkListening(listening('::', true, authentication))).toBe(
    `without authentication, every client that reaches :: ${told}`,
  );
  expect(isLoginNeeded(configSchema.parse({ authentication }).authentication)).toBe(false);
});

test.each([{ users }, { anonymous: ['guest'], users }])(
  'where clients can log in, and have to for more than anybody may, every address is listened on: %j',
  async (authentication) => {
    expect(await checkListening(listening('0.0.0.0', false, authentication))).toBeNull();
    expect(isLoginNeeded(configSchema.parse({ authentication }).authentication)).toBe(true);
  },
);

test('the role of the metrics has to be one of the configuration’s', async () => {
  const config = await load(`${USERS}metrics: { role: op }`);
  const problems = await startupProblems(
    () => Promise.resolve().then(() => checkGivenRoles(config)),
    folder,
  );
  expect(problems).toEqual(['config.yaml:3:18: there is no role op. Did you mean ops?']);
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
  expect((await load(text)).database.tellUser).toEqual(parsed(expected));
});

const NO_NAME =
  'is not a name of a custom parameter: expected names with a dot between them, such as app.user';

test.each(rows`
  ${postgres}{ user: role } | 4:21: "database.tellUser.user": ${NO_NAME}
  ${postgres}{ claims: { region: "a.b'; DROP" } } | 4:33: "database.tellUser.claims.region": ${NO_NAME}
  ${postgres}{ user: a.b, roles: A.b } | 4:33: "database.tellUser.roles": is the key of something else, too: give each its own
  ${sqlServer}{ claims: { region: user } } | 4:33: "database.tellUser.claims.region": is the key of something else, too: give each its own
  ${sqlServer}{ user: ${'a'.repeat(129)} } | 4:21: "database.tellUser.user": expected a text of 128 characters or less
  ${sqlServer}yes | 4:13: "database.tellUser": expected true or false or { user, roles, claims }, found "yes"
`)('is refused: %s', async (text, expected) => {
  expect(await configProblems(folder, text)).toEqual([`config.yaml:${expected}`]);
});

test('names of secrets', () => {
  const secret = [
    ...['password', 'Password', 'PWD', 'sslpassword', 'clientSecret', 'Client Secret'],
    ...['msi_secret', 'USR_PASSWD', 'PWD_HASH', 'accesstoken', 'AccessToken'],
  ];
  const none = ['user', 'User Id', 'TrustServerCertificate', 'tenantId', 'PWDX', 'SECRETARY', ''];
  expect([...secret, ...none].filter(isSecretName)).toEqual(secret);
});

test('texts that may hold a secret', () => {
  const some = ['postgres://h/d', 'Server=h;Password=x', 'host=h password=x', 'pwd =x'];
  expect([...some, 'Server=h;Database=d', 'password', 'camel'].filter(mayHoldSecret)).toEqual(some);
});

test.each(rows`
  postgres://u:p@h:5432/d                    | postgres://u:***@h:5432/d
  postgres://u:p:q%40r@h/d?sslmode=require   | postgres://u:***@h/d?sslmode=require
  postgres://h:5432/d?sslpassword=x&a=b@c    | postgres://h:5432/d?sslpassword=***&a=b@c
  mssql://sa:a@b@h/d                         | mssql://sa:***@h/d
  postgres://u@h/d                           | postgres://u@h/d
  postgres://h/d?sslp%61ssword=x&a=b         | postgres://h/d?sslp%61ssword=***&a=b
  Server=h;Pwd="a;b";Database=d              | Server=h;Pwd=***;Database=d
`)('%s is shown as %s', (connection, shown) => {
  expect(redacted(connection)).toBe(shown);
});
