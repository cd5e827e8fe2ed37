import type { ColumnType } from '../../schema/types.ts';
import type { DialectSettings, Reader } from '../dialect.ts';
import { embeddedJson, floatJson, isoTime, isoTimestamp, numberJson } from '../json-text.ts';

/**
 * Readers of PostgreSQL's text output. The sessions are set to UTC, ISO dates and shortest floats, so that the text is
 * the same whatever the server's defaults (https://www.postgresql.org/docs/current/runtime-config-client.html).
 */
export function postgresReader(type: ColumnType, settings: DialectSettings): Reader {
  switch (type.kind) {
    case 'boolean':
      return text((value) => (value === 't' || value === 'true' ? 'true' : 'false'));
    case 'integer':
      return type.bits === 64
        ? text(same, (value) => numberJson(value, settings.bigNumbersAsStrings))
        : text(same);
    case 'decimal':
      return text(same, (value) =>
        /^-?\d/.test(value) ? numberJson(value, settings.bigNumbersAsStrings) : 'null',
      );
    case 'float':
      return text(same, (value) => floatJson(Number(value)));
    case 'uuid':
      return text((value) => value.toLowerCase(), quoted);
    case 'date':
      return text(same, quoted);
    case 'timestamp':
      return text(isoTimestamp, quoted);
    case 'time':
      return text(isoTime, quoted);
    case 'json':
      return text(same, type.asText ? embeddedJson : same);
    case 'text':
    case 'opaque':
      return text(same, (value) => JSON.stringify(value));
    case 'binary':
      return text(same, (value) => JSON.stringify(value));
  }
}

/** The reader of `int` and `bigint` results that are no column's. */
export const integerReader: Reader = text(same);

/** The reader of presences. */
export const booleanReader: Reader = postgresReader(
  { kind: 'boolean', native: 'bool' },
  { timeZone: 'UTC', bigNumbersAsStrings: false },
);

function text(
  canonical: (value: string) => string,
  json: (canonical: string) => string = same,
): Reader {
  return {
    text: (value) => canonical(value as string),
    json:
      canonical === same
        ? (value) => json(value as string)
        : (value) => json(canonical(value as string)),
  };
}

function same(value: string): string {
  return value;
}

function quoted(value: string): string {
  return `"${value}"`;
}
