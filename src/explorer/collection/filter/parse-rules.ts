import {
  comparatorsOf,
  type Joiner,
  type PathType,
  type Rule,
  type RuleComparator,
  type TypeOfPath,
} from './rules.ts';

/** A path, as the gateway's grammar has it. */
const PATH = /[^\s=!#<>%&|^()'",;:@*[\]]+/uy;

const COMPARATOR = /===|!==|==|!=|<=|>=|=|<|>|#|%|(?:IS\s+NOT|IS|IN|begin|like)(?=[\s"'[(]|$)/iy;

const JOINER = /(?:AND|OR|EXCEPT)(?=\s)/iy;

const SYNONYMS: Readonly<Record<string, string>> = {
  '==': '=',
  like: '=',
  is: '===',
  'is not': '!==',
  '#': '!=',
  in: 'IN',
};

const WITHOUT_WILDCARDS: Readonly<Record<string, string>> = { '===': '=', '!==': '!=' };

const QUOTED = /"([^"]*)"(?=\s|[,\])]|$)|'([^']*)'(?=\s|[,\])]|$)/y;

/** A value without quotes: words up to a joining word. Signs of the grammar, and dates of the `31!12!2024` kind, are left to the line. */
const WORDS =
  /[^\s()<>=!#&|^,"'[\]:](?:[^\s()<>=!#&|^,"'[\]]|\s+(?!(?:AND|OR|EXCEPT)(?:\s|$))(?=[^\s()<>=!#&|^,"'[\]]))*/iy;

/** What cannot be shown as rules. */
class BeyondRules extends Error {}

/**
 * Reads a `$filter` as rules. Filters with parentheses, NOT, placeholders, or that the gateway would refuse are more than rules can say.
 * @returns null for those
 */
export function rulesOfFilter(filter: string, typeOf: TypeOfPath): readonly Rule[] | null {
  try {
    return new RuleParser(filter, typeOf).parse();
  } catch (error) {
    if (error instanceof BeyondRules) return null;
    throw error;
  }
}

class RuleParser {
  readonly #text: string;
  readonly #typeOf: TypeOfPath;
  #at = 0;

  constructor(text: string, typeOf: TypeOfPath) {
    this.#text = text;
    this.#typeOf = typeOf;
  }

  parse(): readonly Rule[] {
    const rules: Rule[] = [];
    this.#skipBlanks();
    if (this.#isAtEnd()) return rules;
    rules.push(this.#rule('AND'));
    for (;;) {
      this.#skipBlanks();
      if (this.#isAtEnd()) return rules;
      const joiner = this.#expect(JOINER).toUpperCase();
      rules.push(this.#rule(joiner as Joiner));
    }
  }

  #rule(joiner: Joiner): Rule {
    this.#skipBlanks();
    const path = this.#expect(PATH);
    const type = this.#typeOf(path);
    if (type === null) throw new BeyondRules();
    this.#skipBlanks();
    const written = this.#take(COMPARATOR);
    if (written === null) {
      if (type !== 'bool') throw new BeyondRules();
      return { joiner, path, comparator: '=', values: ['true'] };
    }
    const comparator = this.#comparator(written, type);
    this.#skipBlanks();
    if (comparator === 'IN')
      return this.#known({ joiner, path, comparator, values: this.#list() }, type);
    const quoted = this.#quoted();
    const value = quoted ?? this.#expect(WORDS);
    if (quoted === null && /^null$/i.test(value)) {
      const isEqual = comparator === '=' || comparator === '===';
      if (!isEqual && comparator !== '!=' && comparator !== '!==') throw new BeyondRules();
      return { joiner, path, comparator: isEqual ? '= null' : '!= null', values: [] };
    }
    return this.#known({ joiner, path, comparator, values: [value] }, type);
  }

  #comparator(written: string, type: PathType): RuleComparator {
    const word = written.toLowerCase().replace(/\s+/, ' ');
    const comparator = SYNONYMS[word] ?? word;
    // Where there are no wildcards, the comparators with and without them are the same.
    const hasWildcards = type === 'string' || type === 'property';
    const plain = hasWildcards ? comparator : (WITHOUT_WILDCARDS[comparator] ?? comparator);
    return plain as RuleComparator;
  }

  #known(rule: Rule, type: PathType): Rule {
    if (!comparatorsOf(type).includes(rule.comparator)) throw new BeyondRules();
    return rule;
  }

  #list(): readonly string[] {
    const open = this.#expect(/[[(]/y);
    const close = open === '[' ? /\]/y : /\)/y;
    const values: string[] = [];
    this.#skipBlanks();
    while (this.#take(close) === null) {
      if (values.length > 0) this.#expect(/,/y);
      this.#skipBlanks();
      const quoted = this.#quoted();
      const value = quoted ?? this.#expect(WORDS);
      if (quoted === null && /^null$/i.test(value)) throw new BeyondRules();
      values.push(value);
      this.#skipBlanks();
    }
    return values;
  }

  #quoted(): string | null {
    QUOTED.lastIndex = this.#at;
    const match = QUOTED.exec(this.#text);
    if (match === null) return null;
    this.#at += match[0].length;
    return (match[1] ?? match[2] ?? '').replace(/\\{1,2}u00(27|22)/gi, (_, code) =>
      code === '27' ? "'" : '"',
    );
  }

  #take(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) return null;
    this.#at += match[0].length;
    return match[0];
  }

  #expect(pattern: RegExp): string {
    const text = this.#take(pattern);
    if (text === null) throw new BeyondRules();
    return text;
  }

  #skipBlanks(): void {
    this.#take(/\s+/y);
  }

  #isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }
}
