import { isDeepStrictEqual } from 'node:util';
import { Document, isMap, isScalar, parseDocument, type YAMLMap } from 'yaml';

/** How mapping files are written. */
export const YAML_STYLE = { lineWidth: 0, singleQuote: true, flowCollectionPadding: true } as const;

/** Has a node written in one line. */
export function setFlow(node: unknown): void {
  if (typeof node === 'object' && node !== null) (node as { flow?: boolean }).flow = true;
}

/** Names and what they are set to. */
type Pairs = readonly (readonly [string, unknown])[];

/**
 * A text of YAML with what is added to its sections. Lines are put in where a section ends, so that the rest keeps its every
 * byte; where that cannot be done, the document is written anew with its comments.
 * @param wanted what the text says then
 * @returns null where it is written in a way that nothing can be added to
 */
export function textWith(
  text: string,
  additions: readonly (readonly [section: string, pairs: Pairs])[],
  wanted: unknown,
): string | null {
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
  const rewritten = document.toString(YAML_STYLE);
  return says(rewritten, wanted) ? rewritten : null;
}

function says(text: string, wanted: unknown): boolean {
  const document = parseDocument(text);
  return document.errors.length === 0 && isDeepStrictEqual(document.toJS(), wanted);
}

/** Puts lines at the end of a section. @returns null where the section is not written in lines */
function insert(text: string, section: string, pairs: Pairs): string | null {
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
  return document.toString(YAML_STYLE).trimEnd();
}
