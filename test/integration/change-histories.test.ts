import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import type { Database } from '../../src/database/database.ts';
import { chance } from '../fixtures/legacy/random.ts';
import { seed } from '../property/seed.ts';
import { change, query } from '../targets/sql.ts';
import { ChangeReader } from './change-reader.ts';
import { runGateway, type GatewayProcess } from './gateway-process.ts';
import { changing, settle } from './shapes/changes.ts';
import { onEngines } from './shapes/engines.ts';

/** How many rows all writers change; docs/reference/reliability.md tells of 10,000. */
const CHANGES = Number(process.env['CHANGE_HISTORY'] ?? 300);

const WRITERS = 4;

/** How often all is quiet, and the copies are compared. */
const ROUNDS = 2;

/** How many rows each writer has. */
const ROWS = 30;

/** How many rows all of them change. */
const SHARED = 3;

/** How long a transaction stays open that holds up others, in milliseconds. */
const LONG = 250;

class RolledBack extends Error {}

/** A program that changes rows of its own, in transactions of all kinds. */
async function write(
  database: Database,
  writer: number,
  random: ReturnType<typeof chance>,
  isOver: () => boolean,
): Promise<number> {
  // Most rows are a writer's own; all delete and insert the shared ones again and again.
  const row = (): number =>
    random.int(0, 2) === 0
      ? 900 + random.int(0, SHARED - 1)
      : random.int(0, ROWS - 1) * WRITERS + writer + 1000;
  let changed = 0;
  while (!isOver()) {
    const statements = Array.from({ length: random.int(1, 5) }, () => {
      const id = row();
      const n = random.int(0, 99);
      return random.pick([
        `UPDATE app.item SET n = ${n} WHERE id = ${id}`,
        `UPDATE app.item SET n = ${n} WHERE id = ${id}`,
        `DELETE FROM app.item WHERE id = ${id}`,
        `INSERT INTO app.item (id, grp, n) SELECT ${id}, 'north', ${n} WHERE NOT EXISTS (SELECT 1 FROM app.item WHERE id = ${id})`,
        `UPDATE app.item SET n = ${n} WHERE id BETWEEN ${id} AND ${id + 40} AND id % ${WRITERS} = ${(writer + 1000) % WRITERS}`,
      ]);
    });
    const isKept = random.int(0, 4) > 0;
    const pause = random.int(0, 9) === 0 ? LONG : random.int(0, 8);
    try {
      await database.transaction(async (connection) => {
        for (const statement of statements) {
          await change(connection, statement);
          await sleep(pause / statements.length);
        }
        if (!isKept) throw new RolledBack();
      }, gatewayContext);
      changed += statements.length;
    } catch (error) {
      // Of two that wait for each other, or insert the same row, one is refused.
      if (!(error instanceof RolledBack) && !(error instanceof ProtocolError)) throw error;
    }
  }
  return changed;
}

const unsecured = { ...changing, isDocumented: false, settings: {} };

onEngines(
  'copies kept by changes alone',
  unsecured,
  (served) => {
    const start = async (): Promise<{ process: GatewayProcess; base: string }> => {
      const process = runGateway(['serve', '--config', await served.configFile()]);
      onTestFinished(() => process.end('SIGKILL').then(() => undefined));
      return { process, base: await process.serving };
    };

    test('equal the table at every quiet moment', { timeout: 60_000 + CHANGES * 60 }, async () => {
      const { database } = served.gateway;
      const random = chance(seed);
      let gateway = await start();
      const readers = [
        new ChangeReader('$attributes=n&$top=1000'),
        new ChangeReader('$attributes=n&$top=7'),
        new ChangeReader('$attributes=n&$top=20&$filter="n > 50"'),
      ];
      let changed = 0;
      let kills = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const phase = { isOver: false };
        const goal = ((round + 1) * CHANGES) / ROUNDS;
        const count = { changed };
        const writers = Array.from({ length: WRITERS }, async (_, writer) => {
          while (count.changed < goal) {
            let turns = 0;
            count.changed += await write(database, writer, random, () => (turns += 1) > 3);
          }
        });
        const reading = readers.map(async (reader) => {
          while (!phase.isOver) {
            // A killed gateway answers nothing.
            const isKilled = random.int(0, 9) === 0 || reader.kills === 0;
            await reader.read(gateway.base, isKilled).catch(() => sleep(5));
            await sleep(random.int(0, 10));
          }
        });
        const killing = (async () => {
          for (;;) {
            await sleep(random.int(300, 1500));
            if (phase.isOver) return;
            await gateway.process.end('SIGKILL');
            kills += 1;
            gateway = await start();
          }
        })();
        await Promise.all(writers);
        phase.isOver = true;
        await Promise.all([...reading, killing]);
        changed = count.changed;
        await settle(database);
        const rows = await query(database, 'SELECT id, n FROM app.item ORDER BY id');
        const table = rows.map(([id, n]) => [Number(id), n === null ? null : Number(n)] as const);
        for (const reader of readers) await reader.readAll(gateway.base);
        const [all, few, filtered] = readers.map((reader) => reader.entities());
        expect({ seed, all, few, filtered }).toEqual({
          seed,
          all: table,
          few: table,
          filtered: table.filter(([, n]) => n !== null && n > 50),
        });
      }
      const ofReaders = readers.reduce((sum, reader) => sum + reader.kills, 0);
      console.log(
        `${served.engine}: ${changed} changes, ${kills} kills of the gateway, ${ofReaders} of readers`,
      );
      expect([kills > 0, ofReaders > 0]).toEqual([true, true]);
    });
  },
  ['pglite'],
);
