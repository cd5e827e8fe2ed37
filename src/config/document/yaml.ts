import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Pair,
  Parser,
  type YAMLMap,
} from 'yaml';
import { MOST_TOLD, StartupError, type StartupProblem } from '../../base/errors.ts';
import { displayPath, FileProblem, readText, unreadable } from './text-file.ts';

/** What is wrong with a text, and where it stands in it, as an offset from 0. */
interface YamlProblem {
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
function parseYaml(
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
function rangeStart(node: unknown): number | undefined {
  return (node as { range?: readonly number[] | null } | null | undefined)?.range?.[0];
}

/** A YAML file that was read: its value, and where each part of it stands. */
export interface YamlFile {
  /** As messages show it. */
  readonly path: string;
  readonly value: unknown;
  /**
   * `file:line:column` of the part at a path of keys and indexes, or of the nearest part around it that exists: of the
   * value where it is a plain one, else of its key, because a block's first line says nothing about the block.
   */
  readonly locate: (path: readonly PropertyKey[], part?: 'key') => string;
}

/** How long a file may be, in bytes. The mapping files of 2,000 tables with 100 columns each have as much together. */
const MOST_BYTES = 8 * 1_048_576;

/**
 * Reads a YAML 1.2 file.
 * @throws StartupError naming the file, or the line, when it cannot be read or is not YAML
 */
export async function readYaml(path: string): Promise<YamlFile> {
  const shown = displayPath(path);
  const text = await textOf(path, shown);
  const lines = new LineCounter();
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${shown}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const parsed = parseYaml(text, lines);
  if ('problems' in parsed) throw notYaml(parsed.problems, at);
  const { document } = parsed;
  const offsetOf = offsets(document);
  return {
    path: shown,
    value: document.toJS({ maxAliasCount: -1 }),
    locate: (keys, part) => at(offsetOf(keys, part)),
  };
}

async function textOf(path: string, shown: string): Promise<string> {
  try {
    return await readText(path, MOST_BYTES);
  } catch (error) {
    const place = error instanceof FileProblem ? error.place : null;
    const where = place === null ? shown : `${shown}:${place.line}:${place.column}`;
    throw new StartupError([{ where, message: unreadable(error, 'file') }]);
  }
}

function notYaml(problems: readonly YamlProblem[], at: (offset: number) => string): StartupError {
  const told = problems.slice(0, MOST_TOLD).map(({ offset, message }): StartupProblem => ({
    where: at(offset),
    message: `this is not valid YAML: ${message}`,
  }));
  return new StartupError(told, problems.length - told.length);
}

/** Finds parts of a document; the names of what holds many are looked up once. */
function offsets(document: Document): (path: readonly PropertyKey[], part?: 'key') => number {
  const named = new WeakMap<YAMLMap, ReadonlyMap<unknown, Pair>>();
  const pairsOf = (node: YAMLMap): ReadonlyMap<unknown, Pair> => {
    const known = named.get(node);
    if (known !== undefined) return known;
    const pairs = new Map(
      node.items.map((pair) => [isScalar(pair.key) ? pair.key.value : undefined, pair]),
    );
    named.set(node, pairs);
    return pairs;
  };
  return (path, part) => {
    let node: unknown = document.contents;
    let offset = rangeStart(node) ?? 0;
    for (const [index, key] of path.entries()) {
      if (isAlias(node)) node = node.resolve(document);
      if (isSeq(node)) {
        node = node.items[Number(key)];
        offset = rangeStart(node) ?? offset;
      } else if (isMap(node)) {
        const pair = pairsOf(node).get(key);
        if (pair === undefined) break;
        node = pair.value;
        const plain = isScalar(node) && node.value !== null;
        const keyOnly = part === 'key' && index === path.length - 1;
        offset = (plain && !keyOnly ? rangeStart(node) : rangeStart(pair.key)) ?? offset;
      } else {
        break;
      }
    }
    return offset;
  };
}
