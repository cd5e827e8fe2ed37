import { relationTarget, type Attribute, type Catalog, type Dataclass } from '../rest/catalog.ts';
import { isNumber, isObject, writeJson, type Json, type JsonObject } from '../rest/json.ts';
import type { PathType } from './filter/rules.ts';

/** A column of the grid. */
export interface Column {
  /** The path of the attribute, over relations. */
  readonly path: string;
  readonly type: PathType;
  /** Whether its path leads over a relation to many: a list of values then. */
  readonly isToMany: boolean;
}

/** The characters behind the first number of a list: a comma, and the dots for numbers that are left out. */
const LIST_ROOM = 3;

/** How many columns a dataclass begins with; the others are a click away. */
const FIRST_COLUMNS = 12;

/** The paths of the columns that a dataclass begins with: its key, then its attributes that fit a cell. */
export function defaultColumns({ attributes }: Dataclass): readonly string[] {
  const shown = attributes.filter(
    ({ kind, type }) => !kind.startsWith('related') && type !== 'object' && type !== 'blob',
  );
  const keys = shown.filter(({ isKey }) => isKey);
  const others = shown.filter(({ isKey }) => !isKey);
  return [...keys, ...others].slice(0, FIRST_COLUMNS).map(({ name }) => name);
}

/** The column of a path; null where the dataclass has no such attribute. */
export function columnOf(path: string, dataclass: Dataclass, catalog: Catalog): Column | null {
  const names = path.split('.');
  let owner: Dataclass | undefined = dataclass;
  let isToMany = false;
  for (const [index, name] of names.entries()) {
    const attribute: Attribute | undefined = owner?.attributes.find((one) => one.name === name);
    if (attribute === undefined) return null;
    const isLast = index === names.length - 1;
    if (isRelation(attribute)) {
      isToMany ||= attribute.kind === 'relatedEntities';
      if (isLast) return { path, type: 'relation', isToMany };
      owner = relationTarget(attribute, catalog);
    } else if (isLast) {
      return { path, type: attribute.type as PathType, isToMany };
    } else {
      return attribute.type === 'object' ? { path, type: 'property', isToMany } : null;
    }
  }
  return null;
}

export function isRelation({ kind }: Attribute): boolean {
  return kind === 'relatedEntity' || kind === 'relatedEntities';
}

/** Whether entities can be sorted by a column. */
export function isSortable({ type, isToMany }: Column): boolean {
  return !isToMany && !['object', 'image', 'blob', 'relation'].includes(type);
}

/** Whether CSV can have a column (docs/reference/formats.md, "Columns"). */
export function fitsCsv({ type, isToMany }: Column): boolean {
  return !isToMany && !['image', 'blob', 'relation', 'property'].includes(type);
}

/** The value of a cell: what the path leads to, a list of values where it leads over a relation to many; undefined where there is nothing. */
export function cellValue(entity: JsonObject, path: string): Json | undefined {
  return path.split('.').reduce<Json | undefined>(step, entity);
}

function step(value: Json | undefined, name: string): Json | undefined {
  if (Array.isArray(value)) {
    const items = value as readonly Json[];
    const index = Number(name);
    return Number.isInteger(index) ? items[index] : items.flatMap((item) => step(item, name) ?? []);
  }
  if (!isObject(value)) return undefined;
  const next = value[name];
  return isObject(next) && Array.isArray(next['__ENTITIES']) ? next['__ENTITIES'] : next;
}

/** What a deferred value (§2.2) says of itself; null where a value is none. */
export function deferredOf(
  value: Json | undefined,
): { readonly uri: string; readonly key: string | null } | null {
  const deferred = isObject(value) ? value['__deferred'] : undefined;
  if (!isObject(deferred) || typeof deferred['uri'] !== 'string') return null;
  const key = deferred['__KEY'];
  return {
    uri: deferred['uri'],
    key: typeof key === 'string' || isNumber(key) ? String(key) : null,
  };
}

/** Stands for null. */
export const NULL = '–';

/** The text of a cell. Values of a list are separated by commas. */
export function cellText(value: Json | undefined, type: PathType): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && type !== 'object' && type !== 'property') {
    return (value as readonly Json[]).map((item) => cellText(item, type)).join(', ');
  }
  if (typeof value === 'object' && !isNumber(value)) return writeJson(value);
  if (type === 'date' && typeof value === 'string') return dateText(value);
  return String(value);
}

/** A date-time without the letters that machines need: `2024-06-10 09:30:00`. */
function dateText(value: string): string {
  return value.replace('T', ' ').replace(/(?:\.000)?Z$/, '');
}

export function isNumeric(type: PathType): boolean {
  return ['byte', 'word', 'long', 'long64', 'number'].includes(type);
}

/** The characters that a value may not be cut below: those of the longest number in it, whose first digits alone are another one; 0 of all else. */
export function uncutLength(value: Json | undefined): number {
  if (!Array.isArray(value)) return isNumber(value) ? String(value).length : 0;
  const longest = Math.max(0, ...(value as readonly Json[]).map(uncutLength));
  return longest === 0 ? 0 : longest + LIST_ROOM;
}

/** The width of a column, for CSS. @param uncut the most characters of its numbers */
export function columnWidth({ path, type, isToMany }: Column, uncut: number): string {
  const header = 40 + 7.5 * path.length;
  const values = type === 'bool' || type === 'image' ? 70 : isNumeric(type) ? 90 : 170;
  const pixels = Math.round(Math.min(320, Math.max(header, isToMany ? 220 : values)));
  // Totals are bold, which makes digits wider.
  return uncut === 0 ? `${pixels}px` : `max(${pixels}px, ${Math.ceil(uncut * 1.15)}ch + 20px)`;
}
