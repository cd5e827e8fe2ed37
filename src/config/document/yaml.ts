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
import { MOST_TOLD, StartupError } from '../../base/errors.ts';
import { displayPath, FileProblem, readText, unreadable } from './text-file.ts';

/** The longest file, in bytes. The mapping files of 2,000 tables with 100 columns each have as much together. */
const MOST_BYTES = 8 * 1_048_576;

/** How deeply lists and names may be nested. The parser calls itself for each level, and a stack overflow ends the process. */
const MOST_LEVELS = 100;

/** How many words, signs and blanks a file may have: some 50,000 lines take a second to read. */
const MOST_TOKENS = 500_000;

const MOST_VALUES = 1_000_000;

/** How many aliases a file may have: each is looked up among all anchors. */
const MOST_ALIASES = 1000;

export const YAML_STYLE = { lineWidth: 0, singleQuote: true } as const;

/** A YAML file that was read: its value, and where each part of it stands. */
export interface YamlFile {
  /** As messages show it. */
  readonly path: string;
  readonly value: unknown;
  /**
   * Returns `file:line:column` of the part at a path of keys and indexes, or of the nearest part around it that exists: of the
   * value where it is a plain one, else of its key, because a block's first line says nothing about the block.
   */
  readonly locate: (path: readonly PropertyKey[], part?: 'key') => string;
}

/**
 * Reads a YAML 1.2 file, in a time and to a size that hostile files cannot stretch. Keys are texts, and tags that change types are refused. No message
 * repeats a part of the file, which may be a password. @throws StartupError naming the file, or the line
 */
export async function readYaml(path: string): Promise<YamlFile> {
  const shown = displayPath(path);
  const text = await textOf(path, shown);
  const lines = new LineCounter();
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${shown}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const notYaml = (problems: readonly YamlProblem[]): StartupError => {
    // What the library finds at the same place follows from the first.
    const places = new Set<number>();
    const first = problems.filter(({ offset }) => places.size < places.add(offset).size);
    const shownProblems = first.slice(0, MOST_TOLD).map(({ offset, message }) => ({
      where: at(offset),
      message: `this is not valid YAML: ${message}`,
    }));
    return new StartupError(shownProblems, first.length - shownProblems.length);
  };
  try {
    const document = compose(text, lines);
    const problems = problemsOf(document);
    if (problems.length > 0) throw notYaml(problems);
    const offsetOf = offsets(document);
    return {
      path: shown,
      value: document.toJS({ maxAliasCount: -1 }),
      locate: (keys, part) => at(offsetOf(keys, part)),
    };
  } catch (error) {
    throw error instanceof Refusal ? notYaml([error]) : error;
  }
}

async function textOf(path: string, shown: string): Promise<string> {
  try {
    return await readText(path, MOST_BYTES);
  } catch (error) {
    const position = error instanceof FileProblem ? error.position : null;
    const where = position === null ? shown : `${shown}:${position.line}:${position.column}`;
    throw StartupError.at(where, unreadable(error, 'file'));
  }
}

interface YamlProblem {
  readonly offset: number;
  readonly message: string;
}

/** Thrown where reading stops before the end of the text. */
class Refusal extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

/** Does what `parseDocument` of the library does, with limits between text and document. */
function compose(text: string, lines: LineCounter): Document {
  const composer = new Composer({
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'silent',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    stringKeys: true,
    // The library compares each key with all before it; Checks uses a set.
    uniqueKeys: false,
  });
  const [document, second] = composer.compose(tokensOf(text, lines), true, text.length);
  if (second !== undefined) {
    const message = 'a second document begins here: expected one, without --- between its lines';
    throw new Refusal(second.range[0], message);
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
    if (parser.stack.length > MOST_LEVELS) {
      throw new Refusal(parser.offset, 'lists and names stand in each other too deeply here');
    }
    if (count > MOST_TOKENS) {
      const message = `the file is too long: it ends to be read here, after ${MOST_TOKENS.toLocaleString('en')} words and signs`;
      throw new Refusal(parser.offset, message);
    }
  }
  yield* parser.end();
}

function problemsOf(document: Document): readonly YamlProblem[] {
  const problems = [...document.errors, ...document.warnings].map(({ pos, code, message }) => ({
    offset: pos[0],
    message: inOwnWords(code, message),
  }));
  return problems.length > 0 ? problems : new Checks().of(document);
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

/** Checks what the library does not, or not in bounded time: repeated keys, and aliases. */
class Checks {
  readonly #problems: YamlProblem[] = [];
  /** The number of values behind each anchor; null until the anchor's value has ended. */
  readonly #anchors = new Map<string, number | null>();
  #aliases = 0;
  #copies = 0;

  of({ contents }: Document): readonly YamlProblem[] {
    this.#count(contents);
    return this.#problems;
  }

  /** Counts the values of a node and of everything in it. */
  #count(node: unknown): number {
    if (isAlias(node)) return this.#countAlias(node.source, node.range?.[0] ?? 0);
    const anchor = isScalar(node) || isCollection(node) ? node.anchor : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, null);
    let values = 1;
    if (isSeq(node)) for (const item of node.items) values += this.#count(item);
    if (isMap(node)) values += this.#countPairs(node);
    // Aliases after a nested anchor of the same name mean that one.
    if (anchor !== undefined && this.#anchors.get(anchor) === null) {
      this.#anchors.set(anchor, values);
    }
    return values;
  }

  #countPairs({ items }: YAMLMap): number {
    const names = new Set<unknown>();
    let values = 0;
    for (const { key, value } of items) {
      const name = isScalar(key) ? key.value : undefined;
      if (names.has(name)) this.#problem(rangeOf(key)?.[0] ?? 0, 'Map keys must be unique');
      names.add(name);
      values += this.#count(value);
    }
    return values;
  }

  #countAlias(anchor: string, offset: number): number {
    this.#aliases += 1;
    const values = this.#anchors.get(anchor);
    if (values === undefined) {
      const message = 'Unresolved alias (the anchor must be set before the alias)';
      this.#problem(offset, `${message}. Text that begins with * needs quotes.`);
      return 1;
    }
    if (values === null) throw new Refusal(offset, 'this alias stands in what it means');
    if (this.#aliases > MOST_ALIASES) {
      throw new Refusal(offset, `there are more than ${MOST_ALIASES} aliases`);
    }
    this.#copies += values;
    if (this.#copies > MOST_VALUES) {
      throw new Refusal(offset, 'aliases make too many values of the file');
    }
    return values;
  }

  #problem(offset: number, message: string): void {
    this.#problems.push({ offset, message });
  }
}

/** Returns the offsets where a node begins and ends; undefined for anything else. */
export function rangeOf(node: unknown): readonly number[] | undefined {
  return (node as { range?: readonly number[] | null } | null | undefined)?.range ?? undefined;
}

/** Makes a function that finds parts of a document; it indexes the keys of each map once. */
function offsets(document: Document): (path: readonly PropertyKey[], part?: 'key') => number {
  const indexes = new WeakMap<YAMLMap, ReadonlyMap<unknown, Pair>>();
  const pairsOf = (node: YAMLMap): ReadonlyMap<unknown, Pair> => {
    const known = indexes.get(node);
    if (known !== undefined) return known;
    const pairs = new Map(
      node.items.map((pair) => [isScalar(pair.key) ? pair.key.value : undefined, pair]),
    );
    indexes.set(node, pairs);
    return pairs;
  };
  return (path, part) => {
    let node: unknown = document.contents;
    let offset = rangeOf(node)?.[0] ?? 0;
    for (const [index, key] of path.entries()) {
      if (isAlias(node)) node = node.resolve(document);
      if (isSeq(node)) {
        node = node.items[Number(key)];
        offset = rangeOf(node)?.[0] ?? offset;
      } else if (isMap(node)) {
        const pair = pairsOf(node).get(key);
        if (pair === undefined) break;
        node = pair.value;
        const plain = isScalar(node) && node.value !== null;
        const keyOnly = part === 'key' && index === path.length - 1;
        offset = (plain && !keyOnly ? rangeOf(node)?.[0] : rangeOf(pair.key)?.[0]) ?? offset;
      } else {
        break;
      }
    }
    return offset;
  };
}
