import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import type { Target } from '../targets/target.ts';
import {
  allEnded,
  countOf,
  ended,
  onEveryTarget,
  post,
  readEntity,
  serving,
  stampOf,
  type Entity,
  type Serving,
} from './writing.ts';

/** Babelfish, which reads JSON rows slowly, is sent a third. */
const MANY = 3000;
const MANY_FOR_BABELFISH = 1000;

/** Behind all lines that the sample has. */
const FIRST_LINE = 20_001;

function newLines(count: number, first = FIRST_LINE): Entity[] {
  return Array.from({ length: count }, (_, index) => ({
    orderNo: 1,
    line: first + index,
    product: (index % 20) + 1,
    quantity: (index % 9) + 1,
    unitPrice: 10.25,
  }));
}

function newEmployees(count: number, title: string): Entity[] {
  return Array.from({ length: count }, (_, index) => ({
    firstName: 'Bulk',
    lastName: `Nº ${index}`,
    email: `${title}-${index}@example.com`,
    hireDate: '2024-02-29',
  }));
}

/** Measured, not asserted: what a process holds depends on when it last cleaned up. */
function memory(): string {
  const { rss, heapUsed } = process.memoryUsage();
  return `RSS ${Math.round(rss / 2 ** 20)} MiB, heap ${Math.round(heapUsed / 2 ** 20)} MiB`;
}

/** What one request does that has thousands of entities. */
function thousands({ name }: Target, { gateway, database: databaseOf, start }: Serving): void {
  const isBabelfish = (): boolean => gateway.database.version.includes('Babelfish');
  const many = (): number => (isBabelfish() ? MANY_FOR_BABELFISH : MANY);

  /** Sends a body. @returns how each entity ended, and how many statements that took */
  async function send(
    url: string,
    body: readonly Entity[],
  ): Promise<{ ends: ReturnType<typeof allEnded>; statements: number; answer: Entity }> {
    gateway.takeStatements();
    const before = memory();
    const start = performance.now();
    const answer = await post(gateway, url, body);
    const ms = Math.round(performance.now() - start);
    const statements = gateway.takeStatements().length;
    console.log(
      `${name} ${url} of ${body.length}: ${ms} ms, ${statements} statements, before ${before}, after ${memory()}`,
    );
    return { ends: allEnded(answer), statements, answer: answer.body as Entity };
  }

  /** Elements that stand alone are written a thousand at a time. */
  const pieces = (count: number): number => Math.ceil(count / 1000);

  const failed = (ends: ReturnType<typeof allEnded>): number[] =>
    ends.flatMap(({ success }, index) => (success ? [] : [index]));

  test('are created, changed and deleted, a thousand by as many statements as ten are', async () => {
    const counts: number[][] = [];
    for (const count of [10, many()]) {
      const created = await send('/rest/OrderLine', newLines(count));
      expect(created.ends).toHaveLength(count);
      expect(failed(created.ends)).toEqual([]);
      const changed = await send(
        '/rest/OrderLine',
        created.ends.map(({ entity: { __KEY, __STAMP } }, index) => ({
          __KEY,
          __STAMP,
          remark: `Changed ${index}`,
        })),
      );
      expect(failed(changed.ends)).toEqual([]);
      expect(changed.ends.at(-1)?.entity).toMatchObject({
        __STAMP: 2,
        line: FIRST_LINE + count - 1,
        remark: `Changed ${count - 1}`,
      });
      const deleted = await send(
        '/rest/OrderLine?$method=delete',
        changed.ends.map(({ entity: { __KEY, __STAMP } }) => ({ __KEY, __STAMP })),
      );
      expect(failed(deleted.ends)).toEqual([]);
      expect(await countOf(gateway, 'OrderLine', `line >= ${FIRST_LINE}`)).toBe(0);
      counts.push([created.statements, changed.statements, deleted.statements]);
    }
    // Babelfish now and then refuses the check of a foreign key, and halves are tried then.
    if (!isBabelfish()) {
      expect(counts[1]).toEqual(counts[0]?.map((few) => few * pieces(many())));
    }
  });

  test('whose keys the database makes', async () => {
    // Babelfish refuses the order that tells the new keys apart: rows go in one by one there, so only some are sent.
    const sizes = isBabelfish() ? [10, 30] : [10, MANY];
    const counts: number[] = [];
    for (const size of sizes) {
      const { ends, statements } = await send('/rest/Employee', newEmployees(size, `n${size}`));
      expect(failed(ends)).toEqual([]);
      expect(ends.map(({ entity }) => entity['lastName'])).toEqual(
        Array.from({ length: size }, (_, index) => `Nº ${index}`),
      );
      expect(new Set(ends.map(({ entity }) => entity['ID'])).size).toBe(size);
      counts.push(statements);
    }
    if (!isBabelfish()) expect(counts[1]).toBe((counts[0] ?? 0) * pieces(MANY));
  });

  const BAD = 777;
  const withOneBad = (first: number): Entity[] =>
    newLines(many(), first).map((line, index) => (index === BAD ? { ...line, quantity: 0 } : line));

  test('with one that is wrong among them: the others are saved', async () => {
    const { ends, statements } = await send('/rest/OrderLine', withOneBad(FIRST_LINE));
    expect(failed(ends)).toEqual([BAD]);
    expect(ends[BAD]?.codes).toEqual([9015, 1534]);
    expect(await countOf(gateway, 'OrderLine', `line >= ${FIRST_LINE}`)).toBe(many() - 1);
    expect(statements).toBeLessThan(100);
    await gateway.get(`/rest/OrderLine?$filter="line >= ${FIRST_LINE}"&$method=delete`, {
      method: 'POST',
    });
  });

  test('with one that is wrong among them, atomic: none is saved, and it is named', async () => {
    const { ends, answer } = await send('/rest/OrderLine?$atomic=true', withOneBad(FIRST_LINE));
    expect(ends).toEqual([]);
    const [error] = answer['__ERROR'] as readonly { message: string; errCode: number }[];
    expect(error?.errCode).toBe(9015);
    expect(error?.message).toContain(`Element ${BAD} of the body`);
    expect(await countOf(gateway, 'OrderLine', `line >= ${FIRST_LINE}`)).toBe(0);
  });

  test('on a database that can only be read are not tried one by one', async ({ skip }) => {
    const database = databaseOf();
    skip(database.engine !== 'postgres', 'only of PostgreSQL a session can be made a standby’s');
    if (database.engine !== 'postgres') return;
    const url = new URL(database.url);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const standby = await startGateway({ ...database, url: url.href });
    for (const parameters of ['', '?$atomic=true', '?$refresh=true&$method=update']) {
      standby.takeStatements();
      const { status, body } = await post(standby, `/rest/OrderLine${parameters}`, newLines(1000));
      expect([status, body]).toEqual([
        503,
        {
          __ERROR: [
            {
              message: 'The database can only be read at the moment.',
              componentSignature: 'dbmg',
              errCode: 9020,
            },
          ],
        },
      ]);
      expect(standby.takeStatements().length).toBeLessThanOrEqual(5);
    }
    await standby.close();
  });

  test('in a body that is too large are refused, and the connection serves on', async () => {
    const { server } = await loadConfig('config.yaml', {});
    const maxBodyBytes = 65_536;
    const small = await start({ server: { ...server, maxBodyBytes } });
    const url = `http://127.0.0.1:${small.port}/rest/OrderLine`;
    const body = JSON.stringify(newLines(2000));
    const inPieces = new ReadableStream<Uint8Array>({
      start: (controller) => {
        for (let at = 0; at < body.length; at += 10_000) {
          controller.enqueue(new TextEncoder().encode(body.slice(at, at + 10_000)));
        }
        controller.close();
      },
    });
    for (const sent of [body, inPieces]) {
      const options = { method: 'POST', body: sent, duplex: 'half' };
      const answer = await fetch(url, options as RequestInit);
      expect(answer.status).toBe(413);
      expect(await answer.json()).toEqual({
        __ERROR: [
          {
            message:
              'The body is larger than 65536 bytes (64 kB), the most that is accepted. Send less at once.',
            componentSignature: 'dbmg',
            errCode: 9005,
          },
        ],
      });
      expect(await countOf(small, 'OrderLine', `line >= ${FIRST_LINE}`)).toBe(0);
    }
  });
}

const CLIENTS = 12;
const ROUNDS = 5;

/** An entity that many clients count up, by each kind of stamp. */
interface Counted {
  readonly stamp: string;
  readonly url: string;
  readonly value: (entity: Entity) => number;
  readonly counted: (value: number) => Entity;
}

function counted(stamp: string, url: string, attribute: string): Counted {
  return {
    stamp,
    url,
    value: (entity) => Number(entity[attribute]),
    counted: (value) => ({ [attribute]: value }),
  };
}

const kinds: readonly Counted[] = [
  counted('a counter that a trigger counts', '/rest/Country(FR)', 'population'),
  counted('a counter that the gateway counts', '/rest/Employee(5)', 'grade'),
  counted('a row version', '/rest/Product(3)', 'stock'),
  counted('a hash', '/rest/ExchangeRate(CHF;2024-01-02)', 'rate'),
  {
    stamp: 'a hash of text',
    url: '/rest/Holiday(2024-01-01)',
    value: ({ name }) => Number(/\d+$/.exec(String(name))?.[0] ?? 0),
    counted: (value) => ({ name: `Holiday ${value}` }),
  },
];

/** An update that was answered with success. */
interface Success {
  readonly base: string;
  readonly stamp: string;
  readonly value: number;
  readonly answered: number;
}

/** What many clients do at the same time. */
function manyClients({ gateway, database }: Serving): void {
  /** Two in front of a server's database; the embedded one has one alone. */
  const gateways = [gateway];
  beforeAll(async () => {
    if (database().engine === 'pglite') return;
    gateways.push(await startGateway(database(), { stampSecret }));
  });
  afterAll(async () => {
    for (const other of gateways.slice(1)) await other.close();
  });

  const gatewayOf = (client: number): Gateway => {
    return gateways[client % gateways.length] ?? gateway;
  };
  const clients = <Result>(work: (client: number, gateway: Gateway) => Promise<Result>) =>
    Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client, gatewayOf(client))));

  /** What no statement compares is compared under the lock of an earlier one. */
  const skipUnlocked = ({ stamp }: Counted, skip: (condition: boolean, why: string) => void) => {
    const isHash = stamp.startsWith('a hash');
    const isBabelfish = gatewayOf(0).database.version.includes('Babelfish');
    skip(isHash && isBabelfish, 'Babelfish locks nothing by UPDLOCK');
  };

  test.for(kinds)('lose no update with $stamp', async (kind, { skip }) => {
    skipUnlocked(kind, skip);
    const { url, value, counted: next } = kind;
    const { __KEY: key, __STAMP: first } = await readEntity(gatewayOf(0), url);
    const start = 100;
    const begun = ended(
      await post(gatewayOf(0), url, { __KEY: key, __STAMP: first, ...next(start) }),
    );
    expect(begun.codes).toEqual([]);
    const before = begun.entity;
    const successes: Success[] = [];
    const codes = new Set<string>();
    await clients(async (_, gateway) => {
      // What a client holds is what it was answered last.
      let held = await readEntity(gateway, url);
      for (let round = 0; round < ROUNDS; round += 1) {
        const { __KEY, __STAMP } = held;
        const written = value(held) + 1;
        const {
          success,
          entity,
          status,
          codes: said,
        } = ended(await post(gateway, url, { __KEY, __STAMP, ...next(written) }));
        if (success) {
          const answered = value(entity);
          successes.push({ base: stampOf(held), stamp: stampOf(entity), value: written, answered });
        } else {
          codes.add(`${status} ${said.join()}`);
        }
        held = entity;
      }
    });
    const after = await readEntity(gatewayOf(0), url);
    expect(successes.length).toBeGreaterThanOrEqual(ROUNDS);
    expect(value(after)).toBe(start + successes.length);
    expect([...codes]).toEqual(successes.length < CLIENTS * ROUNDS ? ['409 1263,1517'] : []);
    // One after the other: each success began with the stamp that the one before it was answered.
    const inOrder = successes.sort((a, b) => a.value - b.value);
    expect(inOrder.map((success) => success.answered)).toEqual(
      inOrder.map((_, index) => start + index + 1),
    );
    expect(inOrder.map(({ base }) => base)).toEqual([
      stampOf(before),
      ...inOrder.slice(0, -1).map(({ stamp }) => stamp),
    ]);
    expect(stampOf(after)).toBe(inOrder.at(-1)?.stamp);
    expect(new Set([stampOf(before), ...inOrder.map(({ stamp }) => stamp)]).size).toBe(
      successes.length + 1,
    );
  });

  test.for(kinds)('of one stamp, $stamp, have one winner', async (kind, { skip }) => {
    skipUnlocked(kind, skip);
    const { url, value, counted: next } = kind;
    const held = await readEntity(gatewayOf(0), url);
    const { __KEY, __STAMP } = held;
    const answers = await clients(async (client, gateway) =>
      ended(await post(gateway, url, { __KEY, __STAMP, ...next(value(held) + 1 + client) })),
    );
    expect(answers.filter(({ success }) => success)).toHaveLength(1);
    const losers = answers.filter(({ success }) => !success);
    expect(new Set(losers.map(({ codes }) => codes.join()))).toEqual(new Set(['1263,1517']));
  });

  test('of one stamp have one winner that deletes or updates', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const key = `race-${round}`;
      const made = ended(await post(gatewayOf(0), '/rest/Category', { code: key, position: 1 }));
      expect(made.success).toBe(true);
      const { __KEY, __STAMP } = made.entity;
      const answers = await clients(async (client, gateway) => {
        const isDelete = client % 2 === 0;
        const method = isDelete ? 'delete' : 'update';
        const answer = await post(gateway, `/rest/Category?$method=${method}`, {
          __KEY,
          __STAMP,
          ...(isDelete ? {} : { position: 2 + client }),
        });
        const { success, codes } = ended(answer);
        const ok = success || (answer.body as { ok?: boolean }).ok === true;
        return { isDelete, ok, code: codes[0] ?? null };
      });
      const winners = answers.filter(({ ok }) => ok);
      expect(winners).toHaveLength(1);
      const isGone = winners[0]?.isDelete === true;
      expect(await countOf(gatewayOf(0), 'Category', `code = '${key}'`)).toBe(isGone ? 0 : 1);
      // Who came too late is told that it is gone, or that it was changed.
      const codes = answers.filter(({ ok }) => !ok).map(({ code }) => code);
      expect(codes.every((code) => code === 1263 || (isGone && code === 1542))).toBe(true);
    }
  });

  test('of one new key have one winner', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await clients(async (client, gateway) =>
        ended(
          await post(gateway, `/rest/Category${client % 3 === 0 ? '?$atomic=true' : ''}`, [
            { code: `new-${round}`, position: client },
          ]),
        ),
      );
      const ends = answers.map(({ success, codes, entity }) => {
        const [only] = (entity['__ENTITIES'] ?? []) as readonly Entity[];
        if (only === undefined) return { success, codes };
        const errors = (only['__ERROR'] ?? []) as readonly { errCode: number }[];
        return { success: errors.length === 0, codes: errors.map(({ errCode }) => errCode) };
      });
      expect(ends.filter(({ success }) => success)).toHaveLength(1);
      expect(new Set(ends.filter(({ success }) => !success).map(({ codes }) => codes[0]))).toEqual(
        new Set([1115]),
      );
      expect(await countOf(gatewayOf(0), 'Category', `code = 'new-${round}'`)).toBe(1);
    }
  });

  test('that lock two entities in opposite order all end, and wholly', async () => {
    // A server takes a second to see a deadlock: a few clients are enough to meet many.
    const keys = ['BE', 'NL'];
    const url = (key: string | undefined): string => `/rest/Country(${key ?? ''})`;
    const some = await Promise.all(
      [0, 1, 2, 3].map(async (client) => {
        const gateway = gatewayOf(client >> 1);
        const codes: number[] = [];
        for (let round = 0; round < 2; round += 1) {
          const order = client % 2 === 0 ? keys : [...keys].reverse();
          // Other attributes make other statements: the rows are met in the order of the body.
          const answer = await post(gateway, '/rest/Country?$atomic=true', [
            { __KEY: order[0], population: client * 100 + round, inEU: true },
            { __KEY: order[1], population: client * 100 + round },
          ]);
          codes.push(...ended(answer).codes);
          const statuses = (answer.body as { __ENTITIES?: readonly Entity[] }).__ENTITIES ?? [];
          codes.push(...(statuses.length === 2 ? [] : [0]));
        }
        return codes;
      }),
    );
    expect(some.flat()).toEqual([]);
    const [one, other] = await Promise.all(keys.map((key) => readEntity(gatewayOf(0), url(key))));
    expect(one?.['population']).toEqual(other?.['population']);
  });
}

const stampSecret = 'the secret of both';

await onEveryTarget('many writes', (target) => {
  const served = serving(target, { stampSecret });
  describe('of thousands of entities in one request', () => {
    thousands(target, served);
  });
  describe('of many clients', () => {
    manyClients(served);
  });
});
