import { expect, test } from 'vitest';
import { query } from '../../targets/sql.ts';
import { COUNTED, type Served, type Shape } from './engines.ts';

/** How many entities each dataclass has; `n` counts them from 1. */
const COUNT = 24_000;

/** How many nodes a tree has, whose first one is the parent of all others: more than one statement deletes. */
const TREE = 2500;

/**
 * More keys than one statement is asked about, as numbers and of two parts; rows that come slowly; and a tree, with a leaf that
 * refers to its third node.
 */
export const shape: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TABLE app.whole (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO app.whole SELECT ${COUNT} - n, n FROM generate_series(1, ${COUNT}) n;
CREATE TABLE app.paired (a int, b varchar(20), n int NOT NULL, PRIMARY KEY (a, b));
INSERT INTO app.paired SELECT n % 7, 'k' || n, n FROM generate_series(1, ${COUNT}) n;
CREATE VIEW app.slow AS SELECT n AS id, n FROM generate_series(1, 60) n WHERE pg_sleep(1) IS NOT NULL;
CREATE TABLE app.tree (id int PRIMARY KEY, parent_id int REFERENCES app.tree);
CREATE INDEX ON app.tree (parent_id);
INSERT INTO app.tree SELECT n, CASE WHEN n > 1 THEN 1 END FROM generate_series(1, ${TREE}) n;
CREATE TABLE app.leaf (id int PRIMARY KEY, tree_id int NOT NULL REFERENCES app.tree);
INSERT INTO app.leaf VALUES (1, 3);
`,
  // How keys are parted is the gateway's affair: what differs between engines is tried with fewer.
  sqlserver: [],
  verbs: { COUNTED },
  mappings: {
    whole: 'dataclass: Whole\ntable: app.whole\nstamp: none\nattributes: { id: id, n: n }\n',
    paired: 'dataclass: Paired\ntable: app.paired\nstamp: none\nattributes: { a: a, b: b, n: n }\n',
    tree: 'dataclass: Tree\ntable: app.tree\n',
    leaf: 'dataclass: Leaf\ntable: app.leaf\n',
    slow: 'dataclass: Slow\nview: app.slow\nkey: [id]\nattributes: { id: id, n: n }\n',
  },
};

/** A client that leaves while a set of the slow rows is made. */
export function leaving(served: Served): void {
  test.runIf(served.engine === 'postgres')(
    'a client that leaves while keys are read takes the statement with it',
    async () => {
      const { port, database } = served.gateway;
      const running =
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
      const sleeping = (): Promise<unknown> => query(database, running);
      const client = new AbortController();
      const url = `http://127.0.0.1:${port}/rest/Slow?$method=entityset`;
      const left = expect(fetch(url, { signal: client.signal })).rejects.toThrow('aborted');
      await expect.poll(sleeping).toEqual([['1']]);
      client.abort();
      await left;
      await expect.poll(sleeping).toEqual([['0']]);
    },
  );
}
