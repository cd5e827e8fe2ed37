import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/answer/answer.ts';
import { ProtocolError } from '../../../src/base/errors.ts';
import { TimeSlice } from '../../../src/base/time.ts';
import { findDataclass } from '../../../src/model/lookup.ts';
import type { Dataclass } from '../../../src/model/types.ts';
import { planSave, type SavePlan } from '../../../src/plan/write/save.ts';
import { parseBody } from '../../../src/protocol/body/body.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import type { RestRequest } from '../../../src/protocol/rest-request.ts';
import {
  hasIt,
  isTagList,
  mayGoOn,
  type Precondition,
  preconditionOf,
  refusePrecondition,
  STAMP_PLACE,
  stamped,
  stampedBody,
  stampInTag,
  stampTag,
  type Tagged,
  taggedAnswer,
  taggedBytes,
  underPrecondition,
} from '../../../src/server/http/etags.ts';
import { planning, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { complaint, rejection } from '../../protocol/complaint.ts';
import { parsed, rows } from '../../rows.ts';

const services = { sessionNames: { cookie: 'SID', header: 'session' } };

const answer = (tagged: Tagged, headers: RestRequest['headers'] = {}): Promise<Answer> =>
  taggedAnswer(tagged, { headers } as RestRequest, services);

const page = (text: string, globalStamp: string): Tagged => ({
  text: `{"__GlobalStamp":${STAMP_PLACE},"text":"${text}","more":{"__GlobalStamp":${STAMP_PLACE}}}`,
  globalStamp,
});

const tagOf = async (tagged: Tagged): Promise<string> =>
  (await answer(tagged)).headers['etag'] ?? '';

const one: Tagged = { text: '{}', stamp: '7' };
const tag = await tagOf(one);
const unstamped = await tagOf({ text: '{}' });
const pageTag = await tagOf(page('a', '1'));

const CACHING = {
  'cache-control': 'private, no-cache',
  vary: 'Authorization, api-key, Cookie, session',
};

test('an answer with its tag', async () => {
  // The first 22 characters of the SHA-256 of the text, in base64url.
  expect(await answer({ text: '{"é":1}' })).toEqual({
    status: 200,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      etag: '"3c_PR2XaFjlplyuyBmAJLK"',
      ...CACHING,
    },
    body: '{"é":1}',
  });
});

describe('a tag', () => {
  test('is weak and without the global stamp, where there is one', async () => {
    expect((await answer(page('a', '12'))).body).toBe(
      '{"__GlobalStamp":12,"text":"a","more":{"__GlobalStamp":12}}',
    );
    expect(await tagOf(page('a', '12'))).toMatch(/^W\/"[\w-]{22}"$/);
    expect(await tagOf(page('a', '13'))).toBe(await tagOf(page('a', '12')));
    expect(await tagOf(page('b', '12'))).not.toBe(await tagOf(page('a', '12')));
  });

  test('of a long text is that of all of it, and the stamp is in all of its places', async () => {
    const item = `{"é😀":${STAMP_PLACE}},`;
    const text = `${item.repeat(100_000)}a`;
    const { headers, body } = await answer({ text, globalStamp: '12' });
    const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    expect(headers['etag']).toBe(`W/"${digest}"`);
    const sent = await buffer(body as Readable);
    const expected = Buffer.from(`${'{"é😀":12},'.repeat(100_000)}a`);
    expect(sent.equals(expected)).toBe(true);
    expect(headers['content-length']).toBe(String(expected.length));
  });

  test('of a text in parts is that of all of it', async () => {
    const { headers, body } = await answer({
      text: ['{"é":', `${STAMP_PLACE}}`],
      globalStamp: '1',
    });
    expect(headers['etag']).toBe(await tagOf({ text: `{"é":${STAMP_PLACE}}`, globalStamp: '1' }));
    expect(String(await buffer(body as Readable))).toBe('{"é":1}');
    expect(headers['content-length']).toBe('8');
  });

  test('of an entity begins with its stamp', async () => {
    const [digest] = /[\w-]{22}/.exec(unstamped) ?? [''];
    expect(await tagOf({ text: '{}', stamp: '7' })).toBe(`"7.${digest}"`);
    expect(await tagOf({ text: '{}', stamp: null })).toBe(`"${digest}"`);
  });

  test.each([
    [stampTag('7'), '7'],
    [stampTag('9007199254740991', 'a_b-C'), '9007199254740991'],
    [`W/${stampTag('7', 'abc')}`, '7'],
    [unstamped, null],
    ['"7-abc"', null],
    ['"1234567890123456789012"', null],
    ['"7', null],
    ['7', null],
  ])('%s names the stamp %s', (tag, stamp) => {
    expect(stampInTag(tag)).toBe(stamp);
  });
});

describe('a page as bytes', () => {
  const head = '{"é":1,"__GlobalStamp":';
  const bytes = (
    globalStamp: string,
    rest: readonly string[],
    headers: RestRequest['headers'] = {},
  ): Promise<Answer> => {
    const [end = '', ...others] = rest;
    const write = (before: number): Promise<Buffer[]> => {
      const text = Buffer.from(head + STAMP_PLACE + end);
      const first = Buffer.concat([Buffer.alloc(before, '#'), text]);
      return Promise.resolve([first, ...others.map((other) => Buffer.from(other))]);
    };
    return taggedBytes(globalStamp, write, { headers } as RestRequest, services);
  };

  test.each(['0', '12', '9007199254740991'])(
    'is the answer of its text with stamp %s',
    async (globalStamp) => {
      const said = await bytes(globalStamp, [',"a":"é"}']);
      const text = `${head}${STAMP_PLACE},"a":"é"}`;
      const expected = await answer({ text, globalStamp });
      expect(said).toEqual({ ...expected, body: Buffer.from(expected.body as string) });
    },
  );

  test('in pieces is that of all of them', async () => {
    const rest = [',"a":"', 'é'.repeat(300_000), '"}'];
    const { headers, body } = await bytes('123', rest);
    const text = `${head}${STAMP_PLACE}${rest.join('')}`;
    expect(headers['etag']).toBe(await tagOf({ text, globalStamp: '123' }));
    const sent = await buffer(body as Readable);
    expect(sent.equals(Buffer.from(text.replace(STAMP_PLACE, '123')))).toBe(true);
    expect(headers['content-length']).toBe(String(sent.length));
  });

  test('is not sent to who has it', async () => {
    const etag = (await bytes('5', ['}'])).headers['etag'];
    expect(await bytes('6', ['}'], { 'if-none-match': etag })).toEqual({
      status: 304,
      headers: { etag, ...CACHING },
      body: null,
    });
  });
});

describe('the conditions of a read', () => {
  test.each([tag, `W/${tag}`, '*', `"a", ${tag}`])('If-None-Match: %s is held', async (held) => {
    expect(await answer(one, { 'if-none-match': held })).toEqual({
      status: 304,
      headers: { etag: tag, ...CACHING },
      body: null,
    });
  });

  test.each(['"7"', '"a"', 'W/"b"', ''])('If-None-Match: %s is not', async (held) => {
    expect(await answer(one, { 'if-none-match': held })).toMatchObject({ status: 200, body: '{}' });
  });

  test.each([tag, `"a", ${tag}`, '*'])('If-Match: %s is met', async (wanted) => {
    expect((await answer(one, { 'if-match': wanted })).status).toBe(200);
    // It comes first, whatever the other says (RFC 9110, 13.2.2).
    expect((await answer(one, { 'if-match': wanted, 'if-none-match': tag })).status).toBe(304);
  });

  test.each([
    [one, '"7"'],
    [one, `W/${tag}`],
    [page('a', '1'), pageTag],
  ])('of %o If-Match: %s is not', async (tagged, wanted) => {
    await expect(
      answer(tagged, { 'if-match': wanted, 'if-none-match': '*' }),
    ).rejects.toMatchObject({
      errorName: 'preconditionFailed',
      message: 'The current version is not one that If-Match names: read it without that header.',
    });
  });
});

test.each([
  [undefined, false],
  ['"a-1"', true],
  ['W/"a-1"', true],
  ['"b", W/"a-1" , "c"', true],
  ['*', true],
  ['"b"', false],
  ['a-1', false],
  ['"a-1', false],
  ['"b,"a-1","', false],
])('If-None-Match: %s', (header, expected) => {
  expect(hasIt(header, '"a-1"')).toBe(expected);
});

test.each([
  [undefined, true],
  ['"a-1"', true],
  [' "a-1" ', true],
  ['W/"a-1"', false],
  ['"b"', false],
  ['Wed, 21 Oct 2015 07:28:00 GMT', false],
])('If-Range: %s', (header, expected) => {
  expect(mayGoOn(header, '"a-1"')).toBe(expected);
});

test.each([
  ['"a-1"', true],
  ['W/"a-1", "b,c" ,, ""', true],
  ['', false],
  [' , ', false],
  ['"a" "b"', false],
  ['"a", b', false],
  ['w/"a"', false],
  ['*', false],
])('the list %s', (text, expected) => {
  expect(isTagList(text)).toBe(expected);
});

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

  test.each(rows`
    {if-match: ''}                         | badRequest         | ${NO_LIST}
    {if-match: abc}                        | badRequest         | ${NO_LIST}
    {if-match: '"7'}                       | badRequest         | ${NO_LIST}
    {if-match: '"7" 8'}                    | badRequest         | ${NO_LIST}
    {if-match: '"7" "7"'}                  | badRequest         | ${NO_LIST}
    {if-match: '*, "7"'}                   | badRequest         | ${NO_LIST}
    {if-match: '"abc"'}                    | preconditionFailed | ${NO_VERSION}
    {if-match: '"-7"'}                     | preconditionFailed | ${NO_VERSION}
    {if-match: '"12345678901234567"'}      | preconditionFailed | ${NO_VERSION}
    {if-match: '"7-100-png"'}              | preconditionFailed | ${NO_VERSION}
    {if-match: W/"1234567890123456789012"} | preconditionFailed | ${NO_VERSION}
    {if-match: '"7", "8"'}                 | notApplicable      | If-Match names several versions of the entity: send the one that you have read.
    {if-none-match: '"7"'}                 | notApplicable      | ${READS}
    {if-match: '"7"', if-none-match: '*'}  | notApplicable      | ${READS}
  `)('%j is refused', (headers, error, message) => {
    expect(complaint(() => preconditionOf({ headers: parsed(headers) }))).toEqual([error, message]);
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
    ['Employee(5)?$atomic=true', { note: 'x' }, ANY, undefined],
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

  test('is not under any stamp where it needs the one that was read', async () => {
    expect(await rejection(() => stampOf('Employee(5)', { note: 'x' }, ANY))).toEqual([
      'stampMissing',
      'If-Match: * names no version, only that the entity exists, and an update needs the one that was read: send the ETag of the last read, or its __STAMP in quotes, such as If-Match: "7".',
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
