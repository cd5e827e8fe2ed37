/** A comparator of a rule: those of `$filter`, and the two that compare with null. */
export type RuleComparator =
  | '='
  | '!='
  | '==='
  | '!=='
  | '<'
  | '<='
  | '>'
  | '>='
  | 'begin'
  | '%'
  | 'IN'
  | '= null'
  | '!= null';

export const JOINERS = ['AND', 'OR', 'EXCEPT'] as const;

/** What joins a rule to all that stand before it: the gateway reads conditions from left to right. */
export type Joiner = (typeof JOINERS)[number];

/** One condition of a filter that consists of such conditions alone. */
export interface Rule {
  /** Without a meaning for the first rule. */
  readonly joiner: Joiner;
  readonly path: string;
  readonly comparator: RuleComparator;
  /** What it is compared with, as a user types it: none for null, several for `IN`. */
  readonly values: readonly string[];
}

/** The type of a path: an attribute's by the catalog, `property` within an object, `relation` of a relation itself. */
export type PathType =
  | 'bool'
  | 'blob'
  | 'byte'
  | 'word'
  | 'long'
  | 'long64'
  | 'number'
  | 'string'
  | 'uuid'
  | 'date'
  | 'duration'
  | 'image'
  | 'object'
  | 'property'
  | 'relation';

/** The type of a path; null where there is no such path. */
export type TypeOfPath = (path: string) => PathType | null;

const NULLS = ['= null', '!= null'] as const;
const ORDERED = ['<', '<=', '>', '>='] as const;
const TEXT = ['===', '!==', 'begin', '%', '=', '!=', ...ORDERED, 'IN', ...NULLS] as const;
const VALUES = ['=', '!=', ...ORDERED, 'IN', ...NULLS] as const;

/** The comparators of a type (docs/reference/filters.md, "Values and types"), the usual one first. */
export function comparatorsOf(type: PathType): readonly RuleComparator[] {
  switch (type) {
    case 'string':
    case 'property':
      return TEXT;
    case 'byte':
    case 'word':
    case 'long':
    case 'long64':
    case 'number':
    case 'date':
    case 'duration':
    case 'uuid':
      return VALUES;
    case 'bool':
      return ['=', ...NULLS];
    case 'object':
    case 'image':
    case 'blob':
    case 'relation':
      return NULLS;
  }
}

/** What a comparator says, in words. */
export function comparatorLabel(comparator: RuleComparator, type: PathType): string {
  if (comparator === '=' && isText(type)) return 'is like (@ = any text)';
  if (comparator === '!=' && isText(type)) return 'is not like (@ = any text)';
  if (type === 'date' && comparator in DATE_LABELS) return DATE_LABELS[comparator] ?? '';
  return LABELS[comparator];
}

const LABELS: Readonly<Record<RuleComparator, string>> = {
  '=': 'is',
  '!=': 'is not',
  '===': 'is',
  '!==': 'is not',
  '<': 'is less than',
  '<=': 'is at most',
  '>': 'is greater than',
  '>=': 'is at least',
  begin: 'begins with',
  '%': 'contains',
  IN: 'is one of',
  '= null': 'is null',
  '!= null': 'is not null',
};

const DATE_LABELS: Readonly<Partial<Record<RuleComparator, string>>> = {
  '<': 'is before',
  '<=': 'is on or before',
  '>': 'is after',
  '>=': 'is on or after',
};

export function comparesWithNull(comparator: RuleComparator): boolean {
  return comparator === '= null' || comparator === '!= null';
}

/** Whether a rule says enough to be part of a filter. */
export function isComplete({ path, comparator, values }: Rule): boolean {
  if (path === '') return false;
  return comparesWithNull(comparator) || values.some((value) => value !== '');
}

/** A new rule for a path, by the usual comparator of its type. */
export function newRule(path: string, type: PathType): Rule {
  const [comparator = '='] = comparatorsOf(type);
  return { joiner: 'AND', path, comparator, values: type === 'bool' ? ['true'] : [''] };
}

/** A condition on a path as an example of what a filter is. */
export function exampleOf(path: string, type: PathType): string {
  switch (type) {
    case 'byte':
    case 'word':
    case 'long':
    case 'long64':
    case 'number':
      return `${path} > 10`;
    case 'string':
    case 'property':
      return `${path} begin "A"`;
    case 'date':
      return `${path} >= 2024-12-31`;
    case 'duration':
      return `${path} < 08:30:00`;
    case 'bool':
      return `${path} = true`;
    case 'uuid':
    case 'object':
    case 'image':
    case 'blob':
    case 'relation':
      return `${path} != null`;
  }
}

/** The `$filter` of rules; those that are not complete are left out. */
export function filterOfRules(rules: readonly Rule[], typeOf: TypeOfPath): string {
  return rules
    .filter(isComplete)
    .map((rule, index) => {
      const type = typeOf(rule.path) ?? 'string';
      return `${index === 0 ? '' : ` ${rule.joiner} `}${condition(rule, type)}`;
    })
    .join('');
}

function condition({ path, comparator, values }: Rule, type: PathType): string {
  if (comparesWithNull(comparator)) return `${path} ${comparator}`;
  const texts = values.filter((value) => value !== '').map((value) => valueText(value, type));
  return `${path} ${comparator} ${comparator === 'IN' ? `[${texts.join(', ')}]` : (texts[0] ?? '')}`;
}

/** Unquoted values that the grammar reads as one word, and that are no keyword. */
const PLAIN = /^[+-]?\d[\w.:+-]*$/;

/** A value in a filter. Texts are quoted, quotes in them written as their codes, so that nothing in them ends them. */
function valueText(value: string, type: PathType): string {
  const isPlain =
    type === 'bool' ||
    (type === 'property' ? isJsonWord(value) : !isText(type) && PLAIN.test(value));
  return isPlain ? value : `"${value.replaceAll('"', '\\u0022')}"`;
}

/** Whether a property is compared as a number or a boolean. */
function isJsonWord(value: string): boolean {
  return /^(?:true|false|-?\d+(?:\.\d+)?)$/.test(value);
}

function isText(type: PathType): boolean {
  return type === 'string' || type === 'property';
}
