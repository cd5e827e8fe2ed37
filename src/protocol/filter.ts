import { defaultLimits, MOST_ITEMS } from '../base/limits.ts';
import { withoutLast } from '../base/text.ts';
import type { Comparator, FilterNode, Literal, PathRef, ParameterRef } from './ast.ts';
import {
  classifyText,
  classifyWord,
  decodeQuoteCodes,
  parameterShape,
  TextScanner,
  type ValueList,
} from './url/literals.ts';

/** How deep parentheses may be nested, and conditions: engines have no more stack than that. */
const MOST_PARENTHESES = 64;
const MOST_LEVELS = 200;

const SYMBOLS: readonly Comparator[] = ['=', '!=', '===', '!==', '<', '<=', '>', '>='];

const SYNONYMS: Readonly<Record<string, Comparator>> = { '==': '=', '#': '!=', '%': 'contains' };

/** Comparators and functions of other query languages, in lower case, by what says the same here. */
const FOREIGN: readonly (readonly [here: string, elsewhere: readonly string[]])[] = [
  ['=', ['eq', 'equals', '=~']],
  ['!=', ['ne', 'neq', '<>', '~=']],
  ['>', ['gt']],
  ['>=', ['ge', 'gte', '=>']],
  ['<', ['lt']],
  ['<=', ['le', 'lte', '=<']],
  ['attribute >= low AND attribute <= high', ['between']],
  ['attribute % text', ['contains', 'icontains', 'substringof', 'has']],
  ['attribute begin text', ['startswith', 'istartswith', 'starts']],
  ['attribute = @text', ['endswith', 'iendswith', 'ends']],
  ['attribute = @text@', ['ilike', 'matches']],
  ['NOT (attribute = value)', ['not', '!']],
];

const EXPECTED_COMPARATORS =
  'expected one of =, ==, ===, !=, #, !==, <, <=, >, >=, %, IN, IS, IS NOT, begin, like';

const JOINERS: readonly (readonly [RegExp, 'and' | 'or' | 'except'])[] = [
  [/(?:AND(?![^\s("'])|&&?)/iy, 'and'],
  [/(?:OR(?![^\s("'])|\|\|?)/iy, 'or'],
  [/(?:EXCEPT(?![^\s("'])|\^)/iy, 'except'],
];

/** A path: anything that means nothing else here. */
const PATH = /[^\s\p{Cc}=!#<>%&|^()'",;:@*[\]]+/uy;

/** A member of groups that is more than a path: `sum(total)`, `orderDate:month`, `price:step(10)`. */
const GROUP_MEMBER =
  /[^\s\p{Cc}=!#<>%&|^()'",;:@*[\]]+(?:\s*\([^()'"]*\)|:\w+(?:\([^()'"]*\))?)/iuy;

/** The text of a member of groups as it is compared with others: without blanks, and a step without zeros that change nothing. */
export function memberText(text: string): string {
  return text.replace(/\s+/g, '').replace(/(?<=:step\()\d+(?:\.\d+)?(?=\))/, (size) => {
    const [whole = '', fraction = ''] = size.replace(/^0+(?=\d)/, '').split('.');
    const digits = withoutLast(fraction, '0');
    return digits === '' ? whole : `${whole}.${digits}`;
  });
}

/** An attribute that is named `not`, before a comparator that is a word, which is no attribute itself. */
const NAMED_NOT =
  /NOT\s+(?:IN\s*[[(:$]|(?:IS|begin|like)(?:\s*["':]|\s+(?!(?:IN|IS|begin|like|AND|OR|EXCEPT)[\s("'[])[^\s=!#<>%)&|^]))/iy;

/** The end of an unquoted value: an operator, a parenthesis, or a joining word. Of several blanks only the first is looked at. */
const VALUE_END = /[()<>=!#&|^]|(?<!\s)\s+(?:AND|OR|EXCEPT)(?=[\s("']|$)/gi;

/** A quote that opens a value; clients write its code as well (DECISIONS, "URLs and encodings"). */
const QUOTE = /["']|\\{1,2}u00(?:22|27)/iy;

/** A date that needs no quotes though it holds what looks like a comparator: `31!12!2024`, `!!2024-12-31!!`. */
const DATE = /(?:\d{1,2}!\d{1,2}!\d{1,4}|!!\d{4}-\d{1,2}-\d{1,2}!!)(?=\s|[)\],&|^]|$)/y;

/** What may follow the closing quote of a value: the end, a closing bracket, or a joining word. */
const AFTER_QUOTE = /\s*(?:$|[)\],&|^]|(?:AND|OR|EXCEPT)(?=[\s("']|$))/iy;

/** An alias of `=`. */
const LIKE = /like(?=[\s"':\\]|$)/iy;

/** Allows values that are claims of the user, `$claims.region`: in the gateway's own filters, and in no client's. */
export const CLAIMS = 'claims';

/** The name of a claim where a value is expected. */
const CLAIM = /\$claims\.([\p{L}\p{N}_.:/-]+)/uy;

/** Parses a `$filter` expression (§4.3, DECISIONS): comparisons joined from left to right, all words of one precedence, parentheses first. */
export function parseFilter(
  text: string,
  within: string,
  given: FilterValues,
): { readonly node: FilterNode; readonly shape: string } {
  const parser = new FilterParser(text, within, given);
  return { node: parser.parse(), shape: parser.shape };
}

/** Where the values of an expression come from and go to, and what it may hold. */
interface FilterValues extends FilterOptions {
  /** Besides the expression itself: `$params`, claims, or nowhere. */
  readonly origin: readonly Literal[] | typeof CLAIMS | null;
  readonly values: ValueList;
  readonly maxComparisons?: number;
}

export interface FilterOptions {
  /** Whether `=` and `!=` refuse wildcards, which `like` takes: those who delete by an e-mail address mean one (DECISIONS, "Updates"). */
  readonly isExact?: boolean;
  /** Whether a path may be a member of groups: `sum(total)`, `orderDate:month`. Each is one name then, without blanks. */
  readonly ofGroups?: boolean;
}

class FilterParser extends TextScanner {
  /** The expression without its values. */
  shape = '';
  readonly #given: FilterValues;
  #comparisons = 0;
  #depth = 0;

  constructor(text: string, within: string, given: FilterValues) {
    super(text, within);
    this.#given = given;
  }

  parse(): FilterNode {
    const node = this.#expression();
    this.skipBlanks();
    if (!this.isAtEnd()) {
      this.fail('badQuery', 'Expected AND, OR, EXCEPT or the end of the expression');
    }
    if (heightOf(node) > MOST_LEVELS) {
      const message = `AND, OR, EXCEPT and NOT lie within each other more than ${MOST_LEVELS} levels deep, as they are read from left to right: put together what one of them joins`;
      this.failAt('badQuery', message, 1);
    }
    return node;
  }

  #expression(): FilterNode {
    let node = this.#term();
    const kinds = new Set<string>();
    for (;;) {
      const kind = this.#joiner();
      if (kind === null) return node;
      this.shape += ` ${kind} `;
      kinds.add(kind);
      const isMixed = kinds.has('and') && kinds.has('or');
      node = { kind, left: node, right: this.#term(), ...(isMixed ? { isMixed } : {}) };
    }
  }

  #joiner(): 'and' | 'or' | 'except' | null {
    this.skipBlanks();
    for (const [pattern, kind] of JOINERS) {
      if (this.take(pattern) !== null) return kind;
    }
    return null;
  }

  #term(): FilterNode {
    this.skipBlanks();
    if (!this.looksAt(NAMED_NOT) && this.take(/NOT(?=\s*\(|\s+[^\s=!#<>%])/iy) !== null) {
      this.shape += 'not ';
      return { kind: 'not', operand: this.#deeper(() => this.#term()) };
    }
    if (this.take(/\(/y) === null) return this.#comparison();
    this.shape += '(';
    const node = this.#deeper(() => this.#expression());
    this.skipBlanks();
    if (this.take(/\)/y) === null) {
      this.fail('badQuery', 'Expected AND, OR, EXCEPT or a closing parenthesis');
    }
    this.shape += ')';
    return node;
  }

  #deeper(read: () => FilterNode): FilterNode {
    this.#depth += 1;
    if (this.#depth > MOST_PARENTHESES) {
      const message = `The expression is nested deeper than ${MOST_PARENTHESES} levels`;
      this.failAt('badQuery', message);
    }
    const node = read();
    this.#depth -= 1;
    return node;
  }

  #comparison(): FilterNode {
    this.#refuseEval();
    const { maxComparisons = defaultLimits.maxFilterComparisons } = this.#given;
    this.#comparisons += 1;
    if (this.#comparisons > maxComparisons) {
      const message = `The expression holds more than ${maxComparisons} comparisons`;
      this.failAt('badQuery', message);
    }
    const path = this.#path();
    if (this.looksAt(/\(/y)) this.#noComparator(path.names.join('.'), path.position);
    this.skipBlanks();
    const isLike = this.looksAt(LIKE);
    const comparator = this.#comparator();
    if (comparator === null) {
      this.shape += path.names.join('.');
      return { kind: 'flag', path };
    }
    const value = comparator === 'in' ? this.#list() : this.#value(comparator, isLike);
    this.shape += `${path.names.join('.')} ${comparator} ${parameterShape(value)}`;
    return { kind: 'comparison', path, comparator, value };
  }

  /** The family's servers take code for a condition, and for a value. */
  #refuseEval(): void {
    if (this.looksAt(/eval\s*\(/iy)) {
      this.failAt('notServed', 'eval(…) is not served by this version of the gateway');
    }
  }

  #path(): PathRef {
    const position = this.position;
    const member = this.#given.ofGroups === true ? this.take(GROUP_MEMBER) : null;
    if (member !== null) return { names: [memberText(member)], position };
    const text = this.take(PATH);
    if (text === null) this.fail('badQuery', 'Expected an attribute name');
    const names = text.split('.');
    if (names.includes('')) {
      const message = `"${text}" is not an attribute path: a name is missing beside a dot`;
      this.failAt('badQuery', message, position);
    }
    return { names, position };
  }

  #comparator(): Comparator | null {
    this.skipBlanks();
    const position = this.position;
    const run = this.take(/[=!#<>~]+?(?=!!\d)|[=!#<>~]+|%/y);
    if (run !== null) {
      const comparator = SYMBOLS.find((symbol) => symbol === run) ?? SYNONYMS[run];
      return comparator ?? this.#noComparator(run, position);
    }
    if (this.take(/IS\s+NOT(?=[\s"':\\]|$)/iy) !== null) return '!==';
    if (this.take(/IS(?=[\s"':\\]|$)/iy) !== null) return '===';
    if (this.take(/IN(?=[\s[("':]|$)/iy) !== null) return 'in';
    if (this.take(/begin(?=[\s"':\\]|$)/iy) !== null) return 'begin';
    if (this.take(LIKE) !== null) return '=';
    if (this.isAtEnd() || this.looksAt(/\)|[&|^]|(?:AND|OR|EXCEPT)(?![^\s("'])/iy)) return null;
    return this.#noComparator(this.take(/\S+/y) ?? '', position);
  }

  #noComparator(text: string, position: number): never {
    const [here] = FOREIGN.find(([, elsewhere]) => elsewhere.includes(text.toLowerCase())) ?? [];
    const message =
      here === undefined
        ? `"${text}" is not a comparator; ${EXPECTED_COMPARATORS}`
        : `"${text}" is not a comparator. Did you mean ${here}?`;
    this.failAt('badComparator', message, position);
  }

  /** @param isLike whether wildcards are meant, and SQL's patterns are to be expected */
  #value(comparator: Comparator, isLike: boolean): ParameterRef {
    this.skipBlanks();
    const { position } = this;
    const takesWildcards = isLike || !(comparator === '=' || comparator === '!=');
    const literal = this.#claim('text') ?? this.#literal(VALUE_END, AFTER_QUOTE);
    if (literal.class === 'list') {
      this.failAt('badQuery', `A list of values needs IN, not ${comparator}`, position);
    }
    const { value } = literal;
    const isPattern = isLike && literal.class !== 'wild' && typeof value === 'string';
    if (isPattern && value.includes('%')) {
      const here = value.replaceAll('%', '@');
      this.failAt('badQuery', `The wildcard is @, not %. Did you mean ${here}?`, position);
    }
    if (this.#given.isExact === true && literal.class === 'wild' && !takesWildcards) {
      const [exact, pattern] =
        comparator === '=' ? ['===', 'like'] : ['!==', 'NOT (attribute like value)'];
      const message = `A delete does not take the wildcards @ and * with ${comparator}: write ${exact} to compare with this very text, or ${pattern} for a pattern`;
      this.failAt('badComparator', message, position);
    }
    return this.#given.values.add(literal);
  }

  #list(): ParameterRef {
    this.skipBlanks();
    const position = this.position;
    if (this.looksAt(/:/y)) {
      const literal = this.#placeholder();
      return this.#given.values.add(
        literal.class === 'list' ? literal : { ...literal, value: [literal], class: 'list' },
      );
    }
    const claim = this.#claim('list');
    if (claim !== null) return this.#given.values.add(claim);
    this.#refuseEval();
    const open = this.take(/[[(]/y);
    if (open === null) this.fail('badQuery', 'Expected a list such as [1, 2] or a placeholder');
    const close = open === '[' ? ']' : ')';
    const items: Literal[] = [];
    this.skipBlanks();
    while (this.take(close === ']' ? /\]/y : /\)/y) === null) {
      if (items.length > 0 && this.take(/,/y) === null) {
        this.fail('badQuery', `Expected a comma or ${close}`);
      }
      this.skipBlanks();
      if (this.#claim('text') !== null) {
        const message = 'A claim is not an item of a list: write IN $claims.name';
        this.failAt('badQuery', message, position);
      }
      if (items.length === MOST_ITEMS) {
        const message = `A list may hold ${MOST_ITEMS} values, and this has more`;
        this.failAt('badQuery', message, position);
      }
      items.push(this.#literal(/[,\])]/g, /\s*[,\])]/y));
      this.skipBlanks();
    }
    return this.#given.values.add({ value: items, class: 'list', within: this.within, position });
  }

  /** @param end what ends an unquoted value; @param afterQuote what has to follow a closing quote */
  #literal(end: RegExp, afterQuote: RegExp): Literal {
    if (this.looksAt(/:/y)) return this.#placeholder();
    const position = this.position;
    const quote = this.take(QUOTE);
    if (quote !== null) {
      const text = decodeQuoteCodes(this.takeQuoted(quote, afterQuote, 'a value'));
      return { value: text, class: classifyText(text), within: this.within, position };
    }
    this.#refuseEval();
    const text = this.take(DATE) ?? decodeQuoteCodes(this.takeUntil(end).trimEnd());
    if (text === '') this.fail('badQuery', 'Expected a value');
    return { value: text, class: classifyWord(text), within: this.within, position };
  }

  /** Reads the name of a claim; its value is known for each request, and is never a wildcard nor null. */
  #claim(kind: 'text' | 'list'): Literal | null {
    const { position } = this;
    const text = this.#given.origin === CLAIMS ? this.take(CLAIM) : null;
    if (text === null) return null;
    const claim = text.slice('$claims.'.length);
    return { value: kind === 'list' ? [] : '', class: kind, within: this.within, position, claim };
  }

  #placeholder(): Literal {
    const position = this.position;
    const text = this.take(/:\d*/y) ?? ':';
    const number = Number(text.slice(1));
    if (!Number.isSafeInteger(number) || number < 1) {
      const message = `"${text}" is not a placeholder; expected :1, :2 and so on (text that begins with a colon needs quotes)`;
      this.failAt('badPlaceholder', message, position);
    }
    const params = this.#given.origin === CLAIMS ? null : this.#given.origin;
    const literal = params?.[number - 1];
    if (literal !== undefined) return literal;
    const message =
      params === null
        ? `There is a placeholder :${number} but no $params`
        : `Placeholder :${number} has no value; $params holds ${params.length}`;
    return this.failAt('placeholderWithoutValue', message, position);
  }
}

/** How deep conditions are nested; conditions that the same word joins are side by side. */
function heightOf(node: FilterNode): number {
  switch (node.kind) {
    case 'flag':
    case 'comparison':
      return 0;
    case 'not':
      return heightOf(node.operand) + 1;
    case 'and':
    case 'or':
    case 'except': {
      const left = heightOf(node.left) + (node.left.kind === node.kind ? 0 : 1);
      return Math.max(left, heightOf(node.right) + 1);
    }
  }
}
