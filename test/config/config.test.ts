import { describe, expect, test } from 'vitest';
import { displayPath } from '../../src/config/document/text-file.ts';
import { loadConfig } from '../../src/config/load.ts';
import { configProblems, sharedFolder } from './files.ts';
import { parsed, rows } from '../rows.ts';

const folder = await sharedFolder();

describe('config.yaml', () => {
  test.each(rows`
    a: [1\nb: 2 | config.yaml:2:1: this is not valid YAML: Flow sequence in block collection must be sufficiently indented and end with a ]
    server: {}\nserver: {} | config.yaml:2:1: this is not valid YAML: Map keys must be unique
    server:\n  port: 80\n   host: h | config.yaml:2:9: this is not valid YAML: Nested mappings are not allowed in compact mappings
    log: &a {}\nserver: *b | config.yaml:2:9: this is not valid YAML: Unresolved alias (the anchor must be set before the alias). Text that begins with * needs quotes.
    - a | config.yaml:1:1: expected names with their values, found a list
    text | config.yaml:1:1: expected names with their values, found "text"
    server: | config.yaml:1:1: "server": expected names with their values, found nothing
    entitySets: | config.yaml:1:1: "entitySets": expected { maxBytes, maxSetBytes, maxPerSession }, found nothing
    servr: {} | config.yaml:1:1: unknown setting "servr". Did you mean server?
    server:\n  host: a\n  prot: 80 | config.yaml:3:3: unknown setting "prot". Did you mean port?
    server: { port: "80" } | config.yaml:1:17: "server.port": expected a whole number, found "80". Write it without quotes.
    server: { port: 70000 } | config.yaml:1:17: "server.port": expected at most 65535, found 70000
    application: "" | config.yaml:1:14: "application": is empty
    stampSecret: shortone | config.yaml:1:14: "stampSecret": expected a text of 16 characters or more
    application: 5 | config.yaml:1:14: "application": expected a text, found 5. Write it in quotes.
    ignoreCase: yes | config.yaml:1:13: "ignoreCase": expected true or false, found "yes"
    log: { level: warning } | config.yaml:1:15: "log.level": expected fatal, error, warn, info, debug, trace or silent, found "warning". Did you mean warn?
    database:\n  engine: postgress | config.yaml:2:11: "database.engine": expected pglite, postgres or sqlserver, found "postgress". Did you mean postgres?
    database: { engine: pglite, url: x } | config.yaml:1:29: unknown setting "url". Known: engine, directory, seed, statementTimeoutSeconds, tellUser.
    entitySets:\n  maxBytes: 1048576\n  maxSetBytes: 1048577 | config.yaml:3:16: "entitySets.maxSetBytes": is more than entitySets.maxBytes, which is what all sets may take
    planCacheSize: 0\nserver:\n  port: x\n | config.yaml:1:16: "planCacheSize": expected at least 1, found 0 | config.yaml:3:9: "server.port": expected a whole number, found "x"
  `)('%j is refused', async (text, ...expected) => {
    expect(await configProblems(folder, text)).toEqual(expected);
  });

  test('a time zone that is not one is told which it may be', async () => {
    expect(await configProblems(folder, 'timeZone: Europe/Pari')).toEqual([
      expect.stringContaining(
        'config.yaml:1:11: "timeZone": is not an IANA time zone such as Europe/Paris. Did you mean Europe/Paris',
      ),
    ]);
  });

  const NO_URL =
    'is not a PostgreSQL URL: expected postgres://user:password@host:5432/database, with % / ? # [ ] @ and : in names and password written as %25 %2F %3F %23 %5B %5D %40 and %3A';
  const encode = 'user and password of a URL have to be percent-encoded: write';

  test.each(rows`
    mysql://user:pass@host/name                         | ${NO_URL}
    postgres://user:pass@host:port/name                 | ${NO_URL}
    host=localhost                                      | ${NO_URL}
    postgres://user:pass@host                           | ${NO_URL}
    postgres://user@host/name?password=pass             | ${NO_URL}
    postgres://user@host/name#1                         | ${NO_URL}
    postgres://user:50%off@host/name                    | ${encode} % as %25
    postgres://user:p@ss@host/name                      | ${encode} @ as %40
    postgres://user:p/s#s?@host/name                    | ${encode} / as %2F, # as %23, ? as %3F
    postgres://user:12/ss@host/name                     | ${encode} / as %2F
    postgres://user:p@ss?s@host/name?sslmode=require    | ${encode} @ as %40, ? as %3F
    postgres://u@h/d?sslmod=require                     | there is no parameter sslmod. Did you mean sslmode, ssl?
    postgres://u@h/d?SSLMODE=require&x=1                | there is no parameter SSLMODE. Did you mean sslmode?
    postgres://u@h/d?sslmode=on | sslmode is one of disable, no-verify, prefer, require, verify-ca, verify-full, not "on"
    postgres://u@h/d?ssl=no                             | ssl is one of true, 1, 0, not "no"
    postgres://user:p%40ss@host/name?sslmode=require&sslrootcert=ca.pem
    postgres://user@h/d?channel_binding=require&connect_timeout=5&options=a
    postgres://user:p%40ss@host/name?application_name=a@b/c
    postgres://host/name?application_name=a@b#c
  `)('%s as URL of PostgreSQL: %o, and it is not repeated', async (url, ...problem) => {
    const found = await configProblems(folder, `database: { engine: postgres, url: "${url}" }`);
    const said = found?.map((line) => line.replace('config.yaml:1:36: "database.url": ', ''));
    expect(said ?? []).toEqual(problem);
    expect((found ?? []).join('')).not.toContain(url);
  });

  test.each(rows`
    { engine: sqlserver, host: h, password: 12345678 } | "database.password": expected a text, found a number. Write it in quotes.
    { engine: sqlserver, host: h, password: [12345678] } | "database.password": expected a text, found a list
    { engine: sqlserver, host: h, authentication: { type: azure-active-directory-access-token, token: 12345678 } }
      | "database.authentication.token": expected a text, found a number. Write it in quotes.
    { engine: sqlserver, host: h, authentication: { type: default, clientSecret: 12345678 } } | "database.authentication.clientSecret": expected a text, found a number. Write it in quotes.
    mssql://sa:12345678@h/d | "database": expected { engine } or { engine, url }, found a text
    { engine: "Server=h;Password=12345678" } | "database.engine": expected pglite, postgres or sqlserver, found a text
    { engine: sqlserver, host: h, password: *12345678 } | this is not valid YAML: Unresolved alias (the anchor must be set before the alias). Text that begins with * needs quotes.
  `)('of database: %s only the kind is told', async (database, message) => {
    const found = (await configProblems(folder, `database: ${database}`))?.join('\n');
    expect(found?.replace(/^config\.yaml:\d+:\d+: /, '')).toBe(message);
  });

  test('an empty file serves the embedded database', async () => {
    const config = await loadConfig(await folder.write('empty.yaml', ''), {});
    expect(config).toMatchObject({
      server: { host: '127.0.0.1', port: 8080 },
      database: { engine: 'pglite', directory: `${folder.path}/.data/pglite` },
      mappings: `${folder.path}/mappings`,
    });
    expect([config, config.server, config.database].every(Object.isFrozen)).toBe(true);
  });
});

test.each([
  ['host: h', ['user', 'password']],
  ['host: h, user: u', ['password']],
  ['host: h, user: u, password: p', []],
  ['url: "mssql://u:p@h/d"', []],
  ['url: "mssql://h/d"', ['user', 'password']],
  ['url: "Server=h;Uid=u;Pwd=p"', []],
  ['url: "Server=h"', ['user', 'password']],
])('ntlm with %s lacks %j', async (login, missing) => {
  const text = `database: { engine: sqlserver, ${login}, authentication: { type: ntlm, domain: D } }`;
  const found = (await configProblems(folder, text)) ?? [];
  expect(found.map((line) => line.replace(/^\S+ /, ''))).toEqual(
    missing.map((name) => `"database.${name}": ntlm needs it, here or in the url`),
  );
});

test.each(rows`
  type: ntlm | domain": ntlm needs it
  type: azure-active-directory-password, token: t | clientId": azure-active-directory-password needs it | token": azure-active-directory-password has no use for it
  type: default
  type: azure-active-directory-default
  type: azure-active-directory-msi-vm, clientId: c
  type: azure-active-directory-msi-app-service
  type: azure-active-directory-password, clientId: c, tenantId: t
  type: azure-active-directory-access-token, token: t
  type: azure-active-directory-service-principal-secret, clientId: c, clientSecret: s, tenantId: t
`)('authentication by %s', async (settings, ...problems) => {
  const text = `database: { engine: sqlserver, host: h, authentication: { ${settings} }, user: u, password: p }`;
  const found = (await configProblems(folder, text)) ?? [];
  expect(found.map((line) => line.replace(/^\S+ "database\.authentication\./, ''))).toEqual(
    problems,
  );
});

describe('what stands above the file', () => {
  const text = 'server: { host: file, port: 1 }\nlog: { level: warn }';

  test('the environment where it says something, and the command line above that', async () => {
    const path = await folder.write('config.yaml', text);
    const environment = {
      ENTITYGATE_HOST: '',
      ENTITYGATE_PORT: '2',
      ENTITYGATE_LOG_LEVEL: 'error',
      ENTITYGATE_DATABASE_URL: 'postgres://u:p@h/d',
    };
    expect(await loadConfig(path, environment, { port: '3' })).toMatchObject({
      server: { host: 'file', port: 3 },
      log: { level: 'error' },
      database: { engine: 'postgres', url: 'postgres://u:p@h/d', poolSize: 8 },
    });
  });

  test('a database URL keeps the pool settings of the same engine', async () => {
    const postgres = 'database: { engine: postgres, url: "postgres://h/d", poolSize: 3 }';
    const path = await folder.write('config.yaml', postgres);
    const { database } = await loadConfig(path, { ENTITYGATE_DATABASE_URL: 'postgresql://i/e' });
    expect(database).toMatchObject({ url: 'postgresql://i/e', poolSize: 3 });
  });

  test.each(rows`
    Connect Timeout=7;Command Timeout=90;Max Pool Size=20 | {connectTimeoutSeconds: 7, statementTimeoutSeconds: 90, poolSize: 20}
    Connection Timeout=0;Command Timeout=0 | {connectTimeoutSeconds: 600, statementTimeoutSeconds: 86400, poolSize: 8}
    Encrypt=true | {connectTimeoutSeconds: 15, statementTimeoutSeconds: 30, poolSize: 8}
  `)(
    'a connection string with %s makes settings that the file does not make',
    async (extra, settings) => {
      const url = `Server=h;${extra}`;
      const path = await folder.write(
        'config.yaml',
        `database: { engine: sqlserver, url: "${url}" }`,
      );
      expect((await loadConfig(path, {})).database).toMatchObject(parsed(settings));
      const said = await folder.write(
        'said.yaml',
        'database: { engine: sqlserver, host: h, poolSize: 3 }',
      );
      const { database } = await loadConfig(said, { ENTITYGATE_DATABASE_URL: url });
      expect(database).toMatchObject({ ...parsed(settings), poolSize: 3 });
    },
  );

  test.each(rows`
    {}                           | {port: 80a}  | --port: expected a whole number, found "80a"
    {}                           | {port: '-1'} | --port: expected a whole number, found "-1"
    {ENTITYGATE_PORT: '70000'}   | {}           | ENTITYGATE_PORT: expected at most 65535, found 70000
    {ENTITYGATE_LOG_LEVEL: loud} | {}           | ENTITYGATE_LOG_LEVEL: expected fatal, error, warn, info, debug, trace or silent, found "loud"
  `)('%s and %s are refused under their own name', async (environment, commandLine, expected) => {
    expect(await configProblems(folder, text, parsed(environment), parsed(commandLine))).toEqual([
      expected,
    ]);
  });

  test('a database URL that cannot be one is not repeated', async () => {
    const found = await configProblems(folder, '', {
      ENTITYGATE_DATABASE_URL: 'postgres://u:se%cret@h/d',
    });
    expect(found).toEqual([
      'ENTITYGATE_DATABASE_URL: user and password of a URL have to be percent-encoded: write % as %25',
    ]);
  });

  test('is where a setting is located', async () => {
    const path = await folder.write('config.yaml', 'server:\n  host: file\n');
    const config = await loadConfig(
      path,
      { ENTITYGATE_DATABASE_URL: 'postgres://h/d' },
      { port: '3' },
    );
    expect(['server.host', 'server.port', 'database', 'database.url'].map(config.locate)).toEqual([
      `${path}:2:9`,
      '--port',
      'ENTITYGATE_DATABASE_URL',
      'ENTITYGATE_DATABASE_URL',
    ]);
  });
});

describe('displayPath', () => {
  test.each([
    ['config.yaml', 'config.yaml'],
    [`${process.cwd()}/mappings/a.yaml`, 'mappings/a.yaml'],
    ['/elsewhere/a.yaml', '/elsewhere/a.yaml'],
    [process.cwd(), process.cwd()],
    ['..data/a', '..data/a'],
  ])('%s is shown as %s', (path, expected) => {
    expect(displayPath(path)).toBe(expected);
  });
});
