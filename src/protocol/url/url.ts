import { ProtocolError } from '../../base/errors.ts';

/** A parameter, its escapes undone and its outer quotes removed. */
export interface RawParameter {
  readonly name: string;
  readonly value: string;
  /** 1-based, of its name in the URL. */
  readonly position: number;
}

/**
 * Splits a raw URL into its path, with its escapes, and its parameters (DECISIONS, "URLs and encodings"). A value that begins with a quote
 * runs to the same quote before an `&` or the end; what is inside, `&`, `=`, `/` and `?` too, is text. `%22` and `%27` count as quotes.
 * @throws ProtocolError badUrl, unclosedSingleQuote, unclosedDoubleQuote
 */
export function splitUrl(url: string): {
  readonly path: string;
  readonly parameters: readonly RawParameter[];
} {
  const mark = url.indexOf('?');
  if (mark < 0) return { path: url, parameters: [] };
  const fragment = url.indexOf('#', mark);
  const query = url.slice(mark + 1, fragment < 0 ? undefined : fragment);
  const parameters: RawParameter[] = [];
  let at = 0;
  while (at < query.length) {
    if (query[at] === '&') {
      at += 1;
      continue;
    }
    let nameEnd = at;
    while (nameEnd < query.length && query[nameEnd] !== '=' && query[nameEnd] !== '&') nameEnd += 1;
    const name = decodeText(query.slice(at, nameEnd));
    const position = mark + 2 + at;
    if (name === '') {
      const message = 'Expected the name of a parameter, but found "=".';
      throw new ProtocolError('badUrl', message, { within: 'the URL', position });
    }
    if (query[nameEnd] !== '=') {
      parameters.push({ name, value: '', position });
      at = nameEnd;
      continue;
    }
    const value = readValue(query, nameEnd + 1, name);
    parameters.push({ name, value: decodeText(query.slice(value.from, value.to)), position });
    at = value.next;
  }
  return { path: url.slice(0, mark), parameters };
}

/** A quote that opens or closes a value, plain or escaped. */
const QUOTE = /"|%22|'|%27/y;

/** The offsets of a value, and of what follows it. */
interface ValueRange {
  readonly from: number;
  readonly to: number;
  readonly next: number;
}

function readValue(query: string, from: number, name: string): ValueRange {
  const start = skipBlanks(query, from);
  QUOTE.lastIndex = start;
  const opening = QUOTE.exec(query)?.[0];
  if (opening === undefined) return unquotedValue(query, from, name);
  const quote = decodeEscapes(opening);
  const inside = start + opening.length;
  const closings = quote === '"' ? /"|%22/g : /'|%27/g;
  for (const { 0: closing, index } of query.slice(inside).matchAll(closings)) {
    const to = inside + index;
    const after = skipBlanks(query, to + closing.length);
    if (after >= query.length || isBoundary(query, after)) return { from: inside, to, next: after };
  }
  throw new ProtocolError(
    quote === '"' ? 'unclosedDoubleQuote' : 'unclosedSingleQuote',
    `The value of ${name} begins with ${quote} and has no ${quote} at its end.`,
    { within: name, position: 1 },
  );
}

function unquotedValue(query: string, from: number, name: string): ValueRange {
  for (let at = query.indexOf('&', from); at >= 0; at = query.indexOf('&', at + 1)) {
    if (!FILTERS.includes(name) || isBoundary(query, at)) return { from, to: at, next: at };
    if (query[at + 1] === '&') at += 1;
  }
  return { from, to: query.length, next: query.length };
}

/** In an unquoted filter `&` may also mean AND: it ends the value where a parameter, or nothing, follows. */
const FILTERS: readonly string[] = ['$filter', '$savedfilter'];

/** Whether an `&` that ends a value is here: a parameter's name or the end follows it. */
function isBoundary(query: string, at: number): boolean {
  return (
    query[at] === '&' && /^&*(?:$|(?:\$|%24|_)[\w%$-]*(?:[=&]|$))/i.test(query.slice(at, at + 64))
  );
}

function skipBlanks(query: string, from: number): number {
  let at = from;
  for (;;) {
    if (query[at] === '+' || query[at] === ' ') at += 1;
    else if (query.startsWith('%20', at)) at += 3;
    else return at;
  }
}

/** Undoes `+`, too. */
function decodeText(text: string): string {
  return decodeEscapes(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

/** Undoes percent escapes of UTF-8; an invalid escape stays as it is. */
export function decodeEscapes(text: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replace(UTF8_CHARACTER, (escapes) => {
      const character = Buffer.from(escapes.replaceAll('%', ''), 'hex').toString('utf8');
      return character.startsWith('\uFFFD') ? escapes : character;
    });
  }
}

/** The escapes of one character of UTF-8, by their first digits. */
const UTF8_CHARACTER =
  /%[0-7][0-9a-f]|%[c-d][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi;
