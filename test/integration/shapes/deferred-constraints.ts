import { mapped, type Shape } from './engines.ts';

const deferred = 'DEFERRABLE INITIALLY DEFERRED';

/** Orders and their lines, under constraints that are checked at the commit, which SQL Server has none of. */
export const shape: Shape = {
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
  mappings: mapped(`
product: {dataclass: Product, table: app.product, stamp: xmin, attributes: {id: id, name: name}}
ord: {dataclass: Ord, table: app.ord, stamp: xmin, attributes: {id: id, note: note}, relations: {lines: {inverse: Line.ord}, parent: {to: Ord,
  foreignKey: ord_parent}}}
line: {dataclass: Line, table: app.line, stamp: xmin, attributes: {id: id, no: no}, relations: {ord: {to: Ord, foreignKey: line_ord},
  product: {to: Product, foreignKey: line_product}}}
shipment: {dataclass: Shipment, table: app.shipment, stamp: xmin, attributes: {id: id}, relations: {line: {to: Line, foreignKey: shipment_line}}}
`),
};
