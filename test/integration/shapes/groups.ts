import fc, { type Arbitrary } from 'fast-check';
import { expect, test } from 'vitest';
import { type DatePart, partText } from '../../../src/base/date-parts.ts';
import { ExactNumber } from '../../targets/gateway.ts';
import { exactAverage, withoutLastZeros } from '../../../src/run/convert/numbers.ts';
import { localText } from '../../../src/sql/local-time.ts';
import { seed } from '../../property/seed.ts';
import { mapped, type Served, type Shape } from './engines.ts';

/** The time zone of the local times. */
const ZONE = 'Europe/Berlin';

interface Sale {
  readonly id: number;
  readonly customer: number | null;
  readonly status: string | null;
  readonly amount: string | null;
  readonly big: string | null;
  readonly price: number | null;
  readonly day: string | null;
  readonly local: string | null;
  readonly instant: string | null;
  readonly done: boolean | null;
}

interface Item {
  readonly sale: number;
  readonly qty: number | null;
  readonly weight: string | null;
}

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

const sales: readonly Sale[] = Array.from({ length: 60 }, (_, index) => ({
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

const items: readonly Item[] = Array.from({ length: 90 }, () => ({
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

/** The rows in SQL. @param truth how a boolean is written */
function inserted(truth: (value: boolean) => string): string {
  const saleRows = sales.map((sale) => [
    ...[sale.id, sale.customer, quoted(sale.status), sale.amount, sale.big, sale.price],
    ...[quoted(sale.day), quoted(sale.local), quoted(sale.instant)],
    sale.done === null ? null : truth(sale.done),
  ]);
  return `
INSERT INTO app.customer VALUES ${rows(countries.map((country, index) => [index + 1, quoted(country)]))};
INSERT INTO app.sale VALUES ${rows(saleRows)};
INSERT INTO app.item VALUES ${rows(items.map(({ sale, qty, weight }, index) => [index + 1, sale, qty, weight]))};
INSERT INTO app.label VALUES ${rows(labels.map((name, index) => [index + 1, quoted(name)]))};
INSERT INTO app.labelled VALUES ${rows(labelled.map(({ sale, label }) => [sale, label]))};
INSERT INTO app.word VALUES (1, 'Ab', 'x  '), (2, 'aB', 'x'), (3, 'b@', 'y'), (4, 'b''"', 'y'), (5, NULL, NULL);
INSERT INTO app.odd VALUES (1, 0.6, 0.7, '2026-03-29T02:30:00', '9999-12-31', NULL), (2, 2.4, 2.3, '2026-03-29T01:30:00', '9999-12-31', NULL),
  (3, 1.5e21, -0.1, '2018-11-04T00:00:00', '9999-01-01', NULL), (4, 0.00000015, 1e7, '2026-10-25T02:30:00', NULL, NULL);`;
}

/** Sales with what groups are made of: dates, numbers with many digits, what is null, relations of all kinds. */
export const grouped: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TABLE app.customer (id int PRIMARY KEY, country varchar(10));
CREATE TABLE app.sale (id int PRIMARY KEY, customer int REFERENCES app.customer, status varchar(10), amount numeric(38, 4), big bigint,
  price float8, day date, local timestamp(0), instant timestamptz(0), done boolean);
CREATE TABLE app.item (id int PRIMARY KEY, sale int REFERENCES app.sale, qty int, weight numeric(10, 3));
CREATE TABLE app.label (id int PRIMARY KEY, name varchar(20));
CREATE TABLE app.labelled (sale int REFERENCES app.sale, label int REFERENCES app.label, PRIMARY KEY (sale, label));
CREATE TABLE app.word (id int PRIMARY KEY, text varchar(20), padded char(4));
CREATE TABLE app.odd (id int PRIMARY KEY, double float8, single float4, local timestamp(0), far date, edge timestamptz(0));
${inserted(String)}
INSERT INTO app.odd (id, far, edge) VALUES (5, 'infinity', '0001-01-01T22:30:00Z'), (6, '10000-01-01', '0001-01-01T23:30:00Z'),
  (7, NULL, '0001-01-02T00:10:00Z'), (8, NULL, '9999-12-30T23:30:00Z'), (9, NULL, '9999-12-31T23:30:00Z');
CREATE TYPE app.mood AS ENUM ('sad', 'ok', 'glad');
CREATE TABLE app.felt (id int PRIMARY KEY, mood app.mood, span interval, exact numeric(6, 2), loose numeric, double float8);
INSERT INTO app.felt VALUES (1, 'glad', '2 days', 1, 1, 0.5), (2, 'ok', '26 hours', 'NaN', 'Infinity', 'NaN'),
  (3, NULL, NULL, 'NaN', '-Infinity', '-Infinity'), (4, 'glad', NULL, 2.5, 2, NULL), (5, 'ok', NULL, 4, 3, 1.5), (6, 'ok', NULL, NULL, '-Infinity', NULL);
UPDATE app.sale SET price = 'NaN' WHERE price IS NULL AND id % 2 = 0;
UPDATE app.sale SET amount = 'NaN' WHERE amount IS NULL AND id % 2 = 0;
`,
  sqlserver: [
    'CREATE SCHEMA app',
    `CREATE TABLE app.customer (id int PRIMARY KEY, country varchar(10));
CREATE TABLE app.sale (id int PRIMARY KEY, customer int REFERENCES app.customer (id), status varchar(10), amount decimal(38, 4), big bigint,
  price float, day date, local datetime2(0), instant datetimeoffset(0), done bit);
CREATE TABLE app.item (id int PRIMARY KEY, sale int REFERENCES app.sale (id), qty int, weight decimal(10, 3));
CREATE TABLE app.label (id int PRIMARY KEY, name varchar(20));
CREATE TABLE app.labelled (sale int REFERENCES app.sale (id), label int REFERENCES app.label (id), PRIMARY KEY (sale, label));
CREATE TABLE app.word (id int PRIMARY KEY, text varchar(20), padded char(4));
CREATE TABLE app.odd (id int PRIMARY KEY, "double" float, single real, local datetime2(0), far date, edge smalldatetime);
CREATE TABLE app.felt (id int PRIMARY KEY);
${inserted((value) => (value ? '1' : '0'))}
INSERT INTO app.odd (id, edge) VALUES (5, '1900-01-01T00:30:00'), (6, '2079-06-06T23:30:00'), (7, '2079-06-06T22:00:00');`,
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

/** A value as text, numbers without zeros at the end of their fraction; null for null. */
type Text = string | null;

/** A value of a row, or of an answer. */
type Value = string | number | boolean | null | undefined;

const NUMBER = /^-?\d+(?:\.\d+)?$/;

function textOf(value: Value | ExactNumber): Text {
  if (value === null || value === undefined) return null;
  const text = value instanceof ExactNumber ? value.digits : String(value);
  return NUMBER.test(text) ? withoutLastZeros(text) : text;
}

type Kind = 'number' | 'float' | 'text' | 'boolean' | 'date' | 'local' | 'instant';

/** An attribute, and its values for an entity: several behind a relation to many. */
interface Field {
  readonly path: string;
  readonly kind: Kind;
  readonly isMany?: true;
  readonly values: (sale: Sale) => readonly Value[];
}

function countryOf({ customer }: Sale): string | null {
  return customer === null ? null : (countries[customer - 1] ?? null);
}

function itemsOf({ id }: Sale): readonly Item[] {
  return items.filter(({ sale }) => sale === id);
}

const own = (path: keyof Sale, kind: Kind): Field => ({
  path,
  kind,
  values: (sale) => [sale[path]],
});

const fields: readonly Field[] = [
  own('status', 'text'),
  own('amount', 'number'),
  own('big', 'number'),
  own('price', 'float'),
  own('day', 'date'),
  own('local', 'local'),
  own('instant', 'instant'),
  own('done', 'boolean'),
  { path: 'customer.country', kind: 'text', values: (sale) => [countryOf(sale)] },
];

const manyFields: readonly Field[] = [
  { path: 'items.qty', kind: 'number', values: (sale) => itemsOf(sale).map(({ qty }) => qty) },
  {
    path: 'items.weight',
    kind: 'number',
    values: (sale) => itemsOf(sale).map(({ weight }) => weight),
  },
  {
    path: 'labels.name',
    kind: 'text',
    values: ({ id }) =>
      labelled.filter(({ sale }) => sale === id).map(({ label }) => labels[label - 1]),
  },
];

/** A group of the request, and its text for an entity. */
interface Group {
  readonly text: string;
  readonly kind: Kind;
  readonly of: (sale: Sale) => Text;
}

/** The local time of a date-time, `2026-03-29T01:59:59`. */
function localTime(value: string, kind: Kind): string {
  const type = { kind: 'timestamp', zoned: true, native: 'timestamptz' } as const;
  return kind === 'instant' ? localText(value, type, ZONE) : value;
}

function partOf(value: Value, kind: Kind, part: DatePart): Text {
  if (value === null || value === undefined) return null;
  const local = localTime(String(value), kind);
  if (part === 'hour') return local.slice(0, 13);
  const [year = '', month = ''] = local.split('-');
  const day = local.slice(0, 10);
  switch (part) {
    case 'year':
      return year;
    case 'quarter':
      return `${year}-Q${Math.ceil(Number(month) / 3)}`;
    case 'month':
      return `${year}-${month}`;
    case 'week': {
      const date = new Date(`${day}T00:00:00Z`);
      date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
      return partText('week', date.toISOString().slice(0, 10));
    }
    case 'day':
      return day;
  }
}

/** The greatest multiple of a step that is not greater, by whole numbers of ten-thousandths. */
function stepOf(value: Value, step: string): Text {
  if (value === null || value === undefined) return null;
  const scaled = (text: string): bigint => {
    const [whole = '', fraction = ''] = text.split('.');
    return (
      BigInt(whole + fraction.padEnd(4, '0')) *
      (text.startsWith('-0') && BigInt(whole + fraction.padEnd(4, '0')) > 0n ? -1n : 1n)
    );
  };
  const [number, size] = [scaled(String(value)), scaled(step)];
  const rest = ((number % size) + size) % size;
  const floor = number - rest;
  const digits = (floor < 0n ? -floor : floor).toString().padStart(5, '0');
  return textOf(`${floor < 0n ? '-' : ''}${digits.slice(0, -4)}.${digits.slice(-4)}`);
}

const plainGroups = fields
  .filter(({ kind }) => kind !== 'local')
  .map((field): Group => ({
    text: field.path,
    kind: field.kind,
    of: (sale) => {
      const [value] = field.values(sale);
      return field.kind === 'instant' && value !== null
        ? `${textOf(value)}`.replace('Z', '.000Z')
        : textOf(value);
    },
  }));

const dateGroups = (['year', 'quarter', 'month', 'week', 'day', 'hour'] as const).flatMap((part) =>
  fields
    .filter(
      ({ kind }) => kind === 'local' || kind === 'instant' || (kind === 'date' && part !== 'hour'),
    )
    .map((field): Group => ({
      text: `${field.path}:${part}`,
      kind: 'text',
      of: (sale) => partOf(field.values(sale)[0], field.kind, part),
    })),
);

const stepGroups = [
  ['amount', '0.5'],
  ['amount', '100'],
  ['big', '100'],
  ['big', '7'],
  ['price', '0.25'],
  ['price', '20'],
].map(([path = '', step = '']): Group => ({
  text: `${path}:step(${step})`,
  kind: 'number',
  of: (sale) => stepOf(sale[path as 'amount'], step),
}));

/** An aggregate of the request, and its value for the entities of a group. */
interface Aggregate {
  readonly text: string;
  readonly kind: 'number' | 'text' | 'other';
  readonly of: (sales: readonly Sale[]) => Text;
}

/** Compares as the engines order: nulls first, numbers by their size. */
function compare(one: Text, other: Text, isNumber: boolean): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? -1 : 1;
  if (!isNumber) return one < other ? -1 : 1;
  const difference = scaledNumber(one) - scaledNumber(other);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function scaledNumber(text: string): bigint {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole + fraction.padEnd(24, '0'));
  return text.startsWith('-') ? -size : size;
}

function total(values: readonly Value[]): string {
  const sum = values.reduce<bigint>((all, value) => all + scaledNumber(String(value)), 0n);
  const digits = (sum < 0n ? -sum : sum).toString().padStart(25, '0');
  return `${sum < 0n ? '-' : ''}${digits.slice(0, -24)}.${digits.slice(-24)}`;
}

function aggregatesOf(field: Field): Aggregate[] {
  const { path, kind, values } = field;
  const held = (all: readonly Sale[]): Value[] =>
    all.flatMap(values).filter((value) => value !== null && value !== undefined);
  const isNumber = kind === 'number' || kind === 'float';
  const one = (
    name: string,
    of: (values: readonly Value[]) => Text,
    as: Aggregate['kind'],
  ): Aggregate => ({ text: `${name}(${path})`, kind: as, of: (all) => of(held(all)) });
  const counts = [
    one('count', (all) => String(all.length), 'number'),
    one('distinct', (all) => String(new Set(all.map(textOf)).size), 'number'),
  ];
  const sums = [
    one('sum', (all) => textOf(total(all)), 'number'),
    one(
      'avg',
      (all) => {
        if (all.length === 0) return null;
        const sum = withoutLastZeros(total(all));
        return kind === 'float'
          ? textOf(Number(sum) / all.length)
          : textOf(exactAverage(sum, BigInt(all.length)));
      },
      'number',
    ),
  ];
  const extreme = (name: 'min' | 'max'): Aggregate =>
    one(
      name,
      (all) => {
        const sorted = all
          .map((value) =>
            kind === 'instant' ? `${textOf(value)}`.replace('Z', '.000Z') : textOf(value),
          )
          .sort((left, right) => compare(left, right, isNumber));
        return sorted.at(name === 'min' ? 0 : -1) ?? null;
      },
      isNumber ? 'number' : kind === 'text' ? 'text' : 'other',
    );
  return [
    ...counts,
    ...(isNumber ? sums : []),
    ...(kind === 'boolean' || kind === 'local' ? [] : [extreme('min'), extreme('max')]),
  ];
}

const aggregates: readonly Aggregate[] = [
  { text: 'count', kind: 'number', of: (all) => String(all.length) },
  { text: 'count(items)', kind: 'number', of: (all) => String(all.flatMap(itemsOf).length) },
  ...[...fields, ...manyFields].flatMap(aggregatesOf),
];

/** Filters of sales. */
const filters: readonly (readonly [string, (sale: Sale) => boolean])[] = [
  ['', () => true],
  ['big > 99', ({ big }) => big !== null && BigInt(big) > 99n],
  ['status IS null', ({ status }) => status === null],
  ["customer.country = 'de'", (sale) => countryOf(sale) === 'de'],
  ['items.qty >= 3', (sale) => itemsOf(sale).some(({ qty }) => qty !== null && qty >= 3)],
  ['status = nowhere', () => false],
];

/** A request, and what orders and limits its groups. */
interface Asked {
  readonly groups: readonly Group[];
  readonly aggregates: readonly Aggregate[];
  readonly filter: (typeof filters)[number];
  readonly having: readonly [of: Aggregate, than: number] | null;
  readonly order: readonly (readonly [index: number, descending: boolean])[];
  readonly top: number | null;
  readonly skip: number;
}

const asked: Arbitrary<Asked> = fc
  .record({
    groups: fc.uniqueArray(
      fc.oneof(
        fc.constantFrom(...plainGroups),
        fc.constantFrom(...dateGroups),
        fc.constantFrom(...stepGroups),
      ),
      { maxLength: 3, selector: ({ text }) => text },
    ),
    aggregates: fc.uniqueArray(fc.constantFrom(...aggregates), {
      minLength: 1,
      maxLength: 5,
      selector: ({ text }) => text,
    }),
    filter: fc.constantFrom(...filters),
    having: fc.option(
      fc.tuple(
        fc.constantFrom(...aggregates.filter(({ kind }) => kind === 'number')),
        fc.constantFrom(-1, 0, 2, 100),
      ),
    ),
    order: fc.array(fc.tuple(fc.nat(7), fc.boolean()), { maxLength: 2 }),
    top: fc.option(fc.nat(5)),
    skip: fc.constantFrom(0, 0, 1, 3),
  })
  .map((one) => ({
    ...one,
    order: one.order.map(
      ([index, descending]) =>
        [index % (one.groups.length + one.aggregates.length), descending] as const,
    ),
  }));

/** The groups as a simple loop over all rows makes them. */
function expected({ groups, aggregates: computed, filter, having, order, top, skip }: Asked): {
  readonly count: number;
  readonly page: readonly (readonly Text[])[];
  readonly ids: readonly (readonly number[])[];
} {
  const found = new Map<string, { keys: readonly Text[]; sales: Sale[] }>();
  if (groups.length === 0) found.set('[]', { keys: [], sales: [] });
  for (const sale of sales.filter(filter[1])) {
    const keys = groups.map(({ of }) => of(sale));
    const id = JSON.stringify(keys);
    const group = found.get(id) ?? { keys, sales: [] };
    group.sales.push(sale);
    found.set(id, group);
  }
  const isNumber = (index: number): boolean => {
    const kind = (groups[index] ?? computed[index - groups.length])?.kind;
    return kind === 'number' || kind === 'float';
  };
  const all = [...found.values()]
    .filter(({ sales: own }) => {
      if (having === null) return true;
      const value = having[0].of(own);
      return value !== null && scaledNumber(value) > scaledNumber(String(having[1]));
    })
    .map(({ keys, sales: own }) => ({
      values: [...keys, ...computed.map(({ of }) => of(own))],
      ids: own.map(({ id }) => id),
    }));
  const terms = [...order, ...groups.map((_, index) => [index, false] as const)];
  all.sort((one, other) => {
    for (const [index, descending] of terms) {
      const least = compare(
        one.values[index] ?? null,
        other.values[index] ?? null,
        isNumber(index),
      );
      if (least !== 0) return descending ? -least : least;
    }
    return 0;
  });
  const page = all.slice(skip, top === null ? undefined : skip + top);
  return {
    count: all.length,
    page: page.map(({ values }) => values),
    ids: page.map(({ ids }) => ids),
  };
}

function urlOf({ groups, aggregates: computed, filter, having, order, top, skip }: Asked): string {
  const members = [...groups, ...computed].map(({ text }) => text);
  const given: [string, string][] = [['$aggregate', computed.map(({ text }) => text).join(',')]];
  if (groups.length > 0) given.push(['$groupby', groups.map(({ text }) => text).join(',')]);
  if (filter[0] !== '') given.push(['$filter', filter[0]]);
  if (having !== null) given.push(['$having', `${having[0].text} > ${having[1]}`]);
  if (order.length > 0) {
    const terms = order.map(
      ([index, descending]) => `${members[index]}${descending ? ' DESC' : ''}`,
    );
    given.push(['$orderby', terms.join(', ')]);
  }
  if (top !== null) given.push(['$top', String(top)]);
  if (skip > 0) given.push(['$skip', String(skip)]);
  const query = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `Sale?${query.join('&')}`;
}

interface Answered {
  readonly __COUNT: number;
  readonly __FIRST: number;
  readonly __GROUPS: readonly (Readonly<Record<string, Value | ExactNumber>> & {
    readonly uri: string | null;
  })[];
  readonly __SENT: number;
}

/** Groups of all kinds, compared with those that a loop over all rows makes. */
export function asComputed(served: Served): void {
  test('random groups are what a loop over all rows makes', async () => {
    await fc.assert(
      fc.asyncProperty(asked, async (one) => {
        const { count, page, ids } = expected(one);
        const [status, body] = await served.get(urlOf(one));
        expect([status, body]).toEqual([200, expect.anything()]);
        const { __COUNT, __FIRST, __GROUPS, __SENT } = body as Answered;
        const members = [...one.groups, ...one.aggregates].map(({ text }) => text);
        expect({
          __COUNT,
          __FIRST,
          __SENT,
          groups: __GROUPS.map((group) => members.map((name) => textOf(group[name]))),
        }).toEqual({ __COUNT: count, __FIRST: one.skip, __SENT: page.length, groups: page });
        // The address of a group leads to its entities.
        const [first] = __GROUPS;
        if (first?.uri === null || first === undefined) return;
        const path = first.uri.replace('/rest/', '');
        const and = path.includes('?') ? '&' : '?';
        const [, entities] = await served.get(`${path}${and}$attributes=id&$asArray=true`);
        expect((entities as { id: number }[]).map(({ id }) => id)).toEqual(ids[0]);
      }),
      { seed, numRuns: 120 },
    );
  }, 300_000);
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
