import { expect, test } from 'vitest';
import { notCreated, onEngines, type Served, type Shape } from './shapes/engines.ts';

const deferred = 'DEFERRABLE INITIALLY DEFERRED';

/** Orders and their lines, under constraints that are checked at the commit, which SQL Server has none of. */
const shape: Shape = {
  postgres: `CREATE SCHEMA app;
CREATE TABLE app.product (id int PRIMARY KEY, name varchar(20));
CREATE TABLE app.ord (id int PRIMARY KEY, note varchar(20), parent int,
  CONSTRAINT ord_parent FOREIGN KEY (parent) REFERENCES app.ord ${deferred});
CREATE TABLE app.line (id int PRIMARY KEY, ord_id int, product_id int, no int,
  CONSTRAINT line_ord FOREIGN KEY (ord_id) REFERENCES app.ord ${deferred},
  CONSTRAINT line_product FOREIGN KEY (product_id) REFERENCES app.product ${deferred},
  CONSTRAINT line_no UNIQUE (ord_id, no) ${deferred});
CREATE TABLE app.shipment (id int PRIMARY KEY, line_id int,
  CONSTRAINT shipment_line FOREIGN KEY (line_id) REFERENCES app.line ${deferred});
CREATE TABLE app.secret (id int PRIMARY KEY, line_id int,
  CONSTRAINT secret_line FOREIGN KEY (line_id) REFERENCES app.line ${deferred});
INSERT INTO app.product VALUES (1, 'one');
INSERT INTO app.ord VALUES (1, 'first');
INSERT INTO app.line VALUES (10, 1, 1, 1), (11, 1, 1, 2), (12, 1, 1, 3);
INSERT INTO app.shipment VALUES (1, 10);
INSERT INTO app.secret VALUES (1, 11);`,
  sqlserver: [],
  settings: { requireStamp: false },
  mappings: {
    product:
      'dataclass: Product\ntable: app.product\nstamp: xmin\nattributes: { id: id, name: name }\n',
    ord: `dataclass: Ord
table: app.ord
stamp: xmin
attributes: { id: id, note: note }
relations: { lines: { inverse: Line.ord }, parent: { to: Ord, foreignKey: ord_parent } }
`,
    line: `dataclass: Line
table: app.line
stamp: xmin
attributes: { id: id, no: no }
relations: { ord: { to: Ord, foreignKey: line_ord }, product: { to: Product, foreignKey: line_product } }
`,
    shipment: `dataclass: Shipment
table: app.shipment
stamp: xmin
attributes: { id: id }
relations: { line: { to: Line, foreignKey: shipment_line } }
`,
  },
};

/** What a refused request is told: the status, and code and message of each error. */
async function refusedBy(served: Served, url: string, body: unknown): Promise<unknown> {
  const [status, answer] = await served.post(url, body);
  const { __ERROR: errors } = answer as {
    readonly __ERROR: readonly { readonly errCode: number; readonly message: string }[];
  };
  return [status, ...errors.map(({ errCode, message }) => [errCode, message])];
}

const NOT_CREATED = [1534, 'The new entity of Ord was not saved.'];

onEngines('a constraint that is checked at the commit', shape, (served) => {
  test('names the relation that it stands on, and its place in a nested save', async () => {
    const lines = [1, 99, 1].map((product, at) => ({ id: 100 + at, no: at, product }));
    expect(await refusedBy(served, 'Ord', { id: 2, lines })).toEqual([
      409,
      [1120, 'lines[1].product: Line.product refers to an entity that does not exist.'],
      NOT_CREATED,
    ]);
    const parent = { id: 3, parent: 77 };
    expect(await refusedBy(served, 'Ord', { id: 2, parent })).toEqual([
      409,
      [1120, 'parent.parent: Ord.parent refers to an entity that does not exist.'],
      NOT_CREATED,
    ]);
    expect(await refusedBy(served, 'Line', { id: 100, product: 99 })).toEqual([
      409,
      [1120, 'Line.product refers to an entity that does not exist.'],
      [1534, 'The new entity of Line was not saved.'],
    ]);
    expect(await served.get('Ord')).toMatchObject([200, { __COUNT: 1 }]);
  });

  test('names the list, where several entities may be the one', async () => {
    const lines = [100, 101].map((id) => ({ id, no: 1, product: 1 }));
    expect(await refusedBy(served, 'Ord', { id: 2, lines })).toEqual([
      409,
      [
        1115,
        'lines: Line.ord, Line.no has to be unique, and another entity has this value already.',
      ],
      NOT_CREATED,
    ]);
  });

  test('fails one of several objects, and names it where all fail with it', async () => {
    const orders = [2, 3].map((id) => ({
      id,
      lines: [
        { id: id * 100, product: 1 },
        { id: id * 100 + 1, product: id === 3 ? 99 : 1 },
      ],
    }));
    expect(await refusedBy(served, 'Ord?$atomic=true', orders)).toEqual([
      409,
      [
        1120,
        'Element 1 of the body, a new Ord: lines[1].product: Line.product refers to an entity that does not exist.',
      ],
      [1046, 'Nothing of the request was saved.'],
    ]);
    expect(await served.post('Ord', orders)).toMatchObject([
      200,
      {
        __ENTITIES: [
          { __STATUS: { success: true }, __KEY: '2' },
          notCreated(
            'Ord',
            1120,
            'lines[1].product: Line.product refers to an entity that does not exist.',
          ),
        ],
      },
    ]);
  });

  test('says what refers to an entity that a list leaves out, and not what nobody is to see', async () => {
    const kept = (...ids: number[]): object => ({
      __KEY: '1',
      lines: ids.map((id) => ({ __KEY: String(id) })),
    });
    expect(await refusedBy(served, 'Ord?$replace=lines', kept(11, 12))).toEqual([
      409,
      [1120, 'lines: The entity of Line is still referred to by Shipment.line.'],
      [1517, 'Ord(1) was not saved.'],
    ]);
    expect(await refusedBy(served, 'Ord?$replace=lines', kept(10, 12))).toEqual([
      409,
      [9015, 'The entity of Ord breaks a rule of the database.'],
      [1517, 'Ord(1) was not saved.'],
    ]);
  });
});
