import { expect, test } from 'vitest';
import {
  differences,
  relatedKey,
  resolved,
  stored,
  withChange,
  type Draft,
} from '../../../src/explorer/entity/draft.ts';
import { sortErrors } from '../../../src/explorer/entity/field-errors.ts';
import { parseJson, type JsonObject } from '../../../src/explorer/rest/json.ts';

const deferred = (key: string) => ({ __deferred: { uri: `/rest/Company(${key})`, __KEY: key } });
const photo = (version: number) => ({
  uri: `/rest/E(1)/photo?$version=${version}`,
  __deferred: { uri: '' },
});

const base: JsonObject = {
  name: 'Ada',
  grade: 3,
  note: null,
  employer: deferred('1'),
  photo: photo(1),
};

test('a change back to what the entity has is none', () => {
  const none: Draft = new Map();
  const changed = withChange(none, 'grade', 4, base);
  expect([...changed]).toEqual([['grade', 4]]);
  expect([...withChange(changed, 'grade', 3, base)]).toEqual([]);
  expect([...withChange(none, 'employer', { __KEY: '1' }, base)]).toEqual([]);
  expect([...withChange(none, 'note', '', base)]).toEqual([['note', '']]);
  expect([...withChange(none, 'note', null, null)]).toEqual([['note', null]]);
});

test('the key of a related entity is found in each of its forms', () => {
  const forms = [deferred('7'), { __KEY: '7', name: 'x' }, { __KEY: 7 }];
  expect(forms.map(relatedKey)).toEqual(['7', '7', '7']);
  expect([null, undefined, photo(1), 'x'].map(relatedKey)).toEqual([null, null, null, null]);
  expect(stored(deferred('7'))).toEqual({ __KEY: '7' });
  expect(stored(undefined)).toBeNull();
});

const changes: Draft = new Map<string, string | number>([
  ['name', 'Bob'],
  ['grade', 5],
]);

test('what both have changed is a conflict, unless to the same value', () => {
  const others = { name: 'Eve', grade: 5, note: 'x', employer: deferred('2'), photo: photo(2) };
  expect(differences(base, changes, others, Object.keys(base))).toEqual([
    { name: 'name', base: 'Ada', theirs: 'Eve', mine: 'Bob', isConflict: true },
    { name: 'grade', base: 3, theirs: 5, mine: 5, isConflict: false },
    { name: 'note', base: null, theirs: 'x', isConflict: false },
    { name: 'employer', base: { __KEY: '1' }, theirs: { __KEY: '2' }, isConflict: false },
  ]);
});

test('of each attribute the chosen value is left to save', () => {
  const others: JsonObject = { ...base, name: 'Eve', grade: 5 };
  const draft: Draft = new Map([...changes, ['note', 'n']]);
  const left = (chosen: 'mine' | 'theirs') => [
    ...resolved(draft, others, new Map([['name', chosen]])),
  ];
  const note = ['note', 'n'];
  expect([left('theirs'), left('mine')]).toEqual([[note], [['name', 'Bob'], note]]);
});

test('digits that JavaScript would round are a difference', () => {
  const entity = parseJson('{"badgeNo":9007199254740993}') as JsonObject;
  expect(withChange(new Map(), 'badgeNo', parseJson('9007199254740992'), entity).size).toBe(1);
});

test('messages stand at the attributes that they name', () => {
  const items = [
    'Employee.grade is mandatory: it needs a value.',
    'Employee.gradeOld, Employee.name is mandatory: it needs a value.',
    'Employee(1) was not saved.',
  ].map((message) => ({ message }));
  const { byField, others } = sortErrors(items, 'Employee', ['grade', 'name', 'employer']);
  expect([...byField]).toEqual([
    ['grade', items[0]?.message],
    ['name', items[1]?.message],
  ]);
  expect(others).toEqual(['Employee(1) was not saved.']);
});
