import { MOST_ITEMS } from '../../base/limits.ts';
import { withoutLast } from '../../base/text.ts';
import { ProtocolError, type TextPosition } from '../../base/errors.ts';
import type { AttributeNode, KeyNode, Literal, Selector } from '../ast.ts';
import { keyEnds, KeyScanner, keyShape, type ReadKey } from './key.ts';
import { parseAttributes, parameterShape, type ValueList } from './literals.ts';
import { decodeEscapes, foreignHint } from './url.ts';

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

/** A path that begins with a dataclass. */
export interface DataclassPath {
  readonly kind: 'dataclass';
  readonly name: string;
  readonly selector: Selector;
  readonly segments: readonly (readonly AttributeNode[])[];
  /** Its changes are asked for (`/$changes`); left out where they are not. */
  readonly asksChanges?: true;
  readonly shape: string;
}

/** The names of a path behind its dataclass; null where it does not end in one, and where one is a list. */
export function pathNames({ segments }: DataclassPath): readonly string[] | null {
  const names: string[] = [];
  for (const [first, ...others] of segments) {
    if (first === undefined || others.length > 0 || first.star) return null;
    names.push(first.names.join('.'));
  }
  return names.length === 0 ? null : names;
}

const WITHIN = 'the path';

/** Structural characters count when they are escaped, too; an escaped slash is text. */
const STRUCTURAL = /%(?:2[024789C]|3[AB]|5[BCD]|7[BD])/gi;

/**
 * Parses the path of a URL behind `/rest` (DECISIONS, "URLs and encodings"): `/$catalog/…`, `/Dataclass`, `/Dataclass(key)`, `/Dataclass[key]`,
 * `/Dataclass:attribute(value)`, `/Dataclass/$entityset/ID`, each with more segments, those of a set before it or behind it.
 */
export function parsePath(path: string, values: ValueList): PathAst {
  const text = path.replace(STRUCTURAL, (escape) => decodeURIComponent(escape));
  return new PathParser(text, values).parse();
}

/** The end of a path that asks for changes. */
const CHANGES = /\/+\$changes\/*$/y;

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
    let selector = this.#selector();
    // Names are quoted in the shape: an escaped slash in one is not the slash between two.
    let shape = JSON.stringify(name) + selectorShape(selector);
    // Attributes may stand before a set or behind it, and mean the same (DECISIONS, "Entity sets in URLs").
    let behind = '';
    const segments: AttributeNode[][] = [];
    while (this.looksAt(/\//y)) {
      if (this.looksAt(CHANGES)) {
        if (selector.kind !== 'all' || segments.length > 0) {
          const message = `$changes stands behind a dataclass: expected /rest/${name}/$changes`;
          this.fail('badUrl', message);
        }
        return {
          kind: 'dataclass',
          name,
          selector,
          segments,
          shape: `${shape}/$changes`,
          asksChanges: true,
        };
      }
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
        const message = `"${segment}" does not belong here${foreignHint(segment)}`;
        this.failAt('badUrl', message, start);
      }
      segments.push(parseAttributes(segment, WITHIN, start));
      behind += `/${JSON.stringify(segment)}`;
    }
    if (!this.isAtEnd()) this.fail('badUrl', `Expected / or the end behind ${name} at ${position}`);
    return { kind: 'dataclass', name, selector, segments, shape: shape + behind };
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

  /** Reads one part of a path, with the slashes behind it. */
  #part(): string {
    const part = decodeEscapes(this.takeUntil(/\//g));
    this.take(/\/+/y);
    return part;
  }

  /** Reads the key, or unique attribute, directly behind a dataclass's name. */
  #selector(): Selector {
    if (this.take(/:/y) !== null) return this.#unique();
    if (!this.looksAt(/[([]/y)) return { kind: 'all' };
    const keys = this.#keys();
    return Array.isArray(keys) ? this.#several(keys) : { kind: 'key', key: keys };
  }

  #unique(): Selector {
    const attribute = decodeEscapes(this.takeUntil(/[/([]/g));
    if (attribute === '') this.fail('badUrl', 'Expected the name of a unique attribute');
    if (!this.looksAt(/[([]/y)) this.fail('badUrl', 'Expected a value in parentheses');
    const { position } = this;
    const from = this.offset + 1;
    const keys = this.#keys();
    if (!Array.isArray(keys)) return { kind: 'unique', attribute, key: keys };
    const message = 'Expected one value in parentheses, in quotes if it holds a comma.';
    const refusal = new ProtocolError('badUrl', message, { within: WITHIN, position });
    const raw = this.#rawKey(from, this.offset - 1);
    if (raw === null) throw refusal;
    return { kind: 'unique', attribute, key: this.brokenKey(raw, refusal) };
  }

  /** Reads the id behind `$entityset`. @param before the selector in front of it */
  #entitySet(before: Selector): Selector {
    if (before.kind === 'entitySet') this.fail('badUrl', 'A path names one entity set');
    if (before.kind !== 'all') this.fail('badUrl', 'An entity set has no key');
    this.take(/\//y);
    const { position } = this;
    const id = this.takeUntil(/\//g);
    if (id === '') this.fail('badUrl', 'Expected the id of an entity set');
    return { kind: 'entitySet', id: this.values.add(this.literal(id, 'word', position)) };
  }

  /** Reads the keys in parentheses or brackets. Only the model knows whether a key is one text: one that cannot be parsed is kept as text. */
  #keys(): KeyNode | ReadKey[] {
    const isRound = this.take(/[([]/y) === '(';
    const from = this.offset;
    try {
      const keys = this.#listedKeys(isRound);
      const [only, ...more] = keys;
      return only !== undefined && more.length === 0
        ? this.#withRaw(this.keyNode(only), from, this.offset - 1)
        : keys;
    } catch (refusal) {
      if (!(refusal instanceof ProtocolError)) throw refusal;
      this.offset = from;
      this.takeUntil(isRound ? /\)(?=\/|$)/g : /\](?=\/|$)/g);
      const raw = this.#rawKey(from, this.offset);
      if (this.isAtEnd() || raw === null) throw refusal;
      this.offset += 1;
      return this.brokenKey(raw, refusal);
    }
  }

  #listedKeys(isRound: boolean): ReadKey[] {
    const keys: ReadKey[] = [];
    do {
      if (keys.length === MOST_ITEMS) {
        const message = `A URL may name ${MOST_ITEMS} keys, and this names more`;
        this.failAt('badUrl', message);
      }
      keys.push(this.key(isRound ? ROUND : SQUARE));
    } while (this.take(/\s*,/y) !== null);
    if (this.take(isRound ? /\s*\)(?=\/|$)/y : /\s*\](?=\/|$)/y) === null) {
      const closing = isRound ? ')' : ']';
      this.fail('badUrl', `Expected a closing ${closing} and then / or the end behind the key`);
    }
    return keys;
  }

  /** Plain keys are one value together, so that their number is not part of the shape. */
  #several(keys: readonly ReadKey[]): Selector {
    const plain = keys.flatMap(({ key, object }) =>
      Array.isArray(key) && key.length === 1 && object === undefined ? key : [],
    );
    if (plain.length < keys.length) {
      const nodes = keys.map((key) => this.#withRaw(this.keyNode(key), key.from, key.to));
      return { kind: 'keys', keys: nodes };
    }
    const position = plain[0]?.position ?? 1;
    const list = this.values.add({ value: plain, class: 'list', within: WITHIN, position });
    return { kind: 'keyList', list };
  }

  /** Adds the raw text to a key, where it differs from what was parsed. */
  #withRaw(key: KeyNode, from: number, to: number): KeyNode {
    const raw = this.#rawKey(from, to);
    const isRead =
      key.kind === 'scalar' && this.values.items[key.value.parameter]?.value === raw?.value;
    return raw === null || isRead ? key : { ...key, raw: this.values.add(raw) };
  }

  /** The text of a key; null where there is none, and where it begins with a quote. */
  #rawKey(from: number, to: number): Literal | null {
    const text = decodeEscapes(this.text.slice(from, to));
    return text === '' || /^\s*["']/.test(text) ? null : this.literal(text, 'text', from + 1);
  }
}

function selectorShape(selector: Selector): string {
  switch (selector.kind) {
    case 'key':
      return `(${keyShape(selector.key)})`;
    case 'keyList':
      return `(${parameterShape(selector.list)})`;
    case 'keys':
      return `(${selector.keys.map(keyShape).join(',')})`;
    case 'unique':
      return `:${JSON.stringify(selector.attribute)}(${keyShape(selector.key)})`;
    case 'all':
    case 'entitySet':
      return '';
  }
}
