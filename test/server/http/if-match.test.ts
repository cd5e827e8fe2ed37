import { TimeSlice } from '../../../src/base/time.ts';
import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { findDataclass } from '../../../src/model/lookup.ts';
import type { Dataclass } from '../../../src/model/types.ts';
import { planSave, type SavePlan } from '../../../src/plan/write/save.ts';
import { parseBody } from '../../../src/protocol/body/body.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import {
  type Precondition,
  preconditionOf,
  refusePrecondition,
  stamped,
  stampedBody,
  underPrecondition,
} from '../../../src/server/http/etags.ts';
import { planning, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { complaint, rejection } from '../../protocol/complaint.ts';

const model = await sampleModel(readSnapshot('postgres'));

const SEVEN: Precondition = { kind: 'present', stamp: '7' };
const ANY: Precondition = { kind: 'present', stamp: null };
const ABSENT: Precondition = { kind: 'absent' };

describe('what a header asks of a write', () => {
  test.each<[ifMatch: string, expected: Precondition]>([
    ['"7"', SEVEN],
    ['7', SEVEN],
    ['"7.abcdefghij_klmnopqr-st"', SEVEN],
    [' W/"7.abc" ', SEVEN],
    ['"007"', SEVEN],
    ['"7", "7.abc" , "other"', SEVEN],
    ['W/"other", "7.4-100-png"', SEVEN],
    ['"9007199254740991"', { kind: 'present', stamp: '9007199254740991' }],
    ['*', ANY],
    [' * ', ANY],
  ])('If-Match: %s', (ifMatch, expected) => {
    expect(preconditionOf({ headers: { 'if-match': ifMatch } })).toEqual(expected);
  });

  test('is nothing without one', () => {
    expect(preconditionOf({ headers: { 'if-range': '"7"' } })).toBeNull();
    expect(() => refusePrecondition({ headers: { 'if-none-match': '*' } })).not.toThrow();
  });

  test('is that the entity is not there', () => {
    expect(preconditionOf({ headers: { 'if-none-match': ' * ' } })).toEqual(ABSENT);
  });

  const NO_LIST = 'If-Match is not a list of ETags: send the ETag of the last read, in quotes.';
  const NO_VERSION =
    'If-Match is not an entity’s ETag: send the ETag of the last read, or the __STAMP in quotes.';
  const READS = 'If-None-Match is allowed on reads, and as * on the creation of an entity.';

  test.each<[headers: Record<string, string>, error: string, message: string]>([
    [{ 'if-match': '' }, 'badRequest', NO_LIST],
    [{ 'if-match': 'abc' }, 'badRequest', NO_LIST],
    [{ 'if-match': '"7' }, 'badRequest', NO_LIST],
    [{ 'if-match': '"7" 8' }, 'badRequest', NO_LIST],
    [{ 'if-match': '"7" "7"' }, 'badRequest', NO_LIST],
    [{ 'if-match': '*, "7"' }, 'badRequest', NO_LIST],
    [{ 'if-match': '"abc"' }, 'preconditionFailed', NO_VERSION],
    [{ 'if-match': '"-7"' }, 'preconditionFailed', NO_VERSION],
    [{ 'if-match': '"12345678901234567"' }, 'preconditionFailed', NO_VERSION],
    [{ 'if-match': '"7-100-png"' }, 'preconditionFailed', NO_VERSION],
    [{ 'if-match': 'W/"1234567890123456789012"' }, 'preconditionFailed', NO_VERSION],
    [
      { 'if-match': '"7", "8"' },
      'notApplicable',
      'If-Match names several versions of the entity: send the one that you have read.',
    ],
    [{ 'if-none-match': '"7"' }, 'notApplicable', READS],
    [{ 'if-match': '"7"', 'if-none-match': '*' }, 'notApplicable', READS],
  ])('%j is refused', (headers, error, message) => {
    expect(complaint(() => preconditionOf({ headers }))).toEqual([error, message]);
  });
});

/** A save of a URL, and the stamp of the first entity of a body with a header. */
async function stampOf(
  path: string,
  body: unknown,
  precondition: Precondition | null,
): Promise<unknown> {
  const { ast } = parseRequest(`/rest/${path}`, 'POST');
  if (ast.kind !== 'save') throw new Error(`${path} is not a save`);
  const plan = planSave(ast, planning(model));
  const bytes = Buffer.from(JSON.stringify(body));
  const read = await parseBody(
    { contentType: 'application/json', bytes },
    { slice: new TimeSlice(), maxEntities: 2 },
  );
  if (read === null) throw new Error('the body is empty');
  return stampedBody(read, precondition, plan).entities[0]?.stamp;
}

const NOT_ONE =
  'If-Match is allowed on the save or the delete of one entity only: name it by its key.';
const NOT_NEW =
  'If-None-Match is allowed on the creation of entities only; use If-Match for existing ones.';

describe('the body of a save', () => {
  test.each<[path: string, body: unknown, precondition: Precondition | null, stamp: unknown]>([
    ['Employee(5)', { note: 'x' }, SEVEN, '7'],
    ['Employee', { __KEY: 5, note: 'x' }, SEVEN, '7'],
    ['Employee', { __KEY: 5, __STAMP: null }, SEVEN, '7'],
    ['Employee', { __KEY: 5, __STAMP: 7 }, SEVEN, 7],
    ['Employee', { __KEY: 5, __STAMP: '07' }, SEVEN, '07'],
    ['Employee', { __KEY: 5, __STAMP: 3 }, null, 3],
    ['Employee', { __KEY: 5, __STAMP: 3 }, ANY, 3],
    ['Employee(5)', { note: 'x' }, ANY, undefined],
    ['Employee', { note: 'x' }, null, undefined],
    ['Employee', { note: 'x' }, ABSENT, undefined],
    ['Employee?$method=insert', [{ note: 'x' }, {}], ABSENT, undefined],
  ])('%s %j under %j', async (path, body, precondition, stamp) => {
    expect(await stampOf(path, body, precondition)).toEqual(stamp);
  });

  test.each<[path: string, body: unknown, precondition: Precondition, message: string]>([
    ['Employee', [{ __KEY: 5 }], SEVEN, NOT_ONE],
    ['Employee', { __ENTITIES: [] }, ANY, NOT_ONE],
    ['Employee', {}, SEVEN, 'If-Match needs the key of an existing entity.'],
    [
      'Employee?$method=insert',
      { lastName: 'x' },
      ANY,
      'If-Match needs the key of an existing entity.',
    ],
    [
      'Employee(5)',
      { __STAMP: 3 },
      SEVEN,
      'If-Match has the stamp 7, the body the __STAMP 3: send one of them.',
    ],
    ['Employee(5)', {}, ABSENT, NOT_NEW],
    ['Employee', [{}, { __KEY: 5 }], ABSENT, NOT_NEW],
  ])('%s %j under %j is refused', async (path, body, precondition, message) => {
    expect(await rejection(() => stampOf(path, body, precondition))).toEqual([
      'notApplicable',
      message,
    ]);
  });

  test('is never under a stamp where nothing keeps one', async () => {
    const dataclass: Dataclass = {
      ...findDataclass(model, 'Employee'),
      name: 'Log',
      stamp: { kind: 'none' },
    };
    const plan = { dataclass, method: 'update', target: null } as SavePlan;
    const bytes = Buffer.from('{"__KEY":1}');
    const read = await parseBody(
      { contentType: undefined, bytes },
      { slice: new TimeSlice(), maxEntities: 2 },
    );
    if (read === null) throw new Error('the body is empty');
    expect(complaint(() => stampedBody(read, SEVEN, plan))).toEqual([
      'notApplicable',
      'Entities of Log have no stamps to compare with If-Match.',
    ]);
    expect(stampedBody(read, ANY, plan)).toEqual(read);
  });
});

describe('what is written', () => {
  const employee = findDataclass(model, 'Employee');
  const one = { index: 0, key: ['5'], stamp: null as string | null };

  test('has the stamp of If-Match', () => {
    expect(stamped([one], SEVEN, employee)).toEqual([{ ...one, stamp: '7' }]);
    expect(stamped([{ ...one, stamp: '7' }], SEVEN, employee)).toEqual([{ ...one, stamp: '7' }]);
    expect(stamped([{ ...one, stamp: '3' }], ANY, employee)).toEqual([{ ...one, stamp: '3' }]);
    expect(stamped([one, one], null, employee)).toEqual([one, one]);
  });

  test('stays refused', () => {
    const error = new ProtocolError('wrongType', 'no key');
    const refused = { index: 0, key: null, names: new Set<string>(), error };
    expect(stamped([refused], SEVEN, employee)).toEqual([refused]);
  });

  test.each<[entities: (typeof one)[], precondition: Precondition, message: string]>([
    [[one, one], SEVEN, NOT_ONE],
    [[], ANY, NOT_ONE],
    [[one], ABSENT, NOT_NEW],
    [
      [{ ...one, stamp: '3' }],
      SEVEN,
      'If-Match has the stamp 7, the body the __STAMP 3: send one of them.',
    ],
  ])('%j under %j is refused', (entities, precondition, message) => {
    expect(complaint(() => stamped(entities, precondition, employee))).toEqual([
      'notApplicable',
      message,
    ]);
  });

  test('is refused by what takes no header', () => {
    expect(complaint(() => refusePrecondition({ headers: { 'if-match': '*' } }))).toEqual([
      'notApplicable',
      NOT_ONE,
    ]);
  });
});

describe('a stamp that has changed', () => {
  const changed = new ProtocolError('stampChanged', 'It is another one.').leadingTo({
    errorName: 'entityNotSaved',
    message: 'Not saved.',
  });
  const failing = (precondition: Precondition | null, error: unknown): Promise<unknown> =>
    underPrecondition(precondition, () => Promise.reject(error as Error)).catch(
      (thrown: unknown) => thrown,
    );

  test('has the status of HTTP where If-Match names it', async () => {
    const error = (await failing(SEVEN, changed)) as ProtocolError;
    expect([error.status, error.toItems()]).toEqual([412, changed.toItems()]);
  });

  test('stays what it is otherwise', async () => {
    expect(await failing(null, changed)).toBe(changed);
    expect(await failing(ANY, changed)).toBe(changed);
    const other = new ProtocolError('noEntityToWrite', 'It is gone.');
    expect(await failing(SEVEN, other)).toBe(other);
  });
});
