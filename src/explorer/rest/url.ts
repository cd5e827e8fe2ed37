/** Values of the parameters of a URL by name, `$filter` for instance; undefined ones are left out. */
export type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** Text that needs no quotes in a key. */
const PLAIN_KEY = /^[A-Za-z0-9_.-]+$/;

/** Values that need no quotes in a parameter: names, paths, lists of them, numbers. */
const PLAIN_VALUE = /^[\w.,*/-]*$/;

/** Escapes whose characters a query may hold as they are, and which people read better so. */
const READABLE = /%(?:2[24CF]|3[A-F]|40|5[BD])/g;

/** The path of a dataclass, `/rest/Employee`. */
export function dataclassPath(dataclass: string): string {
  return `/rest/${encodeURIComponent(dataclass)}`;
}

/**
 * The path of an entity, `/rest/Employee(5)`, `/rest/Category("AC%2FDC")`.
 * @param key its `__KEY` @param isComposite whether the key has several parts; `__KEY` is then a JSON object
 */
export function entityPath(dataclass: string, key: string, isComposite = false): string {
  const inside = isComposite || PLAIN_KEY.test(key) ? key : quotedKey(key);
  return `${dataclassPath(dataclass)}(${encodeURIComponent(inside)})`;
}

/** A key for people: of an empty text the quotes are shown. */
export function shownKey(key: string): string {
  return key === '' ? '""' : key;
}

/** A quote inside quotes closes a key where a comma or a semicolon follows it. */
function quotedKey(key: string): string {
  const isSingle = key.includes('"') && (!key.includes("'") || /"\s*[,;]/.test(key));
  return isSingle ? `'${key}'` : `"${key}"`;
}

/** The path of an entity set, `/rest/Employee/$entityset/ID`. @param id that of its set, or the URI of `__ENTITYSET` */
export function entitySetPath(dataclass: string, id: string): string {
  return `${dataclassPath(dataclass)}/$entityset/${id.slice(id.lastIndexOf('/') + 1)}`;
}

/** The path of an attribute or relation of what another path leads to. */
export function memberPath(path: string, member: string): string {
  return `${path}/${encodeURIComponent(member)}`;
}

/** The part of a URI behind `/rest/`, without parameters: `Employee(5)/projects`. */
export function pathBelowRest(uri: string): string {
  const [path = ''] = uri.split('?', 1);
  return path.slice(path.indexOf('/rest/') + '/rest/'.length);
}

/** Adds parameters to a path that may have some. Values that are more than names and numbers stand in quotes. */
export function withParameters(path: string, parameters: Parameters): string {
  const added = Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${parameterValue(String(value))}`);
  if (added.length === 0) return path;
  return `${path}${path.includes('?') ? '&' : '?'}${added.join('&')}`;
}

/** A closing quote counts only before an `&` or at the end; those inside the value are followed by neither, as its `&` is escaped. */
function parameterValue(value: string): string {
  const escaped = encodeURIComponent(value.toWellFormed()).replace(READABLE, decodeURIComponent);
  if (PLAIN_VALUE.test(value)) return escaped;
  const quote = value.includes('"') && !value.includes("'") ? "'" : '"';
  return `${quote}${escaped}${quote}`;
}
