import { request, type ClientRequest } from 'node:http';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { StartupError } from '../../src/base/errors.ts';
import type { PostgresConfig, SqlServerConfig } from '../../src/config/config.ts';
import type { Connection, Database } from '../../src/database/database.ts';
import { startGateway, type Answer, type Gateway } from '../targets/gateway.ts';
import { change, query, transaction } from '../targets/sql.ts';
import { cuttingProxy, type CuttingProxy } from './cutting-proxy.ts';
import { onEngines } from './shapes/engines.ts';
import { things } from './things.ts';
import { post } from './writing.ts';

type Server = PostgresConfig | SqlServerConfig;

/** What an answer with an error says: its status, its code, and whether it may be sent again. */
function told({ status, body, headers }: Answer): readonly unknown[] {
  const { __ERROR: errors = [] } = body as { __ERROR?: readonly { errCode: number }[] };
  return [status, errors[0]?.errCode, headers['retry-after']];
}

const BUSY = [503, 9070, '5'];
const LOCKED = [409, 9021, '5'];

onEngines(
  'a database in trouble',
  things,
  (served) => {
    const isPostgres = served.engine === 'postgres';
    /** Longer than a busy server takes for its catalogs. */
    const impatient = {
      connectTimeoutSeconds: 3,
      statementTimeoutSeconds: 3,
      schemaTimeoutSeconds: 3,
    };
    /** Another program, not by way of the proxy. */
    let program: Database;
    let proxy: CuttingProxy;
    let gateway: Gateway;
    beforeEach(async () => {
      program = served.gateway.database;
      proxy = await cuttingProxy(served.settings.database);
      onTestFinished(async () => {
        await proxy.close();
        await change(program, 'UPDATE app.thing SET n = 0, ver = 1');
      });
    });

    /** Starts a gateway behind the proxy, which ends with the test. */
    async function start(settings: Partial<Server>): Promise<void> {
      const database = { ...proxy.settings, ...settings } as Server;
      gateway = await startGateway(database, { mappings: served.mappings });
      onTestFinished(gateway.close);
    }

    const save = (id: number, n: number): Promise<Answer> =>
      post(gateway, '/rest/Thing?$method=update', { __KEY: String(id), __STAMP: 1, n });

    /** Begins a request whose client can leave. */
    function begin(path: string, body: unknown): ClientRequest {
      const sent = request({ host: '127.0.0.1', port: gateway.port, path, method: 'POST' });
      sent.on('error', () => undefined);
      sent.end(JSON.stringify(body));
      return sent;
    }

    /** Has the other program lock the thing 1 while something is done. */
    const whileLocked = (work: () => Promise<void>): Promise<void> =>
      transaction(program, async (on: Connection) => {
        await change(on, 'UPDATE app.thing SET n = 7 WHERE id = 1');
        await work();
      });

    const usage = (used: number, waiting: number): Promise<void> =>
      expect.poll(() => gateway.database.pool()).toMatchObject({ used, waiting });

    const counts = (): Promise<unknown> => query(program, 'SELECT n FROM app.thing ORDER BY id');

    const numbers = (...all: readonly number[]): unknown =>
      all.map((n) => [isPostgres ? String(n) : n]);

    test('a client that leaves gives up its statement, its transaction and its place in the queue', async () => {
      await start({ poolSize: 2 });
      await whileLocked(async () => {
        const both = [2, 1].map((id) => ({ __KEY: String(id), __STAMP: 1, n: 5 }));
        const first = begin('/rest/Thing?$method=update&$atomic=true', both);
        await usage(1, 0);
        await expect.poll(() => gateway.takeStatements()).not.toEqual([]);
        const second = begin('/rest/Thing?$method=update', both);
        await usage(1, 1);
        second.destroy();
        await usage(1, 0);
        first.destroy();
        await usage(0, 0);
        // Nobody holds the other row any more.
        await transaction(program, (on) => change(on, 'UPDATE app.thing SET n = 8 WHERE id = 2'));
      });
      expect(await counts()).toEqual(numbers(7, 8, 0));
      expect((await save(3, 9)).status).toBe(200);
      expect(await counts()).toEqual(numbers(7, 8, 9));
    });

    test('a row that somebody keeps locked keeps nobody from reading', async ({ skip }) => {
      await start({ poolSize: 4, lockTimeoutSeconds: 4 });
      const { isBabelfish } = served;
      await whileLocked(async () => {
        const writes = Array.from({ length: 5 }, () => save(1, 5));
        await usage(3, 2);
        expect((await gateway.get('/rest/Thing(2)')).status).toBe(200);
        expect((await gateway.get('/rest/Thing?$top=0')).status).toBe(200);
        expect(gateway.database.pool()).toMatchObject({ used: 3 });
        const answers = await Promise.all(writes);
        expect(answers.every(({ status }) => status >= 400)).toBe(true);
        if (isBabelfish) return;
        const array = [2, 1].map((id) => ({ __KEY: String(id), __STAMP: 1, n: 5 }));
        const saved = await post(gateway, '/rest/Thing?$method=update', array);
        expect(answers.map(told)).toEqual(answers.map(() => LOCKED));
        // PostgreSQL passes over the row that is locked.
        if (isPostgres) {
          expect(saved.body).toMatchObject({
            __ENTITIES: [
              { __KEY: '2', n: 5 },
              { __KEY: '1', __ERROR: [{ errCode: 9021 }, {}] },
            ],
          });
        } else expect(told(saved)).toEqual(LOCKED);
      });
      expect(await counts()).toEqual(numbers(7, isPostgres ? 5 : 0, 0));
      if (isBabelfish) skip('Babelfish has no number for a lock time-out, SQL Server 1222');
    });

    test('probes do not wait for a pool that is full, which says that it is', async () => {
      await start({ connectTimeoutSeconds: 3, poolSize: 1 });
      await transaction(gateway.database, async () => {
        expect((await gateway.get('/health/ready')).body).toEqual({ status: 'ready' });
        expect((await gateway.get('/health/live')).body).toEqual({ status: 'live' });
        const array = [2, 1].map((id) => ({ __KEY: String(id), __STAMP: 1, n: 5 }));
        const answers = await Promise.all([
          gateway.get('/rest/Thing(1)'),
          gateway.get('/rest/Thing(1)?$lock=true'),
          save(1, 5),
          post(gateway, '/rest/Thing?$method=update', array),
        ]);
        expect(answers.map(told)).toEqual(answers.map(() => BUSY));
        expect((await gateway.get('/health/ready')).status).toBe(200);
      });
      expect((await gateway.get('/rest/Thing(1)')).status).toBe(200);
      expect(await counts()).toEqual(numbers(0, 0, 0));
    });

    test('a database that freezes: every request ends, and all is well when it goes on', async () => {
      await start({ ...impatient, poolSize: 2 });
      const locked = await gateway.get('/rest/Thing(3)?$lock=true');
      expect(locked.body).toMatchObject({ result: true });
      const [cookie = ''] = [locked.headers['set-cookie'] ?? []].flat();
      const headers = { cookie: cookie.split(';', 1)[0] ?? '' };
      expect((await gateway.get('/health/ready')).status).toBe(200);
      expect((await save(1, 1)).status).toBe(200);
      let losses = 0;
      const kept = await gateway.database.dedicated(() => (losses += 1));
      await query(kept, 'SELECT 1');
      proxy.freeze();
      const asked = query(kept, 'SELECT 1');
      await expect(asked).rejects.toMatchObject({ errorName: 'statementTimeout' });
      await expect(query(kept, 'SELECT 1')).rejects.toMatchObject({
        errorName: 'databaseUnavailable',
      });
      expect(losses).toBe(1);
      await expect(gateway.database.dedicated(() => undefined)).rejects.toMatchObject({
        errorName: 'databaseUnavailable',
      });
      await kept.close();
      const requests = [
        ...[1, 2, 3].map((id) => gateway.get(`/rest/Thing(${id})`)),
        gateway.get('/rest/Thing?$format=ndjson'),
        save(2, 5),
        post(gateway, '/rest/Thing?$method=update&$atomic=true', [{ id: 9, n: 1 }]),
        gateway.get('/rest/Thing(2)?$lock=true', { headers }),
        gateway.get('/rest/Thing(3)?$lock=false', { headers }),
        gateway.get('/health/ready'),
      ];
      expect((await gateway.get('/health/live')).status).toBe(200);
      const ends = (await Promise.all(requests)).map(told);
      for (const [status, code] of ends) {
        expect([
          '503 9002',
          '503 9014',
          '504 9003',
          '503 9070',
          ...['200 undefined', '409 9026'],
        ]).toContain(`${String(status)} ${String(code)}`);
      }

      await usage(0, 0);
      // The next ones, on connections that have to be made.
      for (const next of [gateway.get('/rest/Thing(1)'), save(2, 5)]) {
        expect(told(await next).slice(0, 2)).toEqual([503, 9002]);
      }
      proxy.thaw();
      await expect.poll(async () => (await gateway.get('/health/ready')).status).toBe(200);
      expect((await gateway.get('/rest/Thing(1)')).status).toBe(200);
      expect((await save(2, 6)).status).toBe(200);
      expect(await counts()).toEqual(numbers(1, 6, 0));
      await usage(0, 0);
    });

    test('a gateway that starts on a frozen database, and one that stops', async () => {
      await start({ ...impatient, poolSize: 2 });
      await gateway.get('/rest/Thing(3)?$lock=true');
      await gateway.get('/health/ready');
      proxy.freeze();
      await expect(start(impatient)).rejects.toThrow(StartupError);
      await gateway.close();
      proxy.thaw();
      proxy.fallSilent(
        isPostgres ? 'pg_attribute' : Buffer.from('sys.', 'utf16le').toString('latin1'),
      );
      // The proxy reads no TLS.
      const plain = { ...impatient, ...(isPostgres ? {} : { encrypt: false }) };
      await expect(start(plain)).rejects.toThrow(StartupError);
    });
  },
  ['pglite'],
);
