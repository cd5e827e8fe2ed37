import { ProtocolError } from '../../base/errors.ts';
import type { KeyNode, Literal, Slot } from '../ast.ts';
import { parseJson, repetitionIn } from '../body/json.ts';
import { BrokenJson, digitsOf, isJsonObject, type JsonObject } from '../body/json-value.ts';
import { classifyWord, slotShape, TextScanner, type ValueList } from './literals.ts';

/** A JSON object of plain values, whose texts may hold anything. */
const OBJECT = String.raw`\{(?:[^"{}]|"(?:[^"\\]|\\.)*")*\}`;

/** What stands behind a key that is written bare, in quotes, and as a JSON object in quotes. */
export interface KeyEnds {
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

/** A cursor over a text in which keys stand (DECISIONS, "URLs and encodings"). */
export class KeyScanner extends TextScanner {
  protected readonly values: ValueList;
  readonly #decode: (text: string) => string;

  /** @param decode undoes the escapes of what lies between quotes, semicolons and ends */
  constructor(text: string, within: string, values: ValueList, decode: (text: string) => string) {
    super(text, within);
    this.values = values;
    this.#decode = decode;
  }

  /**
   * Reads the key at the cursor: its parts with semicolons between them, bare or in quotes, or a JSON object. A GUID may stand in braces.
   * @throws ProtocolError badUrl, unclosedSingleQuote, unclosedDoubleQuote
   */
  protected key(ends: KeyEnds): ReadKey {
    this.skipBlanks();
    const from = this.offset;
    const opening = this.text[from];
    const isObject = opening === '{' && this.looksAt(/\{(?![0-9a-f-]+\})/iy);
    const quoted = opening === '"' || opening === "'" ? this.#quotedObject(ends) : null;
    const read = quoted ?? { key: isObject ? this.#objectKey() : this.#parts(ends) };
    return { ...read, from, to: from + this.text.slice(from, this.offset).trimEnd().length };
  }

  /** A key with slots for its values. */
  protected keyNode({ key, object }: Pick<ReadKey, 'key' | 'object'>): KeyNode {
    if (!Array.isArray(key)) return { kind: 'object', entries: this.#entries(key) };
    const [first, ...more] = key.map((value) => this.values.add(value));
    if (first === undefined || more.length > 0) {
      return { kind: 'tuple', values: first === undefined ? [] : [first, ...more] };
    }
    return object === undefined
      ? { kind: 'scalar', value: first }
      : { kind: 'scalar', value: first, object: this.#entries(object) };
  }

  #entries(object: ReadonlyMap<string, Literal>): readonly (readonly [string, Slot])[] {
    return [...object].map(([name, value]) => [name, this.values.add(value)] as const);
  }

  #parts(ends: KeyEnds): Literal[] {
    const parts: Literal[] = [];
    do {
      this.skipBlanks();
      parts.push(this.#keyValue(ends));
      this.skipBlanks();
    } while (this.take(/;/y) !== null);
    return parts;
  }

  #keyValue({ bare, quoted }: KeyEnds): Literal {
    const { position } = this;
    const opening = this.text[this.offset];
    const quote = opening === '"' || opening === "'" ? this.take(/["']/y) : null;
    if (quote === null) {
      const value = this.#decode(this.takeUntil(bare)).trim();
      if (value === '') this.fail('badUrl', 'Expected a key');
      // In a key nothing is a wildcard and null is not a value.
      const kind = classifyWord(value);
      return this.literal(value, kind === 'number' || kind === 'boolean' ? kind : 'word', position);
    }
    const from = this.offset;
    for (let at = this.text.indexOf(quote, from); at >= 0; at = this.text.indexOf(quote, at + 1)) {
      quoted.lastIndex = at + 1;
      if (quoted.test(this.text)) {
        this.offset = at + 1;
        return this.literal(this.#decode(this.text.slice(from, at)), 'text', position);
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

  /** A key that is a JSON object in quotes: the text, and its parts; null where there is none, or where it is not JSON. */
  #quotedObject({ object }: KeyEnds): Pick<ReadKey, 'key' | 'object'> | null {
    const { position, offset } = this;
    const quoted = this.take(object);
    if (quoted === null) return null;
    const text = quoted.slice(1, -1);
    try {
      const object = this.#object(text, position + 1);
      return { key: [this.literal(this.#decode(text), 'text', position)], object };
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      this.offset = offset;
      return null;
    }
  }

  #object(text: string, position: number): ReadonlyMap<string, Literal> {
    const object = readObject(this.#decode(text));
    if (object === null) {
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

/** Null for what is not a JSON object, and for one that names a member twice. */
function readObject(text: string): JsonObject | null {
  try {
    const value = parseJson(text);
    return isJsonObject(value) && repetitionIn(value) === undefined ? value : null;
  } catch (error) {
    if (error instanceof BrokenJson) return null;
    throw error;
  }
}

/** A key that is a text of its own, without anything around it. */
class WholeKeyParser extends KeyScanner {
  parse(): KeyNode {
    const key = this.key(WHOLE);
    this.skipBlanks();
    if (!this.isAtEnd()) this.fail('badUrl', 'Expected the end behind the key');
    return this.keyNode(key);
  }
}

const WHOLE = keyEnds('$');

/**
 * Reads a key that is the value of a parameter: all that `Dataclass(key)` takes in a path. The value's own quotes are off already, so
 * that of a key that is one text all of it is the key.
 */
export function parseKey(text: string, within: string, values: ValueList): KeyNode {
  const whole: Literal = { value: text, class: 'text', within, position: 1 };
  try {
    const key = new WholeKeyParser(text, within, values, (part) => part).parse();
    return { ...key, raw: values.add(whole) };
  } catch (refusal) {
    if (!(refusal instanceof ProtocolError)) throw refusal;
    return { kind: 'broken', raw: values.add(whole), refusal };
  }
}

/** A key before its values have slots: values in key order, or values by attribute name. */
type KeyLiteral = Literal[] | ReadonlyMap<string, Literal>;

/** A key, and where it stands in the text, without the blanks around it. */
export interface ReadKey {
  readonly key: KeyLiteral;
  /** The parts of the JSON object that the key is, in quotes. */
  readonly object?: ReadonlyMap<string, Literal>;
  readonly from: number;
  readonly to: number;
}

/** A key as part of a shape. */
export function keyShape(key: KeyNode): string {
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
