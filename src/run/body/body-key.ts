import { ProtocolError } from '../../base/errors.ts';
import { excerpt, withoutPadding } from '../../base/text.ts';
import type { Dataclass, StorageAttribute } from '../../model/types.ts';
import { parseJson, repetitionIn } from '../../protocol/body/json.ts';
import {
  BrokenJson,
  digitsOf,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../protocol/body/json-value.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { canonicalText, HEX_TEXT } from '../convert/convert.ts';
import { ConversionError } from '../convert/conversion-error.ts';

/** A key as canonical texts, in key order. */
export type KeyTexts = readonly string[];

/**
 * How long a part of a key may be, in characters: no longer one can be stored. An index of SQL Server holds 1,700 bytes of a key
 * (https://learn.microsoft.com/sql/sql-server/maximum-capacity-specifications-for-sql-server), one of PostgreSQL a third of a page, compressed.
 */
const LONGEST_PART = 262_144;

/** The field of a body that holds the entity's own key (§2.1). */
export const OWN_KEY = '__KEY';

/**
 * Reads a key in a body: `"126"`, `126`; of several parts JSON text or an object with them, or `7;2` in key order.
 * @param where the place in the body, for messages: {@link OWN_KEY}, `Employee.employer`
 * @throws ProtocolError keyMismatch for a key with other parts, wrongType for a part that is not one, and {@link noSuchKey} for one out of range
 */
export function bodyKey(
  value: JsonValue,
  dataclass: Dataclass,
  where: string,
  limits: ValueLimits,
): KeyTexts {
  const [only, ...more] = dataclass.key;
  if (only === undefined) {
    throw new ProtocolError(
      'notApplicable',
      `${dataclass.name} has no key: its entities cannot be addressed one by one.`,
    );
  }
  if (more.length === 0) {
    const part = isJsonObject(value) ? value[only.name] : value;
    const text = scalarText(part);
    if (text === null) throw mismatch(dataclass, where);
    checkQuoted(part, only, dataclass, where);
    return [keyPart(text, only, { parts: [text], dataclass, where, limits })];
  }
  if (typeof value === 'string' && value.length > LONGEST_PART) {
    throw noSuchKey({ parts: [excerpt(value)], dataclass, where, limits });
  }
  const parts = compositeParts(value, dataclass, where);
  if (parts === null) throw mismatch(dataclass, where);
  return dataclass.key.map((attribute, index) =>
    keyPart(parts[index] ?? '', attribute, { parts, dataclass, where, limits }),
  );
}

/** A key that is read, and its place. */
interface ReadKey {
  readonly parts: KeyTexts;
  readonly dataclass: Dataclass;
  readonly where: string;
  readonly limits: ValueLimits;
}

/** A part of a key as canonical text. @throws ProtocolError wrongType, or {@link noSuchKey} */
function keyPart(text: string, attribute: StorageAttribute, key: ReadKey): string {
  const { dataclass, where, limits } = key;
  if (text.length > LONGEST_PART) throw noSuchKey({ ...key, parts: [excerpt(text)] });
  try {
    return canonicalText(text, attribute.columnType, limits);
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    if (error.isOutOfRange) throw noSuchKey(key);
    throw noKeyPart(`"${excerpt(text)}"`, attribute, dataclass, where, error.message);
  }
}

function noKeyPart(
  shown: string,
  { name }: StorageAttribute,
  dataclass: Dataclass,
  where: string,
  expected: string,
): ProtocolError {
  return new ProtocolError(
    'wrongType',
    `${where} is not a key of ${dataclass.name}: ${shown} is not a value for ${dataclass.name}.${name}, expected ${expected}.`,
  );
}

/** The error of a key that its type cannot hold: no entity has it. */
function noSuchKey({ parts, dataclass, where }: ReadKey): ProtocolError {
  return where === OWN_KEY
    ? noEntity(parts, dataclass)
    : new ProtocolError('brokenReference', noRelatedEntity(where, dataclass, parts));
}

/** The error where no entity has the key, or the unique attribute, that a write names (§4.6 rule 5). */
export function noEntity(
  key: KeyTexts | null,
  dataclass: Dataclass,
  unique: string | null = null,
): ProtocolError {
  return new ProtocolError(
    'noEntityToWrite',
    `There is no entity ${entityName(dataclass, key ?? [], unique)}.`,
  );
}

/** The message for a relation that is given the key of no entity. */
export function noRelatedEntity(member: string, target: Dataclass, key: KeyTexts): string {
  return `${member} refers to an entity that does not exist: there is no ${entityName(target, key)}.`;
}

/** How often a body may hold one entity: each time is a turn with statements of its own. */
export const MOST_TIMES = 20;

/** The error of an entity that a body holds more often. @param unique the attribute that the URL addresses it by; null for its key */
export function heldTooOften(
  key: KeyTexts,
  dataclass: Dataclass,
  unique: string | null,
): ProtocolError {
  return new ProtocolError(
    'badBody',
    `The body holds ${entityName(dataclass, key, unique)} more than ${MOST_TIMES} times: say at once all that changes of it.`,
  );
}

/** A key as messages show it: without the blanks that CHAR pads it with. */
export function shownKey(key: KeyTexts): string {
  return key.map((part) => withoutPadding(part)).join(';');
}

/** An entity as messages name it: `Country(FR)`, or `Employee:email(…)` where the URL addresses it so. */
export function entityName(
  { name }: Dataclass,
  key: KeyTexts,
  attribute: string | null = null,
): string {
  return `${name}${attribute === null ? '' : `:${attribute}`}(${shownKey(key)})`;
}

function scalarText(value: JsonValue | undefined): string | null {
  if (typeof value === 'string') return value;
  const digits = digitsOf(value);
  if (digits !== null) return digits;
  return typeof value === 'boolean' ? String(value) : null;
}

/** Refuses a number for bytes, although its digits may look like hexadecimal ones. */
function checkQuoted(
  value: JsonValue | undefined,
  attribute: StorageAttribute,
  dataclass: Dataclass,
  where: string,
): void {
  const digits = attribute.columnType.kind === 'hex' ? digitsOf(value) : null;
  if (digits !== null) throw noKeyPart(digits, attribute, dataclass, where, HEX_TEXT);
}

function compositeParts(value: JsonValue, dataclass: Dataclass, where: string): string[] | null {
  const { key } = dataclass;
  const object = isJsonObject(value) ? value : typeof value === 'string' ? readObject(value) : null;
  if (object !== null) {
    const names = Object.keys(object);
    if (names.length !== key.length || repetitionIn(object) !== undefined) return null;
    const parts = key.map(({ name }) => scalarText(object[name]));
    for (const part of key) checkQuoted(object[part.name], part, dataclass, where);
    return parts.every((part) => part !== null) ? parts : null;
  }
  // One part more shows that there are too many.
  const parts = typeof value === 'string' ? value.split(';', key.length + 1) : [];
  return parts.length === key.length ? parts.map((part) => part.trim()) : null;
}

function readObject(text: string): JsonObject | null {
  if (!text.trimStart().startsWith('{')) return null;
  try {
    const value = parseJson(text);
    return isJsonObject(value) ? value : null;
  } catch (error) {
    if (error instanceof BrokenJson) return null;
    throw error;
  }
}

function mismatch({ name, key }: Dataclass, where: string): ProtocolError {
  const names = key.map((attribute) => attribute.name);
  const shown =
    names.length === 1
      ? `its ${names.join('')}`
      : `{${names.map((part) => `"${part}":…`).join(',')}}, as an object or as text`;
  return new ProtocolError('keyMismatch', `${where} is not a key of ${name}: expected ${shown}.`);
}

/**
 * The key that a to-one relation is given in a body (DECISIONS, "Updates"): a bare key, an object with `__KEY`, the deferred
 * form, or the related entity itself as it was read.
 * @returns null for no related entity
 */
export function relatedKey(
  value: JsonValue,
  target: Dataclass,
  where: string,
  limits: ValueLimits,
): KeyTexts | null {
  if (value === null) return null;
  if (!isJsonObject(value)) return bodyKey(value, target, where, limits);
  if (repetitionIn(value) !== undefined) throw mismatch(target, where);
  const deferred = value['__deferred'];
  const key = value[OWN_KEY] ?? (isJsonObject(deferred) ? deferred[OWN_KEY] : undefined);
  if (key !== undefined && key !== null) return bodyKey(key, target, where, limits);
  return bodyKey(value, target, where, limits);
}
