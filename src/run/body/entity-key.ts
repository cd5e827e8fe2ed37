import { ProtocolError } from '../../base/errors.ts';
import type { Dataclass } from '../../model/types.ts';
import type { BodyEntity } from '../../protocol/body/body.ts';
import { digitsOf, type JsonValue } from '../../protocol/body/json-value.ts';
import { bodyKey, entityName, OWN_KEY, shownKey, type KeyTexts } from './body-key.ts';
import { isSameValue } from '../convert/stored-value.ts';
import type { EntityContext, PlannedEntity } from '../convert/types.ts';

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
    `The __STAMP of ${name} is no stamp: expected the whole number that the entity was read with.`,
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
