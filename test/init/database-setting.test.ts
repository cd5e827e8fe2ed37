import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { configText } from '../../src/init/config-text.ts';
import { databaseSetting, settingFor, withoutSecret } from '../../src/init/database-setting.ts';

describe('a URL without its secrets', () => {
  test.each([
    ['postgres://u:p@h:5432/d', 'postgres://u@h:5432/d'],
    ['postgres://u:p%40x@h/d?sslmode=require&password=x', 'postgres://u@h/d?sslmode=require'],
    ['postgres://u@h/d?a=1', 'postgres://u@h/d?a=1'],
    ['mssql://sa:Pa:ss@h:1433/d?encrypt=true', 'mssql://sa@h:1433/d?encrypt=true'],
    [
      'Server=h,1433;Database=d;User Id=u;Password=p;Encrypt=true',
      'Server=h,1433;Database=d;User Id=u;Encrypt=true',
    ],
    ['Server=h;PWD="a;b""c";Database=d', 'Server=h;Database=d'],
    ['Server=h;Database=d;Trusted_Connection=yes', 'Server=h;Database=d;Trusted_Connection=yes'],
  ])('%s', (url, open) => {
    expect(withoutSecret(url)).toBe(open);
  });
});

describe('--database', () => {
  test.each([
    ['postgresql://h/d', 'postgres'],
    ['mssql://h/d', 'sqlserver'],
    ['Server=h;Database=d', 'sqlserver'],
    [`pglite:${import.meta.dirname}`, 'pglite'],
  ])('%s', (text, engine) => {
    expect(databaseSetting(text).engine).toBe(engine);
  });

  test.each([
    ['pglite:/no/such/folder', /there is no folder \/no\/such\/folder/],
    ['mysql://h/d', /expected postgres:/],
  ])('%s is refused', (text, message) => {
    expect(() => databaseSetting(text)).toThrow(message);
  });
});

test('a relative folder is written as it is found from the configuration', () => {
  const setting = { engine: 'pglite', directory: '.data/sample' } as const;
  expect(settingFor(setting, 'gateway')).toEqual({ ...setting, directory: '../.data/sample' });
  const absolute = { engine: 'pglite', directory: join(import.meta.dirname, 'x') } as const;
  expect(settingFor(absolute, 'gateway')).toEqual(absolute);
});

test('a configuration says where the secret comes from that it does not hold', () => {
  const secret = configText({ engine: 'postgres', url: 'postgres://u:geheim@h/my%20erp' }, '.');
  expect(secret.withoutSecret).toBe(true);
  expect(secret.text).not.toContain('geheim');
  expect(secret.text).toContain('ENTITYGATE_DATABASE_URL');
  expect(secret.text).toContain('application: my erp');
  const open = configText({ engine: 'postgres', url: 'postgres://u@h/d' }, '.');
  expect(open).toEqual({ text: expect.not.stringContaining('DATABASE_URL'), withoutSecret: false });
});
