import { readFile } from 'node:fs/promises';
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument, type Document } from 'yaml';
import { StartupError } from '../base/errors.ts';
import { displayPath } from './display-path.ts';

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

/**
 * Reads a YAML 1.2 file.
 * @throws StartupError naming the file, or the line, when it cannot be read or is not YAML
 */
export async function readYaml(path: string): Promise<YamlFile> {
  const shown = displayPath(path);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new StartupError([
      { where: shown, message: unreadable(error as NodeJS.ErrnoException, 'file') },
    ]);
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${shown}:${Math.max(line, 1)}:${Math.max(col, 1)}`;
  };
  const invalid = (offset: number, message: string): { where: string; message: string } => ({
    where: at(offset),
    message: `this is not valid YAML: ${message}`,
  });
  if (document.errors.length > 0) {
    throw new StartupError(document.errors.map(({ pos, message }) => invalid(pos[0], message)));
  }
  try {
    return {
      path: shown,
      value: document.toJS(),
      locate: (keys, part) => at(offsetOf(document, keys, part)),
    };
  } catch (error) {
    // Aliases are followed only now; one may lead nowhere. Its name is not told: it may be a password without quotes.
    const message = (error as Error).message.replace(/(Unresolved alias[^:]*): .*$/, '$1');
    throw new StartupError([invalid(0, `${message}. Text that begins with * needs quotes.`)]);
  }
}

/** Why a file or a folder cannot be read, in words. */
export function unreadable(error: NodeJS.ErrnoException, what: 'file' | 'folder'): string {
  switch (error.code) {
    case 'ENOENT':
      return `there is no such ${what}`;
    case 'EISDIR':
      return 'is a folder, not a file';
    case 'ENOTDIR':
      return 'is a file, not a folder';
    case 'EACCES':
    case 'EPERM':
      return `the user that runs the gateway may not read this ${what}`;
    case undefined:
    default:
      return `cannot be read: ${error.message}`;
  }
}

function offsetOf(document: Document, keys: readonly PropertyKey[], part?: 'key'): number {
  let node: unknown = document.contents;
  let offset = document.contents?.range?.[0] ?? 0;
  for (const [index, key] of keys.entries()) {
    if (isAlias(node)) node = node.resolve(document);
    if (isSeq(node)) {
      node = node.items[Number(key)];
      offset = rangeStart(node) ?? offset;
    } else if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && item.key.value === key);
      if (pair === undefined) break;
      node = pair.value;
      const plain = isScalar(node) && node.value !== null;
      const keyOnly = part === 'key' && index === keys.length - 1;
      offset = (plain && !keyOnly ? rangeStart(node) : rangeStart(pair.key)) ?? offset;
    } else {
      break;
    }
  }
  return offset;
}

function rangeStart(node: unknown): number | undefined {
  return (node as { range?: readonly number[] | null } | undefined)?.range?.[0];
}
