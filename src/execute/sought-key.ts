import { ProtocolError } from '../base/errors.ts';
import { withoutPadding } from '../base/padding.ts';
import type { Dataclass } from '../model/types.ts';
import type { ValueLimits } from '../sql/dialect.ts';
import { bodyKey, type KeyTexts } from '../values/body-key.ts';

/**
 * A key as sets hold it, so that the two can be compared; null for a number that no key can be.
 * @throws ProtocolError for what cannot be a key
 */
export function soughtKey(
  text: string,
  dataclass: Dataclass,
  limits: ValueLimits,
): KeyTexts | null {
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
