/** What the filter oracle knows of the sample besides its rows and relations: how values compare, and properties of JSON. */
import { facts } from '../../conformance/dataclasses.ts';
import { columnOf, relationTarget, type Row } from '../../conformance/oracle.ts';
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

/** What an entity is compared by: an attribute, or the dotted path of a property. */
export interface Leaf {
  readonly name: string;
  readonly kind: Kind;
}

/** The kinds of column types; values of others are not compared. */
const kinds: Readonly<Partial<Record<Column['type'], Kind>>> = {
  ...{ int: 'integer', smallint: 'integer', tinyint: 'integer', bigint: 'integer' },
  ...{ money: 'decimal', decimal: 'decimal', double: 'double', real: 'real' },
  ...{ varchar: 'text', nvarchar: 'text', char: 'padded', nchar: 'padded' },
  ...{ bool: 'boolean', date: 'date', time: 'time', instant: 'instant' },
};

/** The dataclasses that filters are about, with properties of their JSON. */
const properties: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  Employee: {
    ...{ 'extra.level': 'decimal', 'extra.remote': 'boolean', 'extra.address.zip': 'text' },
    ...{ 'extra.address.geo.lat': 'decimal', 'extra.no.such.thing': 'text' },
  },
  Company: {
    'details.segment': 'text',
    'details.rating': 'decimal',
    'details.contact.phone': 'text',
  },
  Product: { 'spec.volt': 'decimal', 'spec.battery.type': 'text', 'spec.fragile': 'boolean' },
  Project: { 'tags.priority': 'decimal', 'tags.risk.level': 'text', 'tags.public': 'boolean' },
  ...{ Order: {}, Department: {}, Country: {}, Category: {}, Assignment: {}, OrderLine: {} },
};

/** Columns of numbers in which each fourth row holds what is none, which clients see as null. */
const notNumbers: Readonly<Partial<Record<TableName, Readonly<Record<string, string>>>>> = {
  'SALES.CMP_MST': { LAT_DEG: '-Infinity', LON_DEG: 'NaN', CRED_LIM: 'NaN' },
  'SALES.PRD_MST': { WGT_KG: 'Infinity' },
  'SALES.ORD_HDR': { TOT_AMT: 'NaN' },
};

const keys: Readonly<Record<string, string>> = {
  ...{ 'SALES.CMP_MST': 'CMP_ID', 'SALES.PRD_MST': 'PRD_ID', 'SALES.ORD_HDR': 'ORD_NO' },
};

/** Puts into the sample on PostgreSQL what the oracle's rows have besides: numbers that are none. */
export const puttingNotNumbers: readonly string[] = Object.entries(notNumbers).map(
  ([table, columns]) => {
    const set = Object.entries(columns).map(([column, value]) => `"${column}" = '${value}'`);
    return `UPDATE "${table.replace('.', '"."')}" SET ${set.join(', ')} WHERE "${keys[table] ?? ''}" % 4 = 1`;
  },
);

export function rowsOf(dataclass: string): readonly Row[] {
  return legacy[facts(dataclass).table];
}

export function leavesOf(dataclass: string): readonly Leaf[] {
  const attributes = Object.keys(facts(dataclass).attributes).flatMap((name) => {
    const kind = kinds[columnOf(dataclass, name).type];
    return kind === undefined ? [] : [{ name, kind }];
  });
  const own = Object.entries(properties[dataclass] ?? {}).map(([name, kind]) => ({ name, kind }));
  return [...attributes, ...own];
}

/** The relations of a dataclass to others that filters are about. */
export function relationsOf(dataclass: string): readonly string[] {
  const names = Object.keys(facts(dataclass).relations);
  return names.filter((name) => relationTarget(dataclass, name) in properties);
}

const read = new Map<string, unknown>();

function readJson(text: string): unknown {
  if (!read.has(text)) read.set(text, JSON.parse(text));
  return read.get(text);
}

/** The value of an attribute, or at a path inside its JSON; null where there is none. */
export function cellOf(leaf: string, dataclass: string, row: Row): Cell {
  const { table, attributes } = facts(dataclass);
  const [name = '', ...path] = leaf.split('.');
  const column = attributes[name] ?? '';
  const isNone =
    notNumbers[table]?.[column] !== undefined && Number(row[keys[table] ?? '']) % 4 === 1;
  let value: unknown = isNone ? null : (row[column] ?? null);
  if (path.length > 0 && typeof value === 'string') value = readJson(value);
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return null;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return ['string', 'number', 'boolean'].includes(typeof value) ? (value as Cell) : null;
}
