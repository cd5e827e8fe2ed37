import type {
  AttributeNode,
  Literal,
  LiteralClass,
  OrderNode,
  PathRef,
  ParameterRef,
} from '../ast.ts';
import { type ErrorName, ProtocolError } from '../../base/errors.ts';
import { excerpt } from '../../base/text.ts';

/** A cursor over a text. Patterns are sticky (`/y`): they match at the cursor or not at all. */
export class TextScanner {
  readonly text: string;
  readonly within: string;
  offset = 0;
  readonly #start: number;

  /** @param start the position of the text's first character, where it is a part of something longer */
  constructor(text: string, within: string, start = 1) {
    this.text = text;
    this.within = within;
    this.#start = start;
  }

  /** 1-based, as messages count. */
  get position(): number {
    return this.#start + this.offset;
  }

  isAtEnd(): boolean {
    return this.offset >= this.text.length;
  }

  skipBlanks(): void {
    const code = this.text.charCodeAt(this.offset);
    // Printable ASCII: there is hardly anything else.
    if (code > 32 && code < 127) return;
    this.take(/\s+/y);
  }

  /** Takes the text that matches at the cursor, which moves behind it; null where nothing matches. */
  take(pattern: RegExp): string | null {
    pattern.lastIndex = this.offset;
    const match = pattern.exec(this.text);
    if (match === null) return null;
    this.offset += match[0].length;
    return match[0];
  }

  looksAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.offset;
    return pattern.test(this.text);
  }

  /** Takes the text up to the first match of a global pattern (`/g`), or to the end. */
  takeUntil(pattern: RegExp): string {
    const from = this.offset;
    pattern.lastIndex = from;
    this.offset = pattern.exec(this.text)?.index ?? this.text.length;
    return this.text.slice(from, this.offset);
  }

  /** Takes a text behind its opening quote. A quote within it is text unless a sticky pattern matches behind the quote: `'O'Reilly'`. */
  takeQuoted(quote: string, behind: RegExp, what: 'a key' | 'a value'): string {
    const from = this.offset;
    for (let at = this.text.indexOf(quote, from); at >= 0; at = this.text.indexOf(quote, at + 1)) {
      behind.lastIndex = at + quote.length;
      if (!behind.test(this.text)) continue;
      this.offset = at + quote.length;
      return this.text.slice(from, at);
    }
    const name = decodeQuoteCodes(quote) === '"' ? 'unclosedDoubleQuote' : 'unclosedSingleQuote';
    const message = `The quote ${quote} that opens ${what} is not closed`;
    return this.failAt(name, message, this.position - quote.length);
  }

  /** @throws ProtocolError at the cursor, with the text there */
  fail(name: ErrorName, expected: string): never {
    const found = this.isAtEnd() ? 'the end' : `"${excerpt(this.text.slice(this.offset), 20)}"`;
    return this.failAt(name, `${expected}, but found ${found}`);
  }

  /** @param message without its full stop; a hint ends with its question mark @throws ProtocolError */
  failAt(name: ErrorName, message: string, position = this.position): never {
    const sentence = message.endsWith('?') ? message : `${message}.`;
    throw new ProtocolError(name, sentence, { within: this.within, position });
  }
}

/** Collects a request's values while it is parsed. */
export class ValueList {
  readonly items: Literal[] = [];

  /** @returns the parameter that stands for the value in the AST */
  add(literal: Literal): ParameterRef {
    this.items.push(literal);
    const parameter = this.items.length - 1;
    if (typeof literal.value === 'string' || literal.claim !== undefined) {
      return { parameter, class: literal.class };
    }
    const items = [...new Set(literal.value.map((item) => item.class))].sort();
    const size = LIST_SIZES.find((most) => literal.value.length <= most);
    return { parameter, class: 'list', items, ...(size === undefined ? {} : { size }) };
  }
}

/** Lists of up to so many values share a shape: some engines plan a short list by its length, and each shape has a plan. */
const LIST_SIZES = [1, 3, 10, 50];

/** A parameter as part of a shape. */
export function parameterShape({ class: kind, items, size }: ParameterRef): string {
  return items === undefined ? `?${kind}` : `?list(${items.join(' ')}, ${size ?? 'many'})`;
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Classifies an unquoted text. */
export function classifyWord(text: string): LiteralClass {
  if (/^null$/i.test(text)) return 'null';
  if (/^(?:true|false)$/i.test(text)) return 'boolean';
  if (NUMBER.test(text)) return 'number';
  if (isNoDate(text)) return 'noDate';
  return isWild(text) ? 'wild' : 'word';
}

/** Classifies a quoted text. */
export function classifyText(text: string): LiteralClass {
  if (isNoDate(text)) return 'noDate';
  return isWild(text) ? 'wild' : 'text';
}

/** Whether a text is `0!0!0` or `!!0000-00-00!!`, by which clients of the family say that there is no date. */
export function isNoDate(text: string): boolean {
  return /^(?:0{1,2}!0{1,2}!0{1,4}|(?:!!)?0{4}-0{1,2}-0{1,2}(?:!!)?)$/.test(text.trim());
}

/** `@` anywhere and `*` at the end stand for any text, with the comparators that know wildcards. */
function isWild(text: string): boolean {
  return text.includes('@') || text.endsWith('*');
}

/** Undoes the character codes that the protocol writes quotes with inside values (§4.3): `\u0027` and `\u0022`. */
export function decodeQuoteCodes(text: string): string {
  return text.includes('\\u00')
    ? text.replace(/\\{1,2}u00(27|22)/gi, (_, code) => (code === '27' ? "'" : '"'))
    : text;
}

const NAME = /[^\s\p{Cc}.,*()[\]="']+/uy;

/** How many terms an order may have. */
const MOST_TERMS = 200;

/** How many attributes may be named: more than a table of either engine has columns, and relations. */
export const MOST_ATTRIBUTES = 2000;

/** Parses lists of names, each with more behind it. */
export class ListParser extends TextScanner {
  protected readonly error: ErrorName;

  constructor(text: string, within: string, error: ErrorName, start?: number) {
    super(text, within, start);
    this.error = error;
  }

  /** `item, item, …`; at least one. */
  list<Item>(read: () => Item, most = MOST_ATTRIBUTES): Item[] {
    const items: Item[] = [];
    do {
      this.skipBlanks();
      if (items.length === most) {
        this.failAt(this.error, `The list holds more than ${most} items`);
      }
      items.push(read());
      this.skipBlanks();
    } while (this.take(/,/y) !== null);
    if (!this.isAtEnd()) this.fail(this.error, 'Expected a comma or the end');
    return items;
  }

  /** `name.name`; a `*` may take the place of the last name. */
  attribute(): AttributeNode {
    const { position } = this;
    const names: string[] = [];
    do {
      if (this.take(/\*/y) !== null) return { names, star: true, position };
      names.push(this.name());
    } while (this.take(/\./y) !== null);
    return { names, star: false, position };
  }

  path(): PathRef {
    const { position } = this;
    const names = [this.name()];
    while (this.take(/\./y) !== null) names.push(this.name());
    return { names, position };
  }

  /** A path of relations; `relation.*` is `relation`. */
  relations(): PathRef {
    if (this.looksAt(/\*/y)) return this.path();
    const { names, position } = this.attribute();
    return { names, position };
  }

  order(): OrderNode {
    const descending = this.take(/-[^\s,]+/y);
    if (descending !== null) {
      const message = `"${descending}" is not an attribute. Did you mean ${descending.slice(1)} DESC?`;
      this.failAt(this.error, message, this.position - descending.length);
    }
    return { path: this.path(), descending: this.isDescending() };
  }

  /** Takes the direction behind a term of an order. */
  protected isDescending(): boolean {
    this.skipBlanks();
    const direction = this.take(/[^\s,]+/y);
    if (direction !== null && !/^(?:asc|desc)$/i.test(direction)) {
      const message = `"${direction}" is not a direction; expected ASC, DESC, a comma or the end`;
      this.failAt(this.error, message, this.position - direction.length);
    }
    return direction?.toLowerCase() === 'desc';
  }

  protected name(pattern = NAME): string {
    return this.take(pattern) ?? this.fail(this.error, 'Expected an attribute name');
  }
}

/** Parses `$attributes`, or the attribute list of a path segment (§4.4). An empty one means all. */
export function parseAttributes(text: string, within: string, start = 1): AttributeNode[] {
  if (text.trim() === '') return [{ names: [], star: true, position: start }];
  const parser = new ListParser(text, within, 'badAttributeList', start);
  return parser.list(() => parser.attribute());
}

/** Parses `$orderby` (§4.2 rule 3). An empty one is not an order. */
export function parseOrder(text: string, within: string): OrderNode[] {
  if (text.trim() === '') return [];
  const parser = new ListParser(text, within, 'badOrder');
  return parser.list(() => parser.order(), MOST_TERMS);
}

/** Parses `$expand`: relation paths, several levels each (DECISIONS, "Answers"). `employer.*` is `employer`. */
export function parseExpand(text: string, within: string): PathRef[] {
  if (text.trim() === '') return [];
  const parser = new ListParser(text, within, 'badExpandList');
  return parser.list(() => parser.relations());
}

/** Parses `$key`: attributes and relations, at least one. */
export function parseNaturalKey(text: string, within: string): PathRef[] {
  const parser = new ListParser(text, within, 'badUrl');
  return parser.list(() => parser.path());
}

/** Parses the `$expand` of a bare array, which names attributes, too (DECISIONS, "Answers"). */
export function parseExpandedAttributes(text: string, within: string): AttributeNode[] {
  if (text.trim() === '') return [];
  const parser = new ListParser(text, within, 'badExpandList');
  return parser.list(() => parser.attribute());
}
