/**
 * What the gateway has to answer, worked out from the rows of the sample and from the specification alone: entities,
 * deferred forms, collections. Nothing of `src/` is used here.
 */
import { legacy, tables, type Column, type Value } from '../fixtures/legacy/data.ts';
import { dataclasses, facts, type DataclassName, type RelationFacts } from './dataclasses.ts';
import { anyStamp, instantText, valueOf } from './values.ts';

export type Row = Readonly<Record<string, Value>>;

/** The rows of a dataclass with the types of their columns. */
export type RowOf<D extends DataclassName> =
  (typeof legacy)[(typeof dataclasses)[D]['table']][number];

/** What of an entity is wanted: all, or some members, each with what is wanted behind it. */
export interface Wanted {
  all: boolean;
  readonly members: Map<string, Wanted | null>;
}

export interface Shape {
  /** As `$attributes` has it; all where it is left out. */
  readonly attributes?: string;
  /** As `$expand` has it. */
  readonly expand?: string;
}

export interface Page extends Shape {
  readonly skip?: number;
  readonly top?: number;
}

/** How many related entities a nested collection shows. */
const nestedPage = 100;

export function rowsOf<D extends DataclassName>(dataclass: D): readonly RowOf<D>[] {
  return legacy[dataclasses[dataclass].table];
}

/** The row with a key, its parts in key order. */
export function rowAt<D extends DataclassName>(dataclass: D, ...key: readonly Value[]): RowOf<D> {
  const columns = keyColumns(dataclass);
  const found = rowsOf(dataclass).find((row) =>
    columns.every((column, index) => (row as Row)[column] === key[index]),
  );
  if (found === undefined) throw new Error(`the sample has no ${dataclass}(${key.join(';')})`);
  return found;
}

/** An answer of one entity (§2.1). */
export function oneEntity(dataclass: string, row: Row, shape: Shape = {}): object {
  return {
    __entityModel: dataclass,
    __DATACLASS: dataclass,
    ...entity(dataclass, row, wanted(shape), 'object'),
  };
}

/** An answer of many entities (§2.3). */
export function collection(dataclass: string, rows: readonly Row[], page: Page = {}): object {
  const { skip = 0, top = 100 } = page;
  const sent = rows.slice(skip, skip + top);
  const shape = wanted(page);
  return {
    __DATACLASS: dataclass,
    __entityModel: dataclass,
    __GlobalStamp: anyStamp,
    __COUNT: rows.length,
    __FIRST: skip,
    __ENTITIES: sent.map((row) => entity(dataclass, row, shape, 'object')),
    __SENT: sent.length,
  };
}

/** The same as a bare array (§4.2 rule 4). */
export function bareArray(dataclass: string, rows: readonly Row[], page: Page = {}): object[] {
  const { skip = 0, top = 100 } = page;
  const shape = wanted(page);
  return rows.slice(skip, skip + top).map((row) => entity(dataclass, row, shape, 'array'));
}

/** The URI of an entity, as deferred forms hold it (§2.2). */
export function uriOf(dataclass: string, row: Row): string {
  return uri(dataclass, keyParts(dataclass, row));
}

export function keyOf(dataclass: string, row: Row): string {
  return keyText(keyParts(dataclass, row));
}

/** The rows that a relation leads to from one row, in key order. */
export function related(dataclass: string, row: Row, relation: string): readonly Row[] {
  const found = relationFacts(dataclass, relation);
  if ('through' in found) {
    const [first, second] = found.through;
    const between = relationTarget(dataclass, first);
    const reached = related(dataclass, row, first).flatMap((link) =>
      related(between, link, second),
    );
    return inKeyOrder(relationTarget(between, second), [...new Set(reached)]);
  }
  if ('one' in found) {
    return lookUp(found.one, Object.values(found.on), values(row, Object.keys(found.on)));
  }
  const [owner = '', name = ''] = found.many.split('.');
  const { on } = relationFacts(owner, name) as Extract<RelationFacts, { one: string }>;
  return lookUp(owner, Object.keys(on), values(row, Object.values(on)));
}

/** The same over a path of relations: `['employees', 'manager']`. */
export function reach(dataclass: string, row: Row, ...path: readonly string[]): readonly Row[] {
  let here = dataclass;
  let rows: readonly Row[] = [row];
  for (const name of path) {
    rows = [...new Set(rows.flatMap((found) => related(here, found, name)))];
    here = relationTarget(here, name);
  }
  return rows;
}

export function columnOf(dataclass: string, attribute: string): Column {
  const { table, attributes } = facts(dataclass);
  const described = tables.find(({ schema, name }) => `${schema}.${name}` === table);
  const column = described?.columns[attributes[attribute] ?? ''];
  if (column === undefined) throw new Error(`${dataclass} has no attribute ${attribute}`);
  return column;
}

export function relationTarget(dataclass: string, relation: string): string {
  const found = relationFacts(dataclass, relation);
  if ('one' in found) return found.one;
  if ('many' in found) return found.many.split('.')[0] ?? '';
  return found.through.reduce(relationTarget, dataclass);
}

export function relationFacts(dataclass: string, relation: string): RelationFacts {
  const found = facts(dataclass).relations[relation];
  if (found === undefined) throw new Error(`${dataclass} has no relation ${relation}`);
  return found;
}

export function wanted({ attributes = '*', expand = '' }: Shape): Wanted {
  const root: Wanted = { all: false, members: new Map() };
  const paths = [
    ...attributes.split(','),
    ...(expand === '' ? [] : expand.split(',').map((path) => `${path}.*`)),
  ];
  for (const path of paths) {
    let here = root;
    const names = path.split('.');
    for (const [index, name] of names.entries()) {
      if (name === '*') {
        here.all = true;
      } else if (index === names.length - 1) {
        if (!here.members.has(name)) here.members.set(name, null);
      } else {
        const inner = here.members.get(name) ?? { all: false, members: new Map() };
        here.members.set(name, inner);
        here = inner;
      }
    }
  }
  return root;
}

/** An entity as it stands in an answer. */
export function entity(
  dataclass: string,
  row: Row,
  shape: Wanted,
  form: 'object' | 'array',
): object {
  const { key, counted, dated, attributes, relations } = facts(dataclass);
  const written: Record<string, unknown> = {};
  if (key.length > 0) written['__KEY'] = entityKey(dataclass, row, form);
  if (dated && form === 'object') written['__TIMESTAMP'] = instantText(String(row['MOD_DT']));
  written['__STAMP'] = counted ? row['REC_VER'] : anyStamp;
  const names = shape.all
    ? [...Object.keys(attributes), ...Object.keys(relations)]
    : [...shape.members.keys()];
  for (const name of names) {
    const inner = shape.members.get(name) ?? null;
    const value =
      name in relations
        ? inner === null
          ? deferred(dataclass, row, name, form)
          : expanded(dataclass, row, name, inner, form)
        : attributeValue(dataclass, row, name);
    if (value !== undefined) written[name] = value;
  }
  return written;
}

function entityKey(dataclass: string, row: Row, form: 'object' | 'array'): unknown {
  const parts = keyParts(dataclass, row);
  const [only] = parts;
  return form === 'array' && parts.length === 1 && typeof only?.[1] === 'number'
    ? only[1]
    : keyText(parts);
}

function attributeValue(dataclass: string, row: Row, name: string): unknown {
  const column = columnOf(dataclass, name);
  const value = row[facts(dataclass).attributes[name] ?? ''] ?? null;
  if (column.type !== 'binary') return valueOf(column, value);
  if (value === null) return null;
  const content = `${uriOf(dataclass, row)}/${name}`;
  const isImage = name !== 'content';
  const uri = isImage
    ? `${content}?$imageformat=best&$version=${String(row['REC_VER'])}&$expand=${name}`
    : `${content}?$binary=true&$expand=${name}`;
  return {
    __KEY: entityKey(dataclass, row, 'object'),
    __STAMP: facts(dataclass).counted ? row['REC_VER'] : anyStamp,
    uri,
    __deferred: { uri, ...(isImage ? { image: true } : {}) },
  };
}

/** §2.2; the bare array leaves deferred relations out. */
function deferred(dataclass: string, row: Row, name: string, form: 'object' | 'array'): unknown {
  if (form === 'array') return undefined;
  const found = relationFacts(dataclass, name);
  if (!('one' in found)) {
    return facts(dataclass).key.length === 0
      ? null
      : { __deferred: { uri: `${uriOf(dataclass, row)}/${name}?$expand=${name}` } };
  }
  const target = Object.entries(found.on).map(([here, there]) => [there, row[here] ?? null]);
  const keyed = Object.fromEntries(target) as Row;
  if (Object.values(keyed).includes(null)) return null;
  return { __deferred: { uri: uriOf(found.one, keyed), __KEY: keyOf(found.one, keyed) } };
}

function expanded(
  dataclass: string,
  row: Row,
  name: string,
  inner: Wanted,
  form: 'object' | 'array',
): unknown {
  const target = relationTarget(dataclass, name);
  const rows = related(dataclass, row, name);
  const write = (found: Row): object => entity(target, found, inner, form);
  if ('one' in relationFacts(dataclass, name)) {
    return rows[0] === undefined ? null : write(rows[0]);
  }
  const shown = rows.slice(0, nestedPage).map(write);
  if (form === 'array') return shown;
  return {
    __ENTITYSET: `${uriOf(dataclass, row)}/${name}?$expand=${name}`,
    __GlobalStamp: anyStamp,
    __COUNT: rows.length,
    __FIRST: 0,
    __ENTITIES: shown,
    __SENT: shown.length,
  };
}

type KeyParts = readonly (readonly [name: string, value: string | number])[];

function keyParts(dataclass: string, row: Row): KeyParts {
  const { key, attributes } = facts(dataclass);
  return key.map((name) => [name, row[attributes[name] ?? ''] as string | number] as const);
}

function keyColumns(dataclass: string): string[] {
  const { key, attributes } = facts(dataclass);
  return key.map((name) => attributes[name] ?? '');
}

function keyText(parts: KeyParts): string {
  return parts.length === 1 ? String(parts[0]?.[1]) : JSON.stringify(Object.fromEntries(parts));
}

/** Text with a quote in it stands in a JSON object: inside quotes it could end the key too soon. */
function uri(dataclass: string, parts: KeyParts): string {
  const text = keyText(parts);
  if (/^[\w.-]+$/.test(text)) return `/rest/${dataclass}(${text})`;
  const quote = text.includes('"') && !text.includes("'") ? "'" : '"';
  const written =
    parts.length > 1 ? JSON.stringify(Object.fromEntries(parts)) : `${quote}${text}${quote}`;
  return `/rest/${dataclass}(${encodeURIComponent(written)})`;
}

/** Rows by the values of some columns, indexed at the first question. */
const indexes = new Map<string, ReadonlyMap<string, readonly Row[]>>();

function lookUp(
  dataclass: string,
  columns: readonly string[],
  wantedValues: readonly Value[],
): readonly Row[] {
  if (wantedValues.includes(null)) return [];
  const name = `${dataclass} ${columns.join(' ')}`;
  let index = indexes.get(name);
  if (index === undefined) {
    const all = legacy[facts(dataclass).table] as unknown as readonly Row[];
    index = grouped(inKeyOrder(dataclass, all), columns);
    indexes.set(name, index);
  }
  return index.get(JSON.stringify(wantedValues)) ?? [];
}

function grouped(
  rows: readonly Row[],
  columns: readonly string[],
): ReadonlyMap<string, readonly Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const name = JSON.stringify(values(row, columns));
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

function values(row: Row, columns: readonly string[]): Value[] {
  return columns.map((column) => row[column] ?? null);
}

/** Rows in key order; rows without a key as the sample has them. */
export function inKeyOrder<R extends Row>(dataclass: string, rows: readonly R[]): readonly R[] {
  const columns = keyColumns(dataclass);
  return [...rows].sort((one, other) => {
    for (const column of columns) {
      const [left, right] = [one[column] ?? '', other[column] ?? ''];
      if (left !== right) return left < right ? -1 : 1;
    }
    return 0;
  });
}

/** Rows by a column of numbers or of text that sorts alike everywhere; nulls first when ascending. */
export function sortedBy<R extends Row>(
  rows: readonly R[],
  column: string,
  direction: 'asc' | 'desc',
): readonly R[] {
  const sign = direction === 'asc' ? 1 : -1;
  return [...rows].sort((one, other) => {
    const [left, right] = [one[column] ?? null, other[column] ?? null];
    if (left === right) return 0;
    if (left === null) return -sign;
    if (right === null) return sign;
    return left < right ? -sign : sign;
  });
}
