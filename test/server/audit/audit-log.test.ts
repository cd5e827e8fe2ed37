import { describe, expect, test } from 'vitest';
import { auditLog, wantedValues } from '../../../src/server/audit/audit-log.ts';
import { ProtocolError, StartupError, type ErrorName } from '../../../src/base/errors.ts';
import type { Principal } from '../../../src/base/principal.ts';
import type {
  EntityWritten,
  WriteObserver,
  WriteRefused,
} from '../../../src/base/observe/writes.ts';
import { readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';

const ann: Principal = { name: 'ann', roles: ['clerk'], claims: new Map([['secret', 'x']]) };

/** The audit log of one request, and what it has written. */
function audited(): {
  writes: WriteObserver;
  texts: [text: string, lines: number][];
  lines: () => unknown[];
} {
  const texts: [string, number][] = [];
  const target: Parameters<typeof auditLog>[0] = {
    write: (text, lines) => texts.push([text, lines]),
    problem: () => null,
  };
  const observe = auditLog(target, {
    wantsValues: (dataclass, member) => `${dataclass}.${member}` === 'Employee.salary',
    isRequired: false,
    now: () => Date.UTC(2026, 10, 21, 8, 4, 34, 894),
  });
  const request = { id: 'r-1', verb: 'POST', url: '/rest/Employee', address: '::1', headers: {} };
  const writes = observe(request);
  return {
    writes,
    texts,
    lines: () =>
      texts
        .flatMap(([text]) => text.split('\n').slice(0, -1))
        .map((line) => JSON.parse(line) as unknown),
  };
}

const written: EntityWritten = {
  action: 'update',
  dataclass: 'Employee',
  key: '5',
  attributes: ['salary', 'photo'],
  values: new Map([['salary', { before: '1.50', after: null }]]),
};

const refused = (errorName: ErrorName): WriteRefused => ({
  action: 'save',
  dataclass: 'Employee',
  key: null,
  attributes: [],
  error: new ProtocolError(errorName, 'Not "this".'),
});

describe('an audit log', () => {
  test('has a line for each call of a function', () => {
    const { writes, lines } = audited();
    writes.functionCalled(ann, { function: 'raise', dataclass: 'Employee', error: null });
    const error = new ProtocolError('mayNotExecute', 'No.');
    writes.functionCalled(ann, { function: 'Prices.quote', dataclass: null, error });
    const call = { action: 'execute', function: 'raise', dataclass: 'Employee' };
    expect(lines()).toMatchObject([
      { user: 'ann', ...call, outcome: 'done' },
      {
        ...{ action: 'execute', function: 'Prices.quote', dataclass: null },
        ...{ outcome: 'denied', errCode: 1561, error: 'mayNotExecute' },
      },
    ]);
  });

  test('hands the lines of entities over together', () => {
    const { writes, texts } = audited();
    const key = '{"a":1,"b":"x\\ny"}';
    writes.entitiesWritten(ann, [written, { ...written, key, values: new Map() }]);
    const head =
      '{"log":"audit","time":"2026-11-21T08:04:34.894Z","request":"r-1","user":"ann","roles":["clerk"],"address":"::1","action":"update","dataclass":"Employee",';
    const members = '"attributes":["salary","photo"]';
    expect(texts).toEqual([
      [
        `${head}"key":"5",${members},"values":{"salary":{"before":"1.50","after":null}},"outcome":"done"}\n` +
          `${head}"key":${JSON.stringify(key)},${members},"outcome":"done"}\n`,
        2,
      ],
    ]);
  });

  test('names who the identity provider says it was, beside the name that the gateway knows', () => {
    const { writes, lines } = audited();
    const claims = new Map([['sub', '00u1']]);
    writes.entitiesWritten({ ...ann, claims }, [written]);
    writes.entitiesWritten({ ...ann, name: '00u1', claims }, [written]);
    expect(lines()).toMatchObject([{ user: 'ann', subject: '00u1' }, { user: '00u1' }]);
    expect(lines()[1]).not.toHaveProperty('subject');
  });

  test.each<[errorName: ErrorName, outcome: string, errCode: number]>([
    ['mayNotDelete', 'denied', 1560],
    ['notLoggedIn', 'denied', 1822],
    ['stampChanged', 'failed', 1263],
    ['internal', 'failed', 9000],
    ['outcomeUnknown', 'unknown', 9014],
  ])('tells of what was refused: %s', (error, outcome, errCode) => {
    const { writes, lines } = audited();
    writes.entitiesRefused(ann, [refused(error)]);
    expect(lines()).toMatchObject([{ action: 'save', key: null, outcome, errCode, error }]);
  });

  test('tells of a request that failed where nothing was told of its entities', () => {
    const { writes, lines } = audited();
    writes.requestRefused(ann, refused('badBody'));
    writes.requestRefused(ann, refused('badBody'));
    expect(lines()).toMatchObject([{ outcome: 'failed', errCode: 9016 }]);
    const other = audited();
    other.writes.entitiesWritten(ann, [written]);
    other.writes.requestRefused(ann, refused('internal'));
    expect(other.lines()).toMatchObject([{ outcome: 'done' }]);
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
