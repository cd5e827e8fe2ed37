import { beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import { allEnded, countOf, ended, post, readEntity, stampOf, type Entity } from './writing.ts';
import { errors, onEngines, type Served } from './shapes/engines.ts';
import { sample } from './shapes/sample.ts';

/** Babelfish, which reads JSON rows slowly, is sent a third. */
const MANY = 3000;
const MANY_FOR_BABELFISH = 1000;

/** Which of many lines is wrong. */
const BAD = 777;

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

/** What one request does that has thousands of entities. */
function thousands(served: Served): void {
  const many = (): number => (served.isBabelfish ? MANY_FOR_BABELFISH : MANY);

  /** Sends a body. @returns how each entity ended, and how many statements that took */
  async function send(
    url: string,
    body: readonly Entity[],
  ): Promise<{ ends: ReturnType<typeof allEnded>; statements: number; answer: Entity }> {
    served.gateway.takeStatements();
    const answer = await post(served.gateway, url, body);
    const statements = served.gateway.takeStatements().length;
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
      expect(await countOf(served.gateway, 'OrderLine', `line >= ${FIRST_LINE}`)).toBe(0);
      counts.push([created.statements, changed.statements, deleted.statements]);
    }
    // Babelfish now and then refuses the check of a foreign key, and halves are tried then.
    if (!served.isBabelfish) {
      expect(counts[1]).toEqual(counts[0]?.map((few) => few * pieces(many())));
    }
  });

  test('with one that is wrong among them: the others are saved, and of all or none it is named', async () => {
    const lines = newLines(many()).map((line, at) =>
      at === BAD ? { ...line, quantity: 0 } : line,
    );
    const { ends, statements } = await send('/rest/OrderLine', lines);
    expect([failed(ends), ends[BAD]?.codes]).toEqual([[BAD], [9015, 1534]]);
    expect(await countOf(served.gateway, 'OrderLine', `line >= ${FIRST_LINE}`)).toBe(many() - 1);
    expect(statements).toBeLessThan(100);
    await served.gateway.get(`/rest/OrderLine?$filter="line >= ${FIRST_LINE}"&$method=delete`, {
      method: 'POST',
    });
    const { answer } = await send('/rest/OrderLine?$atomic=true', lines);
    const message = expect.stringContaining(`Element ${BAD} of the body`) as string;
    expect(answer).toMatchObject({ __ERROR: [{ errCode: 9015, message }, {}, {}] });
    expect(await countOf(served.gateway, 'OrderLine', `line >= ${FIRST_LINE}`)).toBe(0);
  });

  test('on a database that can only be read are not tried one by one', async ({ skip }) => {
    const { database } = served.settings;
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
        errors([9020, 'The database can only be read at the moment.']),
      ]);
      expect(standby.takeStatements().length).toBeLessThanOrEqual(5);
    }
    await standby.close();
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
function manyClients(served: Served): void {
  /** Two in front of a server's database; the embedded one has one alone. */
  let other: Gateway | null = null;
  beforeAll(async () => {
    const { database, ...settings } = served.settings;
    if (database.engine === 'pglite') return;
    other = await startGateway(database, settings);
    return other.close;
  });

  const gatewayOf = (client: number): Gateway => {
    return client % 2 === 0 ? served.gateway : (other ?? served.gateway);
  };
  const clients = <Result>(work: (client: number, gateway: Gateway) => Promise<Result>) =>
    Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client, gatewayOf(client))));

  test.for(kinds)('lose no update with $stamp', async (kind, { skip }) => {
    const { stamp, url, value, counted: next } = kind;
    // What no statement compares is compared under the lock of an earlier one.
    skip(stamp.startsWith('a hash') && served.isBabelfish, 'Babelfish locks nothing by UPDLOCK');
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
        const end = ended(await post(gateway, url, { __KEY, __STAMP, ...next(written) }));
        const answered = { stamp: stampOf(end.entity), answered: value(end.entity) };
        if (end.success) successes.push({ base: stampOf(held), value: written, ...answered });
        else codes.add(`${end.status} ${end.codes.join()}`);
        held = end.entity;
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

onEngines('many writes', { ...sample, settings: { stampSecret: 'of both' } }, (served) => {
  describe('of thousands of entities in one request', () => {
    thousands(served);
  });
  describe('of many clients', () => {
    manyClients(served);
  });
});
