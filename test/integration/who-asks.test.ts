import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/app.ts';
import type { Principal } from '../../src/base/principal.ts';
import type { Config } from '../../src/config/config.ts';
import type { ContextKeys } from '../../src/config/settings/session-context.ts';
import type { Database } from '../../src/database/database.ts';
import { gatewayContext, type RequestContext } from '../../src/base/observe/observer.ts';
import { change, command, query } from '../targets/sql.ts';
import { mapped, onEngines, type Shape } from './shapes/engines.ts';

const inSession = (key: string): string =>
  `CONVERT(nvarchar(4000), SESSION_CONTEXT(N'app.${key}'))`;

/** A trigger signs notes, and a procedure keeps two of the names that it hears, whichever transactions it ends. */
const shape: Shape = {
  postgres: `CREATE SCHEMA app;
CREATE TABLE app.note (id int PRIMARY KEY, owner text NOT NULL, changed_by text);
CREATE FUNCTION app.sign() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN NEW.changed_by := NULLIF(current_setting('app.user', true), ''); RETURN NEW; END $$;
CREATE TRIGGER sign BEFORE INSERT OR UPDATE ON app.note FOR EACH ROW EXECUTE FUNCTION app.sign();
CREATE TABLE app.heard (name text);
CREATE PROCEDURE app.listen(fails int) LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO app.heard VALUES (current_setting('app.user', true)); ROLLBACK;
  INSERT INTO app.heard VALUES (current_setting('app.user', true)); COMMIT;
  INSERT INTO app.heard VALUES (current_setting('app.user', true)); PERFORM 1 / (1 - fails); END $$;`,
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.note (id int PRIMARY KEY, owner nvarchar(50) NOT NULL, changed_by nvarchar(50))',
    `CREATE TRIGGER app.sign ON app.note AFTER INSERT, UPDATE AS BEGIN SET NOCOUNT ON;
       UPDATE app.note SET changed_by = ${inSession('user')} WHERE id IN (SELECT id FROM inserted) END`,
    'CREATE TABLE app.heard (name nvarchar(50))',
    `CREATE PROCEDURE app.listen @fails int AS BEGIN SET NOCOUNT ON;
       INSERT INTO app.heard VALUES (${inSession('user')});
       INSERT INTO app.heard VALUES (${inSession('user')});
       SELECT 1 / (1 - @fails) END`,
  ],
  mappings: mapped('note: {table: app.note}'),
};

const tellUser: ContextKeys = {
  user: 'app.user',
  roles: 'app.roles',
  claims: { region: 'app.region' },
};

function by(name: string): RequestContext {
  const principal: Principal = {
    name,
    roles: ['clerk', 'a,b'],
    claims: new Map([['region', `of ${name}`]]),
  };
  return { ...gatewayContext, principal };
}

onEngines('who asks is told', shape, (served) => {
  const isTsql = served.isSqlServer;
  const asked = ['user', 'roles', 'region'].map((key) =>
    isTsql ? inSession(key) : `current_setting('app.${key}', true)`,
  );
  const whoAsks = `SELECT ${asked.join(', ')}`;
  /** What the session knows of nobody: what was once set cannot be null again on PostgreSQL. */
  const nobody = isTsql ? null : '';
  let database: Database;
  beforeAll(async () => {
    const pool = served.engine === 'pglite' ? {} : { poolSize: 1 };
    const settings = { ...served.settings.database, ...pool, tellUser };
    database = await openDatabase({
      ...{ database: settings, timeZone: 'UTC', bigNumbersAsStrings: false },
    } as Config);
  });
  afterAll(() => database.close());

  const known = async (activity: Partial<RequestContext> = {}): Promise<unknown> =>
    (await query(database, whoAsks, activity))[0];
  const ofAnn = ['ann', '["clerk","a,b"]', 'of ann'];
  const ofNobody = [nobody, nobody, nobody];

  test('for a statement, and no longer', async () => {
    expect(await known(by('ann'))).toEqual(ofAnn);
    expect(await known()).toEqual(ofNobody);
  });

  test('whatever the name holds', async () => {
    const name = `O'Neil"; DROP TABLE note; -- $1 @p1 \\ ß 名 😀\n`;
    expect(await known(by(name))).toEqual([name, '["clerk","a,b"]', `of ${name}`]);
    expect(await known(by(''))).toEqual(['', '["clerk","a,b"]', 'of ']);
  });

  test('by many at once, who never see each other', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `user ${index % 7}`);
    const seen = await Promise.all(
      names.map(async (name, index) => {
        if (index % 5 === 0) return [name, ((await known()) as unknown[])[0]];
        if (index % 3 > 0) return [name, ((await known(by(name))) as unknown[])[0]];
        return database.transaction(async (on) => {
          const [first] = await query(on, whoAsks);
          const [second] = await query(on, whoAsks);
          return [name, first?.[0] === second?.[0] ? first?.[0] : 'changed'];
        }, by(name));
      }),
    );
    expect(seen).toEqual(names.map((name, index) => [name, index % 5 === 0 ? nobody : name]));
  });

  test('by a trigger of the application, in a write on its own and in a transaction', async () => {
    await change(database, `INSERT INTO app.note (id, owner) VALUES (1, 'ann')`, by('ann'));
    await database.transaction(async (on) => {
      await change(on, `INSERT INTO app.note (id, owner) VALUES (2, 'bob')`);
      await change(on, `INSERT INTO app.note (id, owner) VALUES (3, 'ann')`);
    }, by('bob'));
    await change(database, `INSERT INTO app.note (id, owner) VALUES (4, 'eve')`);
    const rows = await query(database, 'SELECT id, changed_by FROM app.note ORDER BY id');
    expect(rows.map(([id, name]) => [Number(id), name])).toEqual([
      [1, 'ann'],
      [2, 'bob'],
      [3, 'bob'],
      [4, null],
    ]);
  });

  test('in a stream, whether it is taken whole or not', async () => {
    const from = 'WITH s AS (SELECT 1 AS n UNION ALL SELECT 2 UNION ALL SELECT 3)';
    const many = command(`${from} ${whoAsks} FROM s`);
    for await (const rows of database.stream(many, { ...by('ann'), batchRows: 2 })) {
      expect(rows).toEqual([ofAnn, ofAnn]);
      break;
    }
    expect(await known()).toEqual(ofNobody);
    const all: unknown[] = [];
    for await (const rows of database.stream(many, by('ann'))) all.push(...rows);
    expect(all).toEqual([ofAnn, ofAnn, ofAnn]);
    expect(await known()).toEqual(ofNobody);
  });

  test('in a procedure, whichever transactions it keeps', async () => {
    const listen = (fails: number): Promise<unknown> => {
      const text = isTsql ? `EXEC app.listen ${fails}` : `CALL app.listen(${fails})`;
      return database.call(command(text, 'write'), by('ann'));
    };
    await listen(0);
    expect(await query(database, 'SELECT name FROM app.heard')).toEqual([['ann'], ['ann']]);
    await expect(listen(1)).rejects.toThrow(Error);
    expect(await known()).toEqual(ofNobody);
  });

  test('and forgets it after a statement that failed, and work that was rolled back', async () => {
    await expect(query(database, 'SELECT 1 / 0', by('ann'))).rejects.toThrow('refused');
    expect(await known()).toEqual(ofNobody);
    await expect(
      change(database, 'INSERT INTO app.note (id) VALUES (9)', by('ann')),
    ).rejects.toThrow(Error);
    expect(await known()).toEqual(ofNobody);
    const work = database.transaction(async (on) => {
      await query(on, whoAsks);
      throw new RangeError('changed my mind');
    }, by('ann'));
    await expect(work).rejects.toThrow('changed my mind');
    expect(await known()).toEqual(ofNobody);
  });
});
