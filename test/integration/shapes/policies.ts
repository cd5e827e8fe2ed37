import { rolesSetting } from '../../../src/config/settings/roles.ts';
import { mapped, type Shape } from './engines.ts';

/** Orders with their lines. */
const tables = [
  'CREATE TABLE app.product (id int NOT NULL PRIMARY KEY, name varchar(20) NULL)',
  'CREATE TABLE app.company (id int NOT NULL PRIMARY KEY, name varchar(20) NULL)',
  'CREATE TABLE app.ord (id int NOT NULL PRIMARY KEY, status varchar(2) NOT NULL, note varchar(20) NULL, buyer int NULL REFERENCES app.company (id), ver int DEFAULT 1 NOT NULL)',
  `CREATE TABLE app.line (order_id int NOT NULL CONSTRAINT fk_line_order REFERENCES app.ord (id), line int NOT NULL, quantity int NOT NULL,
    product_id int NOT NULL REFERENCES app.product (id), remark varchar(20) NULL, ver int DEFAULT 1 NOT NULL, PRIMARY KEY (order_id, line))`,
  "INSERT INTO app.product VALUES (1, 'one'), (2, 'two')",
  "INSERT INTO app.company VALUES (1, 'first'), (2, 'second')",
  "INSERT INTO app.ord (id, status, buyer) VALUES (1, 'NW', 1), (4, 'NW', 2)",
  'INSERT INTO app.line (order_id, line, quantity, product_id, remark) VALUES (1, 1, 5, 1, NULL), (1, 2, 7, 2, NULL), (4, 1, 3, 1, NULL), (4, 2, 2, 2, NULL)',
];

const shape: Shape = {
  postgres: `CREATE SCHEMA app; ${tables.join('; ')};`,
  sqlserver: ['CREATE SCHEMA app', ...tables],
  mappings: mapped(`
company: {dataclass: Company, table: app.company, stamp: hash, relations: {}}
product: {dataclass: Product, table: app.product, stamp: hash}
order: {dataclass: Order, table: app.ord, stamp: {counter: ver}, attributes: {id: id, status: status, note: note},
  relations: {lines: {inverse: OrderLine.order}}}
line: {dataclass: OrderLine, table: app.line, stamp: {counter: ver}, attributes: {orderNo: order_id, line: line, quantity: quantity, remark: remark},
  relations: {order: {to: Order, foreignKey: fk_line_order}, product: {to: Product, columns: {product_id: id}}}}
`),
};

type Rights = Readonly<Record<string, unknown>>;

const all = { read: true, create: true, update: true, delete: true };
const few = 'not (lines.quantity > 100)';

/** What everybody sees and saves who has these rights. */
function withRights(order: Rights, line: Rights): Shape {
  const dataclasses = { Order: order, OrderLine: line, Product: { read: true } };
  const roles = rolesSetting.parse({ one: { dataclasses } });
  return { ...shape, settings: { roles, authentication: { anonymous: ['one'] } } };
}

/** Orders that may be saved only where no line of theirs is of more than 100 pieces. */
export const sold = withRights({ ...all, create: few, update: few }, all);

/** No other orders are seen. */
export const seen = withRights({ ...all, where: few }, all);

/** Orders with a line of many pieces, of which a new one has product 1. */
export const packed = withRights(
  { ...all, where: 'lines.quantity > 150', create: 'lines.product.id = 1' },
  all,
);

/** Orders that are shipped by locking them; of those that are not locked, lines may be deleted. */
export const shipped = withRights(
  { read: true, update: 'status != SH OR lines.remark = locked' },
  { ...all, delete: 'order.status = SH AND NOT (order.lines.remark = locked)' },
);

/** Another dataclass of the table of orders shows some of them. */
export const ofOpenOrders: Shape = {
  ...shape,
  mappings: {
    ...shape.mappings,
    line: (shape.mappings['line'] ?? '').replace(
      'relations:',
      '$&\n  openOrder: { to: OpenOrder, foreignKey: fk_line_order }',
    ),
    ...mapped(`
openOrder: {dataclass: OpenOrder, table: app.ord, where: not (buyer.id = 1), stamp: {counter: ver}, attributes: {id: id},
  relations: {buyer: {to: Company, columns: {buyer: id}}}}
`),
  },
};
