import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { PostgresConfig, SqlServerConfig } from '../../src/config/config.ts';
import { testFolder } from '../config/files.ts';
import { chance } from '../fixtures/legacy/random.ts';
import { seed } from '../property/seed.ts';
import type { Cut, CuttingProxy } from './cutting-proxy.ts';
import { type GatewayProcess, runGateway } from './gateway-process.ts';
import { categories, Ledger, sendTo } from './ledger.ts';
import { onEngines } from './shapes/engines.ts';
import { sample } from './shapes/sample.ts';

/** A change of one row that was sent: what it was made of, and what was said of it. */
interface Change {
  readonly id: number;
  /** The stamp that the client had read, and the value that it wrote. */
  readonly base: number;
  readonly value: number;
  /** The stamp that it was answered; null where nobody knows whether it was made. */
  readonly stamp: number | null;
}

interface Row {
  readonly __KEY: string;
  readonly __STAMP: number;
  readonly grade: number;
  readonly __STATUS?: { readonly success: boolean };
  readonly __ERROR?: readonly { readonly errCode: number }[];
}

const OUTCOME_UNKNOWN = 9014;

/** Clients that count up the same employees, several in one body, each with the stamp that it has read; and what the answers said of them. */
class CountedRows {
  readonly #base: string;
  readonly #ids: readonly number[];
  readonly #changes: Change[] = [];
  #start: ReadonlyMap<number, Row> = new Map();
  #refused = 0;

  /** @param base the address of the gateway */
  constructor(base: string, ids: readonly number[]) {
    this.#base = base;
    this.#ids = ids;
  }

  /** What was answered, in short. */
  get told(): string {
    const known = this.#changes.filter(({ stamp }) => stamp !== null).length;
    return `${known} made, ${this.#changes.length - known} in doubt, ${this.#refused} not made`;
  }

  async open(): Promise<void> {
    this.#start = await this.#read(this.#ids);
  }

  /** Counts some of the rows up. @returns whether all that was sent was made */
  async count(ids: readonly number[]): Promise<boolean> {
    const read = await this.#read(ids).catch(() => null);
    if (read === null) return false;
    const sent = [...read.values()].map(({ __KEY, __STAMP, grade }) => ({
      __KEY,
      __STAMP,
      grade: grade + 1,
    }));
    const answered = await this.#save(sent);
    let made = 0;
    for (const [at, { __KEY, __STAMP: base, grade: value }] of sent.entries()) {
      const change = { id: Number(__KEY), base, value };
      const row = answered?.[at];
      const isUnknown = row?.__ERROR?.some(({ errCode }) => errCode === OUTCOME_UNKNOWN) ?? true;
      if (row?.__STATUS?.success === true) {
        made += 1;
        this.#changes.push({ ...change, stamp: row.__STAMP });
      } else if (isUnknown) this.#changes.push({ ...change, stamp: null });
      else this.#refused += 1;
    }
    return made === sent.length;
  }

  /** What in the rows, as they are now, contradicts what clients were told: a change that is lost or made twice, or a stamp that nobody wrote. */
  async problems(): Promise<string[]> {
    const problems: string[] = [];
    const now = await this.#read(this.#ids);
    for (const [id, { grade, __STAMP }] of now) {
      const first = this.#start.get(id);
      const own = this.#changes.filter((change) => change.id === id);
      let last: number | null = first?.__STAMP ?? null;
      for (let value = (first?.grade ?? 0) + 1; value <= grade; value += 1) {
        const claims = own.filter((change) => change.value === value);
        const known = claims.filter(({ stamp }) => stamp !== null);
        const made = known[0] ?? claims[0];
        const isAsRead = made !== undefined && (last === null || made.base === last);
        if (known.length > 1 || !isAsRead) problems.push(`${id}: ${value} of ${claims.length}`);
        last = made?.stamp ?? null;
      }
      const beyond = own.filter(({ value, stamp }) => value > grade && stamp !== null);
      if (beyond.length > 0) problems.push(`${id}: ${beyond.length} lost`);
      if (last !== null && last !== __STAMP) problems.push(`${id}: stamp ${__STAMP}, not ${last}`);
    }
    return problems;
  }

  async #read(ids: readonly number[]): Promise<ReadonlyMap<number, Row>> {
    const answer = await fetch(`${this.#base}/rest/Employee(${ids.join()})?$attributes=grade`);
    if (!answer.ok) throw new Error(await answer.text());
    const body = (await answer.json()) as { readonly __ENTITIES?: readonly Row[] } & Row;
    return new Map((body.__ENTITIES ?? [body]).map((row) => [Number(row.__KEY), row]));
  }

  /** @returns the rows of the answer, or null where none came; of a request that was refused as a whole one for each sent */
  async #save(sent: readonly object[]): Promise<readonly Row[] | null> {
    try {
      const answer = await fetch(`${this.#base}/rest/Employee?$method=update&$attributes=grade`, {
        method: 'POST',
        body: JSON.stringify(sent),
      });
      const body = (await answer.json()) as { readonly __ENTITIES?: readonly Row[] } & Row;
      return body.__ENTITIES ?? sent.map(() => body);
    } catch {
      return null;
    }
  }
}

/**
 * How often the gateway is killed, and how often connections are cut, on each engine; `KILL_ROUNDS` and `CUT_ROUNDS` say it
 * otherwise than for a quick look.
 */
const KILLS = Number(process.env['KILL_ROUNDS'] ?? 2);
const CUTS = Number(process.env['CUT_ROUNDS'] ?? 5);

/** How long clients write before the gateway is killed, in milliseconds. */
const LIFE = 400;

const CLIENTS = 4;
const cuts: readonly Cut[] = [
  'now',
  'requests',
  'answers',
  'before the commit',
  'after the commit',
];
const random = chance(seed);

/** Starts a gateway that does not outlive its test. */
function start(config: string): GatewayProcess {
  const gateway = runGateway(['serve', '--config', config]);
  onTestFinished(() => gateway.end('SIGKILL').then(() => undefined));
  return gateway;
}

/** Kills a gateway again and again while clients write through it, and compares what they were told with what is there. */
async function killAgainAndAgain(title: string, database: object): Promise<void> {
  const folder = await testFolder();
  onTestFinished(folder.remove);
  const config = await folder.write(
    'config.yaml',
    JSON.stringify({
      ...{ server: { port: 0 }, log: { level: 'fatal' }, ignoreCase: true, database },
      mappings: `${process.cwd()}/mappings`,
    }),
  );
  const ledger = new Ledger('kill-', CLIENTS);
  let gateway = start(config);
  let base = await gateway.serving;
  await ledger.open(sendTo(base));
  for (let round = 0; round < KILLS; round += 1) {
    const send = sendTo(base);
    let alive = true;
    const clients = Array.from({ length: CLIENTS }, async (_, client) => {
      while (alive) await ledger.write(client, send);
    });
    await sleep(random.int(5, LIFE));
    const ended = gateway.end('SIGKILL');
    alive = false;
    await Promise.all([...clients, ended]);
    gateway = start(config);
    base = await gateway.serving;
  }
  // The database may still be about to roll back, or to commit, what it was sent last.
  await sleep(500);
  const rows = await categories(base, ledger.prefix);
  console.log(
    `${title}, ${KILLS} kills: ${ledger.replies}; of those in doubt ${ledger.doubtful(rows)}`,
  );
  expect({ seed, problems: ledger.problems(rows) }).toEqual({ seed, problems: [] });
  await gateway.end('SIGTERM');
}

const TIMEOUT = 60_000 + (KILLS + CUTS) * 10_000;

onEngines(
  'atomic requests',
  sample,
  (served) => {
    test('are wholly in or out when the gateway is killed', { timeout: TIMEOUT }, async () => {
      const { engine, url } = served.settings.database as PostgresConfig | SqlServerConfig;
      await killAgainAndAgain(engine, { engine, url });
    });

    /** Cuts connections again and again while clients write through them. @param healed writes once more, and tells whether it was done @returns the rounds after which nothing was */
    async function cutAgainAndAgain(
      proxy: CuttingProxy,
      write: (client: number) => Promise<unknown>,
      healed: () => Promise<boolean>,
    ): Promise<number[]> {
      const unhealed: number[] = [];
      for (let round = 0; round < CUTS; round += 1) {
        let over = false;
        const clients = Array.from({ length: CLIENTS }, async (_, client) => {
          while (!over) await write(client);
        });
        await sleep(random.int(0, 60));
        proxy.cut(random.pick(cuts));
        await sleep(random.int(0, 60));
        over = true;
        await Promise.all(clients);
        // What waits for a commit waits no longer.
        proxy.cut('now');
        let attempts = 0;
        while (attempts <= 10 && !(await healed())) attempts += 1;
        if (attempts > 10) unhealed.push(round);
      }
      await sleep(500);
      return unhealed;
    }

    describe('when connections are cut', { timeout: TIMEOUT }, () => {
      let proxy: CuttingProxy;
      let base: string;
      beforeAll(async () => {
        const behind = await served.startBehindProxy();
        ({ proxy } = behind);
        base = `http://127.0.0.1:${behind.gateway.port}`;
      });

      test('are wholly in or out', async () => {
        const send = sendTo(base);
        const ledger = new Ledger('cut-', CLIENTS);
        await ledger.open(send);
        const unhealed = await cutAgainAndAgain(
          proxy,
          (client) => ledger.write(client, send),
          async () => (await ledger.write(0, send)) === 'in',
        );
        const rows = await categories(base, ledger.prefix);
        console.log(
          `${served.engine}, ${CUTS} cuts: ${ledger.replies}; of those in doubt ${ledger.doubtful(rows)}`,
        );
        const problems = ledger.problems(rows);
        expect({ seed, unhealed, problems }).toEqual({ seed, unhealed: [], problems: [] });
      });

      test('with stamps change what was read, once', async () => {
        const ids = Array.from({ length: 12 }, (_, at) => at + 1);
        const counted = new CountedRows(base, ids);
        await counted.open();
        const some = (): number[] => {
          const first = random.int(0, ids.length - 1);
          return ids.filter((_, at) => (at + ids.length - first) % ids.length < 3);
        };
        await cutAgainAndAgain(
          proxy,
          () => counted.count(some()),
          () => counted.count(some()),
        );
        console.log(`${served.engine}, ${CUTS} cuts: ${counted.told}`);
        expect({ seed, problems: await counted.problems() }).toEqual({ seed, problems: [] });
      });
    });
  },
  ['pglite'],
);

describe('atomic requests on PGlite in a folder', () => {
  test('are wholly in or out when the gateway is killed', { timeout: TIMEOUT }, async () => {
    const seed = `${process.cwd()}/sample.sql.gz`;
    const database = { engine: 'pglite', statementTimeoutSeconds: 30, directory: 'data', seed };
    await killAgainAndAgain('PGlite', database);
  });
});
