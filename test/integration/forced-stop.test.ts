import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { testFolder, type TestFolder } from '../config/files.ts';
import { describeWith } from '../targets/missing.ts';
import { openPostgresDatabase, postgresTarget } from '../targets/postgres.ts';
import type { OpenTarget } from '../targets/target.ts';
import { runGateway } from './gateway-process.ts';

const missing = await postgresTarget.unavailable();

describeWith(missing, 'a gateway that is stopped twice', () => {
  let opened: OpenTarget;
  let other: pg.Client;
  let config: string;
  let folder: TestFolder;
  beforeAll(async () => {
    opened = await openPostgresDatabase(
      'CREATE VIEW public.slow AS SELECT 1 AS id, pg_sleep(60)::text AS nap',
    );
    if (opened.database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
    const { url } = opened.database;
    other = new pg.Client({ connectionString: url });
    await other.connect();
    folder = await testFolder();
    await folder.write(
      'mappings/slow.yaml',
      'dataclass: Slow\nview: public.slow\nkey: [id]\nattributes: { id: id, nap: nap }\n',
    );
    config = await folder.write(
      'config.yaml',
      `database: { engine: postgres, url: '${url}' }\nserver: { port: 0 }\n`,
    );
  });
  afterAll(async () => {
    await other.end();
    await opened.close();
    await folder.remove();
  });

  const sleeping = async (): Promise<number | null> =>
    (
      await other.query(
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'",
      )
    ).rowCount;

  test('leaves no statement behind on the server', async () => {
    const gateway = runGateway(['serve', '--config', config]);
    const address = await gateway.serving;
    const answer = fetch(`${address}/rest/Slow`).catch(() => 'broken off');
    await vi.waitFor(async () => expect(await sleeping()).toBe(1), { timeout: 20_000 });
    gateway.child.kill('SIGTERM');
    // Two signals at the same time are one.
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { code } = await gateway.end('SIGTERM');
    expect([await answer, code]).toEqual(['broken off', 1]);
    await vi.waitFor(async () => expect(await sleeping()).toBe(0), { timeout: 5000 });
  });
});
