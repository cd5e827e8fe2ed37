import { describe, expect, test } from 'vitest';
import { NOBODY, type Principal } from '../../src/base/principal.ts';
import { tellKeys } from '../../src/config/tell-user.ts';
import { forgotten, tellingBy } from '../../src/database/told.ts';
import { tellQuery } from '../../src/database/postgres/tell.ts';
import { tellCommand, tellingSqlServer } from '../../src/database/sqlserver/tell.ts';

const keys = { user: 'a.user', roles: 'a.roles', claims: { region: 'a.region', level: 'a.level' } };
const tell = tellingBy(keys, { longest: 12, zeros: false });

const ann: Principal = {
  name: "ann's",
  roles: ['a,b'],
  claims: new Map<string, string | readonly string[]>([['region', ['n', 's']]]),
};

describe('what is told of who asks', () => {
  test('is texts, lists as JSON, and null for what is not known', () => {
    expect([...(tell(ann) ?? [])]).toEqual([
      ['a.user', "ann's"],
      ['a.roles', '["a,b"]'],
      ['a.region', '["n","s"]'],
      ['a.level', null],
    ]);
    expect(tell({ ...NOBODY, name: '' })?.get('a.roles')).toBe('[]');
  });

  test('is nothing of nobody', () => {
    expect(tell(NOBODY)).toBe(null);
    expect(tell({ ...NOBODY, claims: new Map([['other', 'x']]) })).toBe(null);
    expect([...(tell({ ...NOBODY, roles: ['a'] }) ?? [])].slice(0, 2)).toEqual([
      ['a.user', null],
      ['a.roles', '["a"]'],
    ]);
  });

  test.each<[what: string, principal: Principal, expected: string]>([
    ['a name', { ...ann, name: 'a'.repeat(13) }, 'user’s name is longer than the 12 characters'],
    ['roles', { ...ann, roles: ['abcdef', 'g'] }, 'list of roles is longer than the 12 characters'],
    [
      'a claim',
      { ...ann, claims: new Map([['level', 'a'.repeat(13)]]) },
      'claim level is longer than the 12 characters',
    ],
    ['U+0000', { ...ann, name: 'a\0' }, 'user’s name is text with characters that it does not'],
    ['half a pair', { ...ann, name: 'a\ud800' }, 'user’s name is text with characters that it'],
  ])('is refused where the engine would not keep it as it is: %s', (_, principal, expected) => {
    expect(() => tell(principal)).toThrow(`The database is told who asks, and your ${expected}`);
  });
});

test('the setting names the keys', () => {
  expect([tellKeys(undefined, 'postgres'), tellKeys(false, 'sqlserver')]).toEqual([null, null]);
  expect(tellKeys(true, 'postgres')).toEqual({ user: 'entitygate.user', claims: {} });
  expect(tellKeys(true, 'sqlserver')).toEqual({ user: 'user', claims: {} });
  expect(tellKeys(keys, 'postgres')).toEqual(keys);
});

test('on PostgreSQL, values are parameters, and null is empty', () => {
  const told = new Map([
    ['a.user', "ann's"],
    ['a.level', null],
  ]);
  expect(tellQuery(told, 'transaction')).toEqual({
    text: 'SELECT set_config($1, $2, true), set_config($3, $4, true)',
    values: ['a.user', "ann's", 'a.level', ''],
  });
  expect(tellQuery(forgotten(told), 'session')).toEqual({
    text: 'SELECT set_config($1, $2, false), set_config($3, $4, false)',
    values: ['a.user', '', 'a.level', ''],
  });
});

test('on SQL Server, keys and values are parameters, and what is longer than an sql_variant is refused', () => {
  const told = new Map([
    ['user', "ann's"],
    ['level', null],
  ]);
  const { statement, values } = tellCommand(told);
  expect([statement.text, statement.parameters.length, values]).toEqual([
    'EXEC sp_set_session_context @key = @p1, @value = @p2; EXEC sp_set_session_context @key = @p3, @value = @p4',
    4,
    ['user', "ann's", 'level', null],
  ]);
  expect(tellCommand(forgotten(told)).values).toEqual(['user', null, 'level', null]);
  const tellWho = tellingSqlServer(true);
  expect(tellWho?.({ ...NOBODY, name: 'a'.repeat(4000) })?.size).toBe(1);
  expect(() => tellWho?.({ ...NOBODY, name: 'a'.repeat(4001) })).toThrow('4000 characters');
  expect(tellingSqlServer(undefined)).toBe(null);
});
