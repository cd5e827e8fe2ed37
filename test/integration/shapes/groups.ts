import { expect, test } from 'vitest';
import { mapped, type Served, type Shape } from './engines.ts';
import { inBothLanguages } from './languages.ts';

/** The time zone of the local times. */
const ZONE = 'Europe/Berlin';

const countries: readonly (string | null)[] = ['at', 'de', 'de', 'fr', null];
const statuses = ['new', 'paid', 'sent', 'void', null];
/** Days around the turns of years, of which some are in week 53, and the first and the last of all. */
const days = [
  ...['0001-01-01', '1999-12-31', '2015-12-28', '2016-01-03', '2016-01-04', '2020-02-29'],
  ...['2020-12-28', '2021-01-03', '2021-01-04', '2024-12-30', '2026-03-29', '9999-12-31'],
];
/** Local times around changes of clocks, and instants of which two have one local time. */
const locals = [
  ...['2026-03-29T01:59:59', '2026-03-29T03:00:00', '2026-10-25T01:30:00', '2026-10-25T02:30:00'],
  ...['2026-12-31T23:59:59', '2027-01-01T00:00:00', '1960-07-01T12:00:00'],
];
const instants = [
  ...[
    '2026-10-25T00:30:00Z',
    '2026-10-25T01:30:00Z',
    '2026-03-29T00:59:59Z',
    '2026-03-29T01:00:00Z',
  ],
  ...['2026-12-31T23:30:00Z', '2026-12-31T22:30:00Z', '1950-06-01T22:30:00Z'],
];
const amounts = [
  ...['0', '0.5', '-0.5', '-12.75', '99.9999', '100', '123456789012345678901234567890.1234'],
  ...['-1', '7.25', '1000.0001'],
];

/** Draws from lists, the same in every run. */
function draws(): <Value>(values: readonly Value[]) => Value {
  let state = 7;
  return <Value>(values: readonly Value[]): Value => {
    state = (state * 48_271) % 2_147_483_647;
    return values[state % values.length] as Value;
  };
}

const draw = draws();

const sales = Array.from({ length: 60 }, (_, index) => ({
  id: index + 1,
  customer: draw([1, 2, 3, 4, 5, null]),
  status: draw(statuses),
  amount: draw([...amounts, null]),
  big: draw(['0', '99', '100', '-1', '-100', '9223372036854775807', '250', null]),
  price: draw([0, 0.25, -0.25, 19.5, 20, 1e6, null]),
  day: draw([...days, null]),
  local: draw([...locals, null]),
  instant: draw([...instants, null]),
  done: draw([true, false, null]),
}));

const items = Array.from({ length: 90 }, () => ({
  sale: draw(sales.slice(0, 45)).id,
  qty: draw([1, 2, 3, 10, null]),
  weight: draw(['0.125', '2.5', '-1', null]),
}));

const labels = ['alpha', 'beta', 'gamma'];
const labelled = sales.flatMap(({ id }) =>
  labels.flatMap((_, label) => (draw([0, 0, 1]) === 1 ? [{ sale: id, label: label + 1 }] : [])),
);

function quoted(value: string | null): string {
  return value === null ? 'NULL' : `'${value}'`;
}

function rows(lines: readonly (readonly (string | number | null)[])[]): string {
  return lines.map((line) => `(${line.map((value) => value ?? 'NULL').join(', ')})`).join(', ');
}

const saleRows = sales.map((sale) => [
  ...[sale.id, sale.customer, quoted(sale.status), sale.amount, sale.big, sale.price],
  ...[quoted(sale.day), quoted(sale.local), quoted(sale.instant)],
  sale.done === null ? null : sale.done ? 'YES_VALUE' : 'NO_VALUE',
]);

const { postgres, sqlserver } = inBothLanguages(
  [
    'CREATE TABLE app.customer (id int PRIMARY KEY, country varchar(10))',
    `CREATE TABLE app.sale (id int PRIMARY KEY, customer int REFERENCES app.customer (id), status varchar(10), amount decimal(38, 4), big bigint,
      price float, day date, local LOCAL_TYPE, instant INSTANT_TYPE, done FLAG_TYPE)`,
    'CREATE TABLE app.item (id int PRIMARY KEY, sale int REFERENCES app.sale (id), qty int, weight decimal(10, 3))',
    'CREATE TABLE app.label (id int PRIMARY KEY, name varchar(20))',
    `CREATE TABLE app.labelled (sale int REFERENCES app.sale (id), label int REFERENCES app.label (id), PRIMARY KEY (sale, label))`,
    'CREATE TABLE app.word (id int PRIMARY KEY, text varchar(20), padded char(4))',
    'CREATE TABLE app.odd (id int PRIMARY KEY, "double" float, single real, local LOCAL_TYPE, far date, edge EDGE_TYPE)',
    'CREATE TABLE app.felt (id int PRIMARY KEY)',
    `INSERT INTO app.customer VALUES ${rows(countries.map((country, index) => [index + 1, quoted(country)]))}`,
    `INSERT INTO app.sale VALUES ${rows(saleRows)}`,
    `INSERT INTO app.item VALUES ${rows(items.map(({ sale, qty, weight }, index) => [index + 1, sale, qty, weight]))}`,
    `INSERT INTO app.label VALUES ${rows(labels.map((name, index) => [index + 1, quoted(name)]))}`,
    `INSERT INTO app.labelled VALUES ${rows(labelled.map(({ sale, label }) => [sale, label]))}`,
    `INSERT INTO app.word VALUES (1, 'Ab', 'x  '), (2, 'aB', 'x'), (3, 'b@', 'y'), (4, 'b''"', 'y'), (5, NULL, NULL)`,
    `INSERT INTO app.odd VALUES (1, 0.6, 0.7, '2026-03-29T02:30:00', '9999-12-31', NULL), (2, 2.4, 2.3, '2026-03-29T01:30:00', '9999-12-31', NULL),
      (3, 1.5e21, -0.1, '2018-11-04T00:00:00', '9999-01-01', NULL), (4, 0.00000015, 1e7, '2026-10-25T02:30:00', NULL, NULL)`,
  ],
  {
    LOCAL_TYPE: ['timestamp(0)', 'datetime2(0)'],
    INSTANT_TYPE: ['timestamptz(0)', 'datetimeoffset(0)'],
    EDGE_TYPE: ['timestamptz(0)', 'smalldatetime'],
  },
);

/** Sales with what groups are made of: dates, numbers with many digits, what is null, relations of all kinds. */
export const grouped: Shape = {
  postgres: `${postgres};
INSERT INTO app.odd (id, far, edge) VALUES (5, 'infinity', '0001-01-01T22:30:00Z'), (6, '10000-01-01', '0001-01-01T23:30:00Z'),
  (7, NULL, '0001-01-02T00:10:00Z'), (8, NULL, '9999-12-30T23:30:00Z'), (9, NULL, '9999-12-31T23:30:00Z');
CREATE TYPE app.mood AS ENUM ('sad', 'ok', 'glad');
ALTER TABLE app.felt ADD mood app.mood, ADD span interval, ADD exact numeric(6, 2), ADD loose numeric, ADD double float8;
INSERT INTO app.felt VALUES (1, 'glad', '2 days', 1, 1, 0.5), (2, 'ok', '26 hours', 'NaN', 'Infinity', 'NaN'),
  (3, NULL, NULL, 'NaN', '-Infinity', '-Infinity'), (4, 'glad', NULL, 2.5, 2, NULL), (5, 'ok', NULL, 4, 3, 1.5), (6, 'ok', NULL, NULL, '-Infinity', NULL);
UPDATE app.sale SET price = 'NaN' WHERE price IS NULL AND id % 2 = 0;
UPDATE app.sale SET amount = 'NaN' WHERE amount IS NULL AND id % 2 = 0;
`,
  sqlserver: [
    ...sqlserver,
    "INSERT INTO app.odd (id, edge) VALUES (5, '1900-01-01T00:30:00'), (6, '2079-06-06T23:30:00'), (7, '2079-06-06T22:00:00')",
  ],
  mappings: mapped(`
customer: {dataclass: Customer, table: app.customer, attributes: {id: id, country: country}, relations: {sales: {inverse: Sale.customer}}}
sale: {dataclass: Sale, table: app.sale, relations: {customer: {to: Customer, columns: {customer: id}}, items: {inverse: Item.sale},
  labels: {through: [labelled, label]}, labelled: {inverse: Labelled.sale}}, attributes: {id: id, customerId: customer, status: status,
  amount: amount, big: big, price: price, day: day, local: local, instant: instant, done: done}}
item: {dataclass: Item, table: app.item, attributes: {id: id, saleId: sale, qty: qty, weight: weight}, relations: {sale: {to: Sale,
  columns: {sale: id}}}}
label: {dataclass: Label, table: app.label}
labelled: {dataclass: Labelled, table: app.labelled, attributes: {saleId: sale, labelId: label}, relations: {sale: {to: Sale, columns: {sale: id}},
  label: {to: Label, columns: {label: id}}}}
odd: {dataclass: Odd, table: app.odd}
felt: {dataclass: Felt, table: app.felt}
closed: {dataclass: Closed, table: app.word, aggregates: false}
word: {dataclass: Word, table: app.word, attributes: {id: id, text: {column: text, ignoreCase: true}, padded: {column: padded, trim: true}}}
`),
  settings: { timeZone: ZONE },
  isDocumented: true,
};

interface Answered {
  readonly __GROUPS: readonly { readonly uri: string | null; readonly count: number }[];
}

/** The address of each group of odd values finds as many entities as it has. */
export function addressed(served: Served): void {
  const addresses = async (query: string): Promise<Answered['__GROUPS']> => {
    const [, body] = await served.get(`Odd?${query}`);
    const { __GROUPS: groups } = body as Answered;
    for (const { uri, count } of groups) {
      if (uri === null) continue;
      const path = uri.replace('/rest/', '');
      const [, entities] = await served.get(
        `${path}${path.includes('?') ? '&' : '?'}$attributes=id&$asArray=true`,
      );
      expect([uri, entities]).toEqual([uri, expect.objectContaining({ length: count })]);
    }
    return groups;
  };

  test.each([
    ['double:step(0.1)', 4],
    ['single:step(0.1)', 4],
    ['local:hour', 4],
    ['local:day', 3],
    ['far:year', 2],
    ['far:day', 3],
    ['edge:hour', 4],
    ['edge:day', 3],
    ['edge:year', 3],
  ])('entities of the groups of %s', async (groupby, some) => {
    const groups = await addresses(`$groupby=${groupby}&$filter="id < 10"`);
    expect(groups.length).toBeGreaterThanOrEqual(some);
  });

  test('none where its filter would have too many comparisons', async () => {
    const filter = encodeURIComponent(`${'id<2|'.repeat(498)}id<2`);
    const [one] = await addresses(`$groupby=far&$filter=${filter}`);
    expect(one).toEqual(expect.objectContaining({ count: 1, uri: expect.any(String) }));
    const [two] = await addresses(`$groupby=far:day&$filter=${filter}`);
    expect(two).toEqual({ 'far:day': '9999-12-31', count: 1, uri: null });
  });
}
