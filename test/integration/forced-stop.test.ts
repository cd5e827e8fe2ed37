import { expect, test } from 'vitest';
import { query } from '../targets/sql.ts';
import { runGateway } from './gateway-process.ts';
import { mapped, onEngines, type Shape } from './shapes/engines.ts';

const slow: Shape = {
  postgres: 'CREATE SCHEMA app; CREATE VIEW app.slow AS SELECT 1 AS id, pg_sleep(60)::text AS nap',
  sqlserver: [],
  mappings: mapped(
    'slow: {dataclass: Slow, view: app.slow, key: [id], attributes: {id: id, nap: nap}}',
  ),
};

onEngines(
  'a gateway that is stopped twice',
  slow,
  (served) => {
    const sleeping = (): Promise<unknown> =>
      query(
        served.gateway.database,
        "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'",
      );

    test('leaves no statement behind on the server', async () => {
      const gateway = runGateway(['serve', '--config', await served.configFile()]);
      const address = await gateway.serving;
      const answer = fetch(`${address}/rest/Slow`).catch(() => 'broken off');
      await expect.poll(sleeping).toEqual([['1']]);
      const { code } = await gateway.force();
      expect([await answer, code]).toEqual(['broken off', 1]);
      await expect.poll(sleeping).toEqual([['0']]);
    });
  },
  ['pglite'],
);
