import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import type { OpenTarget } from '../targets/target.ts';
import { allEnded, countOf, onEveryTarget, post, type Entity } from './writing.ts';

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

await onEveryTarget('thousands of entities in one request', (target) => {
  let opened: OpenTarget;
  let gateway: Gateway;
  beforeAll(async () => {
    opened = await target.open();
    gateway = await startGateway(opened.database);
  });
  afterAll(async () => {
    await gateway.close();
    await opened.close();
  });

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
      `${target.name} ${url} of ${body.length}: ${ms} ms, ${statements} statements, before ${before}, after ${memory()}`,
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
    const { database } = opened;
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
    const small = await startGateway(opened.database, { server: { ...server, maxBodyBytes } });
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
            message: 'The body is larger than the gateway accepts.',
            componentSignature: 'dbmg',
            errCode: 9005,
          },
        ],
      });
      expect(await countOf(small, 'OrderLine', `line >= ${FIRST_LINE}`)).toBe(0);
    }
    await small.close();
  });
});
