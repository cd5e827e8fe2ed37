import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import { catching, MOST_TOLD, StartupError } from '../../base/errors.ts';
import { displayPath, FileProblem, readText, unreadable } from './text-file.ts';
import { memoize } from '../../base/collections.ts';

/** The longest file, in bytes. The mapping files of 2,000 tables with 100 columns each have as much together. */
const MOST_BYTES = 8 * 1_048_576;

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
 * Reads a YAML 1.2 file. Keys are texts, and tags that change types are refused. No message repeats a part of the file, which may be a password.
 * @throws StartupError naming the file, or the line
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
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    logLevel: 'error',
    schema: 'core',
    merge: false,
    resolveKnownTags: false,
    stringKeys: true,
    // The library compares each key with all before it.
    uniqueKeys: false,
  });
  const problems = problemsOf(document);
  if (problems.length > 0) throw notYaml(problems);
  const offsetOf = offsets(document);
  return {
    path: shown,
    value: valueOf(document, shown),
    locate: (keys, part) => at(offsetOf(keys, part)),
  };
}

/** @throws StartupError for aliases that stand in what they mean, or make too much of a file */
function valueOf(document: Document, shown: string): unknown {
  return catching(
    ReferenceError,
    () => document.toJS() as unknown,
    ({ message }) => {
      throw StartupError.at(shown, `this is not valid YAML: ${message}`);
    },
  );
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

function problemsOf(document: Document): readonly YamlProblem[] {
  const problems = [...document.errors, ...document.warnings].map(({ pos, code, message }) => ({
    offset: pos[0],
    message: inOwnWords(code, message),
  }));
  if (problems.length > 0) return problems;
  const found = (node: unknown, message: string): void => {
    problems.push({ offset: rangeOf(node)?.[0] ?? 0, message });
  };
  visit(document, {
    Alias: (_, node, around) => {
      const meant = node.resolve(document);
      if (meant === undefined) found(node, UNRESOLVED);
      else if (around.includes(meant)) found(node, 'this alias stands in what it means');
    },
    Map: (_, { items }) => {
      const names = new Set<unknown>();
      for (const { key } of items) {
        const name = isScalar(key) ? key.value : undefined;
        if (names.size === names.add(name).size) found(key, 'Map keys must be unique');
      }
    },
  });
  return problems;
}

const UNRESOLVED =
  'Unresolved alias (the anchor must be set before the alias). Text that begins with * needs quotes.';

function inOwnWords(code: string, message: string): string {
  switch (code) {
    case 'TAG_RESOLVE_FAILED':
      return 'this tag is not known. Text that begins with ! needs quotes.';
    case 'NON_STRING_KEY':
      return 'a list or names with values stand in the place of a name';
    case 'UNEXPECTED_TOKEN':
      return message.replace(/:.*$/s, '');
    case 'MULTIPLE_DOCS':
      return 'a second document begins here: expected one, without --- between its lines';
    default:
      return message;
  }
}

/** Returns the offsets where a node begins and ends; undefined for anything else. */
export function rangeOf(node: unknown): readonly number[] | undefined {
  return (node as { range?: readonly number[] | null } | null | undefined)?.range ?? undefined;
}

/** Makes a function that finds parts of a document; it indexes the keys of each map once. */
function offsets(document: Document): (path: readonly PropertyKey[], part?: 'key') => number {
  const indexes = new WeakMap<YAMLMap, ReadonlyMap<unknown, Pair>>();
  const pairsOf = (node: YAMLMap): ReadonlyMap<unknown, Pair> =>
    memoize(
      indexes,
      node,
      () =>
        new Map(node.items.map((pair) => [isScalar(pair.key) ? pair.key.value : undefined, pair])),
    );
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
