import { isDeepStrictEqual } from 'node:util';
import { recently } from '../conformance/values.ts';
import { ExactNumber, readNumber } from '../targets/gateway.ts';
import { Entities, type Fields, isFields } from './entities.ts';

/** A value that an answer has to hold: JSON, with places that are open. */
export type Expected = Open | Members | Uri | readonly Expected[] | Scalar;

type Scalar = string | number | boolean | null | ExactNumber;

/** A scalar with a name: the first one is kept, and all others have to be the same. `*` is any value. */
class Open {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const ANY = new Open('*');
/** An instant of the last minutes. */
const NOW = new Open('now');

/** The address of an entity, whose key may hold names. */
class Uri {
  readonly dataclass: string;
  readonly key: string;

  constructor(dataclass: string, key: string) {
    this.dataclass = dataclass;
    this.key = key;
  }
}

/** The members of an object. */
class Members {
  readonly members: Readonly<Record<string, Expected>>;
  /** Whether there are no others. */
  readonly isWhole: boolean;
  /** Whether the others are those that the entity was answered with before. */
  readonly isChange: boolean;

  constructor(
    members: Readonly<Record<string, Expected>>,
    { isWhole = true, isChange = false }: { isWhole?: boolean; isChange?: boolean } = {},
  ) {
    this.members = members;
    this.isWhole = isWhole;
    this.isChange = isChange;
  }
}

/** The texts that names stand for in a case. */
export type Names = Map<string, string>;

/** Puts what names stand for into a request. @throws Error for a name that no answer has had */
export function withNames(text: string, names: Names): string {
  return text.replace(/\$\{(\w+)\}/g, (name, own: string) => {
    const known = names.get(own);
    if (known === undefined) throw new Error(`no answer has had ${name} yet`);
    return known;
  });
}

/** Reads what an answer has to hold. @throws Error where it cannot be read */
export function parseExpected(text: string): Expected {
  const reader = new Reader(text);
  const value = reader.value();
  reader.end();
  return value;
}

/** The words for how an entity ended, with its `__STATUS`. */
const ENDED: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>> = {
  saved: { success: true },
  created: { success: true, created: true },
  updated: { success: true, created: false },
  conflict: { status: 2, statusText: 'Stamp has changed', success: false },
};

const STRING = /"(?:[^"\\]|\\.)*"/y;

/** Reads JSON, and the short forms of what the protocol answers. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Expected {
    this.#take(/\s*/y);
    const string = this.#take(STRING);
    if (string !== null) return JSON.parse(string) as string;
    const open = this.#take(/\*|\$\{\w+\}/y);
    if (open !== null) return open === '*' ? ANY : new Open(open.slice(2, -1));
    if (this.#take(/\[/y) !== null) return this.#items();
    if (this.#take(/\{/y) !== null) return this.#members();
    const number = this.#take(/-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?/y);
    if (number !== null) {
      const isCode = this.#take(/\s+(?=")/y) !== null;
      return isCode ? new Members(this.#errors(Number(number))) : readNumber(number);
    }
    return this.#named(this.#need(/[A-Za-z]\w*/y, 'a value'));
  }

  end(): void {
    this.#need(/\s*$/y, 'the end');
  }

  #named(word: string): Expected {
    if (word === 'true' || word === 'false') return word === 'true';
    if (word === 'null') return null;
    if (word === 'now') return NOW;
    if (word === 'refused') return this.#refused();
    if (word === 'list') return this.#list();
    if (word === 'link') return this.#link();
    if (word === 'changes') return this.#changes();
    const ended = ENDED[word];
    if (ended === undefined) {
      const { members, isWhole, isChange } = this.#entity(word);
      return new Members(members, { isWhole, isChange });
    }
    this.#need(/\s+/y, 'a blank');
    const { members, uri, isWhole, isChange } = this.#entity(this.#need(/\w+/y, 'a dataclass'));
    const errors =
      word === 'conflict' ? this.#errors(Number(this.#need(/\s*\d+\s+/y, 'a code'))) : {};
    const status = { __STATUS: new Members(ended) };
    return new Members({ ...status, ...members, uri, ...errors }, { isWhole, isChange });
  }

  #items(): Expected[] {
    const items: Expected[] = [];
    while (this.#take(/\s*\]/y) === null) {
      if (items.length > 0) this.#need(/\s*,/y, 'a comma');
      items.push(this.value());
    }
    return items;
  }

  #members(): Members {
    const members: Record<string, Expected> = {};
    let isWhole = true;
    while (this.#take(/\s*\}/y) === null) {
      if (Object.keys(members).length > 0) this.#need(/\s*,/y, 'a comma');
      this.#take(/\s*/y);
      if (this.#take(/\.\.\./y) !== null) {
        isWhole = false;
        continue;
      }
      const name = JSON.parse(this.#need(STRING, 'a name')) as string;
      this.#need(/\s*:/y, 'a colon');
      members[name] = this.value();
    }
    return new Members(members, { isWhole });
  }

  /** What follows the name of a dataclass: `(key)@stamp {…}`. */
  #entity(dataclass: string): {
    members: Record<string, Expected>;
    uri: Uri;
    isWhole: boolean;
    isChange: boolean;
  } {
    const key = this.#key();
    const stamp = this.#take(/@(?:\d+|\$\{\w+\}|\*)/y)?.slice(1);
    const isChange = this.#take(/\s*\+(?=\{)/y) !== null;
    const { members: fields, isWhole } =
      this.#take(/\s*\{/y) === null ? new Members({}) : this.#members();
    return {
      members: {
        __entityModel: dataclass,
        __DATACLASS: dataclass,
        __KEY: key,
        ...(stamp === undefined ? {} : { __STAMP: parseExpected(stamp) }),
        ...fields,
      },
      uri: new Uri(dataclass, key),
      isWhole,
      isChange,
    };
  }

  #key(): string {
    return this.#need(/\((?:\$\{\w+\}|[^()])*\)/y, 'a key').slice(1, -1);
  }

  /** `Dataclass(key)`: the place of an entity that a relation leads to. */
  #link(): Members {
    const dataclass = this.#need(/\s+\w+/y, 'a dataclass').trim();
    const key = this.#key();
    return new Members({
      __deferred: new Members({ uri: new Uri(dataclass, key), __KEY: key }),
    });
  }

  /** `Dataclass of count [entity, …]`: a collection from its beginning, with all that there are where no count is said. */
  #list(): Members {
    const dataclass = this.#need(/\s+\w+/y, 'a dataclass').trim();
    const count = this.#take(/\s+of\s+\d+/y)?.replace(/\D+/, '');
    this.#need(/\s*\[/y, 'entities');
    const entities = this.#items();
    return new Members({
      __DATACLASS: dataclass,
      __entityModel: dataclass,
      __GlobalStamp: ANY,
      __COUNT: Number(count ?? entities.length),
      __FIRST: 0,
      __ENTITIES: entities,
      __SENT: entities.length,
    });
  }

  /** `Dataclass [removed] [entity, …] more token`: a page of changes, without the first list where it does not tell what is removed. */
  #changes(): Members {
    const dataclass = this.#need(/\s+\w+/y, 'a dataclass').trim();
    const lists = [this.value()];
    if (this.#take(/\s+(?=\[)/y) !== null) lists.push(this.value());
    const entities = lists.pop() as readonly Expected[];
    const [removed] = lists;
    return new Members({
      __DATACLASS: dataclass,
      __entityModel: dataclass,
      ...(removed === undefined ? {} : { __REMOVED: removed }),
      __ENTITIES: entities,
      __SENT: entities.length,
      __MORE: this.#take(/\s+more/y) !== null,
      __TOKEN: this.value(),
    });
  }

  /** `"key" code "message" …`: an entity that was not saved, with its key if it has one. */
  #refused(): Members {
    const key = this.#take(/\s+(?:"(?:[^"\\]|\\.)*"|\$\{\w+\})/y);
    const errors = this.#errors(Number(this.#need(/\s+\d+\s+/y, 'a code')));
    const status = { __STATUS: new Members({ success: false }) };
    return new Members({
      ...status,
      ...(key === null ? {} : { __KEY: parseExpected(key) }),
      ...errors,
    });
  }

  /** What follows the first code: `"message" code "message" …` */
  #errors(first: number): { readonly __ERROR: readonly Expected[] } {
    const items: Expected[] = [];
    for (let code = first; ;) {
      const message = JSON.parse(this.#need(STRING, 'a message')) as string;
      items.push(new Members({ message, componentSignature: 'dbmg', errCode: code }));
      const next = this.#take(/\s+\d+\s+(?=")/y);
      if (next === null) return { __ERROR: items };
      code = Number(next);
    }
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    if (found === undefined) return null;
    this.#at += found.length;
    return found;
  }

  #need(pattern: RegExp, what: string): string {
    const found = this.#take(pattern);
    if (found === null) {
      const rest = this.#text.slice(this.#at, this.#at + 40);
      throw new Error(`expected ${what} at ${rest === '' ? 'the end' : rest}`);
    }
    return found;
  }
}

/**
 * What is expected, with what the answer has in the open places; names that are met for the first time are kept.
 * @param entities what changed entities were before
 * @param sent the request's body
 */
export function filled(
  expected: Expected,
  actual: unknown,
  names: Names,
  entities = new Entities(),
  sent?: unknown,
): unknown {
  if (expected instanceof Open) return openValue(expected, actual, names);
  if (typeof expected === 'string') return openText(expected, actual, names);
  if (expected instanceof Uri) {
    const key = named(expected.key, names);
    // A text that is no word is in quotes.
    const uris = [key, `"${key}"`].map((one) => uriOf(expected.dataclass, one));
    return uris.find((uri) => uri === actual) ?? uris[0];
  }
  if (expected instanceof Members) {
    const { members, isWhole, isChange } = expected;
    const found = isFields(actual) ? actual : {};
    const own: Fields = Object.fromEntries(
      Object.entries(members).map(
        ([name, value]) =>
          [name, filled(value, found[name], names, entities, sentFor(sent, name))] as const,
      ),
    );
    const { __DATACLASS: dataclass, __KEY: key } = own;
    const before = isChange
      ? entities.of(String(dataclass), String(key), sent, '__STAMP' in own)
      : {};
    return { ...(isWhole ? before : found), ...own };
  }
  if (Array.isArray(expected)) {
    const found: readonly unknown[] = Array.isArray(actual) ? actual : [];
    const all: readonly unknown[] = Array.isArray(sent) ? sent : [];
    return expected.map((value: Expected, index) =>
      filled(value, found[index], names, entities, all[index]),
    );
  }
  return expected;
}

/** The part of a body that a member of its answer is about: the entities of a list stand in `__ENTITIES`, or without it. */
function sentFor(sent: unknown, name: string): unknown {
  return isFields(sent) ? sent[name] : name === '__ENTITIES' ? sent : undefined;
}

function openValue(open: Open, actual: unknown, names: Names): unknown {
  if (open === ANY) return actual === undefined ? 'any value' : actual;
  if (open === NOW) return recently;
  const text = textOf(actual);
  const known = names.get(open.name);
  if (known === undefined && text !== null) names.set(open.name, text);
  return text !== null && (known ?? text) === text ? actual : (known ?? `\${${open.name}}`);
}

/** A text with names in it. */
function openText(expected: string, actual: unknown, names: Names): unknown {
  if (!expected.includes('${') || typeof actual !== 'string') return expected;
  const met: string[] = [];
  const parts = expected.split(/\$\{(\w+)\}/).map((part, index) => {
    const known = index % 2 === 0 ? part : names.get(part);
    if (known !== undefined) return known.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
    met.push(part);
    return '(.+?)';
  });
  const found = new RegExp(`^${parts.join('')}$`, 's').exec(actual);
  if (found === null) return named(expected, names);
  for (const [index, name] of met.entries()) names.set(name, found[index + 1] ?? '');
  return actual;
}

function uriOf(dataclass: string, key: string): string {
  return `/rest/${dataclass}(${encodeURIComponent(key)})`;
}

/** A text with what its names stand for, where they are known. */
function named(text: string, names: Names): string {
  return text.replace(/\$\{(\w+)\}/g, (all, name: string) => names.get(name) ?? all);
}

function textOf(value: unknown): string | null {
  if (value instanceof ExactNumber) return value.digits;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : null;
}

const KEY = /\b((?:saved|created) )?(\w+)\((?:(\d+)|([\da-f]{8}-[-\da-f]{27}))\)/g;
const UUID = /"([\da-f]{8}-[-\da-f]{27})"/g;

/**
 * Writes an answer as {@link parseExpected} reads it, so that it holds on other engines and in later runs: stamps that are a hash are any, as are UUIDs that
 * nobody gave, instants of the last minutes are `now`, and keys that the database or the gateway has made have names, such as `${product1}`.
 * @param request what was asked, also with the names of keys: those were given
 * @param entities what changed entities were before
 * @param sent the request's body
 * @param file what the case's file says: its UUIDs were given
 */
export function recorded(
  body: unknown,
  names: Names,
  request: string,
  entities?: Entities,
  sent?: unknown,
  file = request,
): string {
  const text = written(body, 4, entities, sent)
    .replace(/"(\d{4}-[^"]*)"/g, (found, instant) => (isLike(recently, instant) ? 'now' : found))
    .replace(/@\d{6,}/g, '@*')
    .replace(/"__STAMP":\d{6,}/g, '"__STAMP":*');
  for (const [, ended, dataclass = '', number, uuid = ''] of text.matchAll(KEY)) {
    const key = number ?? uuid;
    const isOld = number === undefined ? file.includes(uuid) : ended === undefined;
    if (isOld || gives(request, dataclass, key)) continue;
    if ([...names].some(([name, one]) => one === key && isOf(dataclass, name, key))) continue;
    const numbers = Array.from({ length: names.size + 1 }, (_, index) => index + 1);
    const own = numbers.map((number) => dataclass.toLowerCase() + String(number));
    names.set(own.find((name) => !names.has(name)) ?? dataclass, key);
  }
  const withKeys = [...names].reduce((all, [name, key]) => {
    if (!/^[-\da-f]+$/.test(key)) return all;
    return all.replace(
      new RegExp(`(?:(\\w+)\\((?=${key}\\))|(?<=\\(|refused "|"__KEY":"?))${key}(?=[);",}])`, 'g'),
      (found, dataclass?: string) =>
        dataclass === undefined ||
        isOf(dataclass, name, key) ||
        gives(request, dataclass, `\${${name}}`)
          ? `${found.slice(0, -key.length)}\${${name}}`
          : found,
    );
  }, text);
  const withMembers = Array.from(request.matchAll(/"\w+":"?\$\{\w+\}"?/g)).reduce(
    (all, [member]) =>
      [',', '}'].reduce(
        (some, end) => some.replaceAll(withNames(member, names) + end, () => member + end),
        all,
      ),
    withKeys,
  );
  return withMembers.replace(UUID, (found, uuid: string) => {
    const [name] = [...names].find(([, key]) => key === uuid) ?? [];
    return name === undefined ? (file.includes(uuid) ? found : '*') : `\${${name}}`;
  });
}

/** Whether a request says the key of an entity. */
function gives(request: string, dataclass: string, key: string): boolean {
  const ways = [`${dataclass}(${key})`, `"${key}"`, `"id":${key}`, `"__KEY":${key}`];
  return ways.some((way) => request.includes(way));
}

/** Whether a name, such as `product1`, is one of a key of a dataclass: entities of two may have the same number, and share any other key. */
function isOf(dataclass: string, name: string, key: string): boolean {
  return !/^\d+$/.test(key) || name.replace(/\d+$/, '') === dataclass.toLowerCase();
}

/** From this width on, a value has several lines, with as many of its parts as fit on each. */
const WIDTH = 150;

/** Writes an answer as {@link parseExpected} reads it. @param indent how far its further lines are indented */
export function written(
  body: unknown,
  indent = 4,
  entities = new Entities(),
  sent?: unknown,
): string {
  if (body instanceof ExactNumber) return body.digits;
  if (Array.isArray(body)) {
    const all: readonly unknown[] = Array.isArray(sent) ? sent : [];
    const items = body.map((item, index) => written(item, indent + 2, entities, all[index]));
    return listed('[', items, ']', indent);
  }
  if (typeof body !== 'object' || body === null) return JSON.stringify(body);
  const object = (fields: Fields): string => {
    const members = Object.entries(fields).map(
      ([name, value]) =>
        `${JSON.stringify(name)}:${written(value, indent + 2, entities, sentFor(sent, name))}`,
    );
    return listed('{', members, '}', indent);
  };
  const changed = (dataclass: string, key: string, fields: Fields): string => {
    const before = entities.of(dataclass, key, sent, '__STAMP' in (body as Fields));
    const names = Object.keys(before);
    if (names.length === 0 || names.some((name) => !(name in fields))) return object(fields);
    const change = Object.entries(fields).filter(([name, value]) => !isLike(before[name], value));
    return `+${object(Object.fromEntries(change))}`;
  };
  const list = (all: readonly unknown[]): string => written(all, indent, entities, sent);
  return shortForm(body as Fields, changed, list) ?? object(body as Fields);
}

interface Matcher {
  readonly asymmetricMatch: (value: unknown) => boolean;
}

function isLike(expected: unknown, value: unknown): boolean {
  return isFields(expected) && 'asymmetricMatch' in expected
    ? (expected as unknown as Matcher).asymmetricMatch(value)
    : isDeepStrictEqual(expected, value);
}

function listed(open: string, parts: readonly string[], close: string, indent: number): string {
  const line = `${open}${parts.join(',')}${close}`;
  if (line.length + indent <= WIDTH && !line.includes('\n')) return line;
  const last = parts.at(-1) ?? '';
  const first = [...parts.slice(0, -1), last.split('\n', 1)[0]].join(',');
  if (
    last.includes('\n') &&
    !first.includes('\n') &&
    open.length + first.length + indent <= WIDTH
  ) {
    return open + [...parts.slice(0, -1), last.replaceAll('\n  ', '\n')].join(',') + close;
  }
  const blanks = `\n${' '.repeat(indent + 2)}`;
  let lines = '';
  for (const part of parts) {
    const joined = `${lines.slice(lines.lastIndexOf('\n') + 1)},${part}`;
    const begins = lines === '' || joined.length > WIDTH || joined.includes('\n');
    lines += begins ? `${lines === '' ? '' : ','}${blanks}${part}` : `,${part}`;
  }
  return `${open}${lines}\n${' '.repeat(indent)}${close}`;
}

/**
 * The short form of what the protocol answers; null where it has none.
 * @param changed writes the members of an entity, or how they differ from what they were
 * @param list writes entities
 */
function shortForm(
  body: Fields,
  changed: (dataclass: string, key: string, fields: Fields) => string,
  list: (entities: readonly unknown[]) => string,
): string | null {
  const { __deferred: deferred } = body;
  if (isFields(deferred) && Object.keys(body).length === 1) return linkOf(deferred);
  const {
    __STATUS: status,
    __entityModel: model,
    __DATACLASS: dataclass,
    __KEY: key,
    __STAMP: stamp,
    uri,
    ...others
  } = body;
  const { __ERROR: errors, ...fields } = others;
  const said = errors === undefined ? null : errorsOf(errors as readonly Refusal[]);
  const word = Object.keys(ENDED).find((name) => isSame(ENDED[name], status));
  if (model !== undefined && model === dataclass && typeof key === 'string' && !/[()]/.test(key)) {
    const name = String(dataclass);
    const isAddressed = [key, `"${key}"`].some((one) => uri === uriOf(name, one));
    if (isAddressed !== (word !== undefined) || (said !== null) !== (word === 'conflict'))
      return null;
    const stamped = stamp === undefined ? '' : `@${textOf(stamp) ?? ''}`;
    const own = Object.keys(fields).length === 0 ? '' : ` ${changed(name, key, fields)}`;
    return `${word === undefined ? '' : `${word} `}${name}(${key})${stamped}${own}${said === null ? '' : ` ${said}`}`;
  }
  const {
    __GlobalStamp: newest,
    __COUNT: count,
    __FIRST: first,
    __ENTITIES: entities,
    __SENT: sent,
    ...rest
  } = body;
  if (
    Array.isArray(entities) &&
    typeof dataclass === 'string' &&
    typeof count === 'number' &&
    first === 0 &&
    sent === entities.length &&
    newest !== undefined
  ) {
    if (Object.keys(rest).length > 2 || model !== dataclass) return null;
    const of = count === sent ? '' : ` of ${count}`;
    return `list ${dataclass}${of} ${list(entities)}`;
  }
  const { __REMOVED: removed, __MORE: isMore, __TOKEN: token } = body;
  if (token !== undefined && typeof isMore === 'boolean' && model === dataclass) {
    if (Object.keys(body).length > (removed === undefined ? 6 : 7)) return null;
    const gone = removed === undefined ? '' : `${written(removed)} `;
    return `changes ${textOf(model) ?? ''} ${gone}${list(entities as readonly unknown[])}${isMore ? ' more' : ''} *`;
  }
  if (said === null || model !== undefined || Object.keys(fields).length > 0) return null;
  if (status === undefined) return key === undefined ? said : null;
  if (!isSame(status, { success: false })) return null;
  return `refused ${key === undefined ? '' : `${JSON.stringify(key)} `}${said}`;
}

function linkOf({ uri, __KEY: key, ...others }: Fields): string | null {
  const [, dataclass = ''] = /^\/rest\/(\w+)\(/.exec(String(uri)) ?? [];
  if (typeof key !== 'string' || /[()]/.test(key) || Object.keys(others).length > 0) return null;
  const isAddressed = [key, `"${key}"`].some((one) => uri === uriOf(dataclass, one));
  return isAddressed ? `link ${dataclass}(${key})` : null;
}

interface Refusal {
  readonly errCode: number;
  readonly message: string;
}

function errorsOf(errors: readonly Refusal[]): string {
  return errors.map(({ errCode, message }) => `${errCode} ${JSON.stringify(message)}`).join(' ');
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
