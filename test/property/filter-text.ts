import type { Comparator, LiteralClass } from '../../src/protocol/ast.ts';

/** A value as the client means it: its class follows from how it can be written. */
export interface Value {
  readonly text: string;
  readonly class: Exclude<LiteralClass, 'list'>;
}

export type Tree =
  | {
      readonly kind: 'comparison';
      readonly names: readonly string[];
      readonly comparator: Exclude<Comparator, 'in'>;
      readonly value: Value;
    }
  | { readonly kind: 'in'; readonly names: readonly string[]; readonly values: readonly Value[] }
  | { readonly kind: 'flag'; readonly names: readonly string[] }
  | { readonly kind: 'and' | 'or' | 'except'; readonly left: Tree; readonly right: Tree }
  | { readonly kind: 'not'; readonly operand: Tree };

/** Text in quotes. */
export function quotedValue(text: string): Value {
  return { text, class: text.includes('@') || text.endsWith('*') ? 'wild' : 'text' };
}

/** Text with wildcards that needs no quotes. */
const BARE_WILD = /^\w+[\w@*]*[@*]\w*$/;

/** What JSON writes as filters do. */
const JSON_LITERAL = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?|true|null)$/;

/** A value in `$params`; null where it cannot stand there. */
function parameter(value: Value): string | null {
  if (isQuotable(value)) return JSON.stringify(value.text);
  return JSON_LITERAL.test(value.text) ? value.text : null;
}

/** Spells a tree out; each choice between spellings takes the next of the given numbers. */
export class Printer {
  readonly params: string[] = [];
  readonly #choices: readonly number[];
  #at = 0;

  constructor(choices: readonly number[]) {
    this.#choices = choices;
  }

  #pick<T>(...spellings: readonly [T, ...T[]]): T {
    const choice = this.#choices[this.#at % this.#choices.length] ?? 0;
    this.#at += 1;
    return spellings[choice % spellings.length] ?? spellings[0];
  }

  #blanks(): string {
    return this.#pick('', ' ', '\t \n');
  }

  print(tree: Tree): string {
    switch (tree.kind) {
      case 'and':
      case 'or':
      case 'except': {
        const joint = {
          and: this.#pick(' AND ', '\nand\t', ' And ', ' & ', '&&'),
          or: this.#pick(' OR ', ' or ', ' | ', '||'),
          except: this.#pick(' EXCEPT ', ' Except ', '^', ' ^ '),
        }[tree.kind];
        const left = this.print(tree.left);
        const right = this.print(tree.right);
        const isJoint = ['and', 'or', 'except'].includes(tree.right.kind);
        return (
          (this.#pick(false, true) ? this.#parentheses(left) : left) +
          joint +
          (isJoint || this.#pick(false, true) ? this.#parentheses(right) : right)
        );
      }
      case 'not': {
        const not = this.#pick('NOT', 'not', 'nOt');
        return `${not}${this.#blanks()}${this.#parentheses(this.print(tree.operand))}`;
      }
      case 'flag':
        return tree.names.join('.');
      case 'in':
        return `${tree.names.join('.')} ${this.#pick('IN', 'in', 'In')} ${this.#list(tree.values)}`;
      case 'comparison':
        return (
          tree.names.join('.') +
          this.#comparator(tree.comparator, tree.value) +
          this.#value(tree.value)
        );
    }
  }

  #parentheses(text: string): string {
    return `(${this.#blanks()}${text}${this.#blanks()})`;
  }

  #comparator(comparator: Exclude<Comparator, 'in'>, value: unknown): string {
    switch (comparator) {
      case '=':
        // `like` refuses SQL's wildcard.
        if (JSON.stringify(value).includes('%')) return this.#pick('=', ' = ', '==', ' == ');
        return this.#pick('=', ' = ', '==', ' == ', ' like ', ' LIKE\t');
      case '!=':
        return this.#pick('!=', ' != ', '#', ' # ');
      case '===':
        return this.#pick('===', ' === ', ' IS ', '\nis ');
      case '!==':
        return this.#pick('!==', ' !== ', ' IS NOT ', ' is \t not ');
      case 'begin':
        return this.#pick(' begin ', ' BEGIN\n');
      case 'contains':
        return this.#pick('%', ' % ');
      case '<':
      case '<=':
      case '>':
      case '>=':
        return this.#pick(comparator, ` ${comparator} `);
    }
  }

  #list(list: readonly Value[]): string {
    const items = list.map(parameter);
    if (!items.includes(null) && this.#pick(false, true)) {
      return this.#placeholder(`[${items.join(',')}]`);
    }
    const [open, close] = this.#pick(['[', ']'], ['(', ')']);
    const written = list.map((item) => this.#blanks() + this.#value(item) + this.#blanks());
    return `${open}${written.length === 0 ? this.#blanks() : written.join(',')}${close}`;
  }

  #value(value: Value): string {
    const { text } = value;
    const given = parameter(value);
    if (!isQuotable(value)) {
      return given !== null && this.#pick(false, true) ? this.#placeholder(given) : text;
    }
    if (value.class === 'wild' && BARE_WILD.test(text) && this.#pick(true, false)) return text;
    const quote = this.#pick("'", '"');
    // A backslash before the code of a quote would be read as part of the code.
    if (text.includes(`\\${quote}`) || this.#pick(false, false, true)) {
      return this.#placeholder(given ?? '');
    }
    return `${quote}${text.replaceAll(quote, quote === "'" ? '\\u0027' : '\\u0022')}${quote}`;
  }

  #placeholder(json: string): string {
    this.params.push(json);
    return `:${this.params.length}`;
  }
}

/** Whether a value is text: what stands for itself without quotes is of another class in quotes. */
export function isQuotable(value: Value): boolean {
  return value.class === 'text' || value.class === 'wild';
}
