import { Document, isMap, isScalar } from 'yaml';
import { wordsOf } from '../../base/words.ts';
import { YAML_STYLE } from '../../config/document/yaml.ts';
import { NameIndex } from '../../model/lookup.ts';
import { type PhysicalSchema, qualifiedName } from '../../schema/types.ts';
import { tableChooser } from './choice.ts';
import { Namer } from './namer.ts';
import type { Rules } from './rules.ts';

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
