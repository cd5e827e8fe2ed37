import { ProtocolError } from '../base/errors.ts';
import { withoutPadding } from '../base/padding.ts';
import type { Dataclass } from '../model/types.ts';
import type { FindKeyRequest, Literal, ReleaseRequest } from '../request/ast.ts';
import type { ValueLimits } from '../sql/dialect.ts';
import { bodyKey, type KeyTexts } from '../values/body-key.ts';
import { neededKeys, noSuchSet, slotText, type SetAccess } from './set-keys.ts';

/**
 * Where in a set the entity with a key stands, counted from 0; -1 where it is not one of the set's.
 * @throws ProtocolError noSuchEntitySet, otherDataclassSet, and for what cannot be a key
 */
export async function findInSet(
  { id, key }: Pick<FindKeyRequest, 'id' | 'key'>,
  dataclass: Dataclass,
  values: readonly Literal[],
  access: SetAccess,
  limits: ValueLimits,
): Promise<number> {
  const keys = await neededKeys(id, dataclass, values, access);
  const sought = soughtKey(slotText(key, values), dataclass, limits);
  return sought === null ? -1 : keys.indexOf(sought);
}

/** The key as sets hold it; null for a number that no key can be. */
function soughtKey(text: string, dataclass: Dataclass, limits: ValueLimits): KeyTexts | null {
  try {
    const key = bodyKey(text, dataclass, '$findKey', limits);
    return dataclass.key.map(({ columnType: type }, part) => {
      const value = key[part] ?? '';
      return type.kind === 'text' && type.padded ? withoutPadding(value) : value;
    });
  } catch (error) {
    if (error instanceof ProtocolError && error.errorName === 'brokenReference') return null;
    throw error;
  }
}

/**
 * Gives a set up.
 * @throws ProtocolError noSuchEntitySet, otherDataclassSet
 */
export async function releaseSet(
  { id }: Pick<ReleaseRequest, 'id'>,
  dataclass: Dataclass,
  values: readonly Literal[],
  access: SetAccess,
): Promise<void> {
  await neededKeys(id, dataclass, values, access);
  const text = slotText(id, values);
  if (!(await access.sets.release(text, access.audience))) throw noSuchSet(text);
}
