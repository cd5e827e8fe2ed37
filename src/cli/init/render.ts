import { Document, isMap, type YAMLMap } from 'yaml';
import { StartupError } from '../../base/errors.ts';
import { displayPath } from '../../config/document/display-path.ts';
import { uniqueColumns } from '../../model/key.ts';
import { qualifiedName } from '../../schema/types.ts';
import type { Draft } from './draft.ts';
import { valueOf } from './prove.ts';
import { setFlow, textWith, YAML_STYLE } from './yaml-text.ts';

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
  return document.toString(YAML_STYLE);
}

/**
 * The text of a file with what is added to it.
 * @throws StartupError when the file is written in a way that nothing can be added to
 */
export function mergedText(text: string, draft: Draft): string {
  const relations = [...draft.relations].map(([name, { setting }]) => [name, setting] as const);
  const additions = [
    ['attributes', [...draft.attributes]],
    ['relations', relations],
  ] as const;
  const merged = textWith(text, additions, valueOf(draft));
  if (merged !== null) return merged;
  const names = [...draft.attributes.keys(), ...draft.relations.keys()].join(', ');
  throw new StartupError([
    {
      where: displayPath(draft.path),
      message: `nothing can be added to its sections as they are written; add ${names} by hand`,
    },
  ]);
}
