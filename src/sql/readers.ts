import { jsonString, longJsonString, mayBeLong } from '../base/text.ts';
import type { ColumnType } from '../schema/types.ts';
import type { DialectSettings, Reader, WireValue } from './dialect.ts';
import {
  embeddedJson,
  floatJson,
  isoTime,
  longEmbeddedJson,
  numberJson,
  plainDecimal,
  quoted,
  wholeNumber,
} from './json-text.ts';

/** Makes a reader of a function that gives a value's canonical text, and of one that gives the JSON of that. */
export function reader(
  text: (value: WireValue) => string,
  json: (text: string) => string = (plain) => plain,
): Reader {
  return { text, json: (value) => json(text(value)) };
}

/** Reads text that is not a column's. */
export const textReader: Reader = reader(String, jsonString);

const longTextReader: Reader = {
  ...textReader,
  longJson: (value) => longJsonString(String(value)),
};

/** Reads bytes as Base64, which is how calls answer them. */
export function base64Reader(bytes: (value: WireValue) => Buffer): Reader {
  return reader((value) => bytes(value).toString('base64'), quoted);
}

/** A type that both drivers hand over alike. */
type SharedType = Exclude<ColumnType, { readonly kind: 'boolean' | 'timestamp' | 'hex' }>;

/** The reader of a type that both drivers hand over alike: as text, or as a number that is written as that text. */
export function sharedReader(type: SharedType, { bigNumbersAsStrings }: DialectSettings): Reader {
  switch (type.kind) {
    case 'integer':
      return type.bits === 64
        ? reader(String, (value) => numberJson(wholeNumber(value), bigNumbersAsStrings))
        : reader(String, wholeNumber);
    case 'decimal':
      return reader(String, (value) => numberJson(plainDecimal(value), bigNumbersAsStrings));
    case 'float':
      return reader(String, (value) => floatJson(Number(value)));
    case 'uuid':
      return reader((value) => String(value).toLowerCase(), quoted);
    case 'date':
      return reader(String, quoted);
    case 'time':
      return reader((value) => isoTime(String(value)), quoted);
    case 'json':
      return {
        ...reader(String, embeddedJson),
        longJson: (value) => longEmbeddedJson(String(value)),
      };
    case 'text':
      return mayBeLong(type.maxLength) ? longTextReader : textReader;
    case 'opaque':
      return longTextReader;
    case 'binary':
      return textReader;
  }
}
