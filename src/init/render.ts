import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';
import { StartupError } from '../base/errors.ts';
import { displayPath } from '../config/display-path.ts';
import { uniqueColumns } from '../model/key.ts';
import { qualifiedName } from '../schema/types.ts';
import type { Draft } from './draft.ts';
import { valueOf } from './prove.ts';

const STYLE = { lineWidth: 0, singleQuote: true, flowCollectionPadding: true } as const;

/** Whether a run has something to write of a draft. */
export function isChanged({ source, attributes, relations }: Draft): boolean {
  return source === null || attributes.size > 0 || relations.size > 0;
}

/** Whether entities of a draft's table can be addressed one by one; of a new file only. */
export function hasKey({ table, head }: Draft): boolean {
  return table.primaryKey.length > 0 || head['key'] !== undefined;
}

/** The text of a new mapping file. */
export function newFileText(draft: Draft): string {
  const document = new Document(valueOf(draft));
  const root = document.contents as unknown as YAMLMap;
  for (const { key, value } of root.items) {
    if (!isMap(value) || !['attributes', 'relations'].includes(String(key))) {
      setFlow(value);
    } else if (value.items.length === 0) {
      value.flow = true;
    } else {
      for (const pair of value.items) setFlow(pair.value);
    }
  }
  document.commentBefore =
    ` ${qualifiedName(draft.table)}, mapped by entitygate init.` +
    ' Edit freely: the next run keeps what is here.';
  if (draft.head['stamp'] === undefined) {
    document.commentBefore += '\n The stamp is a hash, or none where it is read only.';
  }
  if (!hasKey(draft) && uniqueColumns(draft.table).length === 0) {
    document.commentBefore +=
      '\n No key is known, so that entities are read by filter only. Name the columns that tell rows apart:' +
      '\n key: [COLUMN]';
  }
  return document.toString(STYLE);
}

function setFlow(node: unknown): void {
  if (typeof node === 'object' && node !== null) (node as { flow?: boolean }).flow = true;
}

/**
 * The text of a file with what is added to it. Lines are put in where a section ends, so that the rest keeps its every
 * byte; where that cannot be done, the document is written anew with its comments.
 * @throws StartupError when the file is written in a way that nothing can be added to
 */
export function mergedText(text: string, draft: Draft): string {
  const relations = [...draft.relations].map(([name, { setting }]) => [name, setting] as const);
  const additions = [
    ['attributes', [...draft.attributes]],
    ['relations', relations],
  ] as const;
  const wanted = valueOf(draft);
  const inserted = additions.reduce<string | null>(
    (before, [section, pairs]) => (before === null ? null : insert(before, section, pairs)),
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
    // An alias cannot be added to; the check below says so.
  }
  const rewritten = document.toString(STYLE);
  if (says(rewritten, wanted)) return rewritten;
  const names = [...draft.attributes.keys(), ...draft.relations.keys()].join(', ');
  throw new StartupError([
    {
      where: displayPath(draft.path),
      message: `nothing can be added to its sections as they are written; add ${names} by hand`,
    },
  ]);
}

function says(text: string, wanted: unknown): boolean {
  const document = parseDocument(text);
  return document.errors.length === 0 && isDeepStrictEqual(document.toJS(), wanted);
}

/** Puts lines at the end of a section. @returns null where the section is not written in lines */
function insert(
  text: string,
  section: string,
  pairs: readonly (readonly [string, unknown])[],
): string | null {
  if (pairs.length === 0) return text;
  const node = parseDocument(text).get(section, true);
  const newLine = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = (indent: string): string =>
    pairs.map(([name, setting]) => `${newLine}${indent}${pairText(name, setting)}`).join('');
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

function rangeOf(node: unknown): readonly number[] | undefined {
  return (node as { range?: readonly number[] | null } | null | undefined)?.range ?? undefined;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  if (end < 0) return text.length;
  return text[end - 1] === '\r' ? end - 1 : end;
}

function pairText(name: string, setting: unknown): string {
  const document = new Document({ [name]: setting });
  for (const { value } of (document.contents as unknown as YAMLMap).items) setFlow(value);
  return document.toString(STYLE).trimEnd();
}
