import { expect, test } from 'vitest';
import {
  fieldOf,
  formFields,
  isFixed,
  isRequired,
  takesNull,
} from '../../../src/explorer/entity/form-fields.ts';
import type { Attribute } from '../../../src/explorer/rest/catalog.ts';
import { catalogOf, firstOf } from '../catalog.ts';

function dataclassOf(attributes: string, required: readonly string[] = []) {
  const dataclass = firstOf(catalogOf(`Order:${attributes}`, { extraProperties: { required } }));
  const attributeOf = (name: string): Attribute =>
    dataclass.attributes.find((known) => known.name === name) ?? expect.fail(`no ${name}`);
  return { dataclass, attributeOf };
}

test('a foreign key stands once, as its relation, and messages about it stand there', () => {
  const { dataclass } = dataclassOf(`
  ID: long
  companyID: long
  region: long
  no: long
  agentID: long
  clerkID: { type: long, readOnly: true }
  company: { one: Company, foreignKey: companyID }
  place: { one: Company, foreignKey: 'region,no' }
  agent: { one: Company, foreignKey: agentID, readOnly: true }
  clerk: { one: Company, foreignKey: clerkID, readOnly: true }
  lines: { many: Lines }
`);
  expect(formFields(dataclass).map(({ name }) => name)).toEqual([
    // The relation of agentID cannot be changed.
    ...['ID', 'agentID', 'company', 'place', 'agent', 'clerk'],
  ]);
  const fields = ['no', 'agentID', 'ID'].map((name) => fieldOf(name, dataclass));
  expect(fields).toEqual(['place', 'agentID', 'ID']);
});

test('a star is for what has to be sent', () => {
  const { dataclass, attributeOf } = dataclassOf(
    `
  ID: { type: long, not_null: true, autosequence: true }
  name: { type: long, not_null: true }
  state: { type: long, not_null: true, extraProperties: { optional: true } }
  note: long
  companyID: { type: long, not_null: true }
  agentID: { type: long, not_null: true, extraProperties: { optional: true } }
  clerkID: long
  company: { one: Company, foreignKey: companyID }
  agent: { one: Company, foreignKey: agentID }
  clerk: { one: Company, foreignKey: clerkID }
  country: { one: Company, foreignKey: '' }
`,
    ['name', 'country'],
  );
  const starred = formFields(dataclass).filter(({ name }) =>
    isRequired(attributeOf(name), dataclass),
  );
  expect(starred.map(({ name }) => name)).toEqual(['name', 'company', 'country']);
  const nullable = formFields(dataclass).filter(({ name }) =>
    takesNull(attributeOf(name), dataclass),
  );
  expect(nullable.map(({ name }) => name)).toEqual(['note', 'clerk']);
});

test('the key of an entity that exists is fixed, and so are relations that are a part of it', () => {
  const { dataclass, attributeOf } = dataclassOf(`
  orderNo: { type: long, identifying: true }
  line: { type: long, identifying: true }
  quantity: long
  total: { type: long, kind: calculated }
  stamp: { type: long, readOnly: true }
  order: { one: Company, foreignKey: orderNo }
`);
  const fixed = (isNew: boolean): string[] =>
    dataclass.attributes.flatMap(({ name }) =>
      isFixed(attributeOf(name), dataclass, isNew) ? [name] : [],
    );
  expect(fixed(true)).toEqual(['total', 'stamp']);
  expect(fixed(false)).toEqual(['orderNo', 'line', 'total', 'stamp', 'order']);
});
