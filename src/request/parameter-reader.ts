import type { FilterNode, ReadRequest } from './ast.ts';
import { parseFilter } from './filter.ts';
import type { RequestParameters, Keyword } from './keywords.ts';
import { parseAttributes, parseExpand, parseOrder } from './lists.ts';
import type { ValueList } from './literals.ts';
import { parseParams } from './params.ts';

/** Reads the parameters that reads and writes share, and collects the request's shape on the way. */
export class ParameterReader {
  readonly #given: RequestParameters;
  readonly #shapes: string[];
  readonly #values: ValueList;

  /** @param shape what the path adds to the request's shape */
  constructor(given: RequestParameters, shape: string, values: ValueList) {
    this.#given = given;
    this.#shapes = [shape];
    this.#values = values;
  }

  /** Reads a parameter whose text is part of the shape. */
  read<Result>(name: Keyword, parse: (text: string) => Result, empty: Result): Result {
    const text = this.#given.get(name)?.text;
    if (text === undefined) return empty;
    this.#shapes.push(`${name}=${text}`);
    return parse(text);
  }

  /** `$filter` with `$params`. */
  filter(): FilterNode | null {
    const params = this.#given.get('$params')?.text;
    const literals = params === undefined ? null : parseParams(params);
    const text = this.#given.get('$filter')?.text ?? '';
    if (text.trim() === '') return null;
    const { node, shape } = parseFilter(text, '$filter', literals, this.#values);
    this.#shapes.push(`$filter=${shape}`);
    return node;
  }

  /** `$orderby`, `$attributes` and `$expand`. */
  lists(): Pick<ReadRequest, 'orderBy' | 'attributes' | 'expand'> {
    return {
      orderBy: this.read('$orderby', (text) => parseOrder(text, '$orderby'), []),
      attributes: this.read('$attributes', (text) => parseAttributes(text, '$attributes'), null),
      expand: this.read('$expand', (text) => parseExpand(text, '$expand'), []),
    };
  }

  /** The shape of all that was read. */
  shape(): string {
    return this.#shapes.join('\n');
  }
}
