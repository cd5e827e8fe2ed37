import { expect, test } from 'vitest';
import { auditLog, wantedValues } from '../../../src/server/audit/audit-log.ts';
import { ProtocolError, StartupError } from '../../../src/base/errors.ts';
import { NOBODY } from '../../../src/base/principal.ts';
import { readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';

test('an audit log hands the lines of entities over together, and says what is not known', () => {
  const texts: [text: string, lines: number][] = [];
  const observe = auditLog(
    { write: (text, lines) => texts.push([text, lines]), problem: () => null },
    { wantsValues: () => false, isRequired: false, now: Date.now },
  );
  const request = { id: 'r-1', verb: 'POST', url: '/rest/Employee', address: '::1', headers: {} };
  const writes = observe(request);
  const one = { dataclass: 'Employee', key: '5', attributes: [] };
  const written = { ...one, action: 'update', values: new Map() } as const;
  writes.entitiesWritten(NOBODY, [written, written]);
  const error = ProtocolError.of('outcomeUnknown');
  writes.entitiesRefused(NOBODY, [{ ...one, action: 'save', error }]);
  expect(texts.map(([text, lines]) => [text.split('\n').length - 1, lines])).toEqual([
    [2, 2],
    [1, 1],
  ]);
  expect(JSON.parse(texts[1]?.[0] ?? '')).toMatchObject({
    ...{ action: 'save', outcome: 'unknown', errCode: 9014, error: 'outcomeUnknown' },
  });
});

const model = await sampleModel(readSnapshot('postgres'));
const at = (setting: string): string => `at ${setting}`;

test.each<[Parameters<typeof wantedValues>[0], readonly boolean[]]>([
  ['none', [false, false, false]],
  ['all', [true, true, true]],
  [
    ['Company.name', 'Employee.employer'],
    [false, true, true],
  ],
])('values are told of %j', (values, expected) => {
  const isWanted = wantedValues(values, model, at);
  expect([
    isWanted('Employee', 'salary'),
    isWanted('Employee', 'employer'),
    isWanted('Company', 'name'),
  ]).toEqual(expected);
});

test('names that nothing has keep the gateway from starting', () => {
  const names = ['Company.name', 'Employe.lastName', 'Company.nam'];
  const noDataclass = 'there is no dataclass Employe. Did you mean Employee?';
  const noMember = 'Company has no attribute or relation nam. Did you mean name?';
  expect(() => wantedValues(names, model, at)).toThrow(
    new StartupError([
      { where: 'at audit.values.1', message: noDataclass },
      { where: 'at audit.values.2', message: noMember },
    ]),
  );
});
