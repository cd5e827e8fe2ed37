/** A view of the explorer, as the URL's fragment names it. */
export type Route =
  | { readonly view: 'model'; readonly dataclass: string | null }
  | { readonly view: 'collection'; readonly dataclass: string; readonly query: URLSearchParams }
  | { readonly view: 'report'; readonly dataclass: string; readonly query: URLSearchParams }
  | { readonly view: 'entity'; readonly dataclass: string; readonly key: string }
  | { readonly view: 'new'; readonly dataclass: string; readonly query: URLSearchParams }
  | { readonly view: 'functions'; readonly name: string | null; readonly query: URLSearchParams }
  | { readonly view: 'plan'; readonly url: string };

/**
 * Reads a fragment: `#/model`, `#/model/Employee`, `#/Employee?filter=…`, `#/Employee/5`, `#/Employee/new`, `#/report/Employee?groupby=…`, `#/functions/NAME`, `#/plan?url=…`.
 * An entity whose key is `new` is `#/Employee/%6eew`, and one whose key is empty `#/Employee/''`, which `hrefOf` writes.
 */
export function readRoute(hash: string): Route {
  const [path, search = ''] = splitOnce(hash.replace(/^#?\/?/, ''), '?');
  const query = new URLSearchParams(search);
  const [first, second] = splitOnce(path, '/');
  const name = decoded(first);
  if (first === '' || first === 'model') {
    return { view: 'model', dataclass: second === undefined ? null : decoded(second) };
  }
  if (first === 'report') return { view: 'report', dataclass: decoded(second ?? ''), query };
  if (first === 'functions') {
    return { view: 'functions', name: second === undefined ? null : decoded(second), query };
  }
  if (first === 'plan') return { view: 'plan', url: query.get('url') ?? '' };
  if (second === undefined || second === '') return { view: 'collection', dataclass: name, query };
  if (second === 'new') return { view: 'new', dataclass: name, query };
  return { view: 'entity', dataclass: name, key: second === EMPTY_KEY ? '' : decoded(second) };
}

/** Writes the fragment of a route; {@link readRoute} reads it. */
export function hrefOf(route: Route): string {
  switch (route.view) {
    case 'model':
      return route.dataclass === null
        ? '#/model'
        : `#/model/${encodeURIComponent(route.dataclass)}`;
    case 'collection':
      return `#/${nameInPath(route.dataclass)}${searchOf(route.query)}`;
    case 'report':
      return `#/report/${encodeURIComponent(route.dataclass)}${searchOf(route.query)}`;
    case 'entity': {
      return `#/${nameInPath(route.dataclass)}/${keyInPath(route.key)}`;
    }
    case 'new':
      return `#/${nameInPath(route.dataclass)}/new${searchOf(route.query)}`;
    case 'functions': {
      const name = route.name === null ? '' : `/${encodeURIComponent(route.name)}`;
      return `#/functions${name}${searchOf(route.query)}`;
    }
    case 'plan':
      return `#/plan?${new URLSearchParams({ url: route.url }).toString()}`;
  }
}

/** The href of a dataclass's collection, an entity's form, and so on, without an object for the route. */
export const hrefs = {
  model: (dataclass: string | null = null): string => hrefOf({ view: 'model', dataclass }),
  collection: (dataclass: string, query: Record<string, string> = {}): string =>
    hrefOf({ view: 'collection', dataclass, query: new URLSearchParams(query) }),
  report: (dataclass: string, query: Record<string, string> = {}): string =>
    hrefOf({ view: 'report', dataclass, query: new URLSearchParams(query) }),
  entity: (dataclass: string, key: string | number): string =>
    hrefOf({ view: 'entity', dataclass, key: String(key) }),
  create: (dataclass: string, query: Record<string, string> = {}): string =>
    hrefOf({ view: 'new', dataclass, query: new URLSearchParams(query) }),
  functions: (name: string | null = null): string =>
    hrefOf({ view: 'functions', name, query: new URLSearchParams() }),
  plan: (url: string): string => hrefOf({ view: 'plan', url }),
};

/** The fragment's way to write an empty key: nothing would be the collection. */
const EMPTY_KEY = "''";

/** Keys that mean something else as they are get an escape more. */
function keyInPath(key: string): string {
  if (key === '') return EMPTY_KEY;
  if (key === 'new') return '%6eew';
  return key === EMPTY_KEY ? '%27%27' : encodeURIComponent(key);
}

/** Dataclasses whose names are those of views are told apart by an escape. */
function nameInPath(name: string): string {
  const first = name.charCodeAt(0).toString(16).padStart(2, '0');
  return ['model', 'report', 'functions', 'plan'].includes(name)
    ? `%${first}${name.slice(1)}`
    : encodeURIComponent(name);
}

function searchOf(query: URLSearchParams): string {
  const search = query.toString();
  return search === '' ? '' : `?${search}`;
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
