import type { KeysParameter, Parameter } from '../../sql/ir/ir.ts';
import type { Literal } from '../../protocol/ast.ts';
import { ProtocolError } from '../../base/errors.ts';
import { excerpt } from '../../base/text.ts';
import type { Dialect } from '../../sql/dialect.ts';
import { ConversionError } from './conversion-error.ts';
import { canonicalText, convert } from './convert.ts';
import { isHeld, sideOf } from './range.ts';
import { isOnStep, roundToStep } from './steps.ts';
import { type GivenValues, itemsOf, valueOf } from './value-source.ts';
import type { RestrictedDataclass, Restriction } from '../../model/types.ts';
import { isNullLiteral } from '../../plan/condition/comparison.ts';
import { type OnValue, planRestriction } from '../../plan/condition/restriction.ts';

/**
 * The text that a parameter is given for one request.
 * @throws ProtocolError wrongType (1508) when its type cannot hold the value
 */
export function bindParameter(parameter: Parameter, given: GivenValues, dialect: Dialect): string {
  const literal = valueOf(parameter.source, given);
  const { type, meets, round } = parameter;
  const one = (item: Literal): string => convert(item, type, meets, dialect.limits);
  switch (parameter.use) {
    case 'count':
      return one(literal);
    case 'value': {
      const value = heldOrFloor(literal, parameter, dialect) ?? one(literal);
      const rounded = round === undefined ? value : roundToStep(value, type, round);
      return dialect.parameterText(rounded, type);
    }
    case 'list':
      return dialect.listText(listValues(parameter, literal, dialect));
    case 'begins':
    case 'contains':
    case 'wildcard': {
      const pattern = likePattern(one(literal), parameter.use, dialect);
      if (pattern.length <= dialect.longestPattern) return pattern;
      throw new ProtocolError(
        'wrongType',
        `"${excerpt(one(literal))}" is too long to be looked for in ${meets}: as a pattern it has ${pattern.length} ` +
          `characters, and the database takes ${dialect.longestPattern}`,
        { within: literal.within, position: literal.position },
      );
    }
  }
}

/** A value as its type has it, or, where it lies between two of the type's, the lower one; null for any other. */
function heldOrFloor({ value }: Literal, { type }: Parameter, { limits }: Dialect): string | null {
  if (typeof value !== 'string') return null;
  try {
    return canonicalText(value, type, limits);
  } catch (error) {
    if (error instanceof ConversionError) return error.floor;
    throw error;
  }
}

function likePattern(
  text: string,
  use: 'begins' | 'contains' | 'wildcard',
  dialect: Dialect,
): string {
  switch (use) {
    case 'begins':
      return `${dialect.likeLiteral(text)}%`;
    case 'contains':
      return `%${dialect.likeLiteral(text)}%`;
    case 'wildcard':
      return wildcardPattern(text, dialect);
  }
}

/** The values of a list that its type has: no others equal one of the column's. */
function listValues({ type, meets }: Parameter, list: Literal, dialect: Dialect): string[] {
  return itemsOf(list, type)
    .filter((item) => isHeld(item, type, dialect.limits))
    .map((item) => dialect.parameterText(convert(item, type, meets, dialect.limits), type));
}

/**
 * Gives the values of short lists, one at a time; each list is filled up with its last value, and is converted once.
 * @returns null where a list has no value
 * @throws ProtocolError wrongType (1508) when the list's type cannot hold a value
 */
export function listBinder(
  given: GivenValues,
  dialect: Dialect,
): (list: Parameter, index: number) => string | null {
  const held = new Map<Parameter, readonly string[]>();
  return (list, index) => {
    const items = held.get(list) ?? listValues(list, valueOf(list.source, given), dialect);
    held.set(list, items);
    return items[index] ?? items.at(-1) ?? null;
  };
}

/**
 * The keys of one request as JSON rows `[ordinal, part, …]`. A key with a part that its type does not have is left out: it
 * is not a row's.
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
      return isOnStep(text, type) ? dialect.parameterText(text, type) : null;
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

/**
 * Looks whether a restriction of the model can be asked of any row.
 * @throws ProtocolError comparatorNotForType, or wrongType for a value that its attribute's type cannot hold
 */
export function checkRestriction(restriction: Restriction, dataclass: RestrictedDataclass): void {
  eachValue(restriction, dataclass, (literal, type, meets) => {
    if (literal.claim !== undefined) return;
    const items = typeof literal.value === 'string' ? [literal] : literal.value;
    for (const item of items) {
      if (!isNullLiteral(item.class, type)) convert(item, type, meets);
    }
  });
}

/**
 * Tells of each value of a restriction, and of each claim that stands in for one.
 * @throws ProtocolError comparatorNotForType
 */
export function eachValue(
  restriction: Restriction,
  dataclass: RestrictedDataclass,
  onValue: OnValue,
): void {
  planRestriction(
    restriction,
    dataclass,
    ({ column, columnType }) => ({
      kind: 'column',
      alias: 't',
      name: column.name,
      type: columnType,
      nullable: column.nullable,
    }),
    onValue,
  );
}
