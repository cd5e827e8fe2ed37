import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { configSchema } from '../../../src/config/config.ts';
import {
  configText,
  databaseIn,
  databaseSetting,
  settingFor,
  withDatabase,
} from '../../../src/cli/init/config-text.ts';
import { rows } from '../../rows.ts';

/**
 * A configuration that init wrote, with the settings that it proposes in comments: of the lines that begin with `#` those where no blank,
 * or the blanks of an inner setting, stand behind it. What is only said stands one blank behind.
 */
function uncommented(text: string): string {
  return text.replaceAll(/^(\s*)#(?! \S)/gm, '$1');
}

const erp = { engine: 'postgres', url: 'postgres://u:geheim@h/my%20erp' } as const;

/** What a new configuration says of the sample's database. */
const said = {
  application: 'my erp',
  server: { host: '127.0.0.1', port: 8080 },
  database: {
    engine: 'postgres',
    url: 'postgres://u:${ENV:ENTITYGATE_DATABASE_PASSWORD}@h/my%20erp',
  },
  mappings: 'mappings',
  readOnly: true,
};

describe('a new configuration', () => {
  test('names the variables that hold its secrets', () => {
    const { text, variables } = configText(erp, '.');
    expect(variables).toEqual(['ENTITYGATE_DATABASE_PASSWORD']);
    expect(parse(text)).toEqual(said);
    expect(text.split('\napplication:', 1)).toEqual([
      `# Written by entitygate init; docs/reference/configuration.md explains every setting.
# Secrets come from the environment: ENTITYGATE_DATABASE_PASSWORD.
`,
    ]);
    expect(text).toContain(
      '\nreadOnly: true # Clients read. Remove this line to let them write.\n',
    );
  });

  test('proposes settings that are whole when they are uncommented', () => {
    const value = parse(uncommented(configText(erp, '.').text)) as Record<string, unknown>;
    expect(configSchema.safeParse(value)).toMatchObject({ success: true });
    expect(value).toEqual({
      ...said,
      server: {
        ...said.server,
        tls: { certificate: 'tls/fullchain.pem', key: 'tls/privkey.pem' },
      },
      authentication: {
        apiKeys: [{ name: 'reporting', hash: `sha256:${'0'.repeat(64)}`, roles: ['reader'] }],
        jwt: {
          jwks: 'https://login.example.com/.well-known/jwks.json',
          issuer: 'https://login.example.com/',
          audience: 'entitygate',
        },
        oidc: {
          issuer: 'https://login.example.com/',
          clientId: 'entitygate',
          clientSecret: '${ENV:ENTITYGATE_CLIENT_SECRET}',
        },
      },
      roles: {
        reader: { dataclasses: { '*': { read: true } } },
        editor: { dataclasses: { '*': { read: true, create: true, update: true, delete: true } } },
      },
    });
  });

  test('has people sign in where they do', () => {
    const place = { issuer: 'https://login.example.com/', clientId: 'erp' };
    const { text, variables } = configText(erp, '.', place);
    const value = parse(uncommented(text)) as Record<string, unknown>;
    expect(value).toMatchObject({
      authentication: { oidc: { ...place, clientSecret: '${ENV:ENTITYGATE_CLIENT_SECRET}' } },
      roles: { reader: { dataclasses: { '*': { read: true } } } },
    });
    expect(configSchema.safeParse(value)).toMatchObject({ success: true });
    expect(variables).toEqual(['ENTITYGATE_DATABASE_PASSWORD', 'ENTITYGATE_CLIENT_SECRET']);
    expect(text).toContain('People sign in at the explorer.');
    expect(text).not.toContain('Without authentication');
    const open = configText({ engine: 'postgres', url: 'postgres://u@h/d' }, '.');
    expect([open.variables, open.text.includes('Secrets')]).toEqual([[], false]);
  });
});

describe('a URL or connection string in a file', () => {
  const password = 'ENTITYGATE_DATABASE_PASSWORD';
  test.each(rows`
    postgres://u:p@h:5432/d | postgres://u:\${ENV:${password}}@h:5432/d | ${password}
    postgres://u:p%40x@h/d?sslmode=require&sslpassword=x
      | postgres://u:\${ENV:${password}}@h/d?sslmode=require&sslpassword=\${ENV:ENTITYGATE_DATABASE_SSLPASSWORD} | ${password} | ENTITYGATE_DATABASE_SSLPASSWORD
    postgres://u@h/d?a=1 | postgres://u@h/d?a=1
    postgres://u:@h/d | postgres://u:@h/d
    mssql://sa:Pa:s@s@h:1433/d?encrypt=true | mssql://sa:\${ENV:${password}}@h:1433/d?encrypt=true | ${password}
    Server=h,1433;Database=d;User Id=u;Password=p;Encrypt=true | Server=h,1433;Database=d;User Id=u;Password=\${ENV:${password}};Encrypt=true | ${password}
    Server=h; PWD = "a;b""c";Database=d | Server=h; PWD = \${ENV:${password}};Database=d | ${password}
    Server=h;Password=a;;b;Client Secret={x;y} | Server=h;Password=\${ENV:${password}};Client Secret=\${ENV:ENTITYGATE_DATABASE_CLIENT_SECRET} | ${password}
      | ENTITYGATE_DATABASE_CLIENT_SECRET
    Server=h;Password=;Database=d | Server=h;Password=;Database=d
    Server=h;Database=d;Trusted_Connection=yes | Server=h;Database=d;Trusted_Connection=yes
  `)('%s', (text, url, ...variables) => {
    const setting = databaseSetting(text, '--database');
    expect(settingFor(setting, '.')).toEqual({ database: { ...setting, url }, variables });
  });
});

test.each([
  ['postgresql://h/d', 'postgres'],
  ['Server=h;Database=d', 'sqlserver'],
  [`pglite:${import.meta.dirname}`, 'pglite'],
])('--database %s', (text, engine) => {
  expect(databaseSetting(text, '--database').engine).toBe(engine);
});

test('a relative folder is written as it is found from the configuration', () => {
  const setting = { engine: 'pglite', directory: '.data/sample' } as const;
  expect(settingFor(setting, 'gateway')).toEqual({
    database: { ...setting, directory: '../.data/sample' },
    variables: [],
  });
  const absolute = { engine: 'pglite', directory: join(import.meta.dirname, 'x') } as const;
  expect(settingFor(absolute, 'gateway')).toEqual({ database: absolute, variables: [] });
});

describe('a database', () => {
  test.each([
    ['postgres://h', 'postgres://h/a%20b'],
    ['postgres://u:p@h:5432/?sslmode=require', 'postgres://u:p@h:5432/a%20b?sslmode=require'],
    ['mssql://u:p@h?encrypt=false', 'mssql://u:p@h/a%20b?encrypt=false'],
    ['Server=h;Password=x', 'Server=h;Password=x;Database="a b"'],
    ['Server=h;Database=;', 'Server=h;Database=;Database="a b"'],
  ])('that %s leaves out is put in', (url, named) => {
    expect(databaseIn(url)).toBeNull();
    expect(withDatabase(url, 'a b')).toBe(named);
    expect(databaseIn(named)).toBe('a b');
  });

  test.each([
    ['Server=h;Initial Catalog=d', 'd'],
    ['postgres://h/%', null],
    ['postgres://h/a/b?sslmode=require', 'a/b'],
    ['mssql://h/%2F%3F%23%5B%5D%40%3A%25%2523', '/?#[]@:%%23'],
  ])('is named by %s as %s', (url, name) => {
    expect(databaseIn(url)).toBe(name);
  });

  test('that no engine has is refused', () => {
    expect(() => databaseSetting('mysql://h/d', '--database')).toThrow(
      '--database: expected postgres://…, mssql://…, a SQL Server connection string (Server=…;Database=…), or pglite: and a folder',
    );
  });
});
