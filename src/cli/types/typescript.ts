import type { StorageAttribute } from '../../model/types.ts';
import type { ColumnType } from '../../schema/types.ts';

/** A member of a type, with its documentation. */
export interface TypeMember {
  readonly name: string;
  readonly type: string;
  readonly optional?: boolean;
  /** Sentences; empty ones are left out. */
  readonly doc?: readonly string[];
}

/** Prints a comment in front of a declaration, or nothing. @param indent blanks before each line */
export function docComment(sentences: readonly string[], indent = ''): string {
  const text = sentences.filter((sentence) => sentence !== '').join(' ');
  if (text === '') return '';
  const lines = text.replaceAll('*/', '*\\/').trim().split(/\r?\n/);
  const [only = '', ...more] = lines;
  if (more.length === 0) return `${indent}/** ${only} */\n`;
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** Prints the braces and members of an object type. @param indent blanks before the line that it begins in */
export function objectType(members: readonly TypeMember[], indent = ''): string {
  if (members.length === 0) return '{}';
  const lines = members.map(
    ({ name, type, optional = false, doc = [] }) =>
      `${docComment(doc, `${indent}  `)}${indent}  ${memberName(name)}${optional ? '?' : ''}: ${type};\n`,
  );
  return `{\n${lines.join('')}${indent}}`;
}

/** Prints a value as a literal of JavaScript. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value === 'string') return textLiteral(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([name, member]) => `${memberName(name)}: ${literal(member)}`,
  );
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`;
}

/** Prints a text in quotes. */
export function textLiteral(text: string): string {
  return /^[^'\\\p{Cc}]*$/u.test(text) ? `'${text}'` : JSON.stringify(text);
}

/** Joins types to a union, in parentheses where something follows. */
export function union(types: readonly string[]): string {
  return types.length === 0 ? 'never' : types.join(' | ');
}

const IDENTIFIER = /^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u;

/** Whether a text is a name of JavaScript. */
export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}

function memberName(name: string): string {
  return isIdentifier(name) ? name : textLiteral(name);
}

/** The TypeScript types of a value, without null. */
export interface ValueType {
  /** As the client gives it. */
  readonly read: string;
  /** As the client takes it. */
  readonly write: string;
  /** The form that the client gives it, where JSON does not tell (`ValueForm` of the client). */
  readonly form?: 'bigint' | 'decimal' | 'image';
}

/** A double holds all decimals of so many digits, and gives them back. */
const EXACT_DIGITS = 15;

/** The types of an attribute's values. */
export function attributeValue({ type, columnType, simpleDate }: StorageAttribute): ValueType {
  if (type === 'image') return { read: 'DeferredImage', write: 'ContentInput', form: 'image' };
  if (type === 'blob') return { read: 'DeferredBlob', write: 'ContentInput' };
  return simpleDate && columnType.kind === 'date'
    ? { read: 'SimpleDate', write: 'SimpleDate | LocalDate' }
    : columnValue(columnType);
}

/** The types of a column's or a parameter's values in a function. */
export function columnValue(type: ColumnType): ValueType {
  switch (type.kind) {
    case 'boolean':
      return same('boolean');
    case 'integer':
      return type.bits === 64
        ? { read: 'bigint', write: 'bigint | number', form: 'bigint' }
        : same('number');
    case 'decimal':
      return type.precision !== null && type.precision <= EXACT_DIGITS
        ? { read: 'number', write: 'number | Decimal' }
        : { read: 'Decimal', write: 'Decimal | number', form: 'decimal' };
    case 'float':
      return same('number');
    case 'text':
    case 'hex':
      return same('string');
    case 'uuid':
      return same('Uuid');
    case 'date':
      return same('LocalDate');
    case 'timestamp':
      return same('Instant');
    case 'time':
      return same('TimeOfDay');
    case 'json':
      return same('JsonValue');
    case 'binary':
      return { read: 'string', write: 'ContentInput' };
    case 'opaque':
      return same(type.values?.map((label) => textLiteral(label)).join(' | ') ?? 'string');
  }
}

function same(type: string): ValueType {
  return { read: type, write: type };
}
