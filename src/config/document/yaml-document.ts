import {
  Composer,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  type CST,
  type Document,
  type LineCounter,
  type YAMLMap,
} from 'yaml';

/** What is wrong with a text, and where it stands in it, as an offset from 0. */
export interface YamlProblem {
  readonly offset: number;
  readonly message: string;
}

/** How deeply lists and names may stand in each other. The parser calls itself for each level, and a full stack ends the process. */
const MOST_LEVELS = 100;

/** How many words, signs and blanks a file may have: some 50,000 lines take a second to read. */
const MOST_TOKENS = 500_000;

/** How many values all aliases of a file may stand for. */
const MOST_VALUES = 1_000_000;

/** How many aliases a file may have: each is looked for among all anchors. */
const MOST_ALIASES = 1000;

/** A text that is not read to its end. */
class Refusal extends Error {
  readonly offset: number;

  constructor({ offset, message }: YamlProblem) {
    super(message);
    this.offset = offset;
  }
}

/**
 * Parses a YAML text, in a time and to a size that hostile texts do not stretch. Keys are texts, and tags that make something else
 * of a value are refused.
 * @returns the document, or what is wrong with the text; no message repeats a part of it, which may be a password
 */
export function parseYaml(
  text: string,
  lines: LineCounter,
): { readonly document: Document } | { readonly problems: readonly YamlProblem[] } {
  try {
    const document = compose(text, lines);
    const problems = [...document.errors, ...document.warnings].map(
      ({ pos, code, message }): YamlProblem => ({
        offset: pos[0],
        message: inOwnWords(code, message),
      }),
    );
    if (problems.length === 0) problems.push(...new Checks().of(document));
    return problems.length === 0 ? { document } : { problems };
  } catch (error) {
    if (error instanceof Refusal) return { problems: [error] };
    throw error;
  }
}

/** As `parseDocument` of the library does it, of which the steps between text and document are seen. */
function compose(text: string, lines: LineCounter): Document {
  const composer = new Composer({
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    stringKeys: true,
    // The library compares each key with all before it; Checks does it by a set.
    uniqueKeys: false,
  });
  const [document, second] = composer.compose(tokensOf(text, lines), true, text.length);
  if (second !== undefined) {
    const message = 'a second document begins here: expected one, without --- between its lines';
    throw new Refusal({ offset: second.range[0], message });
  }
  return document as Document;
}

function* tokensOf(text: string, lines: LineCounter): Generator<CST.Token> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  for (const token of new Lexer().lex(text)) {
    yield* parser.next(token);
    count += 1;
    const { offset } = parser;
    if (parser.stack.length > MOST_LEVELS) {
      throw new Refusal({ offset, message: 'lists and names stand in each other too deeply here' });
    }
    if (count > MOST_TOKENS) {
      const message = `the file is too long: it ends to be read here, after ${MOST_TOKENS.toLocaleString('en')} words and signs`;
      throw new Refusal({ offset, message });
    }
  }
  yield* parser.end();
}

function inOwnWords(code: string, message: string): string {
  switch (code) {
    case 'TAG_RESOLVE_FAILED':
      return 'this tag is not known. Text that begins with ! needs quotes.';
    case 'NON_STRING_KEY':
      return 'a list or names with values stand in the place of a name';
    case 'UNEXPECTED_TOKEN':
      return message.replace(/:.*$/s, '');
    default:
      return message;
  }
}

/** What the library does not check, or not in a bounded time. */
class Checks {
  readonly #problems: YamlProblem[] = [];
  /** The values behind anchors; null where the value is not at its end yet. */
  readonly #anchors = new Map<string, number | null>();
  #aliases = 0;
  /** How many values all aliases stand for. */
  #copies = 0;

  of({ contents }: Document): readonly YamlProblem[] {
    this.#values(contents);
    return this.#problems;
  }

  /** How many values a node has, with those of all below it. */
  #values(node: unknown): number {
    if (isAlias(node)) return this.#behind(node.source, node.range?.[0] ?? 0);
    const anchor = isScalar(node) || isCollection(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, null);
    let values = 1;
    if (isSeq(node)) for (const item of node.items) values += this.#values(item);
    if (isMap(node)) values += this.#valuesOf(node);
    // An anchor of the same name below it is the one that aliases mean from there on.
    if (anchor !== undefined && this.#anchors.get(anchor) === null) {
      this.#anchors.set(anchor, values);
    }
    return values;
  }

  #valuesOf({ items }: YAMLMap): number {
    const names = new Set<unknown>();
    let values = 0;
    for (const { key, value } of items) {
      const name = isScalar(key) ? key.value : undefined;
      if (names.has(name)) this.#problem(rangeStart(key) ?? 0, 'Map keys must be unique');
      names.add(name);
      values += this.#values(value);
    }
    return values;
  }

  #behind(anchor: string, offset: number): number {
    this.#aliases += 1;
    const values = this.#anchors.get(anchor);
    if (values === undefined) {
      const message = 'Unresolved alias (the anchor must be set before the alias)';
      this.#problem(offset, `${message}. Text that begins with * needs quotes.`);
      return 1;
    }
    if (values === null)
      throw new Refusal({ offset, message: 'this alias stands in what it means' });
    if (this.#aliases > MOST_ALIASES) {
      throw new Refusal({ offset, message: `there are more than ${MOST_ALIASES} aliases` });
    }
    this.#copies += values;
    if (this.#copies > MOST_VALUES) {
      throw new Refusal({ offset, message: 'aliases make too many values of the file' });
    }
    return values;
  }

  #problem(offset: number, message: string): void {
    this.#problems.push({ offset, message });
  }
}

/** Where a node begins; undefined of what is none. */
export function rangeStart(node: unknown): number | undefined {
  return (node as { range?: readonly number[] | null } | null | undefined)?.range?.[0];
}
