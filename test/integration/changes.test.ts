import { expect, test } from 'vitest';
import { transaction, change } from '../targets/sql.ts';
import { changing, settle } from './shapes/changes.ts';
import { onEngines, type Served, type Told } from './shapes/engines.ts';

interface Page {
  readonly __REMOVED?: readonly string[];
  readonly __ENTITIES: readonly Readonly<Record<string, unknown>>[];
  readonly __TOKEN: string;
}

/** Values that some types have, and others do not. */
const ODD = [
  ...['NaN', 'Infinity', '-infinity', '0044-03-15 BC', '12345-01-01', '4715-01-01 BC', '-1'],
  ...['40000', '1.005', '1e400', '9'.repeat(400), '', "'", '\0', '\ud800', '24:00'],
  'é'.repeat(3000),
];

onEngines('changes', changing, (served: Served) => {
  const ask = async (path: string): Promise<Told> => {
    const headers = changing.users?.['all'] ?? {};
    const { status, body } = await served.gateway.get(`/rest/${path}`, { headers });
    return [status, body];
  };

  const page = async (path: string, since?: string): Promise<Page> => {
    const end = since === undefined ? '' : `${path.includes('?') ? '&' : '?'}since=${since}`;
    const [status, body] = await ask(`${path}${end}`);
    expect([status, body]).toEqual([200, expect.anything()]);
    return body as Page;
  };

  const ids = ({ __ENTITIES: entities }: Page): unknown[] => entities.map(({ __KEY }) => __KEY);

  /** Begins a transaction with a change, which makes another one when it may end. */
  const open = async (first: string, last?: string): Promise<() => Promise<void>> => {
    let [begin, end] = [(): void => undefined, (): void => undefined];
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const mayEnd = new Promise<void>((resolve) => (end = resolve));
    const work = transaction(served.gateway.database, async (connection) => {
      await change(connection, first);
      begin();
      await mayEnd;
      if (last !== undefined) await change(connection, last);
    });
    await begun;
    return () => {
      end();
      return work;
    };
  };

  test.skipIf(served.engine === 'pglite')(
    'of a transaction that is open are told when it has ended, and nothing is skipped',
    async () => {
      await settle(served.gateway.database);
      let { __TOKEN: during } = await page('Item/$changes');
      const end = await open('UPDATE app.item SET n = 20 WHERE id = 2');
      await change(served.gateway.database, 'UPDATE app.item SET n = 50 WHERE id = 5');
      for (let times = 0; times < 3; times += 1) {
        const seen = await page('Item/$changes', during);
        expect(ids(seen)).toEqual([]);
        during = seen.__TOKEN;
      }
      await end();
      await settle(served.gateway.database);
      expect(ids(await page('Item/$changes', during))).toEqual(['2', '5']);
      await served.run('UPDATE app.item SET n = id WHERE id IN (2, 5)');
    },
  );

  test.skipIf(served.engine === 'pglite')(
    'have a row that was deleted and inserted again, whichever transaction began first',
    async () => {
      const { database } = served.gateway;
      await settle(database);
      const before = await page('Item/$changes');
      expect(ids(before)).toContain('6');
      const tag = (id: number): string => `INSERT INTO app.tag (id, item_id) VALUES (${id}, 1)`;
      // Its changes have the version of its beginning on PostgreSQL.
      const insert = "INSERT INTO app.item (id, grp, n) VALUES (6, 'north', 66)";
      const endEarly = await open(tag(101), insert);
      const endOther = await open(tag(102));
      await change(database, 'DELETE FROM app.item WHERE id = 6');
      await endEarly();
      // The other one holds back the deletion, and not the insertion.
      const first = await page('Item/$changes?$attributes=n', before.__TOKEN);
      await endOther();
      await settle(database);
      const later = await page('Item/$changes?$attributes=n', first.__TOKEN);
      const copy = new Map(first.__ENTITIES.map(({ __KEY, n }) => [__KEY, n]));
      for (const key of later.__REMOVED ?? []) copy.delete(key);
      for (const { __KEY, n } of later.__ENTITIES) copy.set(__KEY, n);
      expect([copy.get('6'), later.__REMOVED]).toEqual([66, []]);
      await served.run('UPDATE app.item SET n = 6 WHERE id = 6');
    },
  );

  test('by a time are told when their margin is over', async () => {
    const path = 'Note/$changes?$attributes=word';
    const before = await page(path);
    expect(ids(before)).toEqual(['1', '2', '3']);
    const now = served.isSqlServer ? 'SYSUTCDATETIME()' : "now() AT TIME ZONE 'UTC'";
    const at = Date.now();
    await served.run(`UPDATE app.note SET word = 'x', changed_at = ${now} WHERE id = 2`);
    const early = await page(path, before.__TOKEN);
    if (Date.now() - at < 900) expect(early.__ENTITIES).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect([...ids(early), ...ids(await page(path, early.__TOKEN))]).toEqual(['2']);
  });

  /** What a token says. */
  const read = (token: string): Record<string, unknown> & { round: { behind: string[] } } =>
    JSON.parse(Buffer.from(token, 'base64url').toString()) as never;

  /** The status of a token that says something else, or the code of its error where it is none. */
  const forged = async (path: string, token: object): Promise<unknown> => {
    const text = Buffer.from(JSON.stringify(token)).toString('base64url');
    const [status, body] = await ask(`${path}/$changes?since=${text}`);
    return status === 400
      ? (body as { __ERROR: { errCode: number }[] }).__ERROR[0]?.errCode
      : status;
  };

  test('refuse a place that the column of a key cannot have, whatever its type', async () => {
    const token = read((await page('Place/$changes?$top=1')).__TOKEN);
    const { behind } = token.round;
    const accepted: unknown[][] = behind.map(() => []);
    for (const [part, found] of accepted.entries()) {
      for (const value of ODD) {
        const round = { ...token.round, behind: behind.with(part, value) };
        const outcome = await forged('Place', { ...token, round });
        if (outcome !== 9067) found.push(outcome === 200 ? value : { value, outcome });
      }
    }
    const infinities = ['Infinity', '-infinity'];
    const onPostgres = (...values: string[]): string[] => (served.isSqlServer ? [] : values);
    expect(accepted).toEqual([
      ['-1'],
      [...onPostgres('NaN', ...infinities), '-1', ...onPostgres('1.005')],
      onPostgres(...infinities, '0044-03-15 BC', '12345-01-01'),
      [],
      ['9'.repeat(400), ''],
      ODD.filter((value) => value !== '\0'),
    ]);
    const timed = read((await page('Note/$changes?$attributes=word')).__TOKEN);
    const times = ['-000044-03-15T00:00:00.000Z', '+012345-01-01T00:00:00.000Z', 'NaN', 'infinity'];
    for (const until of times) expect(await forged('Note', { ...timed, until })).toBe(9067);
  });

  test('refuse tokens that were changed, of another database, and of another time', async () => {
    const token = read((await page('Item/$changes?$top=2')).__TOKEN);
    const later = String(BigInt(token['until'] as string) + 1_000_000n);
    const forgeries: [object, number][] = [
      [{}, 200],
      [{ round: { ...token.round, behind: ['x'] } }, 9067],
      [{ round: { ...token.round, behind: ['1', '2'] } }, 9067],
      [{ until: '-1' }, 9067],
      [{ until: "1'" }, 9067],
      [{ extra: 1 }, 9067],
      [{ database: 'another' }, 410],
      [{ until: later, round: undefined }, 410],
      [{ at: Date.now() - 31 * 86_400_000 }, 410],
      [{ of: 'other' }, 410],
    ];
    for (const [changed, outcome] of forgeries) {
      expect([changed, await forged('Item', { ...token, ...changed })]).toEqual([changed, outcome]);
    }
  });
});
