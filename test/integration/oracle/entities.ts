/**
 * The sample's dataclasses as the filter oracle sees them: what an attribute holds, how its values compare, and which
 * rows a relation leads to.
 */
import { facts, type DataclassName } from '../../conformance/dataclasses.ts';
import { columnOf, relationFacts, relationTarget } from '../../conformance/oracle.ts';
import { legacy, type Column, type TableName } from '../../fixtures/legacy/data.ts';

/**
 * How values compare: numbers by value, `real` as 32-bit ones, text with its case folded, that of CHAR columns without blanks at
 * its end, the rest as written.
 */
export type Kind =
  | 'integer'
  | 'decimal'
  | 'double'
  | 'real'
  | 'text'
  | 'padded'
  | 'boolean'
  | 'date'
  | 'time'
  | 'instant';

/** A value of a row or of a property of its JSON. */
export type Cell = string | number | boolean | null;

export type Entity = Readonly<Record<string, unknown>>;

export interface Property {
  readonly column: string;
  readonly path: readonly string[];
  readonly kind: 'decimal' | 'text' | 'boolean';
}

export interface Relation {
  readonly target: string;
  readonly many: boolean;
  readonly follow: (row: Entity) => readonly Entity[];
}

export interface EntityClass {
  readonly rows: readonly Entity[];
  readonly attributes: ReadonlyMap<string, { readonly column: string; readonly kind: Kind }>;
  /** By dotted path. */
  readonly properties: ReadonlyMap<string, Property>;
  readonly relations: ReadonlyMap<string, Relation>;
}

/** The kinds of column types; values of others are not compared. */
const kinds: Readonly<Partial<Record<Column['type'], Kind>>> = {
  ...{ int: 'integer', smallint: 'integer', tinyint: 'integer', bigint: 'integer' },
  ...{ money: 'decimal', decimal: 'decimal', double: 'double', real: 'real' },
  ...{ varchar: 'text', nvarchar: 'text', char: 'padded', nchar: 'padded' },
  ...{ bool: 'boolean', date: 'date', time: 'time', instant: 'instant' },
};

/** The dataclasses that filters are about, with properties of their JSON by dotted path. */
const described: Readonly<
  Partial<Record<DataclassName, Readonly<Record<string, Property['kind']>>>>
> = {
  Employee: {
    ...{ 'extra.level': 'decimal', 'extra.remote': 'boolean', 'extra.nick': 'text' },
    ...{ 'extra.address.city': 'text', 'extra.address.zip': 'text' },
    ...{ 'extra.address.geo.lat': 'decimal', 'extra.no.such.thing': 'text' },
  },
  Company: {
    ...{ 'details.segment': 'text', 'details.rating': 'decimal', 'details.vatExempt': 'boolean' },
    ...{ 'details.contact.name': 'text', 'details.contact.phone': 'text' },
  },
  Order: {},
  Product: {
    ...{ 'spec.volt': 'decimal', 'spec.battery.type': 'text', 'spec.size.h': 'decimal' },
    ...{ 'spec.fragile': 'boolean', 'spec.origin': 'text', 'spec.note': 'text' },
  },
  Department: {},
  Country: {},
  Category: {},
  Project: {
    ...{ 'tags.priority': 'decimal', 'tags.risk.level': 'text', 'tags.risk.score': 'decimal' },
    'tags.public': 'boolean',
  },
  Assignment: {},
  OrderLine: {},
};

/** Columns of numbers in which each fourth row holds what is none, which clients see as null. */
const notNumbers: Readonly<Partial<Record<TableName, Readonly<Record<string, string>>>>> = {
  'SALES.CMP_MST': { LAT_DEG: '-Infinity', LON_DEG: 'NaN', CRED_LIM: 'NaN' },
  'SALES.PRD_MST': { WGT_KG: 'Infinity' },
  'SALES.ORD_HDR': { TOT_AMT: 'NaN' },
};

const keys: Readonly<Partial<Record<TableName, string>>> = {
  'SALES.CMP_MST': 'CMP_ID',
  'SALES.PRD_MST': 'PRD_ID',
  'SALES.ORD_HDR': 'ORD_NO',
};

/** Puts into the sample on PostgreSQL what the oracle's rows have besides: numbers that are none. */
export const puttingNotNumbers: readonly string[] = Object.entries(notNumbers).map(
  ([table, columns]) => {
    const set = Object.entries(columns).map(([column, value]) => `"${column}" = '${value}'`);
    const [schema = '', name = ''] = table.split('.');
    return `UPDATE "${schema}"."${name}" SET ${set.join(', ')} WHERE "${keys[table as TableName] ?? ''}" % 4 = 1`;
  },
);

const tables = new Map<TableName, readonly Entity[]>();

/** The rows of a table as clients see them. */
function rowsOf(table: TableName): readonly Entity[] {
  const known = tables.get(table);
  if (known !== undefined) return known;
  const nulls = Object.fromEntries(
    Object.keys(notNumbers[table] ?? {}).map((name) => [name, null]),
  );
  const rows = (legacy[table] as readonly Entity[]).map((row) =>
    Number(row[keys[table] ?? '']) % 4 === 1 ? { ...row, ...nulls } : row,
  );
  tables.set(table, rows);
  return rows;
}

/** Finds rows by the value of a column; null leads nowhere. */
function lookUp(table: TableName, column: string): (value: unknown) => readonly Entity[] {
  const found = new Map<unknown, Entity[]>();
  for (const row of rowsOf(table)) {
    const value = row[column] ?? null;
    const rows = found.get(value);
    if (rows === undefined) found.set(value, [row]);
    else rows.push(row);
  }
  return (value) => (value === null ? [] : (found.get(value) ?? []));
}

/** Over a link table, a row that two links lead to stands twice, which no "at least one" can tell. */
function relation(dataclass: string, name: string): Relation {
  const found = relationFacts(dataclass, name);
  const target = relationTarget(dataclass, name);
  if ('through' in found) {
    const [first, second] = found.through;
    const links = relation(dataclass, first);
    const ends = relation(links.target, second);
    return { target, many: true, follow: (row) => links.follow(row).flatMap(ends.follow) };
  }
  const [owner = '', inverse = ''] = 'one' in found ? [dataclass, name] : found.many.split('.');
  const { on } = relationFacts(owner, inverse) as { readonly on: Readonly<Record<string, string>> };
  const [own = ''] = Object.keys(on);
  const { [own]: other = '' } = on;
  const [from, to] = 'one' in found ? [own, other] : [other, own];
  const rows = lookUp(facts(target).table, to);
  return { target, many: !('one' in found), follow: (row) => rows(row[from] ?? null) };
}

function entityClass(
  name: string,
  properties: Readonly<Record<string, Property['kind']>>,
): EntityClass {
  const { table, attributes, relations } = facts(name);
  const compared = Object.entries(attributes).flatMap(([attribute, column]) => {
    const kind = kinds[columnOf(name, attribute).type];
    return kind === undefined ? [] : [[attribute, { column, kind }] as const];
  });
  const led = Object.keys(relations)
    .map((own) => [own, relation(name, own)] as const)
    .filter(([, { target }]) => target in described);
  return {
    rows: rowsOf(table),
    attributes: new Map(compared),
    properties: new Map(
      Object.entries(properties).map(([text, kind]) => {
        const [attribute = '', ...path] = text.split('.');
        return [text, { column: attributes[attribute] ?? '', kind, path }];
      }),
    ),
    relations: new Map(led),
  };
}

const entityClasses = new Map(
  Object.entries(described).map(([name, properties]) => [name, entityClass(name, properties)]),
);

export function entityClassOf(name: string): EntityClass {
  const found = entityClasses.get(name);
  if (found === undefined) throw new Error(`The oracle knows no ${name}.`);
  return found;
}

const parsed = new Map<string, unknown>();

/** The value at a path inside a JSON text; null where there is none. */
export function propertyOf(row: Entity, { column, path }: Property): Cell {
  const text = row[column];
  if (typeof text !== 'string') return null;
  if (!parsed.has(text)) parsed.set(text, JSON.parse(text));
  let value = parsed.get(text);
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return null;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : null;
}
