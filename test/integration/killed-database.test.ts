import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { testFolder } from '../config/files.ts';
import { chance } from '../fixtures/legacy/random.ts';
import { seed } from '../property/seed.ts';
import { describeWith } from '../targets/missing.ts';
import { clusterUnavailable, PostgresCluster } from '../targets/cluster.ts';
import { ChangeReader } from './change-reader.ts';
import { runGateway } from './gateway-process.ts';
import { changing } from './shapes/changes.ts';
import { serving } from './shapes/engines.ts';
import { SERVER_SETTINGS } from '../targets/server.ts';

/** How often the database is killed while programs write; docs/reference/reliability.md tells of 100. */
const KILLS = Number(process.env['KILL_HISTORY'] ?? 3);

const WRITERS = 3;

const ALL = '$attributes=n&$top=1000';

describeWith(clusterUnavailable, 'copies of a PostgreSQL that is killed', () => {
  let cluster: PostgresCluster;
  const served = serving('postgres', {
    ...changing,
    ...{ isDocumented: false, settings: {} },
    open: async () => {
      cluster = await PostgresCluster.make();
      await cluster.start();
      await execute(changing.postgres);
      const { url } = cluster;
      const settings = { ...SERVER_SETTINGS, preparedStatements: true, schemaTimeoutSeconds: 600 };
      return { database: { engine: 'postgres', url, ...settings }, close: () => cluster.remove() };
    },
    prepare: (folder) => Promise.resolve({ mappings: `${folder}/mappings` }),
  });

  const base = (): string => `http://127.0.0.1:${served.gateway.port}`;

  const execute = async (sql: string): Promise<pg.QueryResult> => {
    const client = new pg.Client({ connectionString: cluster.url });
    // A break is told by the statement, too.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return await client.query(sql);
    } finally {
      await client.end().catch(() => undefined);
    }
  };

  const table = async (): Promise<unknown[]> => {
    const { rows } = await execute('SELECT id, n FROM app.item ORDER BY id');
    return (rows as { id: number; n: number | null }[]).map(({ id, n }) => [id, n]);
  };

  /** Kills and starts it; what it has not yet written to its log by itself is then lost. */
  const crash = async (): Promise<void> => {
    await cluster.kill();
    await cluster.start({ wal_writer_delay: '10s' });
  };

  /** Reads, where all pooled connections may be broken still. */
  const read = async (reader: ChangeReader): Promise<void> => {
    for (let tries = 0; ; tries += 1) {
      try {
        await reader.readAll(base());
        return;
      } catch (error) {
        if (tries === 20 || String(error).includes('9068')) throw error;
        await sleep(50 * tries);
      }
    }
  };

  test('have what is written with the ids of transactions that were rolled back', async () => {
    await crash();
    const reader = new ChangeReader(ALL);
    await read(reader);
    for (let time = 0; time < 20; time += 1) {
      await execute('BEGIN; UPDATE app.item SET n = n + 1; ROLLBACK');
    }
    await read(reader);
    await crash();
    for (let id = 1; id <= 4; id += 1) await execute(`UPDATE app.item SET n = 0 WHERE id = ${id}`);
    await read(reader);
    expect(reader.entities()).toEqual(await table());
  });

  test('have nothing of a commit that was lost, and what was there before it', async () => {
    const [early, late] = [new ChangeReader(ALL), new ChangeReader(ALL)];
    const some = Array.from({ length: 20 }, (_, index) => index + 100);
    const insert = `INSERT INTO app.item SELECT i, 'x', 0 FROM generate_series(100, 119) i`;
    await execute(`DELETE FROM app.item WHERE id >= 100; ${insert}`);
    await read(early);
    await execute('UPDATE app.item SET n = 1 WHERE id >= 100');
    for (const id of some) {
      await execute(`SET synchronous_commit = off; UPDATE app.item SET n = 2 WHERE id = ${id}`);
    }
    await read(early);
    await read(late);
    await crash();
    for (const reader of [early, late]) {
      await read(reader);
      expect(reader.entities()).toEqual(await table());
    }
  });

  test('equal the table at every quiet moment', { timeout: 60_000 + KILLS * 10_000 }, async () => {
    const random = chance(seed);
    const readers = [
      new ChangeReader(ALL),
      new ChangeReader('$attributes=n&$top=7'),
      new ChangeReader('$attributes=n&$top=20&$filter="n > 50"'),
    ];
    let written = 0;
    for (let kills = 0; kills < KILLS; kills += 1) {
      const phase = { isOver: false };
      const writers = Array.from({ length: WRITERS }, async () => {
        while (!phase.isOver) {
          const id = random.int(1000, 1060);
          const n = random.int(0, 99);
          const statements = [
            `SET synchronous_commit = ${random.pick(['on', 'off'])}; BEGIN`,
            random.pick([
              `INSERT INTO app.item VALUES (${id}, 'x', ${n}) ON CONFLICT (id) DO UPDATE SET n = ${n}`,
              `DELETE FROM app.item WHERE id = ${id}`,
              `SAVEPOINT s; UPDATE app.item SET n = 0; ROLLBACK TO s; UPDATE app.item SET n = ${n} WHERE id = ${id}`,
            ]),
            random.pick(['COMMIT', 'COMMIT', 'ROLLBACK']),
          ];
          // The server may be killed meanwhile.
          await execute(statements.join(';')).then(
            () => (written += 1),
            () => undefined,
          );
        }
      });
      const reading = readers.map(async (reader) => {
        while (!phase.isOver) {
          await reader.read(base()).catch((error: unknown) => {
            expect(String(error)).not.toContain('9068');
          });
          await sleep(random.int(0, 20));
        }
      });
      await sleep(random.int(300, 1200));
      await cluster.kill();
      phase.isOver = true;
      await Promise.all([...writers, ...reading]);
      await cluster.start({ wal_writer_delay: random.pick(['200ms', '10s']) });
      for (const reader of readers) await read(reader);
      const rows = (await table()) as [number, number | null][];
      expect({ seed, copies: readers.map((reader) => reader.entities()) }).toEqual({
        seed,
        copies: [rows, rows, rows.filter(([, n]) => n !== null && n > 50)],
      });
    }
    console.log(`${written} transactions, ${KILLS} kills of PostgreSQL`);
  });

  test('begin anew behind a standby that was promoted, which may lack the last of them', async () => {
    const reader = new ChangeReader(ALL);
    await read(reader);
    await cluster.promote();
    await expect(read(reader)).rejects.toThrow('the database is another one, or was restored');
  });
});

test('a copy of the embedded database has what is written after the gateway was killed', async () => {
  const folder = await testFolder();
  await folder.write(
    'mappings/item.yaml',
    'dataclass: Item\ntable: public.item\nrequireStamp: false',
  );
  await folder.write(
    'seed.sql',
    'CREATE TABLE item (id int PRIMARY KEY, n int); INSERT INTO item SELECT i, i FROM generate_series(1, 4) i;',
  );
  const config = await folder.write(
    'config.yaml',
    'server: { port: 0 }\nlog: { level: fatal }\ndatabase: { engine: pglite, directory: data, seed: seed.sql }\n',
  );
  const reader = new ChangeReader(ALL);
  const save = async (base: string, n: number, refresh: string): Promise<void> => {
    for (let id = 1; id <= 4; id += 1) {
      const answer = await fetch(`${base}/rest/Item?$method=update${refresh}`, {
        method: 'POST',
        body: JSON.stringify({ __KEY: String(id), __STAMP: -1, n }),
      });
      expect([answer.status, await answer.text()]).toEqual([200, expect.any(String)]);
    }
  };
  try {
    for (const n of [7, 8]) {
      const { serving: address, end } = runGateway(['serve', '--config', config]);
      try {
        const base = await address;
        await save(base, n, '');
        await reader.readAll(base);
        expect(reader.entities().map(([, value]) => value)).toEqual([n, n, n, n]);
        await save(base, 0, '&$refresh=true');
        await reader.readAll(base);
      } finally {
        await end('SIGKILL');
      }
    }
  } finally {
    await folder.remove();
  }
});
