import { ProtocolError } from '../../base/errors.ts';
import type { KeyEntries, KeyNode, Literal } from '../ast.ts';
import { digitsOf, parseJsonObject, repetitionIn } from '../body/json.ts';
import { classifyWord, parameterShape, TextScanner, type ValueList } from './literals.ts';

/** A JSON object of plain values, whose texts may hold anything. */
const OBJECT = String.raw`\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*\}`;

/** The end of a key that is bare, in quotes, and a JSON object in quotes. */
interface KeyEnds {
  readonly bare: RegExp;
  readonly quoted: RegExp;
  /** The object and its quotes included. */
  readonly object: RegExp;
}

/** @param end what ends a key, as the source of a regular expression; a semicolon ends its parts everywhere */
export function keyEnds(end: string): KeyEnds {
  return {
    bare: new RegExp(`;|${end}`, 'g'),
    quoted: new RegExp(String.raw`\s*(?:;|${end})`, 'y'),
    object: new RegExp(String.raw`(["'])${OBJECT}\1(?=\s*(?:${end}))`, 'y'),
  };
}

/** A parsed key, whose values are not yet among the request's. */
interface KeyParts {
  /** The values in key order, or by attribute name. */
  readonly key: Literal[] | ReadonlyMap<string, Literal>;
  /** The parts of the JSON object that the key is, in quotes. */
  readonly object?: ReadonlyMap<string, Literal>;
}

/** A parsed key, and its offsets in the text, without the blanks around it. */
export interface ReadKey extends KeyParts {
  readonly from: number;
  readonly to: number;
}

/** A cursor over a text with keys (DECISIONS, "URLs and encodings"). */
export class KeyScanner extends TextScanner {
  protected readonly values: ValueList;
  readonly #decode: (text: string) => string;

  /** @param decode undoes the escapes of what lies between quotes, semicolons and ends */
  constructor(text: string, within: string, values: ValueList, decode: (text: string) => string) {
    super(text, within);
    this.values = values;
    this.#decode = decode;
  }

  /** Reads the key at the cursor: parts with semicolons between them, bare or in quotes, or a JSON object. A GUID may stand in braces. */
  protected key(ends: KeyEnds): ReadKey {
    this.skipBlanks();
    const from = this.offset;
    const read = this.looksAt(/["']/y)
      ? (this.#quotedObject(ends) ?? { key: this.#parts(ends) })
      : { key: this.looksAt(/\{(?![0-9a-f-]+\})/iy) ? this.#objectKey() : this.#parts(ends) };
    return { ...read, from, to: from + this.text.slice(from, this.offset).trimEnd().length };
  }

  /** Adds the values of a key to the request's. */
  protected keyNode({ key, object }: KeyParts): KeyNode {
    if (!Array.isArray(key)) return { kind: 'object', entries: this.#entries(key) };
    const [first, ...more] = key.map((value) => this.values.add(value));
    if (first === undefined) return { kind: 'tuple', values: [] };
    if (more.length > 0) return { kind: 'tuple', values: [first, ...more] };
    return object === undefined
      ? { kind: 'scalar', value: first }
      : { kind: 'scalar', value: first, object: this.#entries(object) };
  }

  #entries(object: ReadonlyMap<string, Literal>): KeyEntries {
    return [...object].map(([name, value]) => [name, this.values.add(value)] as const);
  }

  /** A key that means nothing unless the model says that it is one text. */
  protected brokenKey(raw: Literal, refusal: ProtocolError): KeyNode {
    return { kind: 'broken', raw: this.values.add(raw), refusal };
  }

  #parts(ends: KeyEnds): Literal[] {
    const parts: Literal[] = [];
    do {
      this.skipBlanks();
      parts.push(this.#part(ends));
      this.skipBlanks();
    } while (this.take(/;/y) !== null);
    return parts;
  }

  #part({ bare, quoted }: KeyEnds): Literal {
    const { position } = this;
    const quote = this.take(/["']/y);
    if (quote === null) {
      const value = this.#decode(this.takeUntil(bare)).trim();
      if (value === '') this.fail('badUrl', 'Expected a key');
      // In a key nothing is a wildcard and null is not a value.
      const kind = classifyWord(value);
      return this.literal(value, kind === 'number' || kind === 'boolean' ? kind : 'word', position);
    }
    const text = this.#decode(this.takeQuoted(quote, quoted, 'a key'));
    return this.literal(text, 'text', position);
  }

  #objectKey(): ReadonlyMap<string, Literal> {
    const { position } = this;
    const text = this.take(new RegExp(OBJECT, 'y'));
    if (text === null) this.fail('badUrl', 'Expected a key as a JSON object');
    return this.#object(text, position);
  }

  /** Reads a key that is a JSON object in quotes: the text, and its parts. Null where it is something else. */
  #quotedObject({ object }: KeyEnds): KeyParts | null {
    const { position, offset } = this;
    const text = this.take(object)?.slice(1, -1);
    if (text === undefined) return null;
    try {
      const parts = this.#object(text, position + 1);
      return { key: [this.literal(this.#decode(text), 'text', position)], object: parts };
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.offset = offset;
      return null;
    }
  }

  #object(text: string, position: number): ReadonlyMap<string, Literal> {
    const object = parseJsonObject(this.#decode(text));
    if (object === null || repetitionIn(object) !== undefined) {
      return this.failAt('badUrl', 'The key is not a valid JSON object', position);
    }
    return new Map(
      Object.entries(object).map(([name, value]) => {
        const plain = digitsOf(value) ?? value;
        if (typeof plain !== 'string' && typeof plain !== 'boolean') {
          return this.failAt('badUrl', `The key's "${name}" is not a plain value`, position);
        }
        return [name, this.literal(String(plain), 'text', position)];
      }),
    );
  }

  protected literal(value: string, kind: Literal['class'], position: number): Literal {
    return { value, class: kind, within: this.within, position };
  }
}

const WHOLE = keyEnds('$');

/** A key that is a text of its own, without anything around it. */
class WholeKeyParser extends KeyScanner {
  parse(): KeyNode {
    const whole = this.literal(this.text, 'text', 1);
    try {
      const key = this.key(WHOLE);
      this.skipBlanks();
      if (!this.isAtEnd()) this.fail('badUrl', 'Expected the end behind the key');
      return { ...this.keyNode(key), raw: this.values.add(whole) };
    } catch (refusal) {
      if (!(refusal instanceof ProtocolError)) throw refusal;
      return this.brokenKey(whole, refusal);
    }
  }
}

/** Parses a key that is a parameter's value, as that of `Dataclass(key)`. The value's quotes are off: a key of one text is all of it. */
export function parseKey(text: string, within: string, values: ValueList): KeyNode {
  return new WholeKeyParser(text, within, values, (part) => part).parse();
}

/** A key as part of a shape. */
export function keyShape(key: KeyNode): string {
  if (key.kind === 'broken') return `broken ${parameterShape(key.raw)}`;
  return partsShape(key) + (key.raw === undefined ? '' : ` raw ${parameterShape(key.raw)}`);
}

function partsShape(key: Exclude<KeyNode, { kind: 'broken' }>): string {
  switch (key.kind) {
    case 'scalar':
      return parameterShape(key.value) + (key.object === undefined ? '' : entriesShape(key.object));
    case 'tuple':
      return key.values.map(parameterShape).join(';');
    case 'object':
      return entriesShape(key.entries);
  }
}

function entriesShape(entries: KeyEntries): string {
  return `{${entries.map(([name, parameter]) => `${JSON.stringify(name)}:${parameterShape(parameter)}`).join(',')}}`;
}
