import { exactNumber, isNumber, parseJson, writeJson, type Json } from '../rest/json.ts';

/** The input that an attribute is edited with. */
export type InputKind =
  | 'number'
  | 'date'
  | 'dateTime'
  | 'time'
  | 'boolean'
  | 'text'
  | 'longText'
  | 'object'
  | 'image'
  | 'blob';

/** The types of the catalog that are numbers; all digits of their values count. */
const NUMBERS: ReadonlySet<string> = new Set(['byte', 'word', 'long', 'long64', 'number', 'float']);

/** The most characters that a one-line input is for. */
const LINE = 120;

/** The kind of input for an attribute of a type of the catalog. @param hasTime whether a date has a time of day */
export function inputKind(type: string, maxLength: number | null, hasTime: boolean): InputKind {
  if (NUMBERS.has(type)) return 'number';
  switch (type) {
    case 'date':
      return hasTime ? 'dateTime' : 'date';
    case 'duration':
      return 'time';
    case 'bool':
      return 'boolean';
    case 'object':
    case 'image':
    case 'blob':
      return type;
    case 'string':
      return maxLength === null || maxLength > LINE ? 'longText' : 'text';
    default:
      return 'text';
  }
}

/** The text in which a value is edited; null for a null. */
export function textOf(value: Json, kind: InputKind): string | null {
  if (value === null) return null;
  if (kind === 'object') return writeJson(value, 2);
  return typeof value === 'object' && !isNumber(value) ? writeJson(value) : String(value);
}

/** The value of an edited text, or why it is none. */
export type EditedValue =
  { readonly ok: true; readonly value: Json } | { readonly ok: false; readonly message: string };

/** Reads the value of an edited text. Empty text is null but for texts, whose emptiness is a value. */
export function valueOf(text: string | null, kind: InputKind): EditedValue {
  if (text === null) return { ok: true, value: null };
  if (kind === 'text' || kind === 'longText') return { ok: true, value: text };
  const trimmed = text.trim();
  if (trimmed === '') return { ok: true, value: null };
  switch (kind) {
    case 'number':
      return numberOf(trimmed);
    case 'boolean':
      return { ok: true, value: trimmed === 'true' };
    case 'object':
      return objectOf(trimmed);
    case 'date':
    case 'dateTime':
    case 'time':
    case 'image':
    case 'blob':
      return { ok: true, value: trimmed };
  }
}

function numberOf(text: string): EditedValue {
  const number = /^\+?(-?)(\d+)(\.\d*)?(e[+-]?\d+)?$/i.exec(text);
  if (number === null) {
    const hint = text.includes(',') ? ' Decimals stand behind a point.' : '';
    return { ok: false, message: `“${text}” is not a number.${hint}` };
  }
  const [, sign = '', whole = '', decimals = '', exponent = ''] = number;
  const digits = decimals === '.' ? '' : decimals;
  return { ok: true, value: exactNumber(`${sign}${withoutZeros(whole)}${digits}${exponent}`) };
}

/** JSON has no zeros in front of a number. */
function withoutZeros(digits: string): string {
  const first = digits.search(/[1-9]/);
  return first < 0 ? '0' : digits.slice(first);
}

function objectOf(text: string): EditedValue {
  try {
    return { ok: true, value: parseJson(text) };
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    return { ok: false, message: `This is not JSON: ${why}` };
  }
}

/** A date and time as the browser’s input takes it, in UTC; null where that would lose digits. */
export function browserDateTime(text: string): string | null {
  return /^(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?)Z$/.exec(text)?.[1] ?? null;
}

/** Whether a text is a date that the browser’s input takes. */
export function isBrowserDate(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !text.startsWith('0000');
}

/** Whether a text is a time of day that the browser’s input takes. */
export function isBrowserTime(text: string): boolean {
  return /^(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,3})?)?$/.test(text);
}

/** Whether two values are the same, digit for digit; of objects the order of names counts. */
export function isSame(one: Json | undefined, other: Json | undefined): boolean {
  return writeJson(one ?? null) === writeJson(other ?? null);
}
