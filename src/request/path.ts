import { parse } from 'lossless-json';
import { ProtocolError, type TextPosition } from '../base/errors.ts';
import type { AttributeNode, KeyNode, Literal, Selector, Slot } from './ast.ts';
import { parseAttributes } from './lists.ts';
import { classifyWord, slotShape, type ValueList } from './literals.ts';
import { TextScanner } from './scanner.ts';
import { decodeEscapes } from './url.ts';

/** What a path below `/rest` addresses. */
export type PathAst =
  /** What of the catalog is asked for: `$all`, names, or nothing more. */
  | { readonly kind: 'catalog'; readonly what: string }
  /** A `$keyword` other than `$catalog`. */
  | { readonly kind: 'keyword'; readonly keyword: string; readonly at: TextPosition }
  | {
      readonly kind: 'dataclass';
      readonly name: string;
      readonly selector: Selector;
      readonly segments: readonly (readonly AttributeNode[])[];
      readonly shape: string;
    };

/** A dataclass and what stands behind it in the path. */
export type DataclassPath = Extract<PathAst, { kind: 'dataclass' }>;

const WITHIN = 'the path';

/** Structural characters count when they are escaped, too; an escaped slash is text. */
const STRUCTURAL = /%(?:2[024789C]|3[AB]|5[BCD]|7[BD])/gi;

/**
 * Reads the path of a URL behind `/rest` (DECISIONS, "URLs and encodings"): `/Dataclass`, `/Dataclass(key)`,
 * `/Dataclass[key]`, `/Dataclass:attribute(value)`, `/Dataclass/$entityset/ID`, each with more segments, and `/$catalog/…`.
 * @throws ProtocolError badUrl, unclosedSingleQuote, unclosedDoubleQuote with the position in the path
 */
export function parsePath(path: string, values: ValueList): PathAst {
  const text = path.replace(STRUCTURAL, (escape) => decodeURIComponent(escape));
  return new PathParser(text, values).parse();
}

/** A JSON object of plain values, whose texts may hold anything. */
const OBJECT = String.raw`\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*\}`;

class PathParser extends TextScanner {
  readonly #values: ValueList;

  constructor(text: string, values: ValueList) {
    super(text, WITHIN);
    this.#values = values;
  }

  parse(): PathAst {
    this.take(/\/+/y);
    // A newcomer who opens /rest/ is shown what there is.
    if (this.isAtEnd()) return { kind: 'catalog', what: '' };
    if (this.looksAt(/\$/y)) return this.#keyword();
    const position = this.position;
    const name = decodeEscapes(this.takeUntil(/[/([:]/y));
    // Blanks and control characters would blur where a name ends, in messages and in shapes.
    if (!/^[^\s\p{Cc}]+$/u.test(name)) {
      this.failAt('badUrl', 'Expected the name of a dataclass', position);
    }
    let selector: Selector = { kind: 'all' };
    // Names are quoted in the shape: an escaped slash in one is not the slash between two.
    let shape = JSON.stringify(name);
    if (this.take(/:/y) !== null) {
      const unique = this.#unique();
      selector = unique;
      shape += `:${JSON.stringify(unique.attribute)}(${keyShape(unique.key)})`;
    } else if (this.looksAt(/[([]/y)) {
      selector = this.#keySelector();
      shape += `(${selectorShape(selector)})`;
    }
    if (this.take(/\/\$entityset(?=\/|$)/y) !== null) {
      if (selector.kind !== 'all') this.fail('badUrl', 'An entity set has no key');
      this.take(/\//y);
      const { position } = this;
      const id = this.takeUntil(/\//y);
      if (id === '') this.fail('badUrl', 'Expected the id of an entity set');
      selector = { kind: 'entitySet', id: this.#values.add(this.#literal(id, 'word', position)) };
      shape += '/$entityset';
    }
    const segments: AttributeNode[][] = [];
    while (this.take(/\/+/y) !== null && !this.isAtEnd()) {
      const start = this.position;
      const segment = decodeEscapes(this.takeUntil(/\//y));
      if (segment.startsWith('$')) {
        this.failAt('badUrl', `"${segment}" does not belong here`, start);
      }
      segments.push(parseAttributes(segment, WITHIN, start));
      shape += `/${JSON.stringify(segment)}`;
    }
    if (!this.isAtEnd()) this.fail('badUrl', `Expected / or the end behind ${name} at ${position}`);
    return { kind: 'dataclass', name, selector, segments, shape };
  }

  #keyword(): PathAst {
    const { position } = this;
    const keyword = this.#part();
    if (keyword !== '$catalog') {
      return { kind: 'keyword', keyword, at: { within: WITHIN, position } };
    }
    const what = this.#part();
    if (!this.isAtEnd()) this.fail('badUrl', `Expected the end behind /rest/$catalog/${what}`);
    return { kind: 'catalog', what };
  }

  /** One part of a path, with the slashes behind it. */
  #part(): string {
    const part = decodeEscapes(this.takeUntil(/\//y));
    this.take(/\/+/y);
    return part;
  }

  #unique(): Extract<Selector, { kind: 'unique' }> {
    const attribute = decodeEscapes(this.takeUntil(/[/([]/y));
    if (attribute === '') this.fail('badUrl', 'Expected the name of a unique attribute');
    if (!this.looksAt(/[([]/y)) this.fail('badUrl', 'Expected a value in parentheses');
    const { position } = this;
    const from = this.offset + 1;
    const keys = this.#keysOrBroken();
    if (!Array.isArray(keys)) return { kind: 'unique', attribute, key: keys };
    const [only, ...more] = keys;
    if (only !== undefined && more.length === 0) {
      return { kind: 'unique', attribute, key: this.#whole(only, from) };
    }
    const raw = this.#rawKey(from, this.offset - 1);
    const refusal = new ProtocolError(
      'badUrl',
      'Expected one value in parentheses, in quotes if it holds a comma.',
      { within: WITHIN, position },
    );
    if (raw === null) throw refusal;
    const key: KeyNode = { kind: 'broken', raw: this.#values.add(raw), refusal };
    return { kind: 'unique', attribute, key };
  }

  #keySelector(): Selector {
    const from = this.offset + 1;
    const keys = this.#keysOrBroken();
    if (!Array.isArray(keys)) return { kind: 'key', key: keys };
    const [only, ...more] = keys;
    return only !== undefined && more.length === 0
      ? { kind: 'key', key: this.#whole(only, from) }
      : this.#several(keys);
  }

  /** Whether a key is one text only the model knows: what means nothing is kept as it stands between the parentheses. */
  #keysOrBroken(): ReadKey[] | KeyNode {
    const from = this.offset + 1;
    const closing = this.looksAt(/\(/y) ? /\)(?=\/|$)/y : /\](?=\/|$)/y;
    try {
      return this.#keys();
    } catch (refusal) {
      if (!(refusal instanceof ProtocolError)) throw refusal;
      this.offset = from;
      this.takeUntil(closing);
      const raw = this.#rawKey(from, this.offset);
      if (this.isAtEnd() || raw === null) throw refusal;
      this.offset += 1;
      return { kind: 'broken', raw: this.#values.add(raw), refusal };
    }
  }

  /** The only key, with all that stands between the parentheses, the last of which was just read. */
  #whole(key: ReadKey, from: number): KeyNode {
    return this.#withRaw(this.#keyNode(key), from, this.offset - 1);
  }

  #withRaw(key: KeyNode, from: number, to: number): KeyNode {
    const raw = this.#rawKey(from, to);
    const isRead =
      key.kind === 'scalar' && this.#values.items[key.value.slot]?.value === raw?.value;
    return raw === null || isRead ? key : { ...key, raw: this.#values.add(raw) };
  }

  /** The text between the parentheses; null where there is none, and where it begins with a quote. */
  #rawKey(from: number, to: number): Literal | null {
    const text = decodeEscapes(this.text.slice(from, to));
    return text === '' || /^\s*["']/.test(text)
      ? null
      : { value: text, class: 'text', within: WITHIN, position: from + 1 };
  }

  /** Plain keys go into one slot, so that their number is no part of the shape. */
  #several(keys: readonly ReadKey[]): Selector {
    const plain = keys.flatMap(({ key, object }) =>
      Array.isArray(key) && key.length === 1 && object === undefined ? key : [],
    );
    if (plain.length < keys.length) {
      return {
        kind: 'keys',
        keys: keys.map((key) => this.#withRaw(this.#keyNode(key), key.from, key.to)),
      };
    }
    const position = plain[0]?.position ?? 1;
    const list = this.#values.add({ value: plain, class: 'list', within: WITHIN, position });
    return { kind: 'keyList', list };
  }

  #keyNode({ key, object }: Pick<ReadKey, 'key' | 'object'>): KeyNode {
    if (!Array.isArray(key)) return { kind: 'object', entries: this.#entries(key) };
    const [first, ...more] = key.map((value) => this.#values.add(value));
    if (first === undefined || more.length > 0) {
      return { kind: 'tuple', values: first === undefined ? [] : [first, ...more] };
    }
    return object === undefined
      ? { kind: 'scalar', value: first }
      : { kind: 'scalar', value: first, object: this.#entries(object) };
  }

  #entries(object: ReadonlyMap<string, Literal>): readonly (readonly [string, Slot])[] {
    return [...object].map(([name, value]) => [name, this.#values.add(value)] as const);
  }

  #keys(): ReadKey[] {
    const open = this.take(/[([]/y);
    const close = open === '[' ? '\\]' : '\\)';
    const closing = new RegExp(`\\s*${close}(?=/|$)`, 'y');
    const bareEnd = new RegExp(`[,;]|${close}(?:/|$)`, 'y');
    const quotedEnd = new RegExp(`\\s*(?:[,;]|${close}(?:/|$))`, 'y');
    const keys: ReadKey[] = [];
    do {
      this.skipBlanks();
      const from = this.offset;
      const read = this.#quotedObject(close) ?? {
        key: this.looksAt(/\{/y) ? this.#objectKey() : this.#parts(bareEnd, quotedEnd),
      };
      keys.push({ ...read, from, to: from + this.text.slice(from, this.offset).trimEnd().length });
    } while (this.take(/\s*,/y) !== null);
    if (this.take(closing) === null) {
      this.fail(
        'badUrl',
        `Expected a closing ${open === '[' ? ']' : ')'} and then / or the end behind the key`,
      );
    }
    return keys;
  }

  #parts(bareEnd: RegExp, quotedEnd: RegExp): Literal[] {
    const parts: Literal[] = [];
    do {
      this.skipBlanks();
      parts.push(this.#keyValue(bareEnd, quotedEnd));
      this.skipBlanks();
    } while (this.take(/;/y) !== null);
    return parts;
  }

  #keyValue(bareEnd: RegExp, quotedEnd: RegExp): Literal {
    const { position } = this;
    const quote = this.take(/["']/y);
    if (quote === null) {
      const value = decodeEscapes(this.takeUntil(bareEnd)).trim();
      if (value === '') this.fail('badUrl', 'Expected a key');
      // In a key nothing is a wildcard and null is no value.
      const kind = classifyWord(value);
      return this.#literal(
        value,
        kind === 'number' || kind === 'boolean' ? kind : 'word',
        position,
      );
    }
    const from = this.offset;
    for (let at = this.text.indexOf(quote, from); at >= 0; at = this.text.indexOf(quote, at + 1)) {
      quotedEnd.lastIndex = at + 1;
      if (quotedEnd.test(this.text)) {
        this.offset = at + 1;
        return this.#literal(decodeEscapes(this.text.slice(from, at)), 'text', position);
      }
    }
    return this.failAt(
      quote === '"' ? 'unclosedDoubleQuote' : 'unclosedSingleQuote',
      `The quote ${quote} that opens a key is not closed`,
      position,
    );
  }

  #objectKey(): ReadonlyMap<string, Literal> {
    const { position } = this;
    const text = this.take(new RegExp(OBJECT, 'y'));
    if (text === null) this.fail('badUrl', 'Expected a key as a JSON object');
    return this.#object(text, position);
  }

  /** A key that is a JSON object in quotes: the text, and its parts; null where there is none, or where it is no JSON. */
  #quotedObject(close: string): Pick<ReadKey, 'key' | 'object'> | null {
    const { position, offset } = this;
    const quoted = this.take(new RegExp(`(["'])${OBJECT}\\1(?=\\s*(?:,|${close}(?:/|$)))`, 'y'));
    if (quoted === null) return null;
    const text = quoted.slice(1, -1);
    try {
      const object = this.#object(text, position + 1);
      return { key: [this.#literal(decodeEscapes(text), 'text', position)], object };
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.offset = offset;
      return null;
    }
  }

  #object(text: string, position: number): ReadonlyMap<string, Literal> {
    let object: unknown;
    try {
      object = parse(decodeEscapes(text), null, { parseNumber: (digits) => digits });
    } catch {
      return this.failAt('badUrl', 'The key is not a valid JSON object', position);
    }
    return new Map(
      Object.entries(object as Record<string, unknown>).map(([name, value]) => {
        if (typeof value !== 'string' && typeof value !== 'boolean') {
          return this.failAt('badUrl', `The key's "${name}" is no plain value`, position);
        }
        return [name, this.#literal(String(value), 'text', position)];
      }),
    );
  }

  #literal(value: string, kind: Literal['class'], position: number): Literal {
    return { value, class: kind, within: WITHIN, position };
  }
}

/** A key before its values have slots: values in key order, or values by attribute name. */
type KeyLiteral = Literal[] | ReadonlyMap<string, Literal>;

/** A key, and where it stands in the text, without the blanks around it. */
interface ReadKey {
  readonly key: KeyLiteral;
  /** The parts of the JSON object that the key is, in quotes. */
  readonly object?: ReadonlyMap<string, Literal>;
  readonly from: number;
  readonly to: number;
}

function selectorShape(selector: Selector): string {
  switch (selector.kind) {
    case 'key':
      return keyShape(selector.key);
    case 'keyList':
      return slotShape(selector.list);
    case 'keys':
      return selector.keys.map(keyShape).join(',');
    case 'all':
    case 'unique':
    case 'entitySet':
      return '';
  }
}

function keyShape(key: KeyNode): string {
  return key.kind !== 'broken' && key.raw !== undefined
    ? `${partsShape(key)} raw ${slotShape(key.raw)}`
    : partsShape(key);
}

function partsShape(key: KeyNode): string {
  switch (key.kind) {
    case 'scalar':
      return slotShape(key.value) + (key.object === undefined ? '' : entriesShape(key.object));
    case 'tuple':
      return key.values.map(slotShape).join(';');
    case 'broken':
      return `broken ${slotShape(key.raw)}`;
    case 'object':
      return entriesShape(key.entries);
  }
}

function entriesShape(entries: readonly (readonly [string, Slot])[]): string {
  return `{${entries.map(([name, slot]) => `${JSON.stringify(name)}:${slotShape(slot)}`).join(',')}}`;
}
