import { expect, test } from 'vitest';
import { atOnce, TimeSlice } from '../../../src/base/time.ts';
import type { Dataclass } from '../../../src/model/types.ts';
import { parseBody } from '../../../src/protocol/body/body.ts';
import { outermost, readEntity } from '../../../src/run/body/body-entity.ts';
import { addUuids } from '../../../src/run/body/slots.ts';
import { EntityValues } from '../../../src/run/convert/entity-values.ts';
import type { Column } from '../../../src/schema/types.ts';
import { readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { postgres, postgres as dialect } from '../../fixtures/dialects.ts';
import { parseJson } from '../../../src/protocol/body/json.ts';
import { bodyKey } from '../../../src/run/body/entity-key.ts';
import { complaint } from '../../protocol/complaint.ts';
import type { EntityContext } from '../../../src/run/convert/types.ts';
import { model as modelOf, table, type TableSketch } from '../../model/physical.ts';
import { parsed, rows } from '../../rows.ts';

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

test('the GUID of a new entity is made here, but one that the database makes behind the last (learn: newsequentialid-transact-sql)', () => {
  const given = new EntityValues(keyedBy({ hasDefault: true }));
  addUuids(given, () => []);
  expect(given.shape.slots).toMatchObject([{ member: 'Thing.id', column: { name: 'ID' } }]);
  expect(given.values).toEqual([
    expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i),
  ]);
  const left = new EntityValues(keyedBy({ hasDefault: true, sequentialGuids: true }));
  addUuids(left, () => []);
  expect(left.values).toEqual([]);
});

const model = await sampleModel(readSnapshot('postgres'));

type Read = Exclude<ReturnType<typeof readEntity>, { readonly next: unknown }>;

/** Reads what a body says of entities of a dataclass. */
async function readBody(
  dataclass: Dataclass | undefined,
  body: object,
  maxEntities: number,
): Promise<readonly Read[]> {
  const bytes = Buffer.from(JSON.stringify(body));
  const slice = new TimeSlice();
  const parsed = await parseBody({ contentType: undefined, bytes }, { slice, maxEntities });
  if (dataclass === undefined || parsed === null) throw new Error('there are no entities');
  const context: EntityContext = {
    ...{ dataclass, method: 'update', atomic: true, urlKey: null, urlAttribute: null },
    ...{ limits: dialect.limits, findUpload: () => undefined },
    position: outermost({ maxDepth: 5, maxEntities }),
  };
  return parsed.entities.map((entity, index) => {
    const reading = readEntity(entity, index, context);
    return 'next' in reading ? atOnce(reading) : reading;
  });
}

/** What is told of each order of a body, in the order of the body: messages, or how many lines it is to have. */
async function told(orders: readonly object[], maxEntities: number): Promise<unknown[]> {
  const all = await readBody(model.dataclasses.get('Order'), orders, maxEntities);
  return all.map((read) =>
    'error' in read
      ? read.error.toItems().map(({ message }) => message)
      : read.nested.map(({ entities }) => entities.length),
  );
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
  const whole = orders.map((order) => ({ ...ORDER, ...order }));
  expect(await told(whole, 10)).toEqual([[8], [tooMany], [tooMany], []]);
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

const { limits } = postgres;
const hex = { name: 'id', columnType: { kind: 'hex', native: 'bytea' } };
const number = { name: 'no', columnType: { kind: 'integer', bits: 32, signed: true } };
const plain = { name: 'Part', key: [hex] } as unknown as Dataclass;
const composite = { name: 'Part', key: [hex, number] } as unknown as Dataclass;

test.each([
  [plain, '12'],
  [plain, '{"id":12}'],
  [composite, '{"id":12,"no":1}'],
  [composite, '"{\\"id\\":12,\\"no\\":1}"'],
])('%#: a key of bytes is digits in quotes, and not a number: %s', (dataclass, json) => {
  expect(complaint(() => bodyKey(parseJson(json), dataclass, '__KEY', limits))).toEqual([
    'wrongType',
    '__KEY is not a key of Part: 12 is not a value for Part.id, expected bytes as hexadecimal digits in quotes, such as "0A1B".',
  ]);
  const quoted = parseJson(
    json.replace(/(?<![\d"])12/, '"12"').replace('\\":"12"', '\\":\\"12\\"'),
  );
  expect(bodyKey(quoted, dataclass, '__KEY', limits)[0]).toBe('12');
});

const text = { name: 'code', columnType: { kind: 'text', native: 'text' } };
const one = { name: 'Part', key: [text] } as unknown as Dataclass;
const two = { name: 'Part', key: [text, number] } as unknown as Dataclass;
const long = 'x'.repeat(262_145);

test.each([
  [one, long],
  [one, { code: long }],
  [two, { code: long, no: 1 }],
  [two, `${long};1`],
  [two, `{"code":"${long}","no":1}`],
])('%#: a key that is longer than any that is stored is not an entity’s', (dataclass, value) => {
  const [name, message] = complaint(() => bodyKey(value, dataclass, '__KEY', limits));
  expect([name, message.length < 500]).toEqual(['noEntityToWrite', true]);
  expect(message).toMatch(/^There is no entity Part\(/);
  expect(complaint(() => bodyKey(value, dataclass, 'Part.whole', limits))[0]).toBe(
    'brokenReference',
  );
  expect(bodyKey(long.slice(1), one, '__KEY', limits)).toEqual([long.slice(1)]);
});

/** A table whose key has a tenant. */
const ofTenant = (name: string, number: string): ReturnType<typeof table> =>
  table(name, {
    columns: { TENANT: 'int', [number]: 'int' },
    primaryKey: ['TENANT', number],
  });
const department = ofTenant('DEPT', 'DNO');
const project = ofTenant('PROJ', 'PNO');

/** An employee's columns, and the relations that the mapping file has, of `dept` and `proj`. */
interface Employees {
  readonly columns: TableSketch['columns'];
  readonly relations?: string;
}

const dept = 'dept: { to: Dept, foreignKey: TO_DEPT }';
const both = `${dept}, proj: { to: Proj, foreignKey: TO_PROJ }`;

/** The columns that a body of an employee sets to null. */
async function cleared({ columns, relations = both }: Employees, body: object): Promise<string[]> {
  const employee = table('EMP', {
    columns: { ID: 'int', ...columns },
    primaryKey: ['ID'],
    foreignKeys: [['DEPT', 'DNO'] as const, ['PROJ', 'PNO'] as const]
      .map(([targetTable, number]) => {
        const columns = ['TENANT', number];
        return { name: `TO_${targetTable}`, columns, targetTable, targetColumns: columns };
      })
      .filter(({ name }) => relations.includes(name)),
  });
  const { dataclasses } = await modelOf([employee, department, project], {
    emp:
      'dataclass: Emp\ntable: S.EMP\nstamp: hash\n' +
      'attributes: { id: ID, tenant: TENANT, dno: DNO, pno: PNO }\n' +
      `relations: { ${relations} }\n`,
    dept: 'dataclass: Dept\ntable: S.DEPT\nstamp: hash\nattributes: { tenant: TENANT, dno: DNO }\n',
    proj: 'dataclass: Proj\ntable: S.PROJ\nstamp: hash\nattributes: { tenant: TENANT, pno: PNO }\n',
  });
  const [read] = await readBody(dataclasses.get('Emp'), { __KEY: '1', __STAMP: 1, ...body }, 1);
  if (read === undefined || 'error' in read) throw read?.error ?? new Error('nothing was read');
  const { slots, nulls } = read.given.shape;
  return slots.filter((_, at) => nulls[at]).map(({ column }) => column.name);
}

const nullable = { columns: { TENANT: 'int?', DNO: 'int?', PNO: 'int?' } } as const;
const mandatory = { columns: { TENANT: 'int', DNO: 'int?', PNO: 'int?' } } as const;
const alone = { ...nullable, relations: dept };
const key = { tenant: 1, pno: 1 };
const asRead = { __KEY: 1, id: 1, tenant: 1, dno: 1, pno: 1, proj: { __deferred: { __KEY: key } } };

const [none, neither] = [{ dept: null }, { dept: null, proj: null }];

test.each<[string, Employees, object, string[]]>([
  ['what another relation stands on stays', nullable, none, ['DNO']],
  ['so it does in an entity as it was read', nullable, { ...asRead, ...none }, ['DNO']],
  ['beside the other relation', nullable, { id: 50, ...none, proj: key }, ['DNO']],
  ['both relations have columns of their own', nullable, neither, ['DNO', 'PNO']],
  ['what is mandatory stays', mandatory, { dept: null }, ['DNO']],
  ['a relation alone is all of its columns', alone, { dept: null }, ['TENANT', 'DNO']],
  ['unless it says all of them', alone, { tenant: 1, dno: 1, dept: null }, ['TENANT', 'DNO']],
])('a null for a relation: %s', async (_, employees, body, columns) => {
  expect(await cleared(employees, body)).toEqual(columns);
});

test.each(rows`
  nothing else holds none of its columns | {TENANT: int?, DNO: int, PNO: int?} | TENANT
  none can be null                       | {TENANT: int, DNO: int, PNO: int?}  | TENANT | DNO
`)('where %s, all that can be are meant', async (_, columns, ...expected) => {
  expect(await cleared({ columns: parsed(columns) }, { dept: null })).toEqual(expected);
});
