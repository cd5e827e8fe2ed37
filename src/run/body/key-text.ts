import type { Dataclass } from '../../model/types.ts';
import { unpadded } from '../../schema/padded.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { KeyTexts } from './body-key.ts';

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
