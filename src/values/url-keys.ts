import type { Dataclass } from '../model/types.ts';
import type { UrlTarget } from '../plan/save.ts';
import type { Literal } from '../request/ast.ts';
import type { ValueLimits } from '../sql/dialect.ts';
import type { KeyTexts } from './body-key.ts';
import { convert } from './convert.ts';

/**
 * The keys that a URL names.
 * @param limits what the engine can tell apart
 * @throws ProtocolError wrongType for a value that cannot be one
 */
export function urlKeys(
  { attributes, slots }: UrlTarget,
  values: readonly Literal[],
  dataclass: Dataclass,
  limits: ValueLimits,
): KeyTexts[] {
  const text = (literal: Literal | undefined, index: number): string => {
    const attribute = attributes[index];
    if (attribute === undefined || literal === undefined) throw new Error('a key has no value');
    return convert(literal, attribute.columnType, `${dataclass.name}.${attribute.name}`, limits);
  };
  return slots.flatMap((parts): KeyTexts[] => {
    const [first] = parts;
    const list = first === undefined ? undefined : values[first.slot];
    if (list !== undefined && typeof list.value !== 'string') {
      return list.value.map((literal) => [text(literal, 0)]);
    }
    return [parts.map(({ slot }, index) => text(values[slot], index))];
  });
}
