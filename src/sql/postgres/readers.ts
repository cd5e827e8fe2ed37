import { BOOLEAN } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { DialectSettings, Reader, Utf8Form } from '../dialect.ts';
import { isoTimestamp, nativeJson, quoted, truth } from '../json-text.ts';
import { base64Reader, reader, sharedReader, textReader as plainTextReader } from '../readers.ts';
import { arrayReader } from './arrays.ts';
import { hexDigits } from './literals.ts';

/**
 * Readers of PostgreSQL's text output. The sessions are set to UTC, ISO dates and shortest floats, so that the text is
 * the same whatever the server's defaults (https://www.postgresql.org/docs/current/runtime-config-client.html).
 */
export function postgresReader(type: ColumnType, settings: DialectSettings): Reader {
  const utf8 = utf8Form(type, settings);
  const read = readerOf(type, settings);
  return utf8 === null ? read : { ...read, utf8 };
}

function readerOf(type: ColumnType, settings: DialectSettings): Reader {
  const { kind } = type;
  if (kind === 'boolean') {
    return reader((value) => truth(String(value), ['t', 'true'], ['f', 'false']));
  }
  if (kind === 'timestamp') return reader((value) => isoTimestamp(String(value)), quoted);
  if (kind === 'hex') return reader((value) => hexDigits(value).toUpperCase(), quoted);
  if (kind === 'json' && type.items !== undefined) {
    return arrayReader(type.items, postgresReader(type.items, settings), settings);
  }
  if (kind === 'json' && !type.asText) return reader(String, nativeJson);
  const shared = sharedReader(type, settings);
  if (kind !== 'decimal') return shared;
  return {
    ...shared,
    json: (value) => (NO_NUMBER.has(String(value)) ? 'null' : shared.json(value)),
  };
}

/** https://www.postgresql.org/docs/current/datatype-numeric.html#DATATYPE-NUMERIC-DECIMAL */
const NO_NUMBER: ReadonlySet<string> = new Set(['NaN', 'Infinity', '-Infinity']);

/** @returns null for values that have to be read, as numbers that become strings for their length */
function utf8Form(type: ColumnType, { bigNumbersAsStrings }: DialectSettings): Utf8Form | null {
  switch (type.kind) {
    case 'boolean':
      return 'truth';
    case 'integer':
      return type.bits === 64 && bigNumbersAsStrings ? null : 'integer';
    case 'decimal':
      return bigNumbersAsStrings ? null : 'decimal';
    case 'date':
      return 'ascii';
    case 'text':
    case 'opaque':
    case 'binary':
      return 'text';
    case 'float':
    case 'uuid':
    case 'timestamp':
    case 'time':
    case 'json':
    case 'hex':
      return null;
  }
}

/** Reads `int` and `bigint` results that are not a column's. */
export const integerReader: Reader = { ...reader(String), utf8: 'integer' };

/** Reads booleans that are not a column's. */
export const booleanReader = postgresReader(BOOLEAN, {
  timeZone: 'UTC',
  bigNumbersAsStrings: false,
});

/** Reads text that is not a column's. */
export const textReader: Reader = { ...plainTextReader, utf8: 'text' };

/** Reads slices of bytes. */
export const bytesReader: Reader = { ...textReader, bytes: bytesOf };

function bytesOf(wire: unknown): Buffer {
  return Buffer.from(hexDigits(wire), 'hex');
}

/** The reader of a result whose type the driver gave: bytes are Base64. */
export function resultReader(type: ColumnType, settings: DialectSettings): Reader {
  return type.kind === 'binary' ? base64Reader(bytesOf) : postgresReader(type, settings);
}
