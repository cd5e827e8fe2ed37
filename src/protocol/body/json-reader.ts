import { excerpt } from '../../base/text.ts';
import type { TimeSlice } from '../../base/time-slice.ts';
import {
  BrokenJson,
  Digits,
  isJsonObject,
  TooManyEntities,
  wrongText,
  type JsonObject,
  type JsonValue,
} from './json-value.ts';

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

/** How many characters of a text are unescaped at once, at most and at least: more than any escape has. */
const MOST_UNESCAPED = 100_000;
const LEAST_UNESCAPED = 12;

/** Texts of fewer characters are read at once, where nothing in them is escaped. */
const SHORT_TEXT = 1000;

/** Many of the characters of {@link isBlank} at once. */
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

/** A text that is being read. */
interface OpenText {
  /** The offset of the closing quote, or of the end of the input. */
  readonly end: number;
  /** Up to where it is read. */
  at: number;
  /** Its value up to there. */
  readonly parts: string[];
  /** Whether the value differs from the text as it is written. */
  isUnusual: boolean;
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
  // What is not read to its end is refused.
  return new JsonReader(text).read(Infinity) ?? null;
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

/** Parses JSON as {@link parseJson} does, in slices. @throws BrokenJson; TooManyEntities; the reason of the signal */
export async function readJson(
  text: string,
  slice: TimeSlice,
  mostEntities?: number,
): Promise<JsonValue> {
  const reader = new JsonReader(text, mostEntities);
  for (;;) {
    const value = reader.read(PIECE);
    if (value !== undefined) return value;
    await slice.pause();
  }
}

/** Parses JSON in pieces. Open arrays and objects are in a list, not on the stack, so that nesting takes no more than its memory. */
export class JsonReader {
  readonly #text: string;
  readonly #mostEntities: number;
  readonly #open: (OpenArray | OpenObject)[] = [];
  #at = 0;
  /** Up to where the end of the text that begins at {@link #at} was searched. */
  #searched = 0;
  /** The text that begins at {@link #at}, once its end is known. */
  #quoted: OpenText | null = null;
  #value: JsonValue | undefined;

  /** @param mostEntities how many items the outermost list, or that of `__ENTITIES`, may have */
  constructor(text: string, mostEntities = Infinity) {
    this.#text = text;
    this.#mostEntities = mostEntities;
  }

  /**
   * Reads about `most` characters: of a long text first its end is searched, then its pieces are read.
   * @returns the value of the whole input; undefined if its end is not reached yet
   * @throws BrokenJson also for nesting that is too deep and numbers that are too long
   */
  read(most: number): JsonValue | undefined {
    const until = this.#progress() + most;
    while (this.#value === undefined) {
      const open = this.#open.at(-1);
      if (open !== undefined && 'members' in open && open.name === null) this.#name(open, until);
      else {
        const value = this.#begin(until);
        if (value !== undefined) this.#end(value);
      }
      // A long text has turns of its own: one to search its end, and one for each of its pieces.
      const isWithin = this.#quoted !== null && until < Infinity;
      if (isWithin || this.#progress() >= until) break;
    }
    return this.#value;
  }

  /** Up to where the input is read, or searched. */
  #progress(): number {
    return this.#quoted === null ? Math.max(this.#at, this.#searched) : this.#quoted.at;
  }

  /** Reads a value; undefined where it holds others, and where it goes on behind `until`. */
  #begin(until: number): JsonValue | undefined {
    this.#skipBlanks();
    switch (this.#text.charAt(this.#at)) {
      case '{':
        return this.#beginContainer('}', { members: {}, name: null, at: 0, count: 0 });
      case '[':
        return this.#beginContainer(']', { items: [] });
      case '"':
        return this.#string(until);
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

  /** Adds a value to what is open, and closes what ends behind it. */
  #end(value: JsonValue): void {
    let ended = value;
    for (;;) {
      this.#skipBlanks();
      const open = this.#open.at(-1);
      if (open === undefined) {
        if (this.#at < this.#text.length) this.#fail('expected end of input');
        this.#value = ended;
        return;
      }
      if ('items' in open) this.#pushItem(open, ended);
      else this.#setMember(open, ended);
      if (this.#take(',')) return;
      const isArray = 'items' in open;
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

  /** Reads the name of a member and its colon. */
  #name(open: OpenObject, until: number): void {
    this.#skipBlanks();
    if (this.#text[this.#at] !== '"') {
      const isEnd = this.#at === this.#text.length && open.count === 0;
      this.#fail(isEnd ? OBJECT_EXPECTED : 'quoted object key expected');
    }
    const at = this.#at + 1;
    const name = this.#string(until);
    if (name === undefined) return;
    this.#skipBlanks();
    if (!this.#take(':')) this.#fail("colon ':' expected after property name");
    open.name = name;
    open.at = at;
  }

  #string(until: number): string | undefined {
    const from = this.#at + 1;
    if (this.#quoted === null) {
      const isResumed = this.#searched > from;
      const end = this.#closingQuote(from, until);
      if (end === undefined) return undefined;
      if (end - from < SHORT_TEXT && end < this.#text.length) {
        const text = this.#text.slice(from, end);
        if (!UNUSUAL.test(text)) {
          this.#at = end + 1;
          return text;
        }
      }
      this.#quoted = { end, at: from, parts: [], isUnusual: false };
      if (isResumed || end >= until) return undefined;
    }
    const open = this.#quoted;
    this.#unescape(open, from, until);
    if (open.at < open.end) return undefined;
    this.#quoted = null;
    if (open.end === this.#text.length) this.#fail(`end of string '"' expected`, open.end);
    this.#at = open.end + 1;
    return open.isUnusual ? open.parts.join('') : this.#text.slice(from, open.end);
  }

  /** Reads on in a text whose end is known. @throws BrokenJson with the position of what is wrong */
  #unescape(open: OpenText, from: number, until: number): void {
    const most = Math.min(Math.max(until - open.at, LEAST_UNESCAPED), MOST_UNESCAPED);
    const cut = open.at + most < open.end ? this.#safeCut(open.at, open.at + most) : open.end;
    const piece = this.#text.slice(open.at, cut);
    const isUnusual = UNUSUAL.test(piece);
    open.isUnusual ||= isUnusual;
    try {
      open.parts.push(isUnusual ? (JSON.parse(`"${piece}"`) as string) : piece);
    } catch {
      throw wrongText(this.#text.slice(from, open.end), from);
    }
    open.at = cut;
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

  /** The offset of a text's closing quote, or of the end of the input; undefined where it is not found up to `until`. */
  #closingQuote(from: number, until: number): number | undefined {
    for (let at = Math.max(from, this.#searched); ; at += 1) {
      at = this.#text.indexOf('"', at);
      if (at < 0) return this.#text.length;
      let escapes = at - 1;
      while (escapes >= from && this.#text[escapes] === '\\') escapes -= 1;
      if ((at - escapes) % 2 === 1) return at;
      this.#searched = at + 1;
      if (at >= until) return undefined;
    }
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
    const few = this.#at + 16;
    while (isBlank(this.#text.charCodeAt(this.#at))) {
      this.#at += 1;
      if (this.#at < few) continue;
      BLANKS.lastIndex = this.#at;
      this.#at += BLANKS.exec(this.#text)?.[0].length ?? 0;
      return;
    }
  }

  #fail(reason: string, at = this.#at): never {
    const found = this.#text[at];
    const got = found === undefined ? 'reached end of input' : `got '${found}'`;
    throw new BrokenJson(`${reason} but ${got}`, at + 1);
  }
}

/** Space, line feed, carriage return, tab (RFC 8259, 2). */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}
