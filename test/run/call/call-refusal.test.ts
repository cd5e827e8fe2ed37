import { expect, test } from 'vitest';
import { DatabaseRefusal, type ViolatedRule } from '../../../src/database/errors.ts';
import type { ApiFunction } from '../../../src/model/functions/function-types.ts';
import { explainCallRefusal } from '../../../src/run/call/call.ts';

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
