import type { Dataclass } from '../../model/types.ts';
import type { Literal, Slot } from '../../protocol/ast.ts';
import { unpadded } from '../../schema/padded.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import type { KeyTexts } from '../body/body-key.ts';
import { urlKey } from '../body/url-keys.ts';

/**
 * A key as sets hold it, so that the two can be compared; null for what no entity's key can be.
 * @throws ProtocolError wrongType for a part that cannot be one
 */
export function soughtKey(
  parts: readonly Slot[],
  values: readonly Literal[],
  dataclass: Dataclass,
  limits: ValueLimits,
): KeyTexts | null {
  const literals = parts.map(({ slot }) => values[slot]);
  const key = urlKey(literals, dataclass.key, dataclass, limits);
  if (key === null) return null;
  return dataclass.key.map(({ columnType }, part) => unpadded(key[part] ?? '', columnType));
}
