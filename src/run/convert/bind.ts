import { catching, ProtocolError } from '../../base/errors.ts';
import type { Claims } from '../../base/principal.ts';
import { nearestNames } from '../../base/names.ts';
import { excerpt } from '../../base/text.ts';
import type { Dataclass, Restriction } from '../../model/types.ts';
import { isNullLiteral } from '../../plan/condition/comparison.ts';
import { type OnValue, planRestriction } from '../../plan/condition/filter.ts';
import { Aliases, Scope } from '../../plan/condition/scope.ts';
import type { Literal, ParameterRef } from '../../protocol/ast.ts';
import { isReadByType, NUMBER } from '../../schema/type-rules.ts';
import { type ColumnType, isQuantized } from '../../schema/types.ts';
import type { Dialect, ValueLimits } from '../../sql/dialect.ts';
import type { OutOfRange, Side, StatementParameter } from '../../sql/ir/statement.ts';
import type { KeysParameter, Parameter, Period, ValueSource } from '../../sql/ir/ir.ts';
import { ConversionError, expectedOf } from './conversion-error.ts';
import { decimal, float, integer, roundDecimal, type Rounding } from './numbers.ts';
import { comparedTimestamp, date, datePart, roundTimestamp, time, timestamp } from './times.ts';

/** The values of a request that its statements may take. */
export interface GivenValues {
  readonly values: readonly Literal[];
  readonly claims: Claims;
  /** The order's values of the row that was read last, as canonical text. */
  readonly lastRow?: readonly (string | null)[];
  /** The period whose changes are read. */
  readonly period?: Period;
}

function valueOf(source: ValueSource, given: GivenValues): Literal {
  const { values, claims, lastRow = [], period } = given;
  switch (source.from) {
    case 'model':
      return fixedLiteral(source.value);
    case 'claim': {
      const claim = claims.get(source.name);
      // Users without a claim have a model that does not need it.
      if (claim === undefined) throw new Error(`no claim ${source.name}`);
      return fixedLiteral(claim);
    }
    case 'request':
      return literalOf(source, values);
    case 'lastRow':
      return fixedLiteral(lastRow[source.term] ?? '');
    case 'period':
      return fixedLiteral(period?.[source.end] ?? '');
  }
}

/** The value of a parameter of the request. */
export function literalOf(
  { parameter }: Pick<ParameterRef, 'parameter'>,
  values: readonly Literal[],
): Literal {
  const literal = values[parameter];
  if (literal === undefined) throw new Error(`no value for parameter ${parameter}`);
  return literal;
}

/** A value that needs no check: the model's values were checked when it was built, and claims when it was chosen. */
export function fixedLiteral(value: string | readonly string[]): Literal {
  const literal = (text: string): Literal => ({ value: text, ...FIXED });
  return typeof value === 'string'
    ? literal(value)
    : { ...FIXED, value: value.map(literal), class: 'list' };
}

const FIXED = { class: 'text', within: 'where', position: 1 } as const;

/** The items of a list, or the one value that stands for it, without nulls, which equal nothing. */
export function itemsOf(list: Literal, type: ColumnType): readonly Literal[] {
  const items = typeof list.value === 'string' ? [list] : list.value;
  return items.filter((item) => !isNullLiteral(item.class, type));
}

/** The side of a type's values on which a number or date lies that the type does not have; null for others. */
export function sideOf(literal: Literal, type: ColumnType, limits?: ValueLimits): Side | null {
  const found = textOrPosition(literal, type, limits);
  return typeof found === 'string' ? null : found.side;
}

/** Whether a value is in a type's range and not between two of its steps. True for other kinds, and JSON's numbers, which have no steps. */
export function isHeld(literal: Literal, type: ColumnType, limits: ValueLimits): boolean {
  const found = textOrPosition(literal, type, limits);
  if (typeof found !== 'string') return found.side === null;
  return type === NUMBER || isOnStep(found, type);
}

/** Where a value lies among those of a type; neither is known for values of another kind. */
interface RangePosition {
  readonly side: Side | null;
  /** The lower one of the type's values between which it lies. */
  readonly floor: string | null;
}

const UNKNOWN: RangePosition = { side: null, floor: null };

/** A number or a date as canonical text, or its position where the type does not have it. */
function textOrPosition(
  { value }: Literal,
  type: ColumnType,
  limits?: ValueLimits,
): string | RangePosition {
  if (!ORDERED.has(type.kind) || typeof value !== 'string') return UNKNOWN;
  const read = (): string =>
    type.kind === 'timestamp' && limits !== undefined
      ? comparedTimestamp(value, type, limits)
      : canonicalText(value, type, limits);
  return catching(ConversionError, read, (error) => error);
}

const ORDERED: ReadonlySet<ColumnType['kind']> = new Set([
  'integer',
  'decimal',
  'float',
  'date',
  'timestamp',
]);

/** Finds the parameters whose types do not have the number or date they are given (DECISIONS, "`$filter`"), and lists of such values only. */
export function findOutOfRange(
  parameters: readonly StatementParameter[],
  given: GivenValues,
  limits: ValueLimits,
): OutOfRange {
  const outOfRange = new Map<StatementParameter, Side | 'nowhere'>();
  for (const parameter of parameters) {
    const list = listOf(parameter);
    if (list !== null) {
      if (holdsNone(list, given, limits)) outOfRange.set(list, 'nowhere');
      continue;
    }
    if (parameter.kind !== 'parameter' || parameter.use !== 'value') continue;
    if (parameter.source.from !== 'request') continue;
    const literal = given.values[parameter.source.parameter];
    const side = literal === undefined ? null : sideOf(literal, parameter.type, limits);
    if (side !== null) outOfRange.set(parameter, side);
  }
  return outOfRange;
}

function listOf(parameter: StatementParameter): Parameter | null {
  if (parameter.kind === 'listItem') return parameter.index === 0 ? parameter.list : null;
  return parameter.kind === 'parameter' && parameter.use === 'list' ? parameter : null;
}

/** Whether a list has values, but none that its type has. */
function holdsNone({ source, type }: Parameter, given: GivenValues, limits: ValueLimits): boolean {
  const items = itemsOf(valueOf(source, given), type);
  return items.length > 0 && !items.some((item) => isHeld(item, type, limits));
}

/** The text that a parameter is given for one request. @throws ProtocolError wrongType (1508) when its type cannot hold the value */
export function bindParameter(parameter: Parameter, given: GivenValues, dialect: Dialect): string {
  const literal = valueOf(parameter.source, given);
  const { type, meets, round, source } = parameter;
  const { value: text } = literal;
  // What a column holds needs no check, and may be no client's value, such as NaN.
  if (source.from === 'lastRow' && typeof text === 'string')
    return dialect.parameterText(text, type);
  const one = (item: Literal): string => convert(item, type, meets, dialect.limits);
  switch (parameter.use) {
    case 'count':
      return one(literal);
    case 'value': {
      const value = comparedText(literal, parameter, dialect.limits);
      const rounded = round === undefined ? value : roundToStep(value, type, round);
      return dialect.parameterText(rounded, type);
    }
    case 'list':
      return dialect.listText(listValues(parameter, literal, dialect), type);
    case 'begins':
    case 'contains':
    case 'wildcard': {
      const parts = patternParts(one(literal), parameter.use);
      if (type.kind === 'text' && type.withoutLike === true) return prefixOf(parts, literal, meets);
      const pattern = parts.map((part) => dialect.likeLiteral(part)).join('%');
      if (pattern.length <= dialect.longestPattern) return pattern;
      const message =
        `"${excerpt(one(literal))}" is too long to be looked for in ${meets}: as a pattern it has ${pattern.length} ` +
        `characters, and the database takes ${dialect.longestPattern}`;
      throw new ProtocolError('wrongType', message, literal);
    }
  }
}

/** A value as it is compared with a column; where the type does not have it, the lower one of those between which it lies. */
function comparedText(literal: Literal, { type, meets }: Parameter, limits: ValueLimits): string {
  const found = textOrPosition(literal, type, limits);
  const text = typeof found === 'string' ? found : found.floor;
  return text ?? convert(literal, type, meets, limits);
}

/** The parts of a pattern around any text: `@` stands for it in a wildcard, and so does a `*` at its end; all else is literal. */
function patternParts(text: string, use: 'begins' | 'contains' | 'wildcard'): string[] {
  if (use === 'wildcard') return text.replace(/\*$/, '@').split('@');
  return use === 'contains' ? ['', text, ''] : [text, ''];
}

/** The text that a pattern begins with, if nothing but any text follows. @throws ProtocolError comparatorNotForType */
function prefixOf([prefix = '', ...others]: readonly string[], at: Literal, meets: string): string {
  if (others.length > 0 && others.every((other) => other === '')) return prefix;
  const message = `Of ${meets}, only beginnings are found: its collation is nondeterministic, for which PostgreSQL before 18 has no LIKE`;
  throw new ProtocolError('comparatorNotForType', message, at);
}

/** The values of a list that its type has: no other equals a value of the column. */
function listValues(parameter: Parameter, list: Literal, dialect: Dialect): string[] {
  const { type } = parameter;
  return itemsOf(list, type)
    .filter((item) => isHeld(item, type, dialect.limits))
    .map((item) => dialect.parameterText(comparedText(item, parameter, dialect.limits), type));
}

/** Returns the values of short lists, one at a time, or null for an empty list. Each list is converted once, and filled up with its last value. */
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

/** The keys of one request as JSON rows `[ordinal, part, …]`. A key with a part out of its type's range is left out: no row has it. */
export function bindKeys(
  { parameters, types, meets }: KeysParameter,
  values: readonly Literal[],
  dialect: Dialect,
): string {
  const rows = parameters.flatMap((parts, ordinal) => {
    const texts = types.map((type, part) => {
      const literal = literalOf({ parameter: parts[part] ?? -1 }, values);
      if (sideOf(literal, type, dialect.limits) !== null) return null;
      const text = convert(literal, type, meets[part] ?? '', dialect.limits);
      return isOnStep(text, type) ? dialect.parameterText(text, type) : null;
    });
    return texts.includes(null) ? [] : [[ordinal, ...texts]];
  });
  return JSON.stringify(rows);
}

/** Checks that a restriction of the model can be evaluated. @throws ProtocolError for a comparator or a value that does not fit its attribute */
export function checkRestriction(restriction: Restriction, dataclass: Dataclass): void {
  eachValue(restriction, dataclass, (literal, type, meets) => {
    if (literal.claim !== undefined) return;
    const items = typeof literal.value === 'string' ? [literal] : literal.value;
    for (const item of items) {
      if (isNullLiteral(item.class, type)) continue;
      const text = convert(item, type, meets);
      if (isReadByType(type) && type.values?.includes(text) === false) {
        throw notAValue(item, meets, expectedOf(type));
      }
    }
  });
}

/** Calls back for each value of a restriction, and for each claim that stands for one. @throws ProtocolError comparatorNotForType */
export function eachValue(restriction: Restriction, dataclass: Dataclass, onValue: OnValue): void {
  planRestriction(restriction, Scope.root(dataclass, new Aliases().ofRestrictions), { onValue });
}

/** A client's value as canonical text of the type it is compared with; `meets` names the attribute. @throws ProtocolError wrongType */
export function convert(
  literal: Literal,
  type: ColumnType,
  meets: string,
  limits: ValueLimits = FINEST,
): string {
  const text = typeof literal.value === 'string' ? literal.value : '';
  try {
    return canonicalText(text, type, limits);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    throw notAValue(literal, meets, error.message);
  }
}

/** The error for a client's value that its type does not have; `meets` names the attribute. */
export function notAValue(literal: Literal, meets: string, expected: string): ProtocolError {
  const text = typeof literal.value === 'string' ? literal.value : '';
  const message = `"${excerpt(text)}" is not a value for ${meets}: expected ${expected}${joinHint(text)}`;
  return new ProtocolError('wrongType', message, literal);
}

/** The end of a message where a value has swallowed the rest of a condition, as `20 AN active` has. In quotes a joiner is what it is. */
function joinHint(text: string): string {
  const [, before = '', word = '', behind = ''] = /^(\S+) ([a-z]+) (\S.*)$/i.exec(text) ?? [];
  const [joiner] = nearestNames(word, ['AND', 'OR', 'EXCEPT']);
  return joiner === undefined || joiner === word.toUpperCase()
    ? ''
    : `. Did you mean ${excerpt(`${before} ${joiner} ${behind}`)}?`;
}

/** The limits of an engine that is not known. */
const FINEST: ValueLimits = {
  fractionDigits: 7,
  subnormals: true,
  decimalDigits: 38,
  distantTimes: false,
  timeZone: 'UTC',
  notNumbers: false,
};

/** No number of a column has more characters, however it is written, and no date, time, UUID or boolean. */
const MOST_DIGITS = 200_000;
const MOST_CHARACTERS = 1000;

const UNLIMITED: ReadonlySet<ColumnType['kind']> = new Set([
  'text',
  'opaque',
  'hex',
  'json',
  'binary',
]);

/** A client's value as canonical text of the type it is stored as, with all digits that a column may hold. @throws ConversionError */
export function canonicalText(
  text: string,
  type: ColumnType,
  limits: ValueLimits = FINEST,
): string {
  const { kind } = type;
  const isNumber = kind === 'integer' || kind === 'decimal' || kind === 'float';
  const most = isNumber ? MOST_DIGITS : MOST_CHARACTERS;
  if (text.length > most && !UNLIMITED.has(kind)) {
    throw new ConversionError(`a value of at most ${most} characters`);
  }
  switch (kind) {
    case 'boolean':
      return boolean(text);
    case 'integer':
      return integer(text, type);
    case 'decimal':
      return decimal(text, type, limits);
    case 'float':
      return float(text, type, limits);
    case 'text':
    case 'opaque':
      return plainText(text);
    case 'uuid':
      return uuid(text);
    case 'date':
      return type.part === undefined ? date(text, limits) : datePart(text, type.part);
    case 'timestamp':
      return timestamp(text, type, limits);
    case 'time':
      return time(text, type, limits);
    case 'hex':
      return hex(text);
    case 'json':
    case 'binary':
      throw new Error(`a ${kind} column is compared with no value`);
  }
}

/** Whether the type has exactly this value. */
export function isOnStep(canonical: string, type: ColumnType): boolean {
  return roundToStep(canonical, type, 'down') === roundToStep(canonical, type, 'up');
}

/** The type's nearest value that is not greater, or not less; the value itself where the type has it. */
export function roundToStep(canonical: string, type: ColumnType, round: Rounding): string {
  if (!isQuantized(type)) return canonical;
  if (type.kind === 'decimal') return roundDecimal(canonical, type.scale ?? 0, round);
  return type.kind === 'timestamp' ? roundTimestamp(canonical, type, round) : canonical;
}

function boolean(text: string): string {
  if (/^(?:true|1)$/i.test(text)) return 'true';
  if (/^(?:false|0)$/i.test(text)) return 'false';
  throw new ConversionError('true or false');
}

/** U+0000 cannot be stored by PostgreSQL in any text, so nothing can equal it. */
function plainText(text: string): string {
  if (text.includes('\u0000')) throw new ConversionError('text without the character U+0000');
  return text.toWellFormed();
}

function uuid(text: string): string {
  const digits = text
    .trim()
    .replace(/^\{|\}$|-/g, '')
    .toLowerCase();
  if (!/^[0-9a-f]{32}$/.test(digits)) throw new ConversionError('a UUID of 32 hexadecimal digits');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Bytes are text in JSON: the digits of a number are hexadecimal by accident only. */
export const HEX_TEXT = 'bytes as hexadecimal digits in quotes, such as "0A1B"';

/** Bytes as digits, with or without what SQL puts before them: `0x` or `\\x`. */
function hex(text: string): string {
  const digits = text.trim().replace(/^(?:0x|\\x)/i, '');
  if (!/^(?:[0-9a-f]{2})*$/i.test(digits)) {
    throw new ConversionError('bytes as hexadecimal digits, such as 0A1B');
  }
  return digits.toUpperCase();
}
