import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestFolder } from '../config/files.ts';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import { postgresTarget } from '../targets/postgres.ts';
import { sqlServerTarget } from '../targets/sqlserver.ts';
import type { OpenTarget } from '../targets/target.ts';
import { cuttingProxy, type CuttingProxy } from './cutting-proxy.ts';
import { errors, type Told } from './shapes/engines.ts';
import { openThings, THING } from './things.ts';
import { onEveryTarget } from './writing.ts';

await onEveryTarget(
  'a reload without the database',
  (target) => {
    let opened: OpenTarget;
    let folder: TestFolder;
    let proxy: CuttingProxy;
    let gateway: Gateway;
    beforeAll(async () => {
      ({ opened, folder } = await openThings(target));
      proxy = await cuttingProxy(opened.database);
      gateway = await startGateway(
        {
          ...proxy.settings,
          ...{ connectTimeoutSeconds: 1, poolSize: 2 },
          ...(target === postgresTarget && { schemaTimeoutSeconds: 3 }),
        },
        {
          authentication: { apiKeys: [], anonymous: ['admin'] },
          mappings: `${folder.path}/mappings`,
          locate: (setting) => `config.yaml: ${setting}`,
        },
      );
    });
    afterAll(async () => {
      await proxy.close();
      await gateway.close();
      await opened.close();
      await folder.remove();
    });

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
      proxy = await cuttingProxy(opened.database, port);
      await expect.poll(() => statuses('/rest/Thing(1)'), { timeout: 10_000 }).toEqual([200]);
    }

    /** Reloads in vain, and in earnest once the database is back, and checks the answers and the health before and after. */
    async function failsAndRecovers(why: string): Promise<void> {
      await folder.write('mappings/other.yaml', THING.replace('Thing', 'Other'));
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
      await rm(join(folder.path, 'mappings/other.yaml'));
      expect((await reload())[0]).toBe(200);
    }

    test('that cannot be reached keeps the model, and succeeds afterwards', async () => {
      await proxy.close();
      expect(await statuses('/health/ready', '/rest/Thing(1)')).toEqual([503, 503]);
      await failsAndRecovers('The database cannot be reached at the moment. Try again later.');
    });

    // Babelfish needs more than a few seconds to tell its schema, so that the limit of its statements, and this test, would last 30 s.
    test.skipIf(target !== postgresTarget)(
      'that falls silent while its schema is read does so, too',
      async () => {
        // Otherwise the pool may have no connection any more, and silence refuses a new one.
        expect(await statuses('/rest/Thing(1)')).toEqual([200]);
        proxy.fallSilent();
        await failsAndRecovers('The statement was stopped by its time limit.');
      },
    );
  },
  [postgresTarget, sqlServerTarget],
);
