import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Config, configSchema } from '../../src/config/config.ts';
import { run } from '../cli/run.ts';
import { type Answer, type Gateway, type Sent, startGateway } from '../targets/gateway.ts';
import { sharedSettings } from '../targets/instances.ts';
import { describeWith } from '../targets/missing.ts';
import { postgresTarget } from '../targets/postgres.ts';
import { query } from '../targets/sql.ts';
import { noStateStore, openStateStore, type StateStoreTarget } from '../targets/state-store.ts';
import { runGateway } from './gateway-process.ts';
import { errors, serving } from './shapes/engines.ts';
import { PASSWORD, writeUsers } from './shapes/login.ts';
import { sample, settingsIn } from './shapes/sample.ts';

const missing = (await postgresTarget.unavailable()) ?? noStateStore;

const UNAVAILABLE =
  'The store of sessions, locks and entity sets cannot be reached. Try again later.';

describeWith(missing, 'gateways with one state', () => {
  const served = serving('postgres', sample);
  let store: StateStoreTarget;
  let users: Partial<Config>;
  let gateways: Gateway[] = [];
  beforeAll(async () => {
    store = await openStateStore();
    users = settingsIn({
      authentication: { users: await writeUsers(dirname(served.mappings), 'sales') },
      roles: { sales: { dataclasses: { '*': { read: true } } } },
    });
    return store.close;
  });
  beforeEach(async () => {
    await store.start();
    await store.command('FLUSHALL');
  });
  afterEach(async () => {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    gateways = [];
  });

  async function start(settings: Partial<Config> = {}): Promise<Gateway> {
    const gateway = await startGateway(served.settings.database, {
      ...sharedSettings(store),
      ...settings,
    });
    gateways.push(gateway);
    return gateway;
  }

  async function stop(gateway: Gateway): Promise<void> {
    gateways = gateways.filter((other) => other !== gateway);
    await gateway.close();
  }

  const inSession = (session: string, more: Sent = {}): Sent => ({
    ...more,
    headers: { cookie: `ENTITYGATE_SID=${session}` },
  });

  function sessionOf({ headers }: Answer): string {
    const [cookie = ''] = headers['set-cookie'] ?? [];
    return /^ENTITYGATE_SID=([^;]+)/.exec(cookie)?.[1] ?? '';
  }

  const setOf = ({ body }: Answer): string =>
    /[0-9A-F]{46}$/.exec((body as { __ENTITYSET: string }).__ENTITYSET)?.[0] ?? '';

  const idsOf = ({ body }: Answer): unknown =>
    (body as { __ENTITIES?: { ID: number }[] }).__ENTITIES?.map(({ ID }) => ID);

  const SET = '/rest/Employee?$filter="ID<=3"&$orderby=ID&$method=entityset';

  test('one has what another was told that has ended', async () => {
    const [one, other] = [await start(), await start()];
    const id = setOf(await one.get(SET));
    const session = sessionOf(await one.get('/rest/$info'));
    await stop(one);
    const url = `/rest/Employee/$entityset/${id}?$attributes=ID`;
    expect(idsOf(await other.get(url))).toEqual([1, 2, 3]);
    const { body } = await other.get('/rest/$info', inSession(session));
    expect(body).toMatchObject({ sessionInfo: [{ sessionID: session }] });
  });

  test('a login counts everywhere, until a logout anywhere', async () => {
    const [one, other, third] = [await start(users), await start(users), await start(users)];
    const login = { method: 'POST', body: JSON.stringify(['ada', PASSWORD]) };
    const session = sessionOf(await one.get('/rest/$directory/login', login));
    const read = (gateway: Gateway): Promise<number> =>
      gateway.get('/rest/Company?$top=0', inSession(session)).then(({ status }) => status);
    expect([await read(other), await read(third)]).toEqual([200, 200]);
    await third.get('/rest/$directory/logout', inSession(session, { method: 'POST' }));
    expect([await read(one), await read(other)]).toEqual([401, 401]);
  });

  test('failed logins count together', async () => {
    const all = [await start(users), await start(users)];
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const wrong = { method: 'POST', body: JSON.stringify(['ada', `wrong ${attempt}`]) };
      const answer = await all[attempt % 2]?.get('/rest/$directory/login', wrong);
      statuses.push(answer?.status ?? 0);
    }
    expect(statuses).toEqual([...Array<number>(10).fill(401), 429, 429]);
  });

  test('requests count together; without the store nobody is refused', async () => {
    const limits = { ...configSchema.parse({}).limits, requestsPerMinute: 4 };
    const all = [await start({ limits }), await start({ limits })];
    const statuses = async (): Promise<number[]> => {
      const found: number[] = [];
      for (let time = 0; time < 6; time += 1) {
        found.push((await all[time % 2]?.get('/rest/Employee(1)'))?.status ?? 0);
      }
      return found;
    };
    expect(await statuses()).toEqual([200, 200, 200, 200, 429, 429]);
    await store.stop('SIGKILL');
    expect(await statuses()).toEqual(Array<number>(6).fill(200));
  });

  /** What a session is told that locks an entity, asks for its lock or unlocks it. */
  async function lock(
    gateway: Gateway,
    session: string,
    key: number,
    what: 'true' | 'false' | 'status' = 'true',
  ): Promise<unknown> {
    const { body } = await gateway.get(
      `/rest/Employee(${key})?$lock=${what}`,
      session === '' ? {} : inSession(session),
    );
    const { result, __STATUS, __ERROR } = body as {
      readonly result?: boolean;
      readonly __STATUS?: { lockKind?: number; own?: boolean; lost?: boolean };
      readonly __ERROR?: readonly { errCode: number }[];
    };
    if (__ERROR !== undefined) return __ERROR[0]?.errCode;
    const { lockKind, own, lost } = __STATUS ?? {};
    if (result === false) return lockKind === 7 ? 'of another session' : 'elsewhere';
    if (own === undefined) return 'done';
    return own ? 'own' : lost === true ? 'lost' : 'free';
  }

  let saves = 0;
  /** Saves an entity in a session, or in none. @returns 200, or the code of the error */
  async function save(gateway: Gateway, session: string, key = 1): Promise<unknown> {
    const { body } = await gateway.get(`/rest/Employee(${key})?$attributes=ID`);
    const { __STAMP } = body as { __STAMP: number };
    const changed = { __KEY: key, __STAMP, lastName: `Saved ${(saves += 1)}` };
    const more = { method: 'POST', body: JSON.stringify(changed) };
    const sent = session === '' ? more : inSession(session, more);
    const answer = await gateway.get('/rest/Employee?$method=update', sent);
    const [error] = (answer.body as { __ERROR?: { errCode: number }[] }).__ERROR ?? [];
    return error?.errCode ?? answer.status;
  }

  describe('locks', () => {
    let one: Gateway;
    let other: Gateway;
    let third: Gateway;
    let ada: string;
    let bob: string;
    beforeEach(async () => {
      [one, other, third] = [await start(), await start(), await start()];
      ada = sessionOf(await one.get('/rest/$info'));
      bob = sessionOf(await other.get('/rest/$info'));
    });

    /** The locks of this database: others on the server are none of these tests. */
    const held =
      "pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    const heldCount = async (): Promise<number> =>
      Number((await query(third.database, `SELECT count(*)::int FROM ${held}`))[0]?.[0]);

    test('are their session’s everywhere, and of nobody else', async () => {
      expect(await lock(one, ada, 1)).toBe('done');
      expect([await save(other, ada), await save(third, ada)]).toEqual([200, 200]);
      expect([await save(one, ''), await save(other, bob)]).toEqual([9025, 9025]);
      expect(await lock(other, bob, 1)).toBe('of another session');
    });

    test('are all free when their session ends, wherever they are kept', async () => {
      const keys = [1, 2, 3, 4, 5];
      for (const key of keys) await lock([one, other, third][key % 3] ?? one, ada, key);
      await lock(third, bob, 6);
      await other.get('/rest/$directory/logout', inSession(ada, { method: 'POST' }));
      const states = [...keys, 6].map((key) => lock(third, '', key, 'status'));
      expect(await Promise.all(states)).toEqual([...keys.map(() => 'free'), 'of another session']);
      expect(await heldCount()).toBe(2);
    });

    test('of another program are respected', async () => {
      const program = await one.database.dedicated(() => undefined);
      const name = 'entitygate:HR.TBL_EMP:3';
      await query(
        program,
        `SELECT pg_advisory_lock(('x' || substr(encode(sha256('${name}'), 'hex'), 1, 16))::bit(64)::bigint)`,
      );
      expect(await lock(one, ada, 3)).toBe('elsewhere');
      expect(await lock(one, ada, 3, 'status')).toBe('elsewhere');
      expect(await save(other, ada, 3)).toBe(9025);
      await program.close();
      await expect.poll(() => lock(one, ada, 3)).toBe('done');
    });

    test.each([0, 1])('whose connection has ended are lost, as gateway %i tells', async (index) => {
      const gateway = [one, other][index] ?? one;
      await lock(one, ada, 1);
      await query(
        third.database,
        `SELECT pg_terminate_backend(pid) FROM (SELECT DISTINCT pid FROM ${held}) p`,
      );
      await expect.poll(() => lock(gateway, ada, 1, 'status')).toBe('lost');
      const outcomes = [
        await save(gateway, ada),
        await save(gateway, bob),
        await save(gateway, ada),
      ];
      expect(outcomes).toEqual([9026, 200, 9026]);
      expect(await lock(gateway, ada, 1, 'false')).toBe(9026);
      expect(await lock(gateway, ada, 1, 'false')).toBe('done');
      expect(await save(gateway, ada)).toBe(200);
    });

    test('whose gateway has ended are free for others, and lost for their session until that takes them again', async () => {
      await lock(one, ada, 1);
      await stop(one);
      expect(await lock(other, bob, 1)).toBe('done');
      expect(await save(other, ada)).toBe(9026);
      expect(await lock(third, ada, 1, 'status')).toBe('of another session');
      expect(await lock(third, bob, 1, 'false')).toBe('done');
      expect(await lock(third, ada, 1, 'status')).toBe('lost');
      expect(await save(other, ada)).toBe(9026);
      expect(await lock(third, ada, 1)).toBe('done');
      expect(await save(other, ada)).toBe(200);
    });

    test('are held by the database: an older record of the store lets nobody write', async () => {
      await lock(one, ada, 1);
      const [record = ''] = (await store.command('KEYS', '*:lock:*')) as string[];
      const former = (await store.command('HGETALL', record)) as string[];
      await lock(one, ada, 1, 'false');
      await lock(one, bob, 1);
      await store.command('DEL', record);
      await store.command('HSET', record, ...former);
      expect(await save(other, ada)).toBe(9026);
    });

    test('are free soon where the store has lost its memory', async () => {
      await lock(one, ada, 1);
      await store.stop('SIGKILL');
      await store.start();
      await expect.poll(heldCount).toBe(0);
      await expect.poll(() => lock(other, '', 1)).toBe('done');
    });

    test('stay while the store is away, which sessions alone need', async () => {
      await lock(one, ada, 1);
      store.freeze();
      const outcomes = [lock(other, bob, 2), save(other, ada), save(other, ''), save(other, '', 2)];
      expect(await Promise.all(outcomes)).toEqual([9066, 9066, 9025, 200]);
      store.thaw();
      await expect.poll(() => save(other, ada)).toBe(200);
    });

    test('are unlocked later where the message of that is lost', async () => {
      await lock(one, ada, 1);
      await store.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
      expect(await lock(other, ada, 1, 'false')).toBe('done');
      await expect.poll(() => lock(third, bob, 1)).toBe('done');
    });
  });

  test('an unlock is no success while the gateway that keeps the lock hangs', async () => {
    const { stampSecret = '' } = sharedSettings(store);
    const path = await served.configFile({
      ...{ mappings: resolve('mappings'), state: { url: store.settings.url }, stampSecret },
    });
    const other = await start();
    const { child, serving: address, end } = runGateway(['serve', '--config', path]);
    try {
      const locked = await fetch(`${await address}/rest/Employee(1)?$lock=true`);
      expect(await locked.json()).toMatchObject({ result: true });
      const session = inSession(locked.headers.get('entitygate-session') ?? '');
      const unlock = (): Promise<Answer> => other.get('/rest/Employee(1)?$lock=false', session);
      child.kill('SIGSTOP');
      const refused = await unlock();
      expect([refused.status, refused.body]).toEqual([
        409,
        {
          result: false,
          __STATUS: { success: false, status: 4, statusText: 'Other error' },
          ...errors([
            9025,
            'The session has given up its lock on Employee(1), but the gateway that keeps it does not answer: the entity stays locked until that gateway goes on or ends.',
          ]),
        },
      ]);
      expect((await unlock()).body).toMatchObject({ result: false, __STATUS: { lockKind: 1 } });
      child.kill('SIGCONT');
      await expect.poll(async () => (await unlock()).body).toMatchObject({ result: true });
    } finally {
      await end('SIGKILL');
    }
  });

  test('without the store, what needs it is refused and all else is answered; it comes back by itself', async () => {
    const gateway = await start();
    const id = setOf(await gateway.get(SET));
    const session = sessionOf(await gateway.get('/rest/$info'));
    await store.stop('SIGKILL');
    const needing: readonly [string, Sent][] = [
      [SET, {}],
      [`/rest/Employee/$entityset/${id}`, {}],
      ['/rest/Employee(1)', inSession(session)],
      ['/rest/Employee(1)?$lock=true', {}],
      ['/rest/$upload?$binary=true', { method: 'POST', body: 'abc' }],
      ['/rest/$info', {}],
    ];
    for (const [url, sent] of needing) {
      const answer = await gateway.get(url, sent);
      const said = [url, answer.status, answer.body];
      expect(said).toMatchObject([url, 503, errors([9066, UNAVAILABLE])]);
      expect([url, answer.headers['retry-after']]).toEqual([url, expect.stringMatching(/^\d+$/)]);
    }
    const { body } = await gateway.get('/rest/Employee(2)?$attributes=ID');
    const { __STAMP } = body as { __STAMP: number };
    const saved = JSON.stringify({ __KEY: '2', __STAMP, lastName: 'Saved' });
    const url = '/rest/Employee?$method=update';
    expect((await gateway.get(url, { method: 'POST', body: saved })).status).toBe(200);
    expect((await gateway.get('/rest/Employee(1)')).status).toBe(200);
    const health = async (): Promise<unknown[]> => {
      const { status, body } = await gateway.get('/health/ready');
      return [status, body];
    };
    expect(await health()).toEqual([
      200,
      {
        status: 'degraded',
        // Nobody has to log in here, so nobody is kept from knowing more.
        state: expect.stringMatching(
          /^The state store at .* cannot be used: .*\. Requests that need sessions, entity sets, uploads or locks fail with error 9066; the gateway answers all others\.$/,
        ) as string,
      },
    ]);
    await store.start();
    await expect.poll(health).toEqual([200, { status: 'ready' }]);
    // The store has lost its memory, as a gateway that was started again.
    const gone = `There is no entity set ${id} any more: its time is over, or it was released, or its dataclass has changed. With its $savedfilter it is made again.`;
    const again = await gateway.get(`/rest/Employee/$entityset/${id}`);
    expect([again.status, again.body]).toEqual([404, errors([1802, gone])]);
    const unstamped = { method: 'POST', body: JSON.stringify({ lastName: 'Relied' }) };
    const relied = await gateway.get(
      '/rest/Employee(2)?$atomic=true',
      inSession(session, unstamped),
    );
    expect((relied.body as { __ERROR: object[] }).__ERROR[0]).toMatchObject({ errCode: 9026 });
    expect(sessionOf(await gateway.get('/rest/$info', inSession(session)))).not.toBe('');
    expect(idsOf(await gateway.get(`${SET}&$attributes=ID`))).toEqual([1, 2, 3]);
  });

  test('sets of a client are bounded together', async () => {
    const usual = configSchema.parse({}).entitySets;
    const settings = { entitySets: { ...usual, maxPerSession: 3 } };
    const [one, other] = [await start(settings), await start(settings)];
    const own = inSession(sessionOf(await one.get('/rest/$info')));
    const made: string[] = [];
    for (const gateway of [one, other, one, other]) made.push(setOf(await gateway.get(SET, own)));
    const found = await Promise.all(
      made.map((id) => other.get(`/rest/Employee/$entityset/${id}?$top=0`)),
    );
    expect(found.map(({ status }) => status)).toEqual([404, 200, 200, 200]);
  });

  test('$info of a client asks for no session and no set of others', async () => {
    const gateway = await start();
    const own = inSession(sessionOf(await gateway.get('/rest/$info')));
    const id = setOf(await gateway.get(SET, own));
    const calls = async (): Promise<number> => {
      await store.command('CONFIG', 'RESETSTAT');
      const { body } = await gateway.get('/rest/$info', own);
      expect(body).toMatchObject({ entitySet: [{ id }], sessionInfo: [{ userName: '' }] });
      const text = String(await store.command('INFO', 'commandstats'));
      const found = text.matchAll(/cmdstat_h[^:]*:calls=(\d+)/g);
      return [...found].reduce((sum, [, count]) => sum + Number(count), 0);
    };
    const alone = await calls();
    for (let other = 0; other < 10; other += 1) {
      await gateway.get(SET, inSession(sessionOf(await gateway.get('/rest/$info'))));
    }
    expect([await calls(), alone > 0]).toEqual([alone, true]);
  });

  test('a session that nobody uses is closed by any of them, and its locks are freed', async () => {
    const sessions = { ...configSchema.parse({}).sessions, timeoutSeconds: 1 };
    const [one, other] = [await start({ sessions }), await start({ sessions })];
    expect(await lock(one, '', 2)).toBe('done');
    await pause(1000);
    await expect.poll(() => lock(other, '', 2)).toBe('done');
  });

  test('metrics tell what all of them keep', async () => {
    const [one, other] = [await start({ metrics: { port: 0 } }), await start()];
    await other.get(SET);
    await other.get('/rest/$info');
    await other.get('/rest/$upload?$binary=true', { method: 'POST', body: 'abc' });
    const text = async (): Promise<string> => (await fetch(one.metricsUrl ?? '')).text();
    const lines = (await text()).split('\n');
    for (const sample of [
      'entitygate_entity_sets 1',
      'entitygate_sessions 1',
      'entitygate_uploads 1',
      'entitygate_uploads_bytes 1027',
    ]) {
      expect(lines).toContain(sample);
    }
    await store.stop('SIGKILL');
    expect((await text()).split('\n')).toContain('entitygate_sessions Nan');
  });

  test('check tries the store', async () => {
    const { host } = new URL(store.settings.url);
    const path = await served.configFile({
      ...{ mappings: resolve('mappings'), state: { url: `valkey://${host}` } },
      stampSecret: 's'.repeat(32),
    });
    const check = async (): Promise<[code: number, said: string[]]> => {
      const { code, out } = await run(['check', '--config', path]);
      return [code, out.split('\n').filter((line) => line.includes('store'))];
    };
    expect(await check()).toEqual([0, []]);
    await store.command('CONFIG', 'SET', 'maxmemory-policy', 'volatile-ttl');
    const advice = `advice: The state store at ${host} drops sessions and entity sets in use when its memory is full: set maxmemory-policy to noeviction; it is volatile-ttl.`;
    expect(await check()).toEqual([0, [advice]]);
    await store.stop();
    expect(await check()).toEqual([
      1,
      [
        `error: ${path}:7:8: The state store at ${host} cannot be used: connect ECONNREFUSED ${host}.`,
      ],
    ]);
  });
});
