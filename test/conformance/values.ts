/** How single values, stamps and errors look in an answer, from the specification alone. */
import { parse } from 'lossless-json';
import { expect } from 'vitest';
import type { Column, Value } from '../fixtures/legacy/data.ts';
import { exact, ExactNumber } from '../targets/gateway.ts';

/** Stamps that only the engine knows, of the server and of rows without a counter: integers from 1 to 2^53. */
export const anyStamp: unknown = {
  asymmetricMatch: (stamp: unknown): boolean => {
    const digits = stamp instanceof ExactNumber ? stamp.digits : String(stamp);
    return typeof stamp !== 'string' && /^[1-9]\d{0,15}$/.test(digits) && Number(digits) <= 2 ** 53;
  },
  toString: () => 'stamp',
  toAsymmetricMatcher: () => 'a stamp',
};

/** Stands in a row for the time at which a test changed it. */
export const justNow = 'just now';

/** An instant that {@link justNow} may have been. */
export const recently: unknown = {
  asymmetricMatch: (text: unknown): boolean =>
    typeof text === 'string' &&
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,7}Z$/.test(text) &&
    Math.abs(Date.now() - Date.parse(text)) < 300_000,
  toString: () => 'an instant',
  toAsymmetricMatcher: () => 'an instant of the last minutes',
};

/** An error (§7). The message is English; what has to be in it is given by patterns. */
export function refusal(errCode: number, ...says: readonly RegExp[]): object {
  const all = says.map(({ source }) => `(?=[\\s\\S]*(?:${source}))`).join('');
  return {
    __ERROR: [
      {
        message: expect.stringMatching(new RegExp(`^${all}[\\s\\S]+`)),
        componentSignature: 'dbmg',
        errCode,
      },
    ],
  };
}

/** A number of the sample as tests read it from JSON. */
function numberOf(digits: string): unknown {
  const significant = digits
    .replace(/e.*$/i, '')
    .replace(/^-?0*\.?0*/, '')
    .replace('.', '');
  const isWhole = /^-?\d+$/.test(digits);
  const fits = significant.length <= 15 && (!isWhole || Number.isSafeInteger(Number(digits)));
  return fits ? Number(digits) : exact(digits);
}

export function jsonOf(text: string): unknown {
  return parse(text, null, { parseNumber: numberOf });
}

/** A value as the API writes it (§2, DECISIONS "Answers"). */
export function valueOf(column: Column, value: Value): unknown {
  if (value === null || typeof value === 'boolean') return value;
  if (value instanceof Uint8Array) throw new Error('binary content is not answered in place');
  switch (column.type) {
    case 'bigint':
    case 'money':
    case 'decimal':
      return numberOf(String(value));
    case 'double':
    case 'real':
      return numberOf(JSON.stringify(value));
    case 'time':
      return timeText(String(value));
    case 'datetime':
    case 'instant':
      return instantText(String(value));
    case 'json':
      return jsonOf(String(value));
    case 'int':
    case 'smallint':
    case 'tinyint':
    case 'bool':
    case 'date':
    case 'guid':
    case 'char':
    case 'nchar':
    case 'varchar':
    case 'nvarchar':
    case 'binary':
      return value;
  }
}

/** `HH:MM:SS`, and milliseconds where there are any. */
function timeText(text: string): string {
  return text.replace(/\.0+$/, '');
}

/** ISO 8601 in UTC with milliseconds, and with as many digits more as the value has. */
export function instantText(text: string): unknown {
  if (text === justNow) return recently;
  const [whole = '', fraction = ''] = text.replace(/Z$/, '').split('.');
  return `${whole}.${fraction.replace(/0+$/, '').padEnd(3, '0')}Z`;
}
