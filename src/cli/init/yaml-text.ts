import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';
import { StartupError } from '../../base/errors.ts';
import { wordsOf } from '../../base/words.ts';
import { displayPath } from '../../config/document/text-file.ts';
import { rangeOf, YAML_STYLE } from '../../config/document/yaml.ts';
import { NameIndex } from '../../model/lookup.ts';
import { type PhysicalSchema, qualifiedName } from '../../schema/types.ts';
import { tableChooser } from './choice.ts';
import { Namer } from './namer.ts';
import type { Rules } from './rules.ts';

export type Pairs = readonly (readonly [name: string, setting: unknown])[];

/** Comments behind entries, by their names. */
type Comments = ReadonlyMap<string, string>;

const NO_COMMENTS: Comments = new Map();

/** Writes a new file: a line for each entry of its sections, and for each other setting. */
export function newText(
  content: object,
  sections: readonly string[],
  comment: string,
  comments = NO_COMMENTS,
): string {
  const document = new Document(content);
  for (const { key, value } of pairsOf(document)) {
    if (!isMap(value) || !sections.includes(String(key)) || value.items.length === 0) {
      setFlow(value);
    } else {
      for (const pair of value.items) setStyle(pair, comments);
    }
  }
  document.commentBefore = comment;
  return document.toString(YAML_STYLE);
}

/** Adds entries to the sections of a file, whose content `wanted` will be. @throws StartupError when nothing can be added to it as it is written */
export async function mergedText(
  path: string,
  additions: Readonly<Record<string, Pairs>>,
  wanted: unknown,
  what = 'sections',
  comments = NO_COMMENTS,
): Promise<string> {
  const sections = Object.entries(additions);
  const merged = textWith(await readFile(path, 'utf8'), sections, wanted, comments);
  if (merged !== null) return merged;
  const names = sections.flatMap(([, pairs]) => pairs.map(([name]) => name)).join(', ');
  const message = `nothing can be added to its ${what} as they are written; add ${names} by hand`;
  throw StartupError.at(displayPath(path), message);
}

/** Inserts lines at the end of each section, so that everything else keeps its bytes, or else rewrites the document. Null where that fails, too. */
function textWith(
  text: string,
  additions: readonly (readonly [section: string, pairs: Pairs])[],
  wanted: unknown,
  comments: Comments,
): string | null {
  const inserted = additions.reduce<string | null>(
    (before, [section, pairs]) =>
      before === null ? null : insert(before, section, pairs, comments),
    text,
  );
  if (inserted !== null && says(inserted, wanted)) return inserted;
  const document = parseDocument(text);
  try {
    for (const [section, pairs] of additions) {
      for (const [name, setting] of pairs) {
        document.setIn([section, name], document.createNode(setting, { flow: true }));
      }
    }
  } catch {
    // An alias cannot be added to; the check below fails then.
  }
  const rewritten = document.toString(YAML_STYLE);
  return says(rewritten, wanted) ? rewritten : null;
}

function says(text: string, wanted: unknown): boolean {
  const document = parseDocument(text);
  return document.errors.length === 0 && isDeepStrictEqual(document.toJS(), wanted);
}

/** Inserts lines at the end of a section; null where the section is not written in lines. */
function insert(text: string, section: string, pairs: Pairs, comments: Comments): string | null {
  if (pairs.length === 0) return text;
  const node = parseDocument(text).get(section, true);
  const newLine = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = (indent: string): string =>
    pairs
      .map(([name, setting]) => `${newLine}${indent}${pairText(name, setting, comments)}`)
      .join('');
  const [start, valueEnd] = rangeOf(node) ?? [];
  if (start === undefined || valueEnd === undefined) return null;
  const isEmpty = isMap(node) ? node.items.length === 0 : isScalar(node) && node.value === null;
  if (isEmpty) {
    const end = lineEnd(text, valueEnd);
    return `${text.slice(0, start).trimEnd()}${text.slice(valueEnd, end)}${lines('  ')}${text.slice(end)}`;
  }
  if (!isMap(node) || node.flow === true) return null;
  const last = node.items.at(-1);
  const key = rangeOf(last?.key);
  const end = rangeOf(last?.value)?.[1] ?? key?.[1];
  if (key === undefined || end === undefined) return null;
  const [keyStart = 0] = key;
  const indent = text.slice(text.lastIndexOf('\n', keyStart - 1) + 1, keyStart);
  if (indent.trim() !== '') return null;
  const at = lineEnd(text, end);
  return `${text.slice(0, at)}${lines(indent)}${text.slice(at)}`;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

function pairText(name: string, setting: unknown, comments: Comments): string {
  const document = new Document({ [name]: setting });
  for (const pair of pairsOf(document)) setStyle(pair, comments);
  return document.toString(YAML_STYLE).trimEnd();
}

function pairsOf({ contents }: Document): YAMLMap['items'] {
  return (contents as unknown as YAMLMap).items;
}

/** Writes an entry in one line, with its comment. */
function setStyle({ key, value }: YAMLMap['items'][number], comments: Comments): void {
  setFlow(value);
  const comment = comments.get(String(key));
  if (comment !== undefined) (value as { comment?: string }).comment = comment;
}

function setFlow(node: unknown): void {
  if (typeof node === 'object' && node !== null) (node as { flow?: boolean }).flow = true;
}

/**
 * Writes the words that may be several words written together, and that no rule spells out, as `words:` of init.yaml: each with the best guess, and with a
 * name that it is used in as a comment. Null where there are none.
 */
export function suggestedWords(schema: PhysicalSchema, rules: Rules): string | null {
  const namer = new Namer(rules, schema.tables);
  const isChosen = tableChooser(rules, new NameIndex(schema).fold);
  const found = new Map<string, { readonly guess: string; readonly use: string }>();
  const look = (name: string, use: string): void => {
    for (const word of wordsOf(name)) {
      const key = word.toLowerCase();
      const guess = found.has(key) ? null : namer.doubtedParts(word);
      if (guess !== null) found.set(key, { guess: guess.join(' ').toLowerCase(), use });
    }
  };
  for (const table of schema.tables.filter(isChosen)) {
    look(table.name, qualifiedName(table));
    for (const { name } of table.columns) look(name, `${qualifiedName(table)}.${name}`);
  }
  if (found.size === 0) return null;
  const sorted = [...found].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const words = Object.fromEntries(sorted.map(([word, { guess }]) => [word, guess]));
  const document = new Document({ words });
  const map = document.get('words');
  for (const { key, value } of isMap(map) ? map.items : []) {
    const use = isScalar(key) ? found.get(String(key.value))?.use : undefined;
    if (isScalar(value) && use !== undefined) value.comment = ` ${use}`;
  }
  return document.toString(YAML_STYLE);
}
