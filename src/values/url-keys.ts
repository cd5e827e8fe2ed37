import type { Dataclass } from '../model/types.ts';
import type { UrlTarget } from '../plan/save.ts';
import type { Literal } from '../request/ast.ts';
import type { ValueLimits } from '../sql/dialect.ts';
import { noEntity, type KeyTexts } from './body-key.ts';
import { convert } from './convert.ts';
import { sideOf } from './range.ts';

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
  const texts = (literals: readonly (Literal | undefined)[]): KeyTexts =>
    attributes.map(({ name, columnType }, index) => {
      const literal = literals[index];
      if (literal === undefined) throw new Error('a key has no value');
      if (sideOf(literal, columnType, limits) !== null) {
        const key = literals.map((part) => (typeof part?.value === 'string' ? part.value : ''));
        throw noEntity(key, dataclass, unique);
      }
      return convert(literal, columnType, `${dataclass.name}.${name}`, limits);
    });
  return slots.flatMap((parts): KeyTexts[] => {
    const [first] = parts;
    const list = first === undefined ? undefined : values[first.slot];
    if (list !== undefined && typeof list.value !== 'string') {
      return list.value.map((literal) => texts([literal]));
    }
    return [texts(parts.map(({ slot }) => values[slot]))];
  });
}
