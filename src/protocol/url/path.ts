import { MOST_ITEMS } from '../../base/limits.ts';
import { withoutLast } from '../../base/text.ts';
import { ProtocolError, type TextPosition } from '../../base/errors.ts';
import type { AttributeNode, KeyNode, Literal, Selector } from '../ast.ts';
import { keyEnds, KeyScanner, keyShape, type ReadKey } from './key.ts';
import { parseAttributes } from './lists.ts';
import { slotShape, type ValueList } from './literals.ts';
import { decodeEscapes } from './url.ts';

/** What a path below `/rest` addresses. */
export type PathAst =
  /** `what` is `$all`, names, or empty. */
  { readonly kind: 'catalog'; readonly what: string } | KeywordPath | DataclassPath;

/** A path that begins with a `$keyword` other than `$catalog`. */
export interface KeywordPath {
  readonly kind: 'keyword';
  readonly keyword: string;
  /** The next part of the path; empty for none. */
  readonly what: string;
  /** The rest of the path; empty for none. */
  readonly more: string;
  readonly at: TextPosition;
}

/** A dataclass and what stands behind it in the path. */
export interface DataclassPath {
  readonly kind: 'dataclass';
  readonly name: string;
  readonly selector: Selector;
  readonly segments: readonly (readonly AttributeNode[])[];
  readonly shape: string;
}

const WITHIN = 'the path';

/** Structural characters count when they are escaped, too; an escaped slash is text. */
const STRUCTURAL = /%(?:2[024789C]|3[AB]|5[BCD]|7[BD])/gi;

/**
 * Reads the path of a URL behind `/rest` (DECISIONS, "URLs and encodings"): `/Dataclass`, `/Dataclass(key)`,
 * `/Dataclass[key]`, `/Dataclass:attribute(value)`, `/Dataclass/$entityset/ID`, each with more segments, those of a set before it or behind it, and `/$catalog/…`.
 * @throws ProtocolError badUrl, unclosedSingleQuote, unclosedDoubleQuote with the position in the path
 */
export function parsePath(path: string, values: ValueList): PathAst {
  const text = path.replace(STRUCTURAL, (escape) => decodeURIComponent(escape));
  return new PathParser(text, values).parse();
}

/** What ends a key between parentheses, and in brackets. */
const ROUND = keyEnds(String.raw`,|\)(?:/|$)`);
const SQUARE = keyEnds(String.raw`,|\](?:/|$)`);

class PathParser extends KeyScanner {
  constructor(text: string, values: ValueList) {
    super(text, WITHIN, values, decodeEscapes);
  }

  parse(): PathAst {
    this.take(/\/+/y);
    // A newcomer who opens /rest/ is shown what there is.
    if (this.isAtEnd()) return { kind: 'catalog', what: '' };
    if (this.looksAt(/\$/y)) return this.#keyword();
    const position = this.position;
    const name = decodeEscapes(this.takeUntil(/[/([:]/g));
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
    const segments: AttributeNode[][] = [];
    let behind = '';
    while (this.looksAt(/\//y)) {
      if (this.take(/\/+\$entityset(?=\/|$)/y) !== null) {
        selector = this.#entitySet(selector);
        shape += '/$entityset';
        continue;
      }
      this.take(/\/+/y);
      if (this.isAtEnd()) break;
      const start = this.position;
      const segment = decodeEscapes(this.takeUntil(/\//g));
      if (segment.startsWith('$')) {
        this.failAt('badUrl', `"${segment}" does not belong here`, start);
      }
      segments.push(parseAttributes(segment, WITHIN, start));
      behind += `/${JSON.stringify(segment)}`;
    }
    // Attributes may stand before a set or behind it, and mean the same (DECISIONS, "Entity sets in URLs").
    shape += behind;
    if (!this.isAtEnd()) this.fail('badUrl', `Expected / or the end behind ${name} at ${position}`);
    return { kind: 'dataclass', name, selector, segments, shape };
  }

  /** The id behind `$entityset`. @param selector what was read before */
  #entitySet(selector: Selector): Selector {
    if (selector.kind === 'entitySet') this.fail('badUrl', 'A path names one entity set');
    if (selector.kind !== 'all') this.fail('badUrl', 'An entity set has no key');
    this.take(/\//y);
    const { position } = this;
    const id = this.takeUntil(/\//g);
    if (id === '') this.fail('badUrl', 'Expected the id of an entity set');
    return { kind: 'entitySet', id: this.values.add(this.literal(id, 'word', position)) };
  }

  #keyword(): PathAst {
    const { position } = this;
    const keyword = this.#part();
    if (keyword !== '$catalog') {
      const what = this.#part();
      const more = decodeEscapes(withoutLast(this.text.slice(this.offset), '/'));
      return { kind: 'keyword', keyword, what, more, at: { within: WITHIN, position } };
    }
    const { position: start } = this;
    const what = this.#part();
    if (!this.isAtEnd()) this.fail('badUrl', `Expected the end behind /rest/$catalog/${what}`);
    if (what !== '' && what.split(',').some((name) => name.trim() === '')) {
      this.failAt('badUrl', 'Expected names of dataclasses, with a comma between two', start);
    }
    return { kind: 'catalog', what };
  }

  /** One part of a path, with the slashes behind it. */
  #part(): string {
    const part = decodeEscapes(this.takeUntil(/\//g));
    this.take(/\/+/y);
    return part;
  }

  #unique(): Extract<Selector, { kind: 'unique' }> {
    const attribute = decodeEscapes(this.takeUntil(/[/([]/g));
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
    const key: KeyNode = { kind: 'broken', raw: this.values.add(raw), refusal };
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
    const closing = this.looksAt(/\(/y) ? /\)(?=\/|$)/g : /\](?=\/|$)/g;
    try {
      return this.#keys();
    } catch (refusal) {
      if (!(refusal instanceof ProtocolError)) throw refusal;
      this.offset = from;
      this.takeUntil(closing);
      const raw = this.#rawKey(from, this.offset);
      if (this.isAtEnd() || raw === null) throw refusal;
      this.offset += 1;
      return { kind: 'broken', raw: this.values.add(raw), refusal };
    }
  }

  /** The only key, with all that stands between the parentheses, the last of which was just read. */
  #whole(key: ReadKey, from: number): KeyNode {
    return this.#withRaw(this.keyNode(key), from, this.offset - 1);
  }

  #withRaw(key: KeyNode, from: number, to: number): KeyNode {
    const raw = this.#rawKey(from, to);
    const isRead = key.kind === 'scalar' && this.values.items[key.value.slot]?.value === raw?.value;
    return raw === null || isRead ? key : { ...key, raw: this.values.add(raw) };
  }

  /** The text between the parentheses; null where there is none, and where it begins with a quote. */
  #rawKey(from: number, to: number): Literal | null {
    const text = decodeEscapes(this.text.slice(from, to));
    return text === '' || /^\s*["']/.test(text)
      ? null
      : { value: text, class: 'text', within: WITHIN, position: from + 1 };
  }

  /** Plain keys go into one slot, so that their number is not part of the shape. */
  #several(keys: readonly ReadKey[]): Selector {
    const plain = keys.flatMap(({ key, object }) =>
      Array.isArray(key) && key.length === 1 && object === undefined ? key : [],
    );
    if (plain.length < keys.length) {
      return {
        kind: 'keys',
        keys: keys.map((key) => this.#withRaw(this.keyNode(key), key.from, key.to)),
      };
    }
    const position = plain[0]?.position ?? 1;
    const list = this.values.add({ value: plain, class: 'list', within: WITHIN, position });
    return { kind: 'keyList', list };
  }

  #keys(): ReadKey[] {
    const isRound = this.take(/[([]/y) === '(';
    const keys: ReadKey[] = [];
    do {
      if (keys.length === MOST_ITEMS) {
        const message = `A URL may name ${MOST_ITEMS} keys, and this names more`;
        this.failAt('badUrl', message, this.position);
      }
      keys.push(this.key(isRound ? ROUND : SQUARE));
    } while (this.take(/\s*,/y) !== null);
    if (this.take(isRound ? /\s*\)(?=\/|$)/y : /\s*\](?=\/|$)/y) === null) {
      this.fail(
        'badUrl',
        `Expected a closing ${isRound ? ')' : ']'} and then / or the end behind the key`,
      );
    }
    return keys;
  }
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
