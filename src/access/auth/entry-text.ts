import { Document, type Node } from 'yaml';

/** How files of the gateway's are written. */
export const STYLE = { lineWidth: 0, singleQuote: true, flowCollectionPadding: true } as const;

/**
 * YAML text of the one entry at a path of names, for people to paste: a line for each thing that it says.
 * @param isItem whether it is an item of the list at the path
 */
export function entryText(
  path: readonly string[],
  entry: Readonly<Record<string, unknown>>,
  isItem: boolean,
): string {
  const document = new Document({});
  const node = document.createNode(Object.fromEntries(linesOf(document, entry)));
  document.setIn(path, isItem ? document.createNode([node]) : node);
  return document.toString(STYLE);
}

/** An entry's parts as nodes: lists and claims each on a line of their own. */
export function linesOf(
  document: Document,
  entry: Readonly<Record<string, unknown>>,
): [string, Node][] {
  return Object.entries(entry).map(([name, value]) => [
    name,
    document.createNode(value, { flow: true }),
  ]);
}
