import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testFolder, type TestFolder } from '../config/files.ts';
import { seed } from '../property/seed.ts';
import { describeWith } from '../targets/missing.ts';
import { freePort } from '../targets/free-port.ts';
import { openPostgresDatabase, postgresTarget } from '../targets/postgres.ts';
import { noStateStore, openStateStore, type StateStoreTarget } from '../targets/state-store.ts';
import type { OpenTarget } from '../targets/target.ts';
import { runGateway, type GatewayProcess } from './gateway-process.ts';

const missing = (await postgresTarget.unavailable()) ?? noStateStore;

/** How many operations all clients do; docs/reference/reliability.md tells of 10,000. */
const OPERATIONS = Number(process.env['HISTORY_OPERATIONS'] ?? 600);

/** How many operations there are from one trouble to the next. */
const BETWEEN_TROUBLES = 100;

const INSTANCES = 3;
const CLIENTS = 8;

/** Rows that clients lock and write. */
const KEYS = 4;

/** So many that sets of them have several chunks. */
const ROWS = 20_000;
const GROUPS = 3;

/** Clients use that many sets, which were made last. */
const LATEST = 16;

const WORK = ['lock', 'lock', 'unlock', 'write', 'write', 'write', 'watch'] as const;
const SET_WORK = ['make', 'page', 'page', 'combine'] as const;
const TROUBLES = ['instance', 'connections', 'instance', 'store'] as const;

interface Operation {
  readonly work: (typeof WORK)[number] | (typeof SET_WORK)[number];
  readonly key: number;
  readonly instance: number;
  readonly chance: number;
}

const operation: fc.Arbitrary<Operation> = fc.record({
  work: fc.constantFrom(...WORK, ...SET_WORK),
  key: fc.integer({ min: 1, max: KEYS }),
  instance: fc.nat(INSTANCES - 1),
  chance: fc.nat(2 ** 30),
});

/** A gateway of its own process, which is killed and started again. */
interface Instance {
  process: GatewayProcess;
  address: string;
  /** Rises with each start. */
  life: number;
}

/** What came of a request; null where the connection broke, so that it may have been done. */
type Reply = { readonly status: number; readonly body: unknown; readonly life: string } | null;

/** A time in which nobody but one client may write an entity. */
interface Hold {
  readonly client: number;
  readonly key: number;
  /** When the lock was asked for, and when it was had. */
  readonly asked: number;
  readonly from: number;
  /** When its client gave it up. */
  to: number;
  /** The lives of gateways that may have taken it. */
  readonly lives: ReadonlySet<string>;
  /** When its client heard that it was lost. */
  lostAt?: number;
}

/** Values of an entity: what a client wrote, or read twice. */
interface Seen {
  readonly client: number;
  readonly key: number;
  readonly from: number;
  readonly to: number;
  readonly before: number;
  readonly after: number;
}

interface KeptSet {
  readonly id: string;
  readonly ids: readonly number[];
  readonly asked: number;
}

interface Item {
  readonly id: number;
  readonly n: number;
  readonly __STAMP: number;
}

describeWith(missing, 'histories of clients over gateways that are killed', () => {
  let opened: OpenTarget;
  let store: StateStoreTarget;
  let folder: TestFolder;
  const instances: Instance[] = [];

  beforeAll(async () => {
    opened = await openPostgresDatabase(
      `CREATE TABLE item (id int PRIMARY KEY, grp int NOT NULL, n int NOT NULL DEFAULT 0);
         INSERT INTO item SELECT i, i % ${GROUPS} FROM generate_series(1, ${ROWS}) i;`,
    );
    store = await openStateStore();
    folder = await testFolder();
    await folder.write('mappings/item.yaml', 'table: public.item');
    if (opened.database.engine !== 'postgres') throw new Error('not a PostgreSQL server');
    for (let index = 0; index < INSTANCES; index += 1) {
      await folder.write(
        `${index}.yaml`,
        [
          `server: { port: ${await freePort()} }`,
          `database: { engine: postgres, url: '${opened.database.url}', poolSize: 4 }`,
          `state: { url: '${store.settings.url}', timeoutSeconds: 2 }`,
          'stampSecret: the secret of all gateways',
          'log: { level: error }',
        ].join('\n'),
      );
    }
    instances.push(...(await Promise.all(Array.from({ length: INSTANCES }, (_, i) => start(i)))));
  });
  afterAll(async () => {
    await Promise.all(instances.map(kill));
    await folder.remove();
    await store.close();
    await opened.close();
  });

  async function start(index: number, life = 0): Promise<Instance> {
    const process = runGateway(['serve', '--config', `${folder.path}/${index}.yaml`]);
    return { process, address: await process.serving, life };
  }

  const kill = ({ process }: Instance): Promise<unknown> => process.end('SIGKILL');

  test(
    'no two own a lock, none writes past one, no set is wrong, and no update is lost',
    { timeout: 120_000 + 60 * OPERATIONS },
    async () => {
      const histories = fc.sample(
        fc.array(operation, {
          minLength: Math.ceil(OPERATIONS / CLIENTS),
          maxLength: Math.ceil(OPERATIONS / CLIENTS),
        }),
        { seed, numRuns: CLIENTS },
      );
      const holds: Hold[] = [];
      const writes: Seen[] = [];
      const watches: Seen[] = [];
      const sets: KeptSet[] = [];
      const wrongSets: unknown[] = [];
      const unexpected: unknown[] = [];
      const unknown = new Map<number, number>();
      /** When lives of gateways ended, and when the store did. */
      const deaths = new Map<string, number>();
      const storeEnds: number[] = [];
      let done = 0;

      const client = async (history: readonly Operation[], self: number): Promise<void> => {
        let session = '';
        /** The holds that it believes in, and the gateways that may have a lock for it. */
        const own = new Map<number, Hold>();
        const lives = new Map<number, Set<string>>();

        /** Sends a request to one of the gateways, or another where that one is not there. */
        const ask = async (instance: number, path: string, body?: object): Promise<Reply> => {
          for (let attempt = instance; ; attempt += 1) {
            const index = attempt % INSTANCES;
            const { address, life } = instances[index] ?? { address: '', life: 0 };
            try {
              const answer = await fetch(`${address}/rest/${path}`, {
                method: body === undefined ? 'GET' : 'POST',
                headers: session === '' ? {} : { 'entitygate-session': session },
                ...(body !== undefined && { body: JSON.stringify(body) }),
              });
              session = answer.headers.get('entitygate-session') ?? session;
              return {
                status: answer.status,
                body: await answer.json(),
                life: `${index}.${life}`,
              };
            } catch (error) {
              const { cause } = error as { cause?: { code?: string } };
              if (cause?.code !== 'ECONNREFUSED') return null;
              await pause(20);
            }
          }
        };

        const lock = async ({ key, instance }: Operation): Promise<void> => {
          if (own.has(key)) return;
          const asked = performance.now();
          const before = { ...instances[instance] };
          const reply = await ask(instance, `Item(${key})?$lock=true`);
          const mayHave = lives.get(key) ?? new Set<string>();
          lives.set(key, mayHave.add(reply?.life ?? `${instance}.${before.life ?? 0}`));
          if ((reply?.body as { result?: boolean } | undefined)?.result !== true) return;
          const hold = {
            ...{ client: self, key, asked, from: performance.now(), to: Infinity },
            lives: new Set(mayHave),
          };
          own.set(key, hold);
          holds.push(hold);
        };

        const unlock = async ({ instance }: Operation): Promise<void> => {
          const [key, hold] = [...own][0] ?? [];
          if (key === undefined || hold === undefined) return;
          hold.to = performance.now();
          own.delete(key);
          const reply = await ask(instance, `Item(${key})?$lock=false`);
          if (reply?.status === 200) lives.delete(key);
        };

        const read = async (key: number, instance: number): Promise<Item | null> => {
          const reply = await ask(instance, `Item(${key})`);
          if (reply !== null && ![200, 503].includes(reply.status)) unexpected.push(reply);
          return reply?.status === 200 ? (reply.body as Item) : null;
        };

        const write = async ({ key, instance, chance }: Operation): Promise<void> => {
          const item = await read(key, instance);
          if (item === null) return;
          const from = performance.now();
          const { __STAMP, n } = item;
          const reply = await ask(chance, 'Item?$method=update', {
            __KEY: key,
            __STAMP,
            n: n + 1,
          });
          const to = performance.now();
          if (reply === null) {
            unknown.set(key, (unknown.get(key) ?? 0) + 1);
          } else if (reply.status === 200) {
            writes.push({ client: self, key, from, to, before: n, after: n + 1 });
          } else {
            const { __ERROR: errors = [] } = reply.body as { __ERROR?: { errCode: number }[] };
            const [code = 0] = errors.map(({ errCode }) => errCode);
            if (code === 9026) {
              const hold = own.get(key);
              if (hold !== undefined) hold.lostAt = from;
              own.delete(key);
            } else if (![1263, 9021, 9025, 9066, 9070].includes(code)) unexpected.push(reply);
          }
        };

        /** Reads an entity twice while its lock is held. */
        const watch = async ({ instance, chance }: Operation): Promise<void> => {
          const [key] = [...own.keys()];
          if (key === undefined) return;
          const from = performance.now();
          const before = await read(key, instance);
          await pause(chance % 20);
          const after = await read(key, chance);
          const to = performance.now();
          if (before === null || after === null) return;
          watches.push({ client: self, key, from, to, before: before.n, after: after.n });
        };

        /** Keeps a set that a request makes. */
        const keep = async (
          instance: number,
          path: string,
          ids: readonly number[],
          sources: readonly KeptSet[] = [],
        ): Promise<void> => {
          const asked = performance.now();
          const reply = await ask(instance, `${path}&$method=entityset&$top=0`);
          if (reply?.status === 200) {
            const { __ENTITYSET: uri } = reply.body as { __ENTITYSET: string };
            sets.push({ id: uri.replace(/^.*\//, ''), ids, asked });
          } else judge(reply, path, Math.min(asked, ...sources.map((source) => source.asked)));
        };

        /** Sets are gone with the store alone. */
        const judge = (reply: Reply, path: string, asked: number): void => {
          if (reply === null || reply.status === 503) return;
          const isGone = reply.status === 404 && storeEnds.some((end) => end > asked);
          if (!isGone) wrongSets.push([path, reply]);
        };

        const latest = (chance: number): KeptSet | undefined =>
          sets.slice(-LATEST)[chance % LATEST];

        const make = ({ instance, chance }: Operation): Promise<void> => {
          const group = chance % (GROUPS + 1);
          const ids = Array.from({ length: ROWS }, (_, at) => ROWS - at).filter(
            (id) => group === GROUPS || id % GROUPS === group,
          );
          const filter = group === GROUPS ? 'grp>=0' : `grp=${group}`;
          return keep(instance, `Item?$filter="${filter}"&$orderby="id desc"`, ids);
        };

        const page = async ({ instance, chance }: Operation): Promise<void> => {
          const set = latest(chance);
          if (set === undefined) return;
          const skip = chance % set.ids.length || 0;
          const path = `Item/$entityset/${set.id}?$skip=${skip}&$top=20&$attributes=id`;
          const reply = await ask(instance, path);
          if (reply?.status !== 200) {
            judge(reply, path, set.asked);
            return;
          }
          const { __COUNT: count, __ENTITIES: entities } = reply.body as {
            __COUNT: number;
            __ENTITIES: Item[];
          };
          const found = [count, ...entities.map(({ id }) => id)];
          const expected = [set.ids.length, ...set.ids.slice(skip, skip + 20)];
          if (String(found) !== String(expected)) wrongSets.push([path, found, expected]);
        };

        const combine = ({ instance, chance }: Operation): Promise<void> => {
          const [one, other] = [latest(chance), latest(chance >> 8)];
          if (one === undefined || other === undefined) return Promise.resolve();
          const [mine, theirs] = [new Set(one.ids), new Set(other.ids)];
          const [operator, ids] = (
            [
              ['AND', one.ids.filter((id) => theirs.has(id))],
              ['OR', [...one.ids, ...other.ids.filter((id) => !mine.has(id))]],
              ['EXCEPT', one.ids.filter((id) => !theirs.has(id))],
            ] as const
          )[(chance >> 16) % 3] ?? ['AND', []];
          const path = `Item/$entityset/${one.id}?$logicOperator=${operator}&$otherCollection=${other.id}`;
          return keep(instance, path, ids, [one, other]);
        };

        const works = { lock, unlock, write, watch, make, page, combine };
        for (const one of history) {
          await works[one.work](one);
          done += 1;
        }
      };

      const trouble = async (kind: (typeof TROUBLES)[number], turn: number): Promise<void> => {
        if (kind === 'connections') {
          await store.command('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
          await store.command('CLIENT', 'KILL', 'TYPE', 'pubsub');
        } else if (kind === 'store') {
          storeEnds.push(performance.now());
          await store.stop('SIGKILL');
          await pause(200);
          await store.start();
        } else {
          const index = turn % INSTANCES;
          const instance = instances[index];
          if (instance === undefined) return;
          deaths.set(`${index}.${instance.life}`, performance.now());
          await kill(instance);
          instances[index] = await start(index, instance.life + 1);
        }
      };

      const troubling = (async () => {
        for (let turn = 0; (turn + 1) * BETWEEN_TROUBLES < OPERATIONS; turn += 1) {
          while (done < (turn + 1) * BETWEEN_TROUBLES) await pause(10);
          await trouble(TROUBLES[turn % TROUBLES.length] ?? 'store', turn);
        }
      })();
      await Promise.all([...histories.map(client), troubling]);

      /** When a hold ended at the latest: with its client's word, a gateway that may have had it, or the store. */
      const endOf = ({ asked, to, lives }: Hold): number =>
        Math.min(
          to,
          ...[...lives].map((life) => deaths.get(life) ?? Infinity),
          ...storeEnds.filter((end) => end > asked),
        );
      const isWithin = (
        hold: Hold,
        { key, from, to }: Pick<Seen, 'key' | 'from' | 'to'>,
      ): boolean => hold.key === key && from > hold.from && to < endOf(hold);
      const owners = holds.filter((hold) =>
        holds.some(
          (other) =>
            other.client !== hold.client &&
            isWithin(other, { key: hold.key, from: hold.asked, to: hold.from }),
        ),
      );
      const intruders = writes.filter((one) =>
        holds.some((hold) => hold.client !== one.client && isWithin(hold, one)),
      );
      const changed = watches.filter(
        (one) =>
          one.before !== one.after &&
          holds.some((hold) => hold.client === one.client && isWithin(hold, one)),
      );
      const lostForNothing = holds.filter(
        (hold) => (hold.lostAt ?? 0) > 0 && endOf(hold) === Infinity,
      );
      const written = new Set(writes.map(({ key, after }) => `${key}: ${after}`));
      expect({ seed, owners, intruders, changed, lostForNothing, wrongSets, unexpected }).toEqual({
        ...{ seed, owners: [], intruders: [], changed: [], lostForNothing: [] },
        ...{ wrongSets: [], unexpected: [] },
      });
      expect(written.size).toBe(writes.length);
      for (let key = 1; key <= KEYS; key += 1) {
        const answer = await fetch(`${instances[0]?.address}/rest/Item(${key})`);
        const { n } = (await answer.json()) as Item;
        const sure = writes.filter((one) => one.key === key).length;
        expect(n).toBeGreaterThanOrEqual(sure);
        expect(n).toBeLessThanOrEqual(sure + (unknown.get(key) ?? 0));
      }
      const figures = {
        ...{ operations: done, locks: holds.length, writes: writes.length },
        ...{ watches: watches.length, sets: sets.length },
        ...{ deaths: deaths.size, storeEnds: storeEnds.length },
      };
      console.log(figures);
      expect(Object.values(figures).every((figure) => figure > 0)).toBe(true);
    },
  );
});
