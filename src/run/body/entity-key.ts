import { notApplicable, ProtocolError } from '../../base/errors.ts';
import { excerpt, withoutPadding } from '../../base/text.ts';
import type { Dataclass, StorageAttribute } from '../../model/types.ts';
import type { UrlTarget } from '../../plan/write/save.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { BodyEntity } from '../../protocol/body/body.ts';
import {
  digitsOf,
  isJsonObject,
  type JsonValue,
  parseJsonObject,
  repetitionIn,
} from '../../protocol/body/json.ts';
import { isReadByType, unpadded } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { canonicalText, convert, HEX_TEXT, sideOf } from '../convert/bind.ts';
import { ConversionError } from '../convert/conversion-error.ts';
import { isSameValue } from '../convert/stored-value.ts';
import type { EntityContext, KeyTexts, PlannedEntity } from '../convert/types.ts';

/**
 * The longest part of a key, in characters. An index of SQL Server holds 1,700 bytes of a key, one of PostgreSQL a third of a page, compressed.
 * https://learn.microsoft.com/sql/sql-server/maximum-capacity-specifications-for-sql-server
 */
const LONGEST_PART = 262_144;

/** The field of a body that holds the entity's own key (§2.1). */
export const OWN_KEY = '__KEY';

/** Reads a key in a body: `"126"`, `126`; of several parts an object, its JSON text, or `7;2` in key order. `where` is its path, for messages. */
export function bodyKey(
  value: JsonValue,
  dataclass: Dataclass,
  where: string,
  limits: ValueLimits,
): KeyTexts {
  const [only, ...more] = dataclass.key;
  if (only === undefined) {
    const message = `${dataclass.name} has no key: its entities cannot be addressed one by one.`;
    throw notApplicable(message);
  }
  if (more.length === 0) {
    const part = isJsonObject(value) ? value[only.name] : value;
    checkQuoted(part, only, dataclass, where);
    const text = scalarText(part);
    if (text === null) throw mismatch(dataclass, where);
    return [keyPart(text, only, { parts: [text], dataclass, where, limits })];
  }
  if (typeof value === 'string' && value.length > LONGEST_PART) {
    throw noSuchKey({ parts: [excerpt(value)], dataclass, where, limits });
  }
  const given = compositeParts(value, dataclass);
  for (const [at, part] of (given ?? []).entries()) {
    checkQuoted(part, dataclass.key[at] ?? only, dataclass, where);
  }
  const parts = given?.map(scalarText);
  if (parts?.every((part) => part !== null) !== true) throw mismatch(dataclass, where);
  return dataclass.key.map((attribute, index) =>
    keyPart(parts[index] ?? '', attribute, { parts, dataclass, where, limits }),
  );
}

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
  const message = `${where} is not a key of ${dataclass.name}: ${shown} is not a value for ${dataclass.name}.${name}, expected ${expected}.`;
  return new ProtocolError('wrongType', message);
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
  const message = `There is no entity ${entityName(dataclass, key ?? [], unique)}.`;
  return new ProtocolError('noEntityToWrite', message);
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
  const message = `The body holds ${entityName(dataclass, key, unique)} more than ${MOST_TIMES} times: say at once all that changes of it.`;
  return new ProtocolError('badBody', message);
}

/** A key as messages show it: without the blanks that CHAR pads it with, and with quotes where nothing else would be seen. */
function shownKey(key: KeyTexts): string {
  return key.map((part) => withoutPadding(part) || '""').join(';');
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

/** The parts of a key in key order; null where it has other parts. */
function compositeParts(
  value: JsonValue,
  { key }: Dataclass,
): readonly (JsonValue | undefined)[] | null {
  const isText = typeof value === 'string' && value.trimStart().startsWith('{');
  const object = isText ? parseJsonObject(value) : isJsonObject(value) ? value : null;
  if (object !== null) {
    const isOther = Object.keys(object).length !== key.length || repetitionIn(object) !== undefined;
    return isOther ? null : key.map(({ name }) => object[name]);
  }
  // One part more shows that there are too many.
  const parts = typeof value === 'string' ? value.split(';', key.length + 1) : [];
  return parts.length === key.length ? parts.map((part) => part.trim()) : null;
}

function mismatch({ name, key }: Dataclass, where: string): ProtocolError {
  const names = key.map((attribute) => attribute.name);
  const shown =
    names.length === 1
      ? `its ${names.join('')}`
      : `{${names.map((part) => `"${part}":…`).join(',')}}, as an object or as text`;
  return new ProtocolError('keyMismatch', `${where} is not a key of ${name}: expected ${shown}.`);
}

/** The key for a to-one relation in a body (DECISIONS, "Updates"): bare, an object with `__KEY`, deferred, or an entity as it was read; else null. */
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
  return bodyKey(key ?? value, target, where, limits);
}

const NO_KEY = { key: null, ownKey: null };

/** The key of an entity of a body, null for a new one; and the body's own key where it has to be compared with that of the row. */
export function entityKey(
  { key }: BodyEntity,
  { dataclass, method, urlKey, urlAttribute, limits }: EntityContext,
): Pick<PlannedEntity, 'key' | 'ownKey'> {
  const isGiven = key !== undefined && key !== null;
  if (method === 'insert') {
    if (!isGiven) return NO_KEY;
    throw notApplicable(
      '$method=insert creates entities, which have no __KEY yet. Send their keys as attributes, or use $method=update to change this one.',
    );
  }
  if (!isGiven) return urlKey === null ? NO_KEY : { key: urlKey, ownKey: null };
  const own = bodyKey(key, dataclass, OWN_KEY, limits);
  if (urlKey === null) return { key: own, ownKey: null };
  // Only the database knows whether two texts are one value.
  const isKnownLater = dataclass.key.some(({ columnType }) => isReadByType(columnType));
  if (urlAttribute !== null || isKnownLater) return { key: urlKey, ownKey: own };
  if (isSameKey(own, urlKey, dataclass)) return { key: own, ownKey: null };
  throw keyMismatch(entityName(dataclass, urlKey), own);
}

/** Whether two keys are of one entity, apart from the blanks that CHAR pads a key with. */
export function isSameKey(one: KeyTexts, other: KeyTexts, { key }: Dataclass): boolean {
  return key.every(({ columnType }, part) =>
    isSameValue(one[part] ?? null, other[part] ?? null, columnType),
  );
}

/** The error where the body names another entity than the URL. */
export function keyMismatch(addressed: string, own: KeyTexts): ProtocolError {
  const message = `The URL names ${addressed}, but the body’s __KEY is ${shownKey(own)}.`;
  return new ProtocolError('keyMismatch', message);
}

/** A stamp below 0, which overwrites any version on purpose (DECISIONS, "Updates"). */
const OVERWRITE = 'overwrite';

/** The stamp that the row has to have; null for any. */
export function neededStamp(stamp: string | null): string | null {
  return stamp === OVERWRITE ? null : stamp;
}

/** The stamp of a body as digits, or {@link OVERWRITE}; null where there is none. */
export function bodyStamp(
  stamp: JsonValue | undefined,
  { name, allowsOverwrite }: Dataclass,
): string | null {
  if (stamp === undefined || stamp === null) return null;
  const digits = stampDigits(stamp);
  if (digits !== null) return digits;
  const text = digitsOf(stamp) ?? stamp;
  if (typeof text === 'string' && /^-0*[1-9]\d{0,15}$/.test(text)) {
    if (allowsOverwrite) return OVERWRITE;
    const message = `The __STAMP of ${name} is ${text}, which overwrites whatever is there: send the __STAMP that the entity was read with.`;
    throw new ProtocolError('stampMissing', message);
  }
  const message = `The __STAMP of ${name} is not a stamp: expected the whole number that the entity was read with.`;
  throw new ProtocolError('wrongType', message);
}

/** A stamp as digits without leading zeros; null for any other value. */
export function stampDigits(stamp: JsonValue | undefined): string | null {
  const text = digitsOf(stamp) ?? stamp;
  return typeof text === 'string' && /^\d{1,16}$/.test(text) ? BigInt(text).toString() : null;
}

/** Refuses a stamp without a key, and a key without a needed stamp (DECISIONS, "Updates"). */
export function checkStamp(
  key: KeyTexts | null,
  stamp: string | null,
  { dataclass, atomic, method, urlAttribute, position }: EntityContext,
): void {
  if (key === null && stamp !== null && position.isSought !== true) {
    if (method === 'insert') {
      throw notApplicable('$method=insert creates entities, which have no __STAMP yet.');
    }
    const message = `There is a __STAMP without a __KEY: send both to update an entity of ${dataclass.name}, none to create one.`;
    throw new ProtocolError('keyIsNull', message);
  }
  if (key !== null && stamp === null && !atomic && dataclass.requireStamp) {
    const message = `${entityName(dataclass, key, urlAttribute)} cannot be updated without its __STAMP: send the __STAMP that it was read with.`;
    throw new ProtocolError('stampMissing', message);
  }
}

/** One part of a key: its attribute, its type and its value as text. */
export interface KeyValue {
  readonly name: string;
  readonly type: ColumnType;
  readonly text: string;
}

/** Types whose text form is a JSON number. */
export function isNumeric(type: ColumnType): boolean {
  return type.kind === 'integer' || type.kind === 'decimal' || type.kind === 'float';
}

/** `__KEY`: the value, or for a key of several parts JSON text with the attributes in key order (DECISIONS). */
export function keyText(parts: readonly KeyValue[]): string {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only.text;
  const entries = parts.map(
    ({ name, type, text }) =>
      `${JSON.stringify(name)}:${isNumeric(type) || type.kind === 'boolean' ? text : JSON.stringify(text)}`,
  );
  return `{${entries.join(',')}}`;
}

/** The parts of a key as the protocol has them: without the blanks that their columns pad them with. */
export function keyValues({ key: attributes }: Pick<Dataclass, 'key'>, key: KeyTexts): KeyValue[] {
  return attributes.map(({ name, columnType: type }, part) => ({
    name,
    type,
    text: unpadded(key[part] ?? '', type),
  }));
}

/** A key of a URL as canonical texts; null where a part is a number or a date that its type cannot hold: no entity has that key. */
export function urlKey(
  parts: readonly (Literal | undefined)[],
  attributes: readonly StorageAttribute[],
  dataclass: Dataclass,
  limits: ValueLimits,
): KeyTexts | null {
  const texts: string[] = [];
  for (const [index, { name, columnType }] of attributes.entries()) {
    const literal = parts[index];
    if (literal === undefined) throw new Error('a key has no value');
    if (sideOf(literal, columnType, limits) !== null) return null;
    texts.push(convert(literal, columnType, `${dataclass.name}.${name}`, limits));
  }
  return texts;
}

/** The keys that a URL names, each once. @throws ProtocolError wrongType for other values, noEntityToWrite for a number that is out of range */
export function urlKeys(
  { attributes, parameters, unique }: UrlTarget,
  values: readonly Literal[],
  dataclass: Dataclass,
  limits: ValueLimits,
): KeyTexts[] {
  const texts = (literals: readonly (Literal | undefined)[]): KeyTexts => {
    const found = urlKey(literals, attributes, dataclass, limits);
    if (found !== null) return found;
    const key = literals.map((part) => (typeof part?.value === 'string' ? part.value : ''));
    throw noEntity(key, dataclass, unique);
  };
  const keys = parameters.flatMap((parts): KeyTexts[] => {
    const [first] = parts;
    const list = first === undefined ? undefined : values[first.parameter];
    if (list !== undefined && typeof list.value !== 'string') {
      return list.value.map((literal) => texts([literal]));
    }
    return [texts(parts.map(({ parameter }) => values[parameter]))];
  });
  return [...new Map(keys.map((key) => [JSON.stringify(key), key])).values()];
}
