import { expect, test } from 'vitest';
import {
  fieldOf,
  formFields,
  isFixed,
  isRequired,
  takesNull,
} from '../../../src/explorer/entity/form-fields.ts';
import { readCatalog } from '../../../src/explorer/rest/catalog.ts';

const storage = (name: string, more: object = {}): object => ({
  name,
  kind: 'storage',
  type: 'long',
  ...more,
});
const toOne = (name: string, foreignKey: string, more: object = {}): object => ({
  name,
  kind: 'relatedEntity',
  type: 'Company',
  foreignKey,
  ...more,
});

function dataclassOf(attributes: readonly object[], required: readonly string[] = []) {
  const catalog = readCatalog({
    dataClasses: [{ name: 'Order', attributes, extraProperties: { required } }],
  } as never);
  const dataclass = catalog.dataclasses.get('Order');
  if (dataclass === undefined) throw new Error('no Order');
  const named = (name: string) => {
    const attribute = dataclass.attributes.find((known) => known.name === name);
    if (attribute === undefined) throw new Error(`no ${name}`);
    return attribute;
  };
  return { dataclass, named };
}

test('a foreign key stands once, as its relation, and messages about it stand there', () => {
  const { dataclass } = dataclassOf([
    storage('ID'),
    storage('companyID'),
    storage('region'),
    storage('no'),
    storage('agentID'),
    storage('clerkID', { readOnly: true }),
    toOne('company', 'companyID'),
    toOne('place', 'region,no'),
    toOne('agent', 'agentID', { readOnly: true }),
    toOne('clerk', 'clerkID', { readOnly: true }),
    { name: 'lines', kind: 'relatedEntities', type: 'Lines' },
  ]);
  expect(formFields(dataclass).map(({ name }) => name)).toEqual([
    'ID',
    // Its relation cannot be changed.
    'agentID',
    'company',
    'place',
    'agent',
    'clerk',
  ]);
  expect(['no', 'agentID', 'ID'].map((name) => fieldOf(name, dataclass))).toEqual([
    'place',
    'agentID',
    'ID',
  ]);
});

test('a star is for what has to be sent', () => {
  const { dataclass, named } = dataclassOf(
    [
      storage('ID', { not_null: true, autosequence: true }),
      storage('name', { not_null: true }),
      storage('state', { not_null: true, extraProperties: { optional: true } }),
      storage('note'),
      storage('companyID', { not_null: true }),
      storage('agentID', { not_null: true, extraProperties: { optional: true } }),
      storage('clerkID'),
      toOne('company', 'companyID'),
      toOne('agent', 'agentID'),
      toOne('clerk', 'clerkID'),
      toOne('country', ''),
    ],
    ['name', 'country'],
  );
  const starred = formFields(dataclass).filter(({ name }) => isRequired(named(name), dataclass));
  expect(starred.map(({ name }) => name)).toEqual(['name', 'company', 'country']);
  const nullable = formFields(dataclass).filter(({ name }) => takesNull(named(name), dataclass));
  expect(nullable.map(({ name }) => name)).toEqual(['note', 'clerk']);
});

test('the key of an entity that exists is fixed, and so are relations that are a part of it', () => {
  const { dataclass, named } = dataclassOf([
    storage('orderNo', { identifying: true }),
    storage('line', { identifying: true }),
    storage('quantity'),
    storage('total', { kind: 'calculated' }),
    storage('stamp', { readOnly: true }),
    toOne('order', 'orderNo'),
  ]);
  const fixed = (isNew: boolean): string[] =>
    dataclass.attributes.flatMap(({ name }) =>
      isFixed(named(name), dataclass, isNew) ? [name] : [],
    );
  expect(fixed(true)).toEqual(['total', 'stamp']);
  expect(fixed(false)).toEqual(['orderNo', 'line', 'total', 'stamp', 'order']);
});
