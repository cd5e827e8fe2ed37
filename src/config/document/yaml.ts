import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Document,
  type Pair,
  type YAMLMap,
} from 'yaml';
import { MOST_TOLD, StartupError, type StartupProblem } from '../../base/errors.ts';
import { displayPath } from './display-path.ts';
import { FileProblem, readText, unreadable } from './text-file.ts';
import { parseYaml, rangeStart, type YamlProblem } from './yaml-document.ts';

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
