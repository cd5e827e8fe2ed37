import { describe, expect, test } from 'vitest';
import type { RestRequest } from '../../src/request/rest-request.ts';
import type { Answer } from '../../src/respond/answer.ts';
import {
  STAMP_PLACE,
  stampInTag,
  stampTag,
  taggedAnswer,
  type Tagged,
} from '../../src/server/tagged-answer.ts';
import { complaint } from '../request/complaint.ts';

const services = { sessionNames: { cookie: 'SID', header: 'session' } };

const answer = (tagged: Tagged, headers: RestRequest['headers'] = {}): Answer =>
  taggedAnswer(tagged, { headers } as RestRequest, services);

const page = (text: string, globalStamp: string): Tagged => ({
  text: `{"__GlobalStamp":${STAMP_PLACE},"text":"${text}","more":{"__GlobalStamp":${STAMP_PLACE}}}`,
  globalStamp,
});

const tagOf = (tagged: Tagged): string => answer(tagged).headers['etag'] ?? '';

const CACHING = {
  'cache-control': 'private, no-cache',
  vary: 'Authorization, api-key, Cookie, session',
};

test('an answer with its tag', () => {
  // The first 22 characters of the SHA-256 of the text, in base64url.
  expect(answer({ text: '{"é":1}' })).toEqual({
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
  test('is weak and without the global stamp, where there is one', () => {
    expect(answer(page('a', '12')).body).toBe(
      '{"__GlobalStamp":12,"text":"a","more":{"__GlobalStamp":12}}',
    );
    expect(tagOf(page('a', '12'))).toMatch(/^W\/"[\w-]{22}"$/);
    expect(tagOf(page('a', '13'))).toBe(tagOf(page('a', '12')));
    expect(tagOf(page('b', '12'))).not.toBe(tagOf(page('a', '12')));
  });

  test('of an entity begins with its stamp', () => {
    const [digest] = /[\w-]{22}/.exec(tagOf({ text: '{}' })) ?? [''];
    expect(tagOf({ text: '{}', stamp: '7' })).toBe(`"7.${digest}"`);
    expect(tagOf({ text: '{}', stamp: null })).toBe(`"${digest}"`);
  });

  test.each([
    [stampTag('7'), '7'],
    [stampTag('9007199254740991', 'a_b-C'), '9007199254740991'],
    [`W/${stampTag('7', 'abc')}`, '7'],
    [tagOf({ text: '{}' }), null],
    ['"7-abc"', null],
    ['"1234567890123456789012"', null],
    ['"7', null],
    ['7', null],
  ])('%s names the stamp %s', (tag, stamp) => {
    expect(stampInTag(tag)).toBe(stamp);
  });
});

describe('the conditions of a read', () => {
  const one: Tagged = { text: '{}', stamp: '7' };
  const tag = tagOf(one);

  test.each([tag, `W/${tag}`, '*', `"a", ${tag}`])('If-None-Match: %s is held', (held) => {
    expect(answer(one, { 'if-none-match': held })).toEqual({
      status: 304,
      headers: { etag: tag, ...CACHING },
      body: null,
    });
  });

  test.each(['"7"', '"a"', 'W/"b"', ''])('If-None-Match: %s is not', (held) => {
    expect(answer(one, { 'if-none-match': held })).toMatchObject({ status: 200, body: '{}' });
  });

  test.each([tag, `"a", ${tag}`, '*'])('If-Match: %s is met', (wanted) => {
    expect(answer(one, { 'if-match': wanted }).status).toBe(200);
    // It comes first, whatever the other says (RFC 9110, 13.2.2).
    expect(answer(one, { 'if-match': wanted, 'if-none-match': tag }).status).toBe(304);
  });

  test.each([
    [one, '"7"'],
    [one, `W/${tag}`],
    [page('a', '1'), tagOf(page('a', '1'))],
  ])('of %o If-Match: %s is not', (tagged, wanted) => {
    expect(complaint(() => answer(tagged, { 'if-match': wanted, 'if-none-match': '*' }))).toEqual([
      'preconditionFailed',
      'What there is now is none of what If-Match names: read it without that header.',
    ]);
  });
});
