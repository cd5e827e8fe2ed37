import type { ColumnType } from '../schema/types.ts';
import {
  attributeOf,
  type Dataclass,
  isRelation,
  isStored,
  type Member,
  type StorageAttribute,
} from '../model/types.ts';
import { isUnique } from '../plan/condition/keys.ts';

/** Values of types in examples. */
const SAMPLES: Readonly<Record<Exclude<ColumnType['kind'], 'text' | 'opaque'>, unknown>> = {
  boolean: true,
  integer: 1,
  // Fits every number of digits.
  decimal: 0,
  float: 0.5,
  uuid: 'c0ffee00-0000-4000-8000-000000000001',
  date: '2024-07-14',
  timestamp: '2024-07-14T09:30:00.000Z',
  time: '08:30:00',
  hex: '0A1B',
  binary: 'AAEC',
  json: {},
};

/** An attribute's value as an answer has it. What a text may say is not known: its name stands for it. */
export function sampleOf(
  { columnType, name, simpleDate }: StorageAttribute,
  owner: Dataclass,
): unknown {
  const { kind } = columnType;
  const text = `${owner.name}.${name}`;
  if (kind === 'text') return text.slice(0, columnType.maxLength ?? undefined);
  if (kind === 'opaque') return columnType.values?.[0] ?? text;
  if (kind === 'json' && columnType.items !== undefined) return [];
  return kind === 'date' && simpleDate ? '14!7!2024' : SAMPLES[kind];
}

/** The value of `__KEY` in an answer. */
export function sampleKeyText(owner: Dataclass): string {
  const values = owner.key.map(
    (part) => [part.name, sampleOf({ ...part, simpleDate: false }, owner)] as const,
  );
  return values.length === 1 ? String(values[0]?.[1]) : JSON.stringify(Object.fromEntries(values));
}

/** Whether a member is an image or a BLOB. */
export function isBinary(member: Member): boolean {
  if (isRelation(member)) return false;
  const { type } = attributeOf(member);
  return type === 'image' || type === 'blob';
}

/** The attributes by which one entity is found, besides its key. */
export function uniqueAttributes(dataclass: Dataclass): StorageAttribute[] {
  const { key, members } = dataclass;
  return [...members.values()].filter(
    (member): member is StorageAttribute =>
      isStored(member) &&
      !isBinary(member) &&
      isUnique(member, dataclass) &&
      !key.some(({ name }) => name === member.name),
  );
}
