import { expect, test } from 'vitest';
import type { Dataclass, Relation } from '../../../src/model/types.ts';
import type { Column } from '../../../src/schema/types.ts';
import { newUuids, readRelation } from '../../../src/run/body/given-value.ts';

/** A dataclass whose key is a GUID. */
function keyedBy(column: Partial<Column>): Dataclass {
  const type = { kind: 'uuid', native: 'uniqueidentifier' } as const;
  const key = {
    name: 'id',
    columnType: type,
    readOnly: null,
    column: { name: 'ID', type, ...column },
  };
  return { name: 'Thing', key: [key] } as unknown as Dataclass;
}

test('the GUID of a new entity is made here', () => {
  const [given, ...others] = newUuids(keyedBy({ hasDefault: true }), [], []);
  expect(given?.slot).toMatchObject({ member: 'Thing.id', column: { name: 'ID' } });
  expect(given?.value).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i);
  expect(others).toEqual([]);
});

test('one that the database makes behind the last is left to it (learn: newsequentialid-transact-sql)', () => {
  expect(newUuids(keyedBy({ hasDefault: true, sequentialGuids: true }), [], [])).toEqual([]);
});

test('a relation to many that is read-only says why', () => {
  const target = { name: 'Part', key: [] } as unknown as Dataclass;
  const parts = { kind: 'relatedEntities', name: 'parts', target, readOnly: 'it is an heirloom' };
  const context = { dataclass: keyedBy({}) };
  expect(() =>
    readRelation(parts as unknown as Relation, ['1'], () => new Set(), context as never),
  ).toThrow('Thing.parts is read-only: it is an heirloom.');
});
