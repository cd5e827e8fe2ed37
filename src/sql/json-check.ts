/** How many characters are checked in one step. */
const PIECE = 16_384;

/** Blanks, as RFC 8259 (§2) has them. */
const BLANKS = /[ \t\n\r]*/y;

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?/iy;

const WORD = /true|false|null/y;

/** Characters of a text that stand for themselves, as many as one piece has at most. */
// eslint-disable-next-line no-control-regex -- JSON allows none of them in a text
const PLAIN = /[^"\\\u0000-\u001f]{1,16384}/y;

const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/** The next thing that the grammar allows. */
type Expected = 'value' | 'value or ]' | 'name' | 'name or }' | ', or end';

/** Checks in steps whether a text is JSON (RFC 8259): with a long one, `JSON.parse` would block the event loop. No value is made of it. */
export function* jsonCheck(text: string): Generator<undefined, boolean> {
  /** Whether each thing that is open is an array; the others are objects. */
  const open: boolean[] = [];
  let expected: Expected = 'value';
  let at = 0;
  let piece = PIECE;

  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at;
    const found = pattern.test(text);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const takeMark = (mark: string): boolean => {
    if (text[at] !== mark) return false;
    at += 1;
    take(BLANKS);
    return true;
  };
  function* quoted(): Generator<undefined, boolean> {
    if (text[at] !== '"') return false;
    at += 1;
    while (take(PLAIN) || take(ESCAPE)) {
      if (at < piece) continue;
      piece = at + PIECE;
      yield;
    }
    if (text[at] !== '"') return false;
    at += 1;
    return true;
  }

  take(BLANKS);
  for (;;) {
    if (at >= piece) {
      piece = at + PIECE;
      yield;
    }
    if (expected === ', or end') {
      const isArray = open.at(-1);
      if (isArray === undefined) return at === text.length;
      if (takeMark(',')) expected = isArray ? 'value' : 'name';
      else if (takeMark(isArray ? ']' : '}')) open.pop();
      else return false;
    } else if (expected === 'name' || expected === 'name or }') {
      if (expected === 'name or }' && takeMark('}')) {
        open.pop();
        expected = ', or end';
        continue;
      }
      if (!(yield* quoted())) return false;
      take(BLANKS);
      if (!takeMark(':')) return false;
      expected = 'value';
    } else if (expected === 'value or ]' && takeMark(']')) {
      open.pop();
      expected = ', or end';
    } else if (takeMark('{')) {
      open.push(false);
      expected = 'name or }';
    } else if (takeMark('[')) {
      open.push(true);
      expected = 'value or ]';
    } else {
      const isValue = take(WORD) || (text[at] === '"' ? yield* quoted() : take(NUMBER));
      if (!isValue) return false;
      take(BLANKS);
      expected = ', or end';
    }
  }
}
