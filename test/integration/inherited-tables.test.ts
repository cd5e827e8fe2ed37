import { expect, test } from 'vitest';
import { query } from '../targets/sql.ts';
import { onEngines, type Served, type Shape } from './shapes/engines.ts';

/** A table of the present, a table of the past that inherits from it and has its keys again, and a table that refers to the present. */
const shape: Shape = {
  postgres: `
CREATE SCHEMA kin;
SET search_path TO kin;
CREATE TABLE tot (id int PRIMARY KEY, v text, n int CHECK (n < 100));
CREATE TABLE tot_old (closed date) INHERITS (tot);
CREATE TABLE tot_older () INHERITS (tot_old);
CREATE TABLE line (id int PRIMARY KEY, tot_id int REFERENCES tot);
INSERT INTO tot VALUES (1, 'one', 1), (5, 'now', 5), (6, 'six', 6);
INSERT INTO tot_old VALUES (5, 'old', 5, '2020-01-01'), (7, 'old', 7, NULL);
INSERT INTO tot_older VALUES (5, 'older', 5, NULL);
INSERT INTO line VALUES (1, 5), (2, 5), (3, 1);
`,
  sqlserver: [],
  mappings: {
    tot: `
dataclass: Tot
table: kin.tot
stamp: hash
requireStamp: false
attributes: { ID: id, v: v, n: n }
relations: { lines: { inverse: Line.tot } }
`,
    line: `
dataclass: Line
table: kin.line
stamp: hash
attributes: { ID: id }
relations: { tot: { to: Tot, foreignKey: line_tot_id_fkey } }
`,
    all: `
dataclass: All
table: kin.tot
children: true
attributes: { ID: id, v: v, n: n }
relations: {}
`,
  },
};

const ask = async (served: Served, path: string): Promise<unknown> => {
  const [status, body] = await served.get(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

/** What the three tables hold. */
async function stored({ gateway }: Served): Promise<unknown> {
  const text = `SELECT string_agg(concat_ws(' ', c.relname, t.id, t.v), ', ' ORDER BY c.relname, t.id)
    FROM kin.tot t JOIN pg_class c ON c.oid = t.tableoid`;
  return (await query(gateway.database, text))[0]?.[0];
}

onEngines('a table that others inherit from', shape, (served) => {
  test('is read without their rows', async () => {
    expect(await ask(served, 'Tot?$asArray=true&$attributes=ID,v&$orderby=v desc')).toEqual([
      expect.objectContaining({ ID: 6, v: 'six' }),
      expect.objectContaining({ ID: 1, v: 'one' }),
      expect.objectContaining({ ID: 5, v: 'now' }),
    ]);
    expect(await ask(served, 'Tot?$top=1')).toMatchObject({ __COUNT: 3 });
    expect(await ask(served, 'Tot/n?$compute=sum')).toBe(12);
    expect(await ask(served, 'Tot/v?$distinct=true')).toEqual(['now', 'one', 'six']);
    expect(await ask(served, 'Tot(5)')).toMatchObject({ __KEY: '5', v: 'now' });
    expect(await ask(served, 'Line(1)?$expand=tot')).toMatchObject({ tot: { v: 'now' } });
    expect(await ask(served, 'Line?$filter="tot.v != one"')).toMatchObject({ __COUNT: 2 });
    expect(await ask(served, 'Line(1)/tot')).toMatchObject({ v: 'now' });
    expect(await ask(served, 'Tot?$filter="lines.ID > 0"')).toMatchObject({ __COUNT: 2 });
  });

  test('is written without them', async () => {
    const old = 'tot_old 5 old, tot_old 7 old, tot_older 5 older';
    const changed = { __KEY: '5', v: 'new' };
    for (const [atomic, body] of [
      ['', changed],
      ['', { ID: 8, v: 'eight', n: 8 }],
      ['&$atomic=true', [{ ...changed, n: 6 }]],
    ] as const) {
      const [status] = await served.post(`Tot?$method=update${atomic}`, body);
      expect(status).toBe(200);
    }
    expect(await stored(served)).toBe(`tot 1 one, tot 5 new, tot 6 six, tot 8 eight, ${old}`);
    expect(await served.post('Tot(6)?$method=delete')).toEqual([200, { ok: true }]);
    expect(await served.post('Tot?$method=delete&$filter="n >= 7"')).toEqual([
      200,
      { ok: true },
      1,
    ]);
    const refused = await served.post('Tot?$method=delete&$filter="lines.ID = 3"');
    expect(refused[0]).toBe(409);
    await served.run('DELETE FROM kin.line');
    const [, set] = await served.get('Tot?$filter="ID = 5"&$method=entityset');
    const { __ENTITYSET } = set as { readonly __ENTITYSET: string };
    expect(await served.post(`${__ENTITYSET.slice('/rest/'.length)}?$method=delete`)).toEqual([
      200,
      { ok: true },
      1,
    ]);
    expect(await stored(served)).toBe(`tot 1 one, ${old}`);
  });

  test('is read with them where its mapping file says so, and then has no key', async () => {
    expect(await ask(served, 'All?$attributes=ID,v&$orderby=ID,v')).toMatchObject({
      __COUNT: 4,
      __ENTITIES: [
        { ID: 1, v: 'one' },
        { ID: 5, v: 'old' },
        { ID: 5, v: 'older' },
        { ID: 7, v: 'old' },
      ],
    });
    expect(await ask(served, 'All?$filter="v = old"')).toMatchObject({ __COUNT: 2 });
    for (const path of ['All(5)', 'All/$changes']) {
      expect([path, (await served.get(path))[0]]).toEqual([path, 400]);
    }
  });
});
