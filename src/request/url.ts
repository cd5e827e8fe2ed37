import { ProtocolError } from '../base/errors.ts';

/** A URL taken apart, its escapes still in place in the path and undone in the parameters. */
export interface RawUrl {
  readonly path: string;
  readonly parameters: readonly RawParameter[];
}

/** A parameter, its outer quotes removed. */
export interface RawParameter {
  readonly name: string;
  readonly value: string;
}

/**
 * Takes a raw URL apart (DECISIONS, "URLs and encodings"). A value that begins with a quote runs to the same quote before
 * an `&` or the end; what is inside, `&`, `=`, `/` and `?` too, is text. `%22` and `%27` count as quotes.
 * @throws ProtocolError unclosedSingleQuote, unclosedDoubleQuote
 */
export function splitUrl(url: string): RawUrl {
  const mark = url.indexOf('?');
  if (mark < 0) return { path: url, parameters: [] };
  const fragment = url.indexOf('#', mark);
  const query = revealQuotes(url.slice(mark + 1, fragment < 0 ? undefined : fragment));
  const parameters: RawParameter[] = [];
  let at = 0;
  while (at < query.length) {
    if (query[at] === '&') {
      at += 1;
      continue;
    }
    const nameEnd = endOfName(query, at);
    const name = decodeText(query.slice(at, nameEnd));
    if (query[nameEnd] !== '=') {
      parameters.push({ name, value: '' });
      at = nameEnd;
      continue;
    }
    const value = readValue(query, nameEnd + 1, name);
    parameters.push({ name, value: decodeText(query.slice(value.from, value.to)) });
    at = value.next;
  }
  return { path: url.slice(0, mark), parameters };
}

/** Undoes `%22` and `%27` only: what they stand for closes and opens values as the plain characters do. */
function revealQuotes(text: string): string {
  return text.replace(/%2[27]/g, (escape) => (escape === '%22' ? '"' : "'"));
}

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
  const quote = query[start];
  if (quote !== '"' && quote !== "'") return unquotedValue(query, from, name);
  for (let at = query.indexOf(quote, start + 1); at >= 0; at = query.indexOf(quote, at + 1)) {
    const after = skipBlanks(query, at + 1);
    if (after >= query.length || isBoundary(query, after)) {
      return { from: start + 1, to: at, next: after };
    }
  }
  // A filter may begin with a quoted value of its own, and parameters of JSON are not quoted at all.
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
    return text.replace(/(?:%[0-9a-f]{2})+/gi, (run) => {
      const bytes = Buffer.from(run.replaceAll('%', ''), 'hex');
      const decoded = bytes.toString('utf8');
      return decoded.includes('\uFFFD') ? run : decoded;
    });
  }
}
