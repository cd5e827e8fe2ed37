import { jsonString, longJsonString, mayBeLong } from '../../base/text.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { DialectSettings, Reader } from '../dialect.ts';
import { arrayReader } from './arrays.ts';
import {
  embeddedJson,
  floatJson,
  isoTime,
  isoTimestamp,
  longEmbeddedJson,
  nativeJson,
  numberJson,
  plainDecimal,
  quoted,
  truth,
  wholeNumber,
} from '../json-text.ts';

/**
 * Readers of PostgreSQL's text output. The sessions are set to UTC, ISO dates and shortest floats, so that the text is
 * the same whatever the server's defaults (https://www.postgresql.org/docs/current/runtime-config-client.html).
 */
export function postgresReader(type: ColumnType, settings: DialectSettings): Reader {
  switch (type.kind) {
    case 'boolean':
      return {
        ...text((value) => truth(value, ['t', 'true'], ['f', 'false'])),
        utf8: 'truth',
      };
    case 'integer':
      return type.bits === 64
        ? {
            ...text(same, (value) => numberJson(wholeNumber(value), settings.bigNumbersAsStrings)),
            ...digits('integer', settings),
          }
        : { ...text(same, wholeNumber), utf8: 'integer' };
    case 'decimal':
      return {
        ...text(same, (value) =>
          NO_NUMBER.has(value)
            ? 'null'
            : numberJson(plainDecimal(value), settings.bigNumbersAsStrings),
        ),
        ...digits('decimal', settings),
      };
    case 'float':
      return text(same, (value) => floatJson(Number(value)));
    case 'uuid':
      return text((value) => value.toLowerCase(), quoted);
    case 'date':
      return { ...text(same, quoted), utf8: 'ascii' };
    case 'timestamp':
      return text(isoTimestamp, quoted);
    case 'time':
      return text(isoTime, quoted);
    case 'json':
      if (type.items !== undefined) {
        return arrayReader(type.items, postgresReader(type.items, settings), settings);
      }
      return type.asText
        ? {
            ...text(same, embeddedJson),
            longJson: (value) => longEmbeddedJson(String(value)),
          }
        : text(same, nativeJson);
    case 'hex':
      return text((value) => value.replace(/^\\x/, '').toUpperCase(), quoted);
    case 'text':
      return mayBeLong(type.maxLength) ? longTextReader : textReader;
    case 'opaque':
      return longTextReader;
    case 'binary':
      return textReader;
  }
}

/** https://www.postgresql.org/docs/current/datatype-numeric.html#DATATYPE-NUMERIC-DECIMAL */
const NO_NUMBER: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity']);

/** The reader of `int` and `bigint` results that are not column's. */
export const integerReader: Reader = { ...text(same), utf8: 'integer' };

/** The reader of presences. */
export const booleanReader: Reader = postgresReader(
  { kind: 'boolean', native: 'bool' },
  { timeZone: 'UTC', bigNumbersAsStrings: false },
);

/** The reader of text that is not a column's. */
export const textReader: Reader = { ...text(same, jsonString), utf8: 'text' };

const longTextReader: Reader = {
  ...textReader,
  longJson: (value) => longJsonString(String(value)),
};

/** The reader of slices: `\\x` and hexadecimal digits. */
export const bytesReader: Reader = {
  ...textReader,
  bytes: (value) => Buffer.from(String(value).slice(2), 'hex'),
};

/** Numbers as they come, where none of them becomes text for its length. */
function digits(
  utf8: 'integer' | 'decimal',
  { bigNumbersAsStrings }: DialectSettings,
): Pick<Reader, 'utf8'> {
  return bigNumbersAsStrings ? {} : { utf8 };
}

function text(
  canonical: (value: string) => string,
  json: (canonical: string) => string = same,
): Reader {
  return {
    text: (value) => canonical(String(value)),
    json:
      canonical === same
        ? (value) => json(String(value))
        : (value) => json(canonical(String(value))),
  };
}

function same(value: string): string {
  return value;
}
