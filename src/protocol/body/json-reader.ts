import { excerpt } from '../../base/text.ts';
import {
  BrokenJson,
  Digits,
  TooManyEntities,
  type JsonObject,
  type JsonValue,
} from './json-value.ts';

/** Deeper than any client nests values, and not as deep as the stack goes of what walks through them. */
const MOST_LEVELS = 5000;

/** More digits than the numbers of any engine have: PostgreSQL's have 147,455 (https://www.postgresql.org/docs/current/datatype-numeric.html). */
const MOST_DIGITS = 150_000;

/** More members than any client gives an object; engines that make a table of them would take long over it. */
const MOST_MEMBERS = 50_000;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?/iy;

/** As far as a number goes that is none. */
const NUMBER_BEGUN = /-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)e[+-]?)?)?/iy;

/** What a text between quotes is not its own value with: escapes, and characters that have to be escaped. */
// eslint-disable-next-line no-control-regex -- JSON allows none of them in a text
const UNUSUAL = /[\u0000-\u001f\\]/;

/** A character that has to be escaped, an escape, or what begins as one. */
// eslint-disable-next-line no-control-regex -- as above
const SPECIAL = /\\(?:u[^"]{0,4}|[^u]?)|[\u0000-\u001f]/gi;

const ESCAPE = /^\\(?:["\\/bfnrt]|u[\da-f]{4})$/i;

/** As long as an escape is that has digits. */
const LONGEST_ESCAPE = 6;

/** How much of a text is unescaped at once, and at least: longer than any escape. */
const MOST_UNESCAPED = 100_000;
const LEAST_UNESCAPED = 12;

/** Of a longer text it is not said where in it an escape is wrong: it would have to be looked for. */
const SEARCHED = 65_536;

/** Blanks as {@link isBlank} tells them, many at once. */
const BLANKS = /[ \n\r\t]*/y;

const OBJECT_EXPECTED = "quoted object key or end of object '}' expected";
const ARRAY_EXPECTED = "array item or end of array ']' expected";

interface OpenArray {
  readonly items: JsonValue[];
}

interface OpenObject {
  readonly members: Record<string, JsonValue>;
  /** The member whose value is next, and the 0-based place of its name; null where a name is next. */
  name: string | null;
  at: number;
  count: number;
}

/** A text that is being read. */
interface OpenText {
  /** The place of the quote that ends it, or the end of all. */
  readonly end: number;
  /** Up to where it is read. */
  at: number;
  /** What it is read as, up to there. */
  readonly parts: string[];
  /** Whether that is anything else than what stands there. */
  isUnusual: boolean;
}

/** Members that an object names twice are noted here: the last one counts, as in the engines' own JSON. */
type NoteRepetition = (object: JsonObject, repetition: BrokenJson) => void;

/**
 * Reads JSON text in pieces, so that others have their turn while a long one is read. What is open is kept in a list, not on the stack: nesting takes no
 * more than its memory.
 */
export class JsonReader {
  readonly #text: string;
  readonly #note: NoteRepetition;
  readonly #mostEntities: number;
  readonly #open: (OpenArray | OpenObject)[] = [];
  #at = 0;
  /** Up to where the end of a text was looked for that begins at {@link #at}. */
  #searched = 0;
  /** The text that begins at {@link #at}, once its end is known; null before. */
  #quoted: OpenText | null = null;
  #value: JsonValue | undefined;

  /** @param mostEntities how many items the outermost list may have, or that of a collection, as `__ENTITIES`: of more none is kept */
  constructor(text: string, note: NoteRepetition, mostEntities = Infinity) {
    this.#text = text;
    this.#note = note;
    this.#mostEntities = mostEntities;
  }

  /**
   * Reads on.
   * @param most about how many characters it reads; the end of a text is looked for first, and the text is read from its beginning then
   * @returns the value of the whole text; undefined where it was not read to its end yet
   * @throws BrokenJson for what is not JSON, also for nesting that is too deep and numbers that are too long
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
      // A text that is long has turns of its own: one to look for its end, and one for each of its pieces.
      const isWithin = this.#quoted !== null && until < Infinity;
      if (isWithin || this.#progress() >= until) break;
    }
    return this.#value;
  }

  /** Up to where all is read, or looked through. */
  #progress(): number {
    return this.#quoted === null ? Math.max(this.#at, this.#searched) : this.#quoted.at;
  }

  /** Reads a value; undefined for one that has others within it, or that goes on behind where it is to be read. */
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

  /** Puts a value where it belongs, and closes what ends behind it. */
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
      if (!this.#take(isArray ? ']' : '}')) this.#failBehind(isArray);
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
    if (isRepeated && members[name] !== value) {
      this.#note(members, new BrokenJson(`duplicate key '${excerpt(name)}' encountered`, at + 1));
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

  #failBehind(isArray: boolean): never {
    if (this.#at < this.#text.length) this.#fail("comma ',' expected after value");
    this.#fail(isArray ? ARRAY_EXPECTED : OBJECT_EXPECTED);
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
      this.#quoted = { end, at: from, parts: [], isUnusual: false };
      if (isResumed || end >= until) return undefined;
    }
    const open = this.#quoted;
    this.#unescape(open, from, until);
    if (open.at < open.end) return undefined;
    this.#quoted = null;
    if (open.end === this.#text.length) this.#failAt(open.end, `end of string '"' expected`);
    this.#at = open.end + 1;
    return open.isUnusual ? open.parts.join('') : this.#text.slice(from, open.end);
  }

  /** Reads on in a text whose end is known. @throws BrokenJson with the place of what is wrong */
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
   * Where a text may be cut, at a place or a little before it: never within an escape. Between the two escapes of a surrogate pair it may: the
   * halves come together when the pieces do.
   * @param from where an escape, or a character, begins
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

  /** The place of the quote that ends a text, which may be the end of all; undefined where it is not found up to a place. */
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
    const digits = NUMBER.exec(this.#text)?.[0];
    if (digits === undefined) return this.#failNumber();
    if (digits.length > MOST_DIGITS) {
      const reason = `a number of ${digits.length} characters, more than any column holds`;
      throw new BrokenJson(reason, this.#at + 1);
    }
    const end = this.#at + digits.length;
    // Such as `1.` and `1e`: what begins as a number goes on as none.
    if (/[.eE]/.test(this.#text[end] ?? '')) return this.#failNumber();
    this.#at = end;
    // Long arrays of short numbers are common: an object for each would take many times the text's memory.
    const value = Number(digits);
    return String(value) === digits ? value : new Digits(digits);
  }

  #failNumber(): never {
    NUMBER_BEGUN.lastIndex = this.#at;
    const [begun = ''] = NUMBER_BEGUN.exec(this.#text) ?? [];
    if (begun !== '') {
      const reason = `invalid number '${excerpt(begun)}', expecting a digit`;
      this.#failAt(this.#at + begun.length, reason);
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

  #fail(reason: string): never {
    this.#failAt(this.#at, reason);
  }

  #failAt(at: number, reason: string): never {
    const found = this.#text[at];
    const got = found === undefined ? 'reached end of input' : `got '${found}'`;
    throw new BrokenJson(`${reason} but ${got}`, at + 1);
  }
}

/** Space, line feed, carriage return, tab (RFC 8259, 2). */
function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

/** What is wrong with a text, and where. @param from the 0-based place where it begins */
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
