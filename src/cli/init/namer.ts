import pluralize from 'pluralize';
import { wordsOf } from '../../base/words.ts';
import { joinWords } from '../../model/naming.ts';
import type { ForeignKey, Table } from '../../schema/types.ts';
import type { Rules } from './rules.ts';
import { WordSplitter } from './split-words.ts';

/** Words at either end of a column's name that mark a reference without naming its target. */
const REFERENCE: ReadonlySet<string> = new Set(
  'id no nr num number cd code key fk ref uuid guid sk'.split(' '),
);

/** Words that are abbreviations in a schema; English grammar would turn `i` into `we` and `us` into `me`. */
const NO_NOUN =
  /^(?:.|me|us|we|he|she|it|its|they|them|this|that|these|those|is|are|was|were|has|have|(?:my|your|her|him|it|one)self|(?:our|your|them)selves)$/i;

/** Plurals whose singular nobody uses for a table. */
const PLURAL_ONLY = /^(?:data|media|metadata)$/i;

/** The shortest word that a schema is believed to write apart on purpose. */
const SHORTEST_KNOWN = 4;

/** Makes readable names from physical ones by the user's rules. */
export class Namer {
  readonly #rules: Rules;
  readonly #words: ReadonlyMap<string, string>;
  readonly #splitter: WordSplitter;

  /** @param tables those of the schema: words that it writes apart in one name are known in others */
  constructor(rules: Rules, tables: readonly Table[] = []) {
    this.#rules = rules;
    this.#words = new Map(Object.entries(rules.words).map(([a, b]) => [a.toLowerCase(), b]));
    this.#splitter = new WordSplitter([...this.#words.keys(), ...wordsApart(tables)]);
  }

  /** Names the dataclass of a table: `TBL_ORD_HDR` → `OrdHdr`. */
  dataclass(table: string): string {
    return joinWords(this.#dataclassWords(table), this.#rules.case, 'dataclass');
  }

  /** Names a dataclass with its schema, where two schemas have a table of one name. */
  qualifiedDataclass(schema: string, table: string): string {
    const words = [...this.#split(schema), ...this.#dataclassWords(table)];
    return joinWords(words, this.#rules.case, 'dataclass');
  }

  /** Names the attribute of a column: `FIRST_NM` → `firstNm`. */
  attribute(column: string): string {
    return this.member(this.columnWords(column));
  }

  member(words: readonly string[]): string {
    return joinWords(words, this.#rules.case, 'member');
  }

  columnWords(column: string): string[] {
    return this.#split(stripped(column, this.#rules.stripColumns));
  }

  /** Returns the role of a reference, by its column: `BILL_TO_ID` → `bill to`. */
  roleWords(column: string): string[] {
    const words = this.columnWords(column);
    const isReference = (word = ''): boolean => REFERENCE.has(word.toLowerCase());
    while (words.length > 1 && isReference(words.at(-1))) words.pop();
    while (words.length > 1 && isReference(words[0])) words.shift();
    return words;
  }

  nameWords(dataclass: string): string[] {
    return wordsOf(dataclass, this.#rules.case !== 'keep');
  }

  /** Makes the singular: `order line`. */
  one(words: readonly string[]): string[] {
    if (this.#rules.plurals === false) return [...words];
    return withLast(words, (word) =>
      NO_NOUN.test(word) || PLURAL_ONLY.test(word) ? word : this.#singular(word),
    );
  }

  /** Words of other languages end in `s`, too: the singular has to be a word. */
  #singular(word: string): string {
    const singular = pluralize.singular(word);
    return this.#splitter.isWord(singular) ? singular : word;
  }

  /** Makes the plural: `order lines`. English has none for words in other scripts, and for letters. */
  many(words: readonly string[]): string[] {
    const { plurals } = this.#rules;
    if (plurals === false) return [...words, 'collection'];
    const own = new Map(Object.entries(plurals).map(([a, b]) => [a.toLowerCase(), b]));
    const last = words.at(-1) ?? '';
    const hasNone = /(?!\p{ASCII})\p{L}/u.test(last) || NO_NOUN.test(last);
    if (hasNone && !own.has(last.toLowerCase())) return [...words, 'collection'];
    return withLast(words, (word) => own.get(word.toLowerCase()) ?? pluralize.plural(word));
  }

  /** Returns the best guess of the words in a word that no rule spells out, where it may be wrong; else null. */
  doubtedParts(word: string): readonly string[] | null {
    return this.#words.has(word.toLowerCase()) ? null : this.#splitter.doubtedParts(word);
  }

  #dataclassWords(table: string): string[] {
    const words = this.#split(stripped(table, this.#rules.strip));
    return this.#rules.singular ? this.one(words) : words;
  }

  #split(name: string): string[] {
    const written = wordsOf(name, this.#rules.case !== 'keep');
    const isSplit = this.#rules.splitWords && this.#rules.case !== 'keep';
    const words = written.flatMap((word) =>
      isSplit && !this.#words.has(word.toLowerCase()) ? this.#splitter.split(word) : [word],
    );
    const spelled = words.flatMap((word) => {
      const meant = this.#words.get(word.toLowerCase());
      return meant === undefined ? [word] : wordsOf(meant);
    });
    return spelled.length === 0 ? words : spelled;
  }
}

/** Returns the words of names that have several, and of tables: what is one word there is one in other names, too. */
function wordsApart(tables: readonly Table[]): string[] {
  const splitter = new WordSplitter();
  const words = tables.flatMap(({ name, columns }) => [
    ...wordsOf(name),
    ...columns.flatMap((column) => {
      const parts = wordsOf(column.name);
      return parts.length > 1 ? parts : [];
    }),
  ]);
  return [...new Set(words)].filter(
    (word) => word.length >= SHORTEST_KNOWN && splitter.split(word).length === 1,
  );
}

function withLast(words: readonly string[], change: (word: string) => string): string[] {
  const last = words.at(-1);
  return last === undefined ? [] : [...words.slice(0, -1), change(last)];
}

/** Strips prefixes (`TBL_`), suffixes (`_MST`) and texts that are both (without `_`) from a name, unless nothing would be left. */
function stripped(name: string, affixes: readonly string[]): string {
  return affixes.reduce((rest, affix) => {
    const lower = rest.toLowerCase();
    const text = affix.toLowerCase();
    if (rest.length <= affix.length) return rest;
    if (!affix.startsWith('_') && lower.startsWith(text)) return rest.slice(affix.length);
    if (!affix.endsWith('_') && lower.endsWith(text)) return rest.slice(0, -affix.length);
    return rest;
  }, name);
}

/**
 * Returns the column that a relation is named by, and its target: the only one of its foreign key, or the only one that it does not share with other
 * composite keys, as that of a tenant. Null without such a column.
 */
export function namingPair(
  foreignKey: ForeignKey,
  { foreignKeys }: Table,
): { readonly column: string; readonly target: string } | null {
  const { columns, targetColumns } = foreignKey;
  const shared = new Set(
    foreignKeys.flatMap((other) =>
      other === foreignKey || other.columns.length < 2 ? [] : other.columns,
    ),
  );
  const own = columns.length === 1 ? columns : columns.filter((column) => !shared.has(column));
  const [column, ...more] = own;
  if (column === undefined || more.length > 0) return null;
  return { column, target: targetColumns[columns.indexOf(column)] ?? column };
}
