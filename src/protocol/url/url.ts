import { ProtocolError } from '../../base/errors.ts';

/** A URL taken apart, its escapes still in place in the path and undone in the parameters. */
export interface RawUrl {
  readonly path: string;
  readonly parameters: readonly RawParameter[];
}

/** A parameter, its outer quotes removed. */
export interface RawParameter {
  readonly name: string;
  readonly value: string;
  /** 1-based, of its name in the URL. */
  readonly position: number;
}

/**
 * Takes a raw URL apart (DECISIONS, "URLs and encodings"). A value that begins with a quote runs to the same quote before
 * an `&` or the end; what is inside, `&`, `=`, `/` and `?` too, is text. `%22` and `%27` count as quotes.
 * @throws ProtocolError badUrl, unclosedSingleQuote, unclosedDoubleQuote
 */
export function splitUrl(url: string): RawUrl {
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
    const nameEnd = endOfName(query, at);
    const name = decodeText(query.slice(at, nameEnd));
    const position = mark + 2 + at;
    if (name === '') {
      throw new ProtocolError('badUrl', 'Expected the name of a parameter, but found "=".', {
        within: 'the URL',
        position,
      });
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

function endOfName(query: string, from: number): number {
  let at = from;
  while (at < query.length && query[at] !== '=' && query[at] !== '&') at += 1;
  return at;
}

function readValue(
  query: string,
  from: number,
  name: string,
): { from: number; to: number; next: number } {
  const start = skipBlanks(query, from);
  QUOTE.lastIndex = start;
  const opening = QUOTE.exec(query)?.[0];
  if (opening === undefined) return unquotedValue(query, from, name);
  const quote = decodeEscapes(opening);
  const inside = start + opening.length;
  for (const { 0: closing, index } of query
    .slice(inside)
    .matchAll(quote === '"' ? /"|%22/g : /'|%27/g)) {
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

function unquotedValue(
  query: string,
  from: number,
  name: string,
): { from: number; to: number; next: number } {
  for (let at = query.indexOf('&', from); at >= 0; at = query.indexOf('&', at + 1)) {
    if (!FILTERS.has(name) || isBoundary(query, at)) return { from, to: at, next: at };
    if (query[at + 1] === '&') at += 1;
  }
  return { from, to: query.length, next: query.length };
}

/** In an unquoted filter `&` may also mean AND: it ends the value where a parameter, or nothing, follows. */
const FILTERS: ReadonlySet<string> = new Set(['$filter', '$savedfilter']);

/** Whether an `&` that ends a value stands here: one that a parameter's name or the end follows. */
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

/** Undoes `+` and percent escapes of UTF-8; an escape that is none stays as the text it is. */
export function decodeText(text: string): string {
  return decodeEscapes(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

/** Undoes percent escapes of UTF-8; an escape that is none stays as the text it is. */
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

/** The escapes of one character of UTF-8, as far as their first digits tell. */
const UTF8_CHARACTER =
  /%[0-7][0-9a-f]|%[c-d][0-9a-f]%[89ab][0-9a-f]|%e[0-9a-f](?:%[89ab][0-9a-f]){2}|%f[0-7](?:%[89ab][0-9a-f]){3}/gi;
