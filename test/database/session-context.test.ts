import { describe, expect, test } from 'vitest';
import { NOBODY, type Principal } from '../../src/base/principal.ts';
import { contextKeys } from '../../src/config/settings/session-context.ts';
import {
  checkSessionContext,
  clearedContext,
  contextBuilder,
  contextFor,
  contextText,
} from '../../src/database/session-context.ts';
import { CONTEXT_LIMITS, setContextCommand } from '../../src/database/sqlserver/connection.ts';
import { ClientGone } from '../../src/base/time.ts';
import { ProtocolError } from '../../src/base/errors.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import { change, query } from '../targets/sql.ts';
import { doneFor, fakeDatabase } from './fake-driver.ts';

const keys = { user: 'a.user', roles: 'a.roles', claims: { region: 'a.region', level: 'a.level' } };
const tell = contextBuilder(keys, { longest: 12, zeros: false });

const ann: Principal = {
  name: "ann's",
  roles: ['a,b'],
  claims: new Map<string, string | readonly string[]>([['region', ['n', 's']]]),
};

describe('what is told of who asks', () => {
  test('is nothing of nobody', () => {
    expect(tell(NOBODY)).toBe(null);
    expect(tell({ ...NOBODY, claims: new Map([['other', 'x']]) })).toBe(null);
    expect([...(tell({ ...NOBODY, roles: ['a'] }) ?? [])].slice(0, 2)).toEqual([
      ['a.user', null],
      ['a.roles', '["a"]'],
    ]);
  });

  const level = new Map([['level', 'a'.repeat(13)]]);
  const half = 'text with characters that it does not';

  test.each<[what: string, more: Partial<Principal>, expected: string]>([
    ['a name', { name: 'a'.repeat(13) }, 'user’s name is longer than the 12 characters'],
    ['roles', { roles: ['abcdef', 'g'] }, 'list of roles is longer than the 12 characters'],
    ['a claim', { claims: level }, 'claim level is longer than the 12 characters'],
    ['U+0000', { name: 'a\0' }, `user’s name is ${half}`],
    ['half a pair', { name: 'a\ud800' }, `user’s name is ${half}`],
    ['half a pair in a list', { roles: ['a\ud800'] }, `list of roles is ${half}`],
  ])('is refused where the engine would not keep it as it is: %s', (_, more, expected) => {
    expect(() => tell({ ...ann, ...more })).toThrow(
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
  const told = (['pglite', 'postgres', 'sqlserver'] as const).map((engine) =>
    contextKeys({ engine, tellUser: true }),
  );
  expect(told.map((one) => one?.user)).toEqual(['entitygate.user', 'entitygate.user', 'user']);
  expect(contextKeys({ engine: 'sqlserver', tellUser: false })).toBe(null);
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

describe('context lender', () => {
  const ann = doneFor('ann');
  const refuse = (): Promise<never> =>
    Promise.reject(Object.assign(new Error('refused'), { code: '23514' }));

  describe('nothing of it stays', () => {
    test.each(['run', 'begin', 'commit', 'rollback'] as const)(
      'where the %s of a transaction fails',
      async (failing) => {
        const { database, happened, released } = fakeDatabase({ [failing]: refuse });
        const work = database.transaction(async (on) => {
          await change(on, 'UPDATE');
          if (failing === 'rollback') throw new RangeError('changed my mind');
        }, ann);
        await expect(work).rejects.toThrow(Error);
        await released(1);
        // What is not clean is not given back: with the connection goes what it knew.
        const ends = { run: 'given back', commit: 'given back' } as Record<string, string>;
        expect(happened.at(-1)).toBe(ends[failing] ?? 'broken off');
        expect(happened.includes('forget for ann')).toBe(happened.at(-1) === 'given back');
      },
    );

    test('where the client leaves', async () => {
      const leaving = new AbortController();
      const { database, happened, released } = fakeDatabase({
        run: () => {
          leaving.abort();
          return refuse();
        },
      });
      const work = query(database, 'SELECT', doneFor('ann', { signal: leaving.signal }));
      await expect(work).rejects.toThrow(ClientGone);
      await released(1);
      expect(happened).toEqual(['tell', 'run for ann', 'cancel', 'forget for ann', 'given back']);
    });

    test('where the database does not say that it forgot it: nobody gets that connection', async () => {
      const { database, happened, released } = fakeDatabase({ forget: refuse });
      await query(database, 'SELECT', ann);
      await query(database, 'SELECT');
      await released(2);
      expect(happened).toEqual([
        ...['tell', 'run for ann', 'forget for ann', 'broken off'],
        ...['run', 'given back'],
      ]);
    });
  });

  describe('nothing is run', () => {
    test('where the database cannot be told', async () => {
      const { database, happened, released } = fakeDatabase({ tell: refuse });
      await expect(query(database, 'SELECT', ann)).rejects.toThrow('The database refused');
      await expect(change(database, 'UPDATE', ann)).rejects.toThrow('The database refused');
      await released(2);
      expect(happened).toEqual(['tell', 'broken off', 'tell', 'broken off']);
    });

    test('where the client leaves while the database is told', async () => {
      const leaving = new AbortController();
      const { database, happened, released } = fakeDatabase({
        tell: () => {
          leaving.abort();
          return refuse();
        },
      });
      const work = query(database, 'SELECT', doneFor('ann', { signal: leaving.signal }));
      await expect(work).rejects.toThrow(ClientGone);
      await released(1);
      expect(happened).toEqual(['tell', 'cancel', 'broken off']);
    });

    test('for who has a name that the database would cut', async () => {
      const { database, happened } = fakeDatabase();
      const error: unknown = await query(database, 'SELECT', doneFor('a'.repeat(11))).catch(
        (thrown: unknown) => thrown,
      );
      expect(error).toEqual(
        new ProtocolError(
          'invalidContext',
          'The user is passed to the database, and your user’s name is longer than the 10 characters that it takes.',
        ),
      );
      expect(happened).toEqual([]);
    });
  });

  test('whether the database takes the keys is seen at the start', async () => {
    const good = fakeDatabase();
    await checkSessionContext(good.database, good.driver);
    await good.released(1);
    expect(good.happened).toEqual(['tell', 'run for ', 'forget for ', 'given back']);
    const bad = fakeDatabase({ tell: refuse });
    await expect(checkSessionContext(bad.database, bad.driver)).rejects.toMatchObject({
      problems: [
        {
          where: 'database.tellUser',
          message: 'the user cannot be passed to the database: refused',
        },
      ],
    });
    const none = fakeDatabase({ tell: refuse }, null);
    await checkSessionContext(none.database, none.driver);
    expect([none.happened, gatewayContext.principal.name]).toEqual([[], null]);
  });
});
