import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { auditLog, openAudit, wantedValues } from '../../../src/server/audit/audit-log.ts';
import { ProtocolError, StartupError, type ErrorName } from '../../../src/base/errors.ts';
import { NOBODY, type Principal } from '../../../src/base/principal.ts';
import type {
  EntityWritten,
  WriteObserver,
  WriteRefused,
} from '../../../src/base/observe/writes.ts';
import { readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';

const ann: Principal = { name: 'ann', roles: ['clerk'], claims: new Map([['secret', 'x']]) };

/** The audit log of one request, and what it has written. */
function audited({ required = false, problem = null as Error | null } = {}): {
  writes: WriteObserver;
  texts: [text: string, lines: number][];
  lines: () => unknown[];
} {
  const texts: [string, number][] = [];
  const target: Parameters<typeof auditLog>[0] = {
    write: (text, lines) => texts.push([text, lines]),
    problem: () => problem,
  };
  const observe = auditLog(target, {
    wantsValues: (dataclass, member) => `${dataclass}.${member}` === 'Employee.salary',
    isRequired: required,
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

  test('has a line for each entity, all of them handed over together', () => {
    const { writes, texts } = audited();
    const created: EntityWritten = {
      action: 'create',
      dataclass: 'Employee',
      key: '{"a":1,"b":"x\\ny"}',
      attributes: ['firstName'],
      values: new Map(),
    };
    writes.entitiesWritten(ann, [written, created]);
    expect(texts).toEqual([
      [
        '{"log":"audit","time":"2026-11-21T08:04:34.894Z","request":"r-1","user":"ann","roles":["clerk"],"address":"::1",' +
          '"action":"update","dataclass":"Employee","key":"5","attributes":["salary","photo"],' +
          '"values":{"salary":{"before":"1.50","after":null}},"outcome":"done"}\n' +
          '{"log":"audit","time":"2026-11-21T08:04:34.894Z","request":"r-1","user":"ann","roles":["clerk"],"address":"::1",' +
          '"action":"create","dataclass":"Employee","key":"{\\"a\\":1,\\"b\\":\\"x\\\\ny\\"}","attributes":["firstName"],"outcome":"done"}\n',
        2,
      ],
    ]);
  });

  test('says of nobody that nobody is known', () => {
    const { writes, lines } = audited();
    writes.entitiesWritten(NOBODY, [written]);
    expect(lines()).toMatchObject([{ user: null, roles: [] }]);
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
  ])('tells of what was refused: %s', (errorName, outcome, errCode) => {
    const { writes, lines } = audited();
    writes.entitiesRefused(ann, [refused(errorName)]);
    expect(lines()).toEqual([
      {
        log: 'audit',
        time: '2026-11-21T08:04:34.894Z',
        request: 'r-1',
        user: 'ann',
        roles: ['clerk'],
        address: '::1',
        action: 'save',
        dataclass: 'Employee',
        key: null,
        attributes: [],
        outcome,
        errCode,
        error: errorName,
      },
    ]);
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

  test('wants the values that it is to tell', () => {
    const { writes } = audited();
    expect(writes.wantsValues('Employee', 'salary')).toBe(true);
    expect(writes.wantsValues('Employee', 'photo')).toBe(false);
  });

  test('lets nothing be written without it where it is required', () => {
    const problem = new Error('disk full');
    expect(() => audited({ required: true, problem }).writes.checkWritable()).toThrow(
      ProtocolError.of('auditUnavailable'),
    );
    expect(() => audited({ required: true }).writes.checkWritable()).not.toThrow();
    expect(() => audited({ problem }).writes.checkWritable()).not.toThrow();
  });
});

const model = await sampleModel(readSnapshot('postgres'));
const at = (setting: string): string => `at ${setting}`;

test('values are told of none, of all, or of those that are named', () => {
  const wants = (values: Parameters<typeof wantedValues>[0]): boolean[] => {
    const isWanted = wantedValues(values, model, at);
    return [
      isWanted('Employee', 'salary'),
      isWanted('Employee', 'employer'),
      isWanted('Company', 'name'),
    ];
  };
  expect(wants('none')).toEqual([false, false, false]);
  expect(wants('all')).toEqual([true, true, true]);
  expect(wants(['Company.name', 'Employee.employer'])).toEqual([false, true, true]);
});

test('names that nothing has keep the gateway from starting', () => {
  const names = ['Company.name', 'Employe.lastName', 'Company.nam'];
  expect(() => wantedValues(names, model, at)).toThrow(
    new StartupError([
      {
        where: 'at audit.values.1',
        message: 'there is no dataclass Employe. Did you mean Employee?',
      },
      {
        where: 'at audit.values.2',
        message: 'Company has no attribute or relation nam. Did you mean name?',
      },
    ]),
  );
});

test('a file that cannot be opened keeps the gateway from starting', () => {
  const open = (): unknown =>
    openAudit({ to: '/nowhere/audit.log', required: false }, () => false, at, pino());
  expect(open).toThrow('/nowhere/audit.log cannot be written: ENOENT');
});
