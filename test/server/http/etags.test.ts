import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { RestRequest } from '../../../src/protocol/rest-request.ts';
import type { Answer } from '../../../src/answer/answer.ts';
import {
  STAMP_PLACE,
  stampInTag,
  stampTag,
  type Tagged,
  taggedAnswer,
  taggedBytes,
} from '../../../src/server/http/etags.ts';

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
