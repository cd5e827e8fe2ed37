import { excerpt } from '../../base/text.ts';
import { atOnce } from '../../base/time.ts';

/** Deeper than any client nests values, and not as deep as recursion over them may go. */
const MOST_LEVELS = 5000;

/** More digits than the numbers of any engine have: PostgreSQL's have 147,455 (https://www.postgresql.org/docs/current/datatype-numeric.html). */
const MOST_DIGITS = 150_000;

/** More members than any client gives an object; engines that make a table of them would take long. */
const MOST_MEMBERS = 50_000;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?/iy;

/** The beginning of what goes on as no number. */
const NUMBER_BEGUN = /-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)e[+-]?)?)?/iy;

/** Escapes, and characters that have to be escaped: a text with them is not its own value. */
// eslint-disable-next-line no-control-regex -- JSON allows none of them in a text
const UNUSUAL = /[\u0000-\u001f\\]/;

/** The length of an escape with digits. */
const LONGEST_ESCAPE = 6;

/** How many characters of a text are unescaped at once, at least: more than any escape has. */
const LEAST_UNESCAPED = 12;

/** Texts of fewer characters are read at once, where nothing in them is escaped. */
const SHORT_TEXT = 1000;

/** Space, line feed, carriage return, tab (RFC 8259, 2). */
const BLANKS = /[ \n\r\t]*/y;

const OBJECT_EXPECTED = "quoted object key or end of object '}' expected";
const ARRAY_EXPECTED = "array item or end of array ']' expected";

interface OpenArray {
  readonly items: JsonValue[];
}

interface OpenObject {
  readonly members: Record<string, JsonValue>;
  /** The name of the member whose value is next; null where a name is next. */
  name: string | null;
  /** The 0-based offset of that name. */
  at: number;
  count: number;
}

/** The first repeated member of each object that has one. */
const repetitions = new WeakMap<JsonObject, BrokenJson>();

/** The error of the first member that an object names twice; undefined where there is none. */
export function repetitionIn(object: JsonObject): BrokenJson | undefined {
  return repetitions.get(object);
}

/** How many characters are read before other requests may have their turn. */
const PIECE = 100_000;

/** Parses JSON. Of equal names in an object the last one counts, as in the engines' JSON; see {@link repetitionIn}. @throws BrokenJson */
export function parseJson(text: string): JsonValue {
  return atOnce(jsonReading(text));
}

/** Parses a JSON object; null for any other text. */
export function parseJsonObject(text: string): JsonObject | null {
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (error instanceof BrokenJson) return null;
    throw error;
  }
}

/**
 * Parses JSON as {@link parseJson} does, in steps.
 * @param mostEntities how many items the outermost list, or that of `__ENTITIES`, may have
 * @param piece about how many characters are read in a step
 * @throws BrokenJson also for nesting that is too deep and numbers that are too long; TooManyEntities
 */
export function jsonReading(
  text: string,
  mostEntities = Infinity,
  piece = PIECE,
): Generator<void, JsonValue> {
  return new JsonReader(text, mostEntities, piece).read();
}

/** Parses JSON. Open arrays and objects are in a list, not on the stack, so that nesting takes no more than its memory. */
class JsonReader {
  readonly #text: string;
  readonly #mostEntities: number;
  readonly #piece: number;
  readonly #open: (OpenArray | OpenObject)[] = [];
  #at = 0;
  /** Where the step ends. */
  #until: number;

  constructor(text: string, mostEntities: number, piece: number) {
    this.#text = text;
    this.#mostEntities = mostEntities;
    this.#piece = piece;
    this.#until = piece;
  }

  *read(): Generator<void, JsonValue> {
    for (;;) {
      if (this.#at >= this.#until) yield* this.#turn(this.#at);
      this.#skipBlanks();
      const open = this.#open.at(-1);
      const isName = open !== undefined && 'members' in open && open.name === null;
      if (isName && this.#text[this.#at] !== '"') {
        const isEnd = this.#at === this.#text.length && open.count === 0;
        this.#fail(isEnd ? OBJECT_EXPECTED : 'quoted object key expected');
      }
      const at = this.#at + 1;
      const value =
        this.#text[this.#at] === '"'
          ? (this.#shortText() ?? (yield* this.#longText(at)))
          : this.#begin();
      if (isName) {
        this.#skipBlanks();
        if (!this.#take(':')) this.#fail("colon ':' expected after property name");
        open.name = value as string;
        open.at = at;
      } else if (value !== undefined) {
        const whole = this.#end(value);
        if (whole !== undefined) return whole;
      }
    }
  }

  /** Lets others have their turn. @param at up to where the text is read, or searched */
  *#turn(at: number): Generator<void, void> {
    yield;
    this.#until = at + this.#piece;
  }

  /** Reads a value that is no text; undefined where it holds others. */
  #begin(): JsonValue | undefined {
    switch (this.#text.charAt(this.#at)) {
      case '{':
        return this.#beginContainer('}', { members: {}, name: null, at: 0, count: 0 });
      case '[':
        return this.#beginContainer(']', { items: [] });
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #beginContainer(end: string, open: OpenArray | OpenObject): JsonValue | undefined {
    this.#at += 1;
    this.#skipBlanks();
    if (this.#take(end)) return 'items' in open ? open.items : open.members;
    if (this.#open.length === MOST_LEVELS) throw new BrokenJson('it is nested too deeply', 1);
    this.#open.push(open);
    return undefined;
  }

  /** Adds a value to what is open, and closes what ends behind it. Returns the value of the whole text at its end. */
  #end(value: JsonValue): JsonValue | undefined {
    let ended = value;
    for (;;) {
      this.#skipBlanks();
      const open = this.#open.at(-1);
      if (open === undefined) {
        if (this.#at < this.#text.length) this.#fail('expected end of input');
        return ended;
      }
      const isArray = 'items' in open;
      if (isArray) this.#pushItem(open, ended);
      else this.#setMember(open, ended);
      if (this.#take(',')) return undefined;
      if (!this.#take(isArray ? ']' : '}')) {
        if (this.#at < this.#text.length) this.#fail("comma ',' expected after value");
        this.#fail(isArray ? ARRAY_EXPECTED : OBJECT_EXPECTED);
      }
      this.#open.pop();
      ended = isArray ? open.items : open.members;
    }
  }

  #pushItem({ items }: OpenArray, item: JsonValue): void {
    items.push(item);
    if (items.length <= this.#mostEntities || this.#open.length > 2) return;
    const [outermost] = this.#open;
    const isCollection =
      outermost !== undefined && 'members' in outermost && outermost.name === '__ENTITIES';
    if (this.#open.length === 1 || isCollection) throw new TooManyEntities();
  }

  #setMember(open: OpenObject, value: JsonValue): void {
    const { members, at } = open;
    const name = open.name ?? '';
    open.name = null;
    open.count += 1;
    if (open.count > MOST_MEMBERS) {
      throw new BrokenJson(`an object of more than ${MOST_MEMBERS} members`, at + 1);
    }
    const isRepeated = Object.hasOwn(members, name);
    if (isRepeated && members[name] !== value && !repetitions.has(members)) {
      const repetition = new BrokenJson(`duplicate key '${excerpt(name)}' encountered`, at + 1);
      repetitions.set(members, repetition);
    }
    // An assignment would set the object's prototype.
    if (name === '__proto__' && !isRepeated) {
      Object.defineProperty(members, name, {
        value,
        writable: true,
        enumerable: true,
        configurable: true,
      });
    } else members[name] = value;
  }

  /** Reads a text that is short and its own value; undefined for any other. */
  #shortText(): string | undefined {
    const from = this.#at + 1;
    const end = this.#text.indexOf('"', from);
    if (end < 0 || end - from >= SHORT_TEXT) return undefined;
    const text = this.#text.slice(from, end);
    if (UNUSUAL.test(text)) return undefined;
    this.#at = end + 1;
    return text;
  }

  /** Reads a text in steps: first its end is searched, then its pieces are unescaped. @throws BrokenJson with the position of what is wrong */
  *#longText(from: number): Generator<void, string> {
    let end = from - 1;
    for (let escapes = 1; escapes % 2 === 1;) {
      end = this.#text.indexOf('"', end + 1);
      if (end < 0) end = this.#text.length;
      if (end === this.#text.length) break;
      for (escapes = 0; this.#text[end - escapes - 1] === '\\';) escapes += 1;
      if (end >= this.#until) yield* this.#turn(end);
    }
    const most = Math.max(Math.min(this.#piece, PIECE), LEAST_UNESCAPED);
    const parts: string[] = [];
    let hasUnusual = false;
    for (let at = from; at < end;) {
      const cut = at + most < end ? this.#safeCut(at, at + most) : end;
      const piece = this.#text.slice(at, cut);
      const isUnusual = UNUSUAL.test(piece);
      hasUnusual ||= isUnusual;
      try {
        parts.push(isUnusual ? (JSON.parse(`"${piece}"`) as string) : piece);
      } catch {
        throw wrongText(this.#text.slice(from, end), from);
      }
      at = cut;
      if (at < end) yield* this.#turn(end);
    }
    if (end === this.#text.length) this.#fail(`end of string '"' expected`, end);
    this.#at = end + 1;
    return hasUnusual ? parts.join('') : this.#text.slice(from, end);
  }

  /**
   * Returns where a text may be cut, at `cut` or a little before it: never within an escape. The two escapes of a surrogate pair may be
   * separated: their halves come together when the pieces do. @param from where an escape, or a character, begins
   */
  #safeCut(from: number, cut: number): number {
    const first = cut - LONGEST_ESCAPE + 1;
    let last = cut - 1;
    while (last >= first && this.#text[last] !== '\\') last -= 1;
    if (last < first) return cut;
    let before = last - 1;
    while (before >= from && this.#text[before] === '\\') before -= 1;
    // The second of two is the end of an escape.
    if ((last - before) % 2 === 0) return cut;
    const isLong = /u/i.test(this.#text[last + 1] ?? '');
    return last + (isLong ? LONGEST_ESCAPE : 2) > cut ? last : cut;
  }

  #number(): number | Digits {
    NUMBER.lastIndex = this.#at;
    if (!NUMBER.test(this.#text)) return this.#failNumber();
    const end = NUMBER.lastIndex;
    const digits = this.#text.slice(this.#at, end);
    if (digits.length > MOST_DIGITS) {
      const reason = `a number of ${digits.length} characters, more than any column holds`;
      throw new BrokenJson(reason, this.#at + 1);
    }
    // `1.` and `1e` begin as a number.
    if (/[.eE]/.test(this.#text[end] ?? '')) return this.#failNumber();
    this.#at = end;
    // Long arrays of short numbers are common: an object for each would take many times the memory of the text.
    const value = Number(digits);
    return String(value) === digits ? value : new Digits(digits);
  }

  #failNumber(): never {
    NUMBER_BEGUN.lastIndex = this.#at;
    const [begun = ''] = NUMBER_BEGUN.exec(this.#text) ?? [];
    if (begun !== '') {
      const reason = `invalid number '${excerpt(begun)}', expecting a digit`;
      this.#fail(reason, this.#at + begun.length);
    }
    const open = this.#open.at(-1);
    if (open === undefined) this.#fail('JSON value expected');
    if ('members' in open) throw new BrokenJson("object value expected after ':'", this.#at + 1);
    const isEnd = this.#at === this.#text.length && open.items.length === 0;
    this.#fail(isEnd ? ARRAY_EXPECTED : 'array item expected');
  }

  #word<Value extends JsonValue>(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.#at)) this.#failNumber();
    this.#at += word.length;
    return value;
  }

  #take(character: string): boolean {
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipBlanks(): void {
    if (this.#text.charCodeAt(this.#at) > 0x20) return;
    BLANKS.lastIndex = this.#at;
    BLANKS.test(this.#text);
    this.#at = BLANKS.lastIndex;
  }

  #fail(reason: string, at = this.#at): never {
    const found = this.#text[at];
    const got = found === undefined ? 'reached end of input' : `got '${found}'`;
    throw new BrokenJson(`${reason} but ${got}`, at + 1);
  }
}

/** A character that has to be escaped, an escape, or what begins as one. */
// eslint-disable-next-line no-control-regex -- JSON allows none of them in a text
const SPECIAL = /\\(?:u[^"]{0,4}|[^u]?)|[\u0000-\u001f]/gi;

const ESCAPE = /^\\(?:["\\/bfnrt]|u[\da-f]{4})$/i;

/** The longest text in which the position of a wrong escape is searched. */
const SEARCHED = 65_536;

/** The error of a text with a wrong character or escape. @param from the 0-based offset where it begins */
function wrongText(raw: string, from: number): BrokenJson {
  if (raw.length > SEARCHED) return new BrokenJson('invalid character or escape in a text', from);
  for (const { 0: special, index } of raw.matchAll(SPECIAL)) {
    if (ESCAPE.test(special)) continue;
    const what = !special.startsWith('\\')
      ? 'character'
      : /^\\u/i.test(special)
        ? 'unicode character'
        : 'escape character';
    return new BrokenJson(`invalid ${what} '${special}'`, from + index + 1);
  }
  return new BrokenJson("end of string '\"' expected", from + raw.length + 1);
}

/** A number of JSON with all its digits, as it was written, where a number of JavaScript's would write it otherwise. */
export class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A value of JSON whose numbers have kept their digits. */
export type JsonValue =
  null | boolean | string | number | Digits | readonly JsonValue[] | JsonObject;

/** An object of JSON, its members in their order. */
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

/** The digits of a number as they were written; null for anything else. */
export function digitsOf(value: JsonValue | undefined): string | null {
  if (typeof value === 'number') return String(value);
  return value instanceof Digits ? value.text : null;
}

/** Whether a value is an object, not an array, a number or null. */
export function isJsonObject(value: JsonValue | undefined): value is JsonObject {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Digits)
  );
}

/** Whether a value is an array. */
export function isJsonArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** The error of text that is not JSON, with the 1-based position where reading failed. */
export class BrokenJson extends Error {
  readonly position: number;

  constructor(message: string, position: number) {
    super(message);
    this.name = 'BrokenJson';
    this.position = position;
  }
}

/** A list of entities is longer than it may be; the rest of the text was not read. */
export class TooManyEntities extends Error {}
