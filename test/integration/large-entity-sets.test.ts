import { describe, expect, test } from 'vitest';
import { idOf, leave, makeSet, type Slots, slotsOf } from './sets.ts';
import { errors, onEngines, type Shape } from './shapes/engines.ts';

/** How many entities each dataclass has; `n` counts them from 1. */
const COUNT = 24_000;

/** How many nodes a tree has, whose first one is the parent of all others: more than one statement deletes. */
const TREE = 2500;

/**
 * More keys than one statement is asked about, as numbers and of two parts; rows that come slowly; and a tree, with a leaf that
 * refers to its third node.
 */
const shape: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TABLE app.whole (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO app.whole SELECT ${COUNT} - n, n FROM generate_series(1, ${COUNT}) n;
CREATE TABLE app.paired (a int, b varchar(20), n int NOT NULL, PRIMARY KEY (a, b));
INSERT INTO app.paired SELECT n % 7, 'k' || n, n FROM generate_series(1, ${COUNT}) n;
CREATE VIEW app.slow AS SELECT n AS id, n FROM generate_series(1, 400) n WHERE pg_sleep(0.05) IS NOT NULL;
CREATE TABLE app.tree (id int PRIMARY KEY, parent_id int REFERENCES app.tree);
CREATE INDEX ON app.tree (parent_id);
INSERT INTO app.tree SELECT n, CASE WHEN n > 1 THEN 1 END FROM generate_series(1, ${TREE}) n;
CREATE TABLE app.leaf (id int PRIMARY KEY, tree_id int NOT NULL REFERENCES app.tree);
INSERT INTO app.leaf VALUES (1, 3);
`,
  // How keys are parted is the gateway's affair: what differs between engines is tried with fewer.
  sqlserver: [],
  mappings: {
    whole: 'dataclass: Whole\ntable: app.whole\nstamp: none\nattributes: { id: id, n: n }\n',
    paired: 'dataclass: Paired\ntable: app.paired\nstamp: none\nattributes: { a: a, b: b, n: n }\n',
    tree: 'dataclass: Tree\ntable: app.tree\n',
    leaf: 'dataclass: Leaf\ntable: app.leaf\n',
    slow: 'dataclass: Slow\nview: app.slow\nkey: [id]\nattributes: { id: id, n: n }\n',
  },
};

onEngines('entity sets of more keys than one statement is asked about', shape, (served) => {
  const make = (path: string): Promise<string> => makeSet(served.gateway, path);
  const read = async (uri: string, query: string): Promise<readonly [number, ...Slots]> => {
    const { count, slots } = slotsOf(await served.gateway.get(`${uri}?${query}`), 'n');
    return [count, ...slots];
  };

  test.each(['Whole', 'Paired'])('%s', async (dataclass) => {
    const uri = await make(`${dataclass}?$orderby="n desc"&$method=entityset&$top=0`);
    const low = await make(`${dataclass}?$filter="n<=1000"&$orderby=n&$method=entityset&$top=0`);
    const combined = (one: string, operator: string, other: string, page: string) =>
      read(one, `$logicOperator=${operator}&$otherCollection=${idOf(other)}&${page}`);
    expect(await read(uri, '$top=2')).toEqual([COUNT, COUNT, COUNT - 1]);
    expect(await read(uri, '$skip=19999&$top=2')).toEqual([COUNT, 4001, 4000]);
    expect(await read(uri, '$filter="n<=15000"&$skip=14998')).toEqual([15_000, 2, 1]);
    expect(await read(uri, '$orderby=n&$top=2&$skip=20000')).toEqual([COUNT, 20_001, 20_002]);
    const few = '$filter="n in [23999,4001,4000,3999,1]"';
    expect(await read(uri, few)).toEqual([5, 23_999, 4001, 4000, 3999, 1]);
    expect(await combined(uri, 'AND', low, '$top=1')).toEqual([1000, 1000]);
    expect(await combined(low, 'OR', uri, `$skip=${COUNT - 1}`)).toEqual([COUNT, 1001]);
    expect(await combined(uri, 'EXCEPT', low, '$skip=22999')).toEqual([23_000, 1001]);
    // On both sides of where statements part.
    const gone = `n IN (4000, 4001, ${COUNT})`;
    await served.run(`DELETE FROM app.${dataclass.toLowerCase()} WHERE ${gone}`);
    expect(await read(uri, '$skip=19998&$top=4')).toEqual([COUNT, 4002, null, null, 3999]);
    expect(await read(uri, '$clean=true&$skip=19997&$top=2')).toEqual([COUNT - 3, 4002, 3999]);
    const last = [COUNT, 23_999, null, null, null];
    expect(await read(uri, `$orderby=n&$skip=${COUNT - 4}`)).toEqual(last);
  });

  describe('a tree, whose first node all others refer to', () => {
    /** What is told of a delete that a relation stands against. */
    const refused = (relation: string): unknown => [
      409,
      errors(
        [1120, `The entity of Tree is still referred to by ${relation}.`],
        [1518, 'Nothing of the request was deleted.'],
      ),
    ];
    const count = async (): Promise<number> =>
      slotsOf(await served.gateway.get('/rest/Tree?$top=0'), 'id').count;
    /** What is told of a delete, and how many statements it takes. */
    const deleted = async (path: string): Promise<readonly [unknown, number]> => {
      served.gateway.takeStatements();
      const told = await served.post(`${path}?$method=delete`);
      return [told, served.gateway.takeStatements().length];
    };

    test('a leaf stands against the delete of its nodes: told at once, and of no node that may be another', async () => {
      const uri = (await make('Tree?$method=entityset&$top=0')).replace('/rest/', '');
      // Where other processes may lock entities, one more asks for that.
      const statements = served.engine === 'pglite' ? 3 : 4;
      expect(await deleted(uri)).toEqual([refused('Leaf.tree'), statements]);
      expect((await deleted('Tree(1,2,3)'))[0]).toEqual(refused('Tree.tree'));
      expect(await count()).toBe(TREE);
    });

    test('is deleted as a whole, however many nodes it has', async () => {
      const uri = (await make('Tree?$method=entityset&$top=0')).replace('/rest/', '');
      await served.run('DELETE FROM app.leaf');
      await served.run('DELETE FROM app.tree WHERE id = 9');
      const { headers } = await served.gateway.get(`/rest/Tree(${TREE})?$lock=true`);
      expect((await deleted(uri))[0]).toEqual([
        409,
        errors(
          [9025, `Tree(${TREE}) is locked by another session.`],
          [1518, 'Nothing of the request was deleted.'],
        ),
      ]);
      const session = { 'entitygate-session': String(headers['entitygate-session']) };
      await served.gateway.get(`/rest/Tree(${TREE})?$lock=false`, { headers: session });
      expect((await deleted(uri))[0]).toEqual([200, { ok: true }, 2499]);
      expect(await count()).toBe(0);
    });
  });

  test.runIf(served.engine === 'postgres')(
    'a client that leaves while keys are read takes the statement with it',
    async () => {
      const { port } = served.gateway;
      // As many as there are connections: any that goes on would keep the next client waiting for its 20 seconds.
      await Promise.all(
        Array.from({ length: 4 }, () => leave(port, '/rest/Slow?$method=entityset', 400)),
      );
      const before = performance.now();
      await make('Whole?$filter="n<9"&$method=entityset');
      expect(performance.now() - before).toBeLessThan(10_000);
    },
  );
});
