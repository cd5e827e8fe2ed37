import { ProtocolError } from '../../base/errors.ts';
import type { Dataclass, StorageAttribute } from '../../model/types.ts';
import type { BodyEntity } from '../../protocol/body/body.ts';
import { digitsOf, type JsonValue } from '../../protocol/body/json-value.ts';
import { bodyKey, entityName, type KeyTexts, noEntity, OWN_KEY, shownKey } from './body-key.ts';
import { isSameValue } from '../convert/stored-value.ts';
import type { EntityContext, PlannedEntity } from '../convert/types.ts';
import { unpadded } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { UrlTarget } from '../../plan/write/save.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { convert } from '../convert/convert.ts';
import { sideOf } from '../convert/bind.ts';

/**
 * The key of the entity that a body is about, null for a new one; and the body's own, where it is still to be compared with that of the
 * row.
 * @throws ProtocolError notApplicable for a key of a new entity, keyMismatch where URL and body differ, and what {@link bodyKey} throws
 */
export function entityKey(
  { key }: BodyEntity,
  { dataclass, method, urlKey, urlAttribute, limits }: EntityContext,
): Pick<PlannedEntity, 'key' | 'ownKey'> {
  const isGiven = key !== undefined && key !== null;
  if (method === 'insert') {
    if (!isGiven) return { key: null, ownKey: null };
    throw new ProtocolError(
      'notApplicable',
      '$method=insert creates entities, which have no __KEY yet: use $method=update to change this one.',
    );
  }
  if (!isGiven) return { key: urlKey, ownKey: null };
  const own = bodyKey(key, dataclass, OWN_KEY, limits);
  if (urlKey === null) return { key: own, ownKey: null };
  if (urlAttribute !== null) return { key: urlKey, ownKey: own };
  if (isSameKey(own, urlKey, dataclass)) return { key: own, ownKey: null };
  throw keyMismatch(entityName(dataclass, urlKey), own);
}

/** Whether two keys are of one entity: blanks that CHAR pads a key with aside. */
export function isSameKey(one: KeyTexts, other: KeyTexts, { key }: Dataclass): boolean {
  return key.every(({ columnType }, part) =>
    isSameValue(one[part] ?? null, other[part] ?? null, columnType),
  );
}

/** The body names another entity than the URL. */
export function keyMismatch(addressed: string, own: KeyTexts): ProtocolError {
  return new ProtocolError(
    'keyMismatch',
    `The URL names ${addressed}, but the body’s __KEY is ${shownKey(own)}.`,
  );
}

/** Said by a stamp below 0: whatever is there is overwritten on purpose (DECISIONS, "Updates"). */
const OVERWRITE = 'overwrite';

/** The stamp that a row has to have; null for any. */
export function neededStamp(stamp: string | null): string | null {
  return stamp === OVERWRITE ? null : stamp;
}

/**
 * The stamp of a body as digits, or that it overwrites; null where there is none.
 * @throws ProtocolError wrongType, or stampMissing for an overwrite of what needs a stamp
 */
export function bodyStamp(
  stamp: JsonValue | undefined,
  { name, allowsOverwrite }: Dataclass,
): string | null {
  if (stamp === undefined || stamp === null) return null;
  const text = digitsOf(stamp) ?? stamp;
  const digits = stampDigits(stamp);
  if (digits !== null) return digits;
  if (typeof text === 'string' && /^-0*[1-9]\d{0,15}$/.test(text)) {
    if (allowsOverwrite) return OVERWRITE;
    throw new ProtocolError(
      'stampMissing',
      `The __STAMP of ${name} is ${text}, which overwrites whatever is there: send the __STAMP that the entity was read with.`,
    );
  }
  throw new ProtocolError(
    'wrongType',
    `The __STAMP of ${name} is not a stamp: expected the whole number that the entity was read with.`,
  );
}

/** A stamp as digits, without zeros before them; null for what is none. */
export function stampDigits(stamp: JsonValue | undefined): string | null {
  const text = digitsOf(stamp) ?? stamp;
  return typeof text === 'string' && /^\d{1,16}$/.test(text) ? BigInt(text).toString() : null;
}

/** DECISIONS, "Updates": both mean an update, none a new entity, and each alone is a mistake. */
export function checkStamp(
  key: KeyTexts | null,
  stamp: string | null,
  { dataclass, atomic, method, urlAttribute }: EntityContext,
): void {
  if (key === null && stamp !== null) {
    throw method === 'insert'
      ? new ProtocolError(
          'notApplicable',
          '$method=insert creates entities, which have no __STAMP yet.',
        )
      : new ProtocolError(
          'keyIsNull',
          `There is a __STAMP without a __KEY: send both to update an entity of ${dataclass.name}, none to create one.`,
        );
  }
  if (key !== null && stamp === null && !atomic && dataclass.requireStamp) {
    throw new ProtocolError(
      'stampMissing',
      `${entityName(dataclass, key, urlAttribute)} cannot be updated without its __STAMP: send the __STAMP that it was read with.`,
    );
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

/** `__KEY`: the value, or, of a key of several parts, JSON text with the attributes in key order (DECISIONS). */
export function keyText(parts: readonly KeyValue[]): string {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only.text;
  const entries = parts.map(
    ({ name, type, text }) =>
      `${JSON.stringify(name)}:${isNumeric(type) || type.kind === 'boolean' ? text : JSON.stringify(text)}`,
  );
  return `{${entries.join(',')}}`;
}

/** The parts of an entity's key as the protocol has them: without the blanks that their columns pad them with. */
export function keyValues({ key: attributes }: Pick<Dataclass, 'key'>, key: KeyTexts): KeyValue[] {
  return attributes.map(({ name, columnType: type }, part) => ({
    name,
    type,
    text: unpadded(key[part] ?? '', type),
  }));
}

/**
 * A key that a URL names as canonical texts; null where a part is a number or a date that its type does not have: that is not an entity's
 * key.
 * @param attributes those that the parts are values of
 * @param limits what the engine can tell apart
 * @throws ProtocolError wrongType for a part that cannot be one
 */
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

/**
 * The keys that a URL names.
 * @param limits what the engine can tell apart
 * @throws ProtocolError wrongType for a value that cannot be one, noEntityToWrite for a number that is out of range
 */
export function urlKeys(
  { attributes, slots, unique }: UrlTarget,
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
  return slots.flatMap((parts): KeyTexts[] => {
    const [first] = parts;
    const list = first === undefined ? undefined : values[first.slot];
    if (list !== undefined && typeof list.value !== 'string') {
      return list.value.map((literal) => texts([literal]));
    }
    return [texts(parts.map(({ slot }) => values[slot]))];
  });
}
