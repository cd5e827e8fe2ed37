import { keyText, type KeyValue } from '../../run/body/entity-key.ts';

/** Text that needs no quotes inside the parentheses of a URI. */
const PLAIN_KEY = /^[A-Za-z0-9_.-]+$/;

/** `/rest/Company(1)`: relative, because absolute URIs break clients behind proxies (DECISIONS). */
export function entityUri(dataclass: string, parts: readonly KeyValue[]): string {
  return entityUris(dataclass)(keyText(parts), () => parts);
}

/**
 * What {@link entityUri} gives for the entities of one dataclass.
 * @returns of the text of a key, and of its parts, which are asked for where the text alone does not tell
 */
export function entityUris(
  dataclass: string,
): (text: string, parts: () => readonly KeyValue[]) => string {
  const head = entityUriHead(dataclass);
  return (text, parts) =>
    PLAIN_KEY.test(text) ? `${head}${text})` : `${head}${addressText(parts(), text)})`;
}

/** What stands before the key in the URI of an entity. */
export function entityUriHead(dataclass: string): string {
  return `/rest/${escaped(dataclass)}(`;
}

/** `/rest/Company/$entityset/0A1B…` (§2.3). */
export function entitySetUri(dataclass: string, id: string): string {
  return `/rest/${escaped(dataclass)}/$entityset/${id}`;
}

/**
 * The URI of an entity's related entities, image or BLOB, with the `?` that clients look for (DECISIONS).
 * @param base the URI of the entity
 * @param query what stands before `$expand`, such as `$binary=true`
 */
export function memberUri(base: string, name: string, query?: string): string {
  return base + memberUriEnd(name, query);
}

/** What {@link memberUri} puts behind the URI of an entity. */
export function memberUriEnd(name: string, query?: string): string {
  const escapedName = escaped(name);
  return `/${escapedName}?${query === undefined ? '' : `${query}&`}$expand=${escapedName}`;
}

function addressText(parts: readonly KeyValue[], text: string): string {
  const [only, ...more] = parts;
  if (only === undefined || more.length > 0) return escaped(text);
  // Bytes may be none: between parentheses nothing is not a key.
  if (text === '') return escaped('""');
  if (only.type.kind !== 'text' && only.type.kind !== 'opaque') return escaped(text);
  const quote =
    QUOTES.find((own) => !text.includes(own)) ??
    QUOTES.find((own) => !new RegExp(`${own}\\s*[,;]`).test(text));
  // What neither quote can enclose has no address of its own; of all forms this one is least likely to be another entity's.
  return escaped(
    quote === undefined
      ? `{${JSON.stringify(only.name)}:${JSON.stringify(text)}}`
      : `${quote}${text}${quote}`,
  );
}

/** A quote inside quotes is read as the closing one where a comma or a semicolon follows it. */
const QUOTES = ['"', "'"] as const;

/** Half a surrogate pair, which a column of UTF-16 may hold, has no escape. */
function escaped(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}
