import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  databaseIn,
  databaseSetting,
  settingFor,
  withDatabase,
} from '../../../src/cli/init/config-text.ts';
import { rows } from '../../rows.ts';

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

describe('--database', () => {
  test.each([
    ['postgresql://h/d', 'postgres'],
    ['mssql://h/d', 'sqlserver'],
    ['Server=h;Database=d', 'sqlserver'],
    [`pglite:${import.meta.dirname}`, 'pglite'],
  ])('%s', (text, engine) => {
    expect(databaseSetting(text, '--database').engine).toBe(engine);
  });

  test.each([
    ['pglite:/no/such/folder', /there is no folder \/no\/such\/folder/],
    ['mysql://h/d', /expected postgres:/],
  ])('%s is refused', (text, message) => {
    expect(() => databaseSetting(text, '--database')).toThrow(message);
  });
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
});
