import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { Answer } from '../../../src/answer/answer.ts';
import type { RestRequest } from '../../../src/protocol/rest-request.ts';
import {
  hasIt,
  isTagList,
  mayGoOn,
  type Precondition,
  preconditionOf,
  STAMP_PLACE,
  stampInTag,
  type Tagged,
  taggedAnswer,
  taggedBytes,
} from '../../../src/server/http/etags.ts';
import { complaint } from '../../protocol/complaint.ts';
import { parsed, rows } from '../../rows.ts';

const services = { sessionNames: { cookie: 'SID', header: 'session' } };

const asked = { headers: {} } as RestRequest;

const answer = (tagged: Tagged): Promise<Answer> => taggedAnswer(tagged, asked, services);

test('an answer with its tag', async () => {
  // The first 22 characters of the SHA-256 of the text, in base64url.
  expect(await answer({ text: '{"é":1}' })).toEqual({
    status: 200,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      etag: '"3c_PR2XaFjlplyuyBmAJLK"',
      'cache-control': 'private, no-cache',
      vary: 'Authorization, api-key, Cookie, session',
    },
    body: '{"é":1}',
  });
});

describe('a tag', () => {
  test('of a long text, and one in parts, is that of all of it, and the stamp is in all of its places', async () => {
    const text = `${`{"é😀":${STAMP_PLACE}},`.repeat(100_000)}a`;
    const expected = `${'{"é😀":12},'.repeat(100_000)}a`;
    const digest = createHash('sha256').update(text).digest('base64url').slice(0, 22);
    for (const given of [text, [text.slice(0, 9), text.slice(9)]]) {
      const { headers, body } = await answer({ text: given, globalStamp: '12' });
      expect(headers['etag']).toBe(`W/"${digest}"`);
      expect(headers['content-length']).toBe(String(Buffer.byteLength(expected)));
      expect(String(await buffer(body as Readable)) === expected).toBe(true);
    }
  });

  test.each(rows`
    "7"                       | 7
    "9007199254740991.a_b-C"  | 9007199254740991
    W/"7.abc"                 | 7
    "3c_PR2XaFjlplyuyBmAJLK"  | null
    "7-abc"                   | null
    "1234567890123456789012"  | null
    "7                        | null
    7                         | null
  `)('%s names the stamp %s', (tag, stamp) => {
    expect(String(stampInTag(tag))).toBe(stamp);
  });
});

describe('a page as bytes', () => {
  const head = '{"é":1,"__GlobalStamp":';

  test.each([
    ['0', [',"a":"é"}']],
    ['9007199254740991', [',"a":"é"}']],
    ['123', [',"a":"', 'é'.repeat(300_000), '"}']],
  ])('is the answer of its text with stamp %s', async (globalStamp, rest) => {
    const write = (before: number): Promise<Buffer[]> => {
      const [end = '', ...others] = rest;
      const first = Buffer.concat([
        Buffer.alloc(before, '#'),
        Buffer.from(head + STAMP_PLACE + end),
      ]);
      return Promise.resolve([first, ...others.map((other) => Buffer.from(other))]);
    };
    const { body, headers } = await taggedBytes(globalStamp, write, asked, services);
    const text = `${head}${STAMP_PLACE}${rest.join('')}`;
    expect(headers['etag']).toBe((await answer({ text, globalStamp })).headers['etag']);
    const sent = body instanceof Uint8Array ? Buffer.from(body) : await buffer(body as Readable);
    expect(sent.toString() === text.replace(STAMP_PLACE, globalStamp)).toBe(true);
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

const SEVEN: Precondition = { kind: 'present', stamp: '7' };
const ANY: Precondition = { kind: 'present', stamp: null };

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

  const NO_LIST = 'If-Match is not a list of ETags: send the ETag of the last read, in quotes.';
  const NO_VERSION =
    'If-Match is not an entity’s ETag: send the ETag of the last read, or the __STAMP in quotes.';
  const READS = 'If-None-Match is allowed on reads, and as * on the creation of an entity.';

  test.each(rows`
    {if-match: ''}                         | badRequest         | ${NO_LIST}
    {if-match: '"7'}                       | badRequest         | ${NO_LIST}
    {if-match: '"7" 8'}                    | badRequest         | ${NO_LIST}
    {if-match: '"7" "7"'}                  | badRequest         | ${NO_LIST}
    {if-match: '*, "7"'}                   | badRequest         | ${NO_LIST}
    {if-match: '"-7"'}                     | preconditionFailed | ${NO_VERSION}
    {if-match: '"12345678901234567"'}      | preconditionFailed | ${NO_VERSION}
    {if-match: '"7-100-png"'}              | preconditionFailed | ${NO_VERSION}
    {if-match: W/"1234567890123456789012"} | preconditionFailed | ${NO_VERSION}
    {if-match: '"7"', if-none-match: '*'}  | notApplicable      | ${READS}
  `)('%j is refused', (headers, error, message) => {
    expect(complaint(() => preconditionOf({ headers: parsed(headers) }))).toEqual([error, message]);
  });
});
