import { expect, test } from 'vitest';
import { onEngines, type Shape } from './shapes/engines.ts';

/** How many entities there are, of a million characters each. */
const WIDE = 140;

/** Entities that hold so much that a page of them is more than a process should hold at once. */
const wideRows: Shape = {
  postgres: `CREATE SCHEMA app;
CREATE VIEW app.wide AS SELECT n AS id, repeat('x', 1000000) AS tx FROM generate_series(1, ${WIDE}) n;`,
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.num (id int NOT NULL PRIMARY KEY)',
    `INSERT INTO app.num VALUES ${Array.from({ length: WIDE }, (_, at) => `(${at + 1})`).join(', ')}`,
    "CREATE VIEW app.wide AS SELECT id, REPLICATE(CONVERT(varchar(max), 'x'), 1000000) AS tx FROM app.num",
  ],
  mappings: {
    wide: 'dataclass: Wide\nview: app.wide\nkey: [id]\nstamp: none\nattributes: { id: id, tx: tx }',
  },
};

onEngines('entities that hold much', wideRows, (served) => {
  test('are refused in a page that would not fit into memory, and sent by pages that are read in slices', async () => {
    const refused = await served.gateway.get('/rest/Wide?$top=500');
    expect(refused.bytes.length).toBeLessThan(1000);
    expect([refused.status, refused.body]).toEqual([
      400,
      {
        __ERROR: [
          {
            message:
              'The database answers more than 128 MB to one statement of this request: ask for fewer attributes, or for fewer entities at once.',
            componentSignature: 'dbmg',
            errCode: 9012,
          },
        ],
      },
    ]);
    expect((await served.get('Wide?$top=2'))[0]).toBe(200);
    const answer = await fetch(
      `http://127.0.0.1:${served.gateway.port}/rest/Wide?$top=501&$asArray=true`,
    );
    const sent = (await answer.json()) as readonly { id: number; tx: string }[];
    expect(sent.map(({ id, tx }) => [id, tx.length])).toEqual(
      Array.from({ length: WIDE }, (_, at) => [at + 1, 1_000_000]),
    );
  });
});
