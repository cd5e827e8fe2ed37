import { describe, expect, test } from 'vitest';
import { NOBODY, type Principal } from '../../src/base/principal.ts';
import { contextKeys } from '../../src/config/settings/session-context.ts';
import {
  clearedContext,
  contextBuilder,
  contextFor,
  contextText,
} from '../../src/database/session-context.ts';
import { setContextQuery } from '../../src/database/postgres/session.ts';
import { CONTEXT_LIMITS, setContextCommand } from '../../src/database/sqlserver/connection.ts';

const keys = { user: 'a.user', roles: 'a.roles', claims: { region: 'a.region', level: 'a.level' } };
const tell = contextBuilder(keys, { longest: 12, zeros: false });

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
    expect(() => tell(principal)).toThrow(
      `The user is passed to the database, and your ${expected}`,
    );
  });
});

test('who is told the same of is told apart by nothing', () => {
  const text = contextText(keys);
  expect(text(ann)).toBe(text({ ...ann, claims: new Map([...ann.claims, ['other', 'x']]) }));
  expect(text(ann)).not.toBe(text({ ...ann, claims: new Map([['region', 'n']]) }));
  expect([text(NOBODY), contextText(null)(NOBODY)]).toEqual(['', '']);
});

test('the setting names the keys', () => {
  expect(contextKeys({ engine: 'postgres' })).toBe(null);
  expect(contextKeys({ engine: 'sqlserver', tellUser: false })).toBe(null);
  for (const engine of ['pglite', 'postgres'] as const) {
    expect(contextKeys({ engine, tellUser: true })).toEqual({
      user: 'entitygate.user',
      claims: {},
    });
  }
  expect(contextKeys({ engine: 'sqlserver', tellUser: true })).toEqual({
    user: 'user',
    claims: {},
  });
  expect(contextKeys({ engine: 'postgres', tellUser: keys })).toEqual(keys);
});

test('on PostgreSQL, values are parameters, and null is empty', () => {
  const told = new Map([
    ['a.user', "ann's"],
    ['a.level', null],
  ]);
  expect(setContextQuery(told, 'transaction')).toEqual({
    text: 'SELECT set_config($1, $2, true), set_config($3, $4, true)',
    values: ['a.user', "ann's", 'a.level', ''],
  });
  expect(setContextQuery(clearedContext(told), 'session')).toEqual({
    text: 'SELECT set_config($1, $2, false), set_config($3, $4, false)',
    values: ['a.user', '', 'a.level', ''],
  });
});

test('on SQL Server, keys and values are parameters, and what is longer than an sql_variant is refused', () => {
  const told = new Map([
    ['user', "ann's"],
    ['level', null],
  ]);
  const { statement, values } = setContextCommand(told);
  expect([statement.text, statement.parameters.length, values]).toEqual([
    'EXEC sp_set_session_context @key = @p1, @value = @p2; EXEC sp_set_session_context @key = @p3, @value = @p4',
    4,
    ['user', "ann's", 'level', null],
  ]);
  expect(setContextCommand(clearedContext(told)).values).toEqual(['user', null, 'level', null]);
  const sessionContext = contextFor({ engine: 'sqlserver', tellUser: true }, CONTEXT_LIMITS);
  expect(sessionContext?.({ ...NOBODY, name: 'a'.repeat(4000) })?.size).toBe(1);
  expect(() => sessionContext?.({ ...NOBODY, name: 'a'.repeat(4001) })).toThrow('4000 characters');
  expect(contextFor({ engine: 'sqlserver' }, CONTEXT_LIMITS)).toBe(null);
});
