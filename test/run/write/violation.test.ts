import { expect, test } from 'vitest';
import { DatabaseRefusal } from '../../../src/database/errors.ts';
import { explainRefusal } from '../../../src/run/write/violation.ts';
import { model, table } from '../../model/physical.ts';

const thing = table('THING', {
  columns: { ID: 'int', MOOD: 'enum?', ADDRESS: 'inet?', DOC: 'json?' },
  primaryKey: ['ID'],
});
const api = await model([thing], { thing: 'dataclass: Thing\ntable: S.THING\nstamp: hash\n' });

test.each([
  [['MOOD'], 'Thing.mood is not of the kind that the database holds there. Expected a mood.'],
  [['DOC'], 'Thing.doc is not of the kind that the database holds there.'],
  [
    ['ID', 'MOOD', 'ADDRESS', 'DOC'],
    'One of Thing.mood, Thing.address, Thing.doc is not of the kind that the database holds there. Expected a mood for Thing.mood, and an inet for Thing.address, and a json for Thing.doc.',
  ],
])('of values of another kind for %j the error tells what is expected', (names, message) => {
  const dataclass = api.dataclasses.get('Thing');
  if (dataclass === undefined) throw new Error('there is no Thing');
  const given = dataclass.table.columns.filter(({ name }) => names.includes(name));
  const refusal = new DatabaseRefusal({ rule: 'badValue', names: [] }, 'refused', new Error(''));
  const error = explainRefusal(refusal, { kind: 'create', dataclass, model: api, given });
  expect(error.message).toBe(message);
});
