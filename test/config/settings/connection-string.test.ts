import { describe, expect, test } from 'vitest';
import { isSecretName } from '../../../src/base/text.ts';
import { mayHoldSecret, redacted } from '../../../src/config/settings/connection-string.ts';

describe('a name', () => {
  test.each([
    'password',
    'Password',
    'PWD',
    'sslpassword',
    'clientSecret',
    'Client Secret',
    'msi_secret',
    'USR_PASSWD',
    'PWD_HASH',
    'accesstoken',
    'AccessToken',
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
