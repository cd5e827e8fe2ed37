import { expect, test } from 'vitest';
import type { Dataclass, Relation } from '../../../src/model/types.ts';
import type { Column } from '../../../src/schema/types.ts';
import { addUuids, readRelation } from '../../../src/run/body/slots.ts';
import { EntityValues } from '../../../src/run/convert/entity-values.ts';

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
  const given = new EntityValues(keyedBy({ hasDefault: true }));
  addUuids(given, () => []);
  expect(given.shape.slots).toMatchObject([{ member: 'Thing.id', column: { name: 'ID' } }]);
  expect(given.values).toEqual([
    expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i),
  ]);
});

test('one that the database makes behind the last is left to it (learn: newsequentialid-transact-sql)', () => {
  const given = new EntityValues(keyedBy({ hasDefault: true, sequentialGuids: true }));
  addUuids(given, () => []);
  expect(given.values).toEqual([]);
});

test('a relation to many that is read-only says why', () => {
  const target = { name: 'Part', key: [] } as unknown as Dataclass;
  const parts = {
    kind: 'relatedEntities',
    name: 'parts',
    target,
    readOnly: 'it is an heirloom',
  } as unknown as Relation;
  const dataclass = keyedBy({});
  const given = new EntityValues(dataclass);
  expect(() => readRelation(parts, ['1'], () => new Set(), given, { dataclass } as never)).toThrow(
    'Thing.parts is read-only: it is an heirloom.',
  );
});
