import { ProtocolError } from '../base/errors.ts';

/**
 * The canonical text of an array: JSON of any depth, in which each item is null or the canonical text of the items' type.
 */

/** The items of an array: texts, nulls, and arrays of them. */
export type ArrayItems = readonly (string | null | ArrayItems)[];

/** @throws ProtocolError schemaChanged for what is no such text: a column may be altered while the gateway runs */
export function parseItems(text: string): ArrayItems {
  const items = parsed(text);
  if (areItems(items)) return items;
  throw ProtocolError.of('schemaChanged');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function areItems(value: unknown): value is ArrayItems {
  return (
    Array.isArray(value) &&
    value.every((item) => item === null || typeof item === 'string' || areItems(item))
  );
}

/** Whether an item is an array itself. */
export function isArray(item: string | null | ArrayItems): item is ArrayItems {
  return Array.isArray(item);
}

/** JSON text of items, each of which is written by a function. */
export function itemsJson(items: ArrayItems, json: (item: string) => string): string {
  const texts = items.map((item) => {
    if (item === null) return 'null';
    return isArray(item) ? itemsJson(item, json) : json(item);
  });
  return `[${texts.join(',')}]`;
}

/** Items of the same dimensions, each of them made by a function. */
export function mapItems(items: ArrayItems, one: (item: string) => string): ArrayItems {
  return items.map((item) => {
    if (item === null) return null;
    return isArray(item) ? mapItems(item, one) : one(item);
  });
}
