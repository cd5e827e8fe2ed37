import { isNullLiteral } from '../plan/null-literal.ts';
import type { KeysParameter, Parameter, ValueSource } from '../query/ir.ts';
import type { Literal } from '../request/ast.ts';
import type { Dialect } from '../sql/dialect.ts';
import { convert } from './convert.ts';
import { sideOf } from './range.ts';
import { isOnStep, roundToStep } from './steps.ts';

/**
 * The text that a parameter is given for one request.
 * @throws ProtocolError wrongType (1508) when its type cannot hold the value
 */
export function bindParameter(
  parameter: Parameter,
  values: readonly Literal[],
  dialect: Dialect,
): string {
  const literal = valueOf(parameter.source, values);
  const { type, meets, round } = parameter;
  const one = (item: Literal): string => convert(item, type, meets, dialect.limits);
  switch (parameter.use) {
    case 'count':
      return one(literal);
    case 'value': {
      const value = one(literal);
      return round === undefined ? value : roundToStep(value, type, round);
    }
    case 'list':
      return dialect.listText(
        (typeof literal.value === 'string' ? [literal] : literal.value)
          .filter((item) => !isNullLiteral(item.class, type))
          .filter((item) => sideOf(item, type, dialect.limits) === null)
          .map(one)
          .filter((value) => isOnStep(value, type)),
      );
    case 'begins':
      return `${dialect.likeLiteral(one(literal))}%`;
    case 'contains':
      return `%${dialect.likeLiteral(one(literal))}%`;
    case 'wildcard':
      return wildcardPattern(one(literal), dialect);
  }
}

/** The value that a source leads to. */
function valueOf(source: ValueSource, values: readonly Literal[]): Literal {
  if (source.from === 'model') {
    const literal = (value: string): Literal => ({ value, ...FROM_MODEL });
    return typeof source.value === 'string'
      ? literal(source.value)
      : { ...FROM_MODEL, value: source.value.map(literal), class: 'list' };
  }
  const literal = values[source.slot];
  if (literal === undefined) throw new Error(`no value for slot ${source.slot}`);
  return literal;
}

/** The model's values fit: they were looked at when it was built. */
const FROM_MODEL = { class: 'text', within: 'where', position: 1 } as const;

/**
 * The keys of one request as JSON rows `[ordinal, part, …]`. A key with a part that its type does not have is left out: it
 * is no row's.
 * @throws ProtocolError wrongType (1508) when a part's type cannot hold the value
 */
export function bindKeys(
  { slots, types, meets }: KeysParameter,
  values: readonly Literal[],
  dialect: Dialect,
): string {
  const rows = slots.flatMap((parts, ordinal) => {
    const texts = types.map((type, part) => {
      const literal = values[parts[part] ?? -1];
      if (literal === undefined) throw new Error(`key ${ordinal} has no part ${part}`);
      if (sideOf(literal, type, dialect.limits) !== null) return null;
      const text = convert(literal, type, meets[part] ?? '', dialect.limits);
      return isOnStep(text, type) ? text : null;
    });
    return texts.includes(null) ? [] : [[ordinal, ...texts]];
  });
  return JSON.stringify(rows);
}

/** `@` stands for any text, and so does a `*` at the end; all else is literal. */
function wildcardPattern(text: string, dialect: Dialect): string {
  const star = text.endsWith('*');
  const pattern = (star ? text.slice(0, -1) : text)
    .split('@')
    .map((part) => dialect.likeLiteral(part))
    .join('%');
  return star ? `${pattern}%` : pattern;
}
