import type { Dataclass, StorageAttribute } from '../../model/types.ts';
import type { UrlTarget } from '../../plan/write/save.ts';
import type { Literal } from '../../protocol/ast.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import { noEntity, type KeyTexts } from './body-key.ts';
import { convert } from '../convert/convert.ts';
import { sideOf } from '../convert/range.ts';

/**
 * A key that a URL names as canonical texts; null where a part is a number or a date that its type does not have: that is no entity's
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
