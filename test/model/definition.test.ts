import { describe, expect, test } from 'vitest';
import { definitionOf, describedDefinitionOf } from '../../src/model/definition.ts';
import { findDataclass } from '../../src/model/lookup.ts';
import type { ApiFunction } from '../../src/model/functions/function-types.ts';
import {
  type AliasAttribute,
  type Dataclass,
  type Hop,
  isRelation,
  type Member,
  type Relation,
  type StorageAttribute,
} from '../../src/model/types.ts';
import { model, routine, table, type TableSketch, types } from './physical.ts';

const T: TableSketch = {
  columns: { ID: 'int', NAME: 'text', U_ID: 'int?' },
  primaryKey: ['ID'],
  foreignKeys: ['FK: U_ID -> U(ID)'],
};
const U: TableSketch = { columns: { ID: 'int', CODE: 'text' }, primaryKey: ['ID'] };
const MAPPING = 'table: S.T\nattributes: { id: ID, name: NAME }\n';

/** The definitions of T and U. */
async function definitions(t = MAPPING, u = 'table: S.U\n'): Promise<[string, string]> {
  const built = await model([table('T', T), table('U', U)], { t, u });
  const of = (name: string): string => findDataclass(built, name).definition();
  return [of('T'), of('U')];
}

test('the layout of a file, its comments and the order of its settings are no part of a definition', async () => {
  const text = '# T\nattributes:\n  id: ID\n\n  name: NAME\ntable: S.T\n';
  expect(await definitions(text)).toEqual(await definitions());
});

test('a changed dataclass leaves the others as they are, also those that lead to it', async () => {
  const [t, u] = await definitions();
  const [changedT, sameU] = await definitions(MAPPING.replace('name:', 'title:'));
  expect([changedT === t, sameU]).toEqual([false, u]);
  const [sameT, changedU] = await definitions(MAPPING, 'table: S.U\nattributes: { code: CODE }\n');
  expect([sameT, changedU === u]).toEqual([t, false]);
});

test('restrictions that differ in a value alone are told apart', async () => {
  const wheres = ['', 'where: "id > 1"\n', 'where: "id > 2"\n'];
  const all = await Promise.all(wheres.map((where) => definitions(MAPPING + where)));
  expect(new Set(all.map(([t]) => t)).size).toBe(3);
});

/** The fields that may change without another definition: descriptions and messages, the place among the mapping files, and what depends on the user. */
const UNCOUNTED: ReadonlySet<string> = new Set([
  ...['description', 'messages', 'number', 'isTimestampSeen', 'rights'],
]);

/**
 * Tests for each field whether a dataclass with another value in it has another definition.
 * @param others another value for each field: TypeScript refuses a list that lacks one
 * @param within returns a dataclass that has the thing
 */
function testEachField<Thing extends object>(
  thing: Thing,
  others: { readonly [Field in keyof Thing]-?: Thing[Field] },
  within: (thing: Thing) => Dataclass,
): void {
  const before = within(thing);
  test.each(Object.entries(others))('%s', (field, other) => {
    const after = within({ ...thing, [field]: other });
    const isDescription = field === 'description' || field === 'messages';
    expect({
      definition: definitionOf(after) !== definitionOf(before),
      described: describedDefinitionOf(after) !== describedDefinitionOf(before),
    }).toEqual({
      definition: !UNCOUNTED.has(field),
      described: isDescription || !UNCOUNTED.has(field),
    });
  });
}

const { dataclasses, functions } = await model(
  [table('T', T), table('U', U)],
  {
    t: `${MAPPING.replace(' }', ', code: u.code }')}relations: { u: { to: U, foreignKey: FK } }\n`,
    u: 'dataclass: U\ntable: S.U\nattributes: { id: ID, code: CODE }\n',
    functions: 'functions: { tell: { routine: S.TELL } }\n',
  },
  {},
  [routine('TELL', {})],
);
const thing = dataclasses.get('T');
const other = dataclasses.get('U');
const [name, relation, alias] = ['name', 'u', 'code'].map((member) => thing?.members.get(member));
const code = other?.stored.get('code');
const tell = functions.get('tell');
if (
  thing === undefined ||
  other === undefined ||
  name?.kind !== 'storage' ||
  code === undefined ||
  tell === undefined ||
  alias?.kind !== 'alias' ||
  relation === undefined ||
  !isRelation(relation)
) {
  throw new Error('the model lacks some of what was mapped');
}

const withMember = (member: Member): Dataclass => ({
  ...thing,
  members: new Map([['member', member]]),
});

describe('of a dataclass counts', () => {
  testEachField<Omit<Dataclass, 'definition' | 'leftOut'>>(
    thing,
    {
      name: 'Other',
      collection: 'Others',
      description: 'Other.',
      table: other.table,
      number: thing.number + 1,
      key: [name],
      stamp: { kind: 'xmin' },
      timestamp: name.column,
      changes: 'the gateway does not offer them',
      isTimestampSeen: !thing.isTimestampSeen,
      readOnly: '',
      rights: { create: 'denied', update: 'denied', delete: 'denied' },
      requireStamp: !thing.requireStamp,
      aggregates: !thing.aggregates,
      allowsOverwrite: !thing.allowsOverwrite,
      where: { kind: 'any', items: [] },
      messages: new Map([['CK', 'No.']]),
      members: other.members,
      stored: other.stored,
      functions: new Map([['tell', tell]]),
    },
    (dataclass) => ({ ...thing, ...dataclass }),
  );
});

describe('of an attribute counts', () => {
  testEachField<StorageAttribute>(
    name,
    {
      kind: 'calculated',
      name: 'other',
      description: 'Other.',
      column: code.column,
      columnType: { kind: 'uuid', native: 'uuid' },
      type: 'image',
      trim: !name.trim,
      ignoreCase: !name.ignoreCase,
      simpleDate: !name.simpleDate,
      unique: !name.unique,
      indexed: !name.indexed,
      readOnly: 'it is an identity column',
      allowedValues: ['a'],
    },
    withMember,
  );
});

describe('of an alias counts', () => {
  testEachField<Omit<AliasAttribute, 'kind' | 'readOnly'>>(
    alias,
    { name: 'other', description: 'Other.', path: ['u', 'id'], aliased: name },
    (changed) => withMember({ ...alias, ...changed }),
  );
});

describe('of a relation counts', () => {
  testEachField<Relation>(
    relation,
    {
      kind: 'relatedEntities',
      name: 'other',
      description: 'Other.',
      target: thing,
      hops: [{ ...relation.hops[0], toMany: true }],
      inverse: 'things',
      foreignKey: ['other'],
      through: ['u', 'things'],
      readOnly: 'your roles may only read it',
    },
    withMember,
  );
});

describe('of a hop counts', () => {
  testEachField<Hop>(
    relation.hops[0],
    { target: thing, from: [code.column], to: [code.column], toMany: true },
    (hop) => withMember({ ...relation, hops: [hop] }),
  );
});

describe('of a function counts', () => {
  const parameter = { name: 'A', type: types.int, direction: 'in', optional: false } as const;
  testEachField<ApiFunction>(
    tell,
    {
      name: 'other',
      fullName: 'Other.tell',
      description: 'Other.',
      appliesTo: 'entity',
      routine: routine('OTHER', {}),
      inputs: [{ parameter, type: types.int, from: { kind: 'key', part: 0 } }],
      parameters: [{ name: 'other', type: types.int, optional: true }],
      returns: { kind: 'value' },
      allowedOnHTTPGET: !tell.allowedOnHTTPGET,
      inTransaction: !tell.inTransaction,
    },
    (called) => ({ ...thing, functions: new Map([['tell', called]]) }),
  );
});
