import { expect, test } from 'vitest';
import { atOnce, TimeSlice } from '../../../src/base/time.ts';
import type { Dataclass, Relation } from '../../../src/model/types.ts';
import { parseBody } from '../../../src/protocol/body/body.ts';
import { outermost, readEntity } from '../../../src/run/body/body-entity.ts';
import { addUuids, readRelation } from '../../../src/run/body/slots.ts';
import { EntityValues } from '../../../src/run/convert/entity-values.ts';
import type { Column } from '../../../src/schema/types.ts';
import { readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { postgres as dialect } from '../../fixtures/dialects.ts';

/** A dataclass whose key is a GUID. */
function keyedBy(column: Partial<Column>): Dataclass {
  const type = { kind: 'uuid', native: 'uniqueidentifier' } as const;
  const key = {
    name: 'id',
    columnType: type,
    readOnly: null,
    column: { name: 'ID', type, ...column },
  };
  return { name: 'Thing', key: [key] } as unknown as Dataclass;
}

test('the GUID of a new entity is made here', () => {
  const given = new EntityValues(keyedBy({ hasDefault: true }));
  addUuids(given, () => []);
  expect(given.shape.slots).toMatchObject([{ member: 'Thing.id', column: { name: 'ID' } }]);
  expect(given.values).toEqual([
    expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i),
  ]);
});

test('one that the database makes behind the last is left to it (learn: newsequentialid-transact-sql)', () => {
  const given = new EntityValues(keyedBy({ hasDefault: true, sequentialGuids: true }));
  addUuids(given, () => []);
  expect(given.values).toEqual([]);
});

test('a relation to many that is read-only says why', () => {
  const target = { name: 'Part', key: [] } as unknown as Dataclass;
  const parts = {
    kind: 'relatedEntities',
    name: 'parts',
    target,
    readOnly: 'it is an heirloom',
  } as unknown as Relation;
  const dataclass = keyedBy({});
  const given = new EntityValues(dataclass);
  expect(() => readRelation(parts, ['1'], () => new Set(), given, { dataclass } as never)).toThrow(
    'Thing.parts is read-only: it is an heirloom.',
  );
});

const model = await sampleModel(readSnapshot('postgres'));

/** What is told of each order of a body, in the order of the body: messages, or how many lines it is to have. */
async function told(orders: readonly object[], maxEntities: number): Promise<unknown[]> {
  const dataclass = model.dataclasses.get('Order');
  const bytes = Buffer.from(JSON.stringify(orders));
  const slice = new TimeSlice();
  const parsed = await parseBody({ contentType: undefined, bytes }, { slice, maxEntities });
  if (dataclass === undefined || parsed === null) throw new Error('there are no orders');
  const context = {
    dataclass,
    method: 'update' as const,
    atomic: true,
    urlKey: null,
    urlAttribute: null,
    limits: dialect.limits,
    findUpload: () => undefined,
    position: outermost({ maxDepth: 5, maxEntities }),
  };
  const all: unknown[] = [];
  for (const [index, order] of parsed.entities.entries()) {
    const reading = readEntity(order, index, context);
    const read = 'next' in reading ? atOnce(reading) : reading;
    if ('error' in read) all.push(read.error.toItems().map(({ message }) => message));
    else all.push(read.nested.map(({ entities }) => entities.length));
  }
  return all;
}

const ORDER = { date: '2024-01-01', placedAt: '2024-01-01T00:00:00Z', currency: 'EUR', billTo: 1 };

function lines(count: number, line: object = { quantity: 1 }): object[] {
  const whole = { unitPrice: 1, product: 1, ...line };
  return Array.from({ length: count }, (_, at) => ({ line: at + 1, ...whole }));
}

test('of the objects within an entity a hundred mistakes are told besides the first', async () => {
  const wrong = Array.from(
    { length: 101 },
    (_, at) =>
      `lines[${at}].quantity: "x" is not a value for OrderLine.quantity: expected a whole number from -2147483648 to 2147483647.`,
  );
  const [messages] = await told([{ ...ORDER, lines: lines(500, { quantity: 'x' }) }], 1000);
  expect(messages).toEqual(wrong);
});

test('that there are too many objects is told once of each entity, and none of them is saved in part', async () => {
  const tooMany =
    'The body holds more than 10 objects; at most as many are allowed, those within others counted as well.';
  const orders = [{ lines: lines(8) }, { lines: lines(500) }, { lines: lines(2) }, {}];
  expect(
    await told(
      orders.map((order) => ({ ...ORDER, ...order })),
      10,
    ),
  ).toEqual([[8], [tooMany], [tooMany], []]);
});

test('all mistakes of an object and of those within it are told, in the order of the body, and then what is missing', async () => {
  const order = {
    currency: 3,
    lines: [
      { quantity: 'x', nmae: 1, product: 1 },
      { line: 2, quantity: 'y', unitPrice: 1 },
    ],
    nmae: 1,
    date: 'z',
    billTo: { __KEY: 'x' },
  };
  expect(await told([order], 10)).toEqual([
    [
      '3 is not a value for Order.currency: expected text in quotes.',
      'lines[0].quantity: "x" is not a value for OrderLine.quantity: expected a whole number from -2147483648 to 2147483647.',
      'lines[0]: Dataclass OrderLine has no attribute nmae. Known: orderNo, line, quantity, unitPrice, discount, amount, shippedDate, remark, order, product.',
      'lines[0].line: OrderLine.line is mandatory: it needs a value.',
      'lines[0].unitPrice: OrderLine.unitPrice is mandatory: it needs a value.',
      'lines[1].quantity: "y" is not a value for OrderLine.quantity: expected a whole number from -2147483648 to 2147483647.',
      'lines[1].product: OrderLine.product is mandatory: it needs a value.',
      'Dataclass Order has no attribute nmae.',
      '"z" is not a value for Order.date: expected a date such as 2024-12-31.',
      'Order.billTo is not a key of Company: "x" is not a value for Company.ID, expected a whole number from -2147483648 to 2147483647.',
      'Order.placedAt is mandatory: it needs a value.',
    ],
  ]);
});

test('behind ten thousand mistakes in a body, the first one of each object is told', async () => {
  const names = Array.from({ length: 200 }, (_, at) => [`no${at}`, 1]);
  const orders = Array.from({ length: 103 }, () => Object.fromEntries(names) as object);
  const counts = (await told(orders, 1000)).map((messages) => (messages as unknown[]).length);
  expect(counts).toEqual([...Array.from({ length: 99 }, () => 101), 2, 1, 1, 1]);
});
