import { expect, test } from 'vitest';
import { DatabaseRefusal, type ViolatedRule } from '../../../src/database/errors.ts';
import { explainRefusal } from '../../../src/run/write/violation.ts';
import { model, table } from '../../model/physical.ts';
import { parsed, rows } from '../../rows.ts';
import type { ApiFunction } from '../../../src/model/functions/function-types.ts';
import { explainCallRefusal } from '../../../src/run/call/call.ts';
import { findDataclass } from '../../../src/model/lookup.ts';

const thing = table('THING', {
  columns: { ID: 'int', MOOD: 'enum?', ADDRESS: 'inet?', DOC: 'json?' },
  primaryKey: ['ID'],
});
const sizes = Array.from({ length: 500 }, (_, index) => String(index));
const api = await model([thing], { thing: 'dataclass: Thing\ntable: S.THING\nstamp: hash\n' });

test.each(rows`
  [MOOD]                   | Thing.mood is not of the kind that the database holds there. Expected a mood.
  [DOC]                    | Thing.doc is not of the kind that the database holds there.
  [ID, MOOD, ADDRESS, DOC]
    | One of Thing.mood, Thing.address, Thing.doc is not of the kind that the database holds there. Expected a mood for Thing.mood, and an inet for Thing.address, and a json for Thing.doc.
`)('of values of another kind for %j the error tells what is expected', (names, message) => {
  const dataclass = findDataclass(api, 'Thing');
  const given = dataclass.table.columns.filter(({ name }) =>
    parsed<string[]>(names).includes(name),
  );
  const refusal = new DatabaseRefusal({ rule: 'badValue', names: [] }, 'refused', new Error(''));
  const error = explainRefusal(refusal, { kind: 'create', dataclass, model: api, given });
  expect(error.message).toBe(message);
});

test.each(rows`
  CK_STATE  | Thing.state breaks a rule that the database sets for it. Expected one of new, done.
  CK_LENGTH | Thing.state breaks a rule that the database sets for it.
  CK_SIZE   | Thing.size breaks a rule that the database sets for it. Expected one of ${sizes.slice(0, 20).join(', ')}, or 480 more.
  CK_HIDDEN | The entity of Thing breaks a rule that the database sets for it.
`)('of check %s the error lists the values that it allows', async (name, message) => {
  const checked = table('THING', {
    columns: { ID: 'int', STATE: 'text?', SIZE: 'int?', HIDDEN: 'text?' },
    primaryKey: ['ID'],
    checks: [
      { name: 'CK_STATE', columns: ['STATE'], values: ['new', 'done'] },
      { name: 'CK_LENGTH', columns: ['STATE'] },
      { name: 'CK_SIZE', columns: ['SIZE'], values: sizes },
      { name: 'CK_HIDDEN', columns: ['HIDDEN'], values: ['secret'] },
    ],
  });
  const built = await model([checked], {
    thing:
      'dataclass: Thing\ntable: S.THING\nstamp: hash\nattributes: { id: ID, state: STATE, size: SIZE }\n',
  });
  const dataclass = findDataclass(built, 'Thing');
  const refusal = new DatabaseRefusal(
    { rule: 'constraint', names: [name] },
    'refused',
    new Error(''),
  );
  expect(explainRefusal(refusal, { kind: 'create', dataclass, model: built }).message).toBe(
    message,
  );
});

test.each<readonly [ViolatedRule, string]>([
  ['raised', 'raised'],
  ['notAllowed', 'mayNotExecute'],
  ['outdated', 'schemaChanged'],
  ['unique', 'duplicateKey'],
  ['constraint', 'brokenRule'],
  ['notNull', 'mandatoryMissing'],
  ['tooLong', 'tooLong'],
  ['outOfRange', 'tooLarge'],
  ['badValue', 'wrongType'],
  ['unencodable', 'wrongType'],
  ['generated', 'refusedByDatabase'],
  ['notUpdatable', 'refusedByDatabase'],
  ['exhausted', 'notSaved'],
  ['failed', 'databaseUnable'],
  ['other', 'refusedByDatabase'],
])('a call that breaks %s is answered with %s, and none of the engine’s words', (rule, name) => {
  const called = { fullName: 'Emp.raise', parameters: [] } as unknown as ApiFunction;
  const refusal = new DatabaseRefusal({ rule, names: ['SECRET'] }, 'refused', new Error('SECRET'));
  const told = explainCallRefusal(refusal, called);
  expect([told.errorName, told.message.includes('SECRET'), told.cause]).toEqual([
    name,
    false,
    refusal,
  ]);
  const raised = new DatabaseRefusal({ rule, names: [], text: 'Said' }, 'refused', new Error(''));
  expect(explainCallRefusal(raised, called).message === 'Said').toBe(rule === 'raised');
});

test('a call with a value of another kind tells what its parameters take that the database reads', () => {
  const parameters = [
    { name: 'amount', type: { kind: 'integer', native: 'int4' } },
    { name: 'mood', type: { kind: 'opaque', native: 'mood', values: ['calm', 'cross'] } },
    { name: 'span', type: { kind: 'opaque', native: 'int4range' } },
  ];
  const called = { fullName: 'Emp.raise', parameters } as unknown as ApiFunction;
  const refusal = new DatabaseRefusal({ rule: 'badValue', names: [] }, 'refused', new Error(''));
  expect(explainCallRefusal(refusal, called).message).toBe(
    'Emp.raise was refused: a value is not of the kind that the database takes there. Of its parameters, mood takes one of calm, cross, span takes an int4range.',
  );
});
