import type { AttributeNode, OrderNode, PathRef } from '../ast.ts';
import { TextScanner } from './literals.ts';
import type { ErrorName } from '../../base/errors.ts';

const NAME = /[^\s\p{Cc}.,*()[\]="']+/uy;

/** How many terms an order may have. */
const MOST_TERMS = 200;

/** How many attributes may be named: more than a table of either engine has columns, and relations. */
export const MOST_ATTRIBUTES = 2000;

class ListParser extends TextScanner {
  readonly #error: ErrorName;

  constructor(text: string, within: string, error: ErrorName, start?: number) {
    super(text, within, start);
    this.#error = error;
  }

  /** `item, item, …`; at least one. */
  list<Item>(read: () => Item, most = MOST_ATTRIBUTES): Item[] {
    const items: Item[] = [];
    do {
      this.skipBlanks();
      if (items.length === most) {
        this.failAt(this.#error, `The list holds more than ${most} items`);
      }
      items.push(read());
      this.skipBlanks();
    } while (this.take(/,/y) !== null);
    if (!this.isAtEnd()) this.fail(this.#error, 'Expected a comma or the end');
    return items;
  }

  /** `name.name`; a `*` may take the place of the last name. */
  attribute(): AttributeNode {
    const { position } = this;
    const names: string[] = [];
    do {
      if (this.take(/\*/y) !== null) return { names, star: true, position };
      names.push(this.#name());
    } while (this.take(/\./y) !== null);
    return { names, star: false, position };
  }

  path(): PathRef {
    const { position } = this;
    const names = [this.#name()];
    while (this.take(/\./y) !== null) names.push(this.#name());
    return { names, position };
  }

  /** A path of relations; `relation.*` is `relation`. */
  relations(): PathRef {
    if (this.looksAt(/\*/y)) return this.path();
    const { names, position } = this.attribute();
    return { names, position };
  }

  order(): OrderNode {
    const path = this.path();
    this.skipBlanks();
    const direction = this.take(/[^\s,]+/y);
    if (direction !== null && !/^(?:asc|desc)$/i.test(direction)) {
      const message = `"${direction}" is not a direction; expected ASC, DESC, a comma or the end`;
      this.failAt(this.#error, message, this.position - direction.length);
    }
    return { path, descending: direction?.toLowerCase() === 'desc' };
  }

  #name(): string {
    return this.take(NAME) ?? this.fail(this.#error, 'Expected an attribute name');
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

/** Parses the `$expand` of a bare array, which names attributes, too (DECISIONS, "Answers"). */
export function parseExpandedAttributes(text: string, within: string): AttributeNode[] {
  if (text.trim() === '') return [];
  const parser = new ListParser(text, within, 'badExpandList');
  return parser.list(() => parser.attribute());
}
