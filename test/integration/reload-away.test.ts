import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Gateway } from '../targets/gateway.ts';
import { cuttingProxy, type CuttingProxy } from './cutting-proxy.ts';
import { errors, onEngines, type Shape, type Told } from './shapes/engines.ts';
import { things } from './things.ts';

const shape: Shape = {
  ...things,
  settings: {
    authentication: { anonymous: ['admin'] },
    locate: (setting) => `config.yaml: ${setting}`,
  },
};

onEngines(
  'a reload without the database',
  shape,
  (served) => {
    const isPostgres = served.engine === 'postgres';
    let proxy: CuttingProxy;
    let gateway: Gateway;
    beforeAll(async () => {
      const limits = isPostgres ? { schemaTimeoutSeconds: 5 } : {};
      const own = { poolSize: 2, ...limits };
      ({ proxy, gateway } = await served.startBehindProxy(own));
    });
    afterAll(() => proxy.close());

    const get = async (path: string, method = 'GET'): Promise<Told> => {
      const { status, body } = await gateway.get(path, { method });
      return [status, body];
    };
    const reload = (): Promise<Told> => get('/rest/$info/reload', 'POST');
    const statuses = async (...paths: readonly string[]): Promise<number[]> =>
      Promise.all(paths.map(async (path) => (await get(path))[0]));

    /** Has the database answer again, at the same address. */
    async function bringBack(): Promise<void> {
      const { port } = proxy;
      await proxy.close();
      proxy = await cuttingProxy(served.settings.database, port);
      await expect.poll(() => statuses('/rest/Thing(1)')).toEqual([200]);
    }

    /** Reloads in vain, and in earnest once the database is back, and checks the answers and the health before and after. */
    async function failsAndRecovers(why: string): Promise<void> {
      await served.map('other', (shape.mappings['thing'] ?? '').replace('Thing', 'Other'));
      expect(await reload()).toEqual([
        422,
        errors(
          [9065, 'The reload failed. The gateway continues with the previous files.'],
          [9065, expect.stringContaining(why) as string],
        ),
      ]);
      expect(await statuses('/health/live', '/rest/Other')).toEqual([200, 404]);
      await bringBack();
      expect(await get('/rest/Thing(1)')).toMatchObject([200, { id: 1, __STAMP: 1 }]);
      expect(await get('/health/ready')).toEqual([
        200,
        {
          status: 'ready',
          reload: {
            failedAt: expect.any(String) as string,
            more: 0,
            problems: [
              {
                where: 'config.yaml: database',
                message: expect.stringContaining(why) as string,
              },
            ],
          },
        },
      ]);
      const done = await reload();
      expect(done).toMatchObject([200, { result: true, dataclasses: { added: ['Other'] } }]);
      expect(await get('/health/ready')).toEqual([200, { status: 'ready' }]);
      expect(await statuses('/rest/Other(1)', '/rest/Thing(1)')).toEqual([200, 200]);
      await rm(join(served.mappings, 'other.yaml'));
      expect((await reload())[0]).toBe(200);
    }

    test('that cannot be reached keeps the model, and succeeds afterwards', async () => {
      await proxy.close();
      expect(await statuses('/health/ready', '/rest/Thing(1)')).toEqual([503, 503]);
      await failsAndRecovers('The database cannot be reached at the moment. Try again later.');
    });

    // Babelfish needs more than a few seconds to tell its schema, so that the limit of its statements, and this test, would last 30 s.
    test.runIf(isPostgres)('that falls silent while its schema is read does so, too', async () => {
      // Otherwise the pool may have no connection any more, and silence refuses a new one.
      expect(await statuses('/rest/Thing(1)')).toEqual([200]);
      proxy.fallSilent();
      await failsAndRecovers('The statement was stopped by its time limit.');
    });
  },
  ['pglite'],
);
