import { createHash } from 'node:crypto';
import sharp from 'sharp';
import { expect } from 'vitest';
import { logos, pdf, portraits } from '../fixtures/legacy/binaries.ts';
import type { Answer } from '../targets/gateway.ts';
import type { Client } from './client.ts';
import { type SequenceCase, sequence } from './suite.ts';

/** A piece of content, as far as an assertion has to show it. */
function summary(bytes: Uint8Array): string {
  return `${bytes.length} bytes ${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}`;
}

const get = (rest: Client, url: string, headers: Record<string, string> = {}): Promise<Answer> =>
  rest.send({ method: 'GET', url, type: null, headers });

/** Reads bytes that have to be these, with their type. */
async function sends(
  rest: Client,
  url: string,
  type: string,
  bytes: Uint8Array,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const answer = await get(rest, url, headers);
  expect([answer.status, answer.headers['content-type'], summary(answer.bytes)]).toEqual([
    200,
    type,
    summary(bytes),
  ]);
  expect(answer.headers['x-content-type-options']).toBe('nosniff');
  return answer;
}

/** Reads an image that was converted: its type and its size are told by its reader. */
async function shows(
  rest: Client,
  url: string,
  format: string,
  size: readonly [width: number, height: number],
  headers: Record<string, string> = {},
): Promise<void> {
  const { status, headers: told, bytes } = await get(rest, url, headers);
  expect([status, told['content-type']]).toEqual([200, `image/${format}`]);
  const { format: read, width, height } = await sharp(bytes).metadata();
  expect([read, width, height]).toEqual([format, ...size]);
}

const DOCUMENT = 'Document(c0ffee00-0000-4000-8000-000000000001)';
const letter = pdf('Invoice 1: Acme Freight & Co.');

/** One that was never scanned, and an empty file. */
const emptyDocuments = [5, 4].map((n) => `Document(c0ffee00-0000-4000-8000-00000000000${n})`);

export const sequences: readonly SequenceCase[] = [
  sequence(
    '§4.5 $imageformat in all of its forms, and what is stored where it is of that type',
    async (rest) => {
      const photo = (format: string): string =>
        `Employee(1)/photo?$imageformat=${format}&$expand=photo`;
      for (const form of ['best', '.png', 'image/png', 'png']) {
        await sends(rest, photo(form), 'image/png', portraits.png);
      }
      for (const [form, format] of [
        ['.gif', 'gif'],
        ['image/gif', 'gif'],
        ['.jpeg', 'jpeg'],
        ['image/jpeg', 'jpeg'],
        ['jpeg', 'jpeg'],
        ['.tiff', 'tiff'],
        ['image/tiff', 'tiff'],
      ] as const) {
        await shows(rest, photo(form), format, [64, 64]);
      }
      await sends(rest, 'Employee(1)/photo?$expand=photo', 'image/png', portraits.png);
      await shows(rest, photo('best'), 'jpeg', [64, 64], { accept: 'image/jpeg' });
    },
  ),
  sequence(
    '§4.5 an image of an entity by its unique attribute, and of one that a path leads to',
    async (rest) => {
      const byEmail =
        "Employee:email('marie.dubois@acme.example')/photo?$imageformat=best&$expand=photo";
      await sends(rest, byEmail, 'image/png', portraits.png);
      const logo = 'Employee(1)/employer/logo?$imageformat=best&$version=7&$expand=logo';
      await sends(rest, logo, 'image/png', logos.png);
      await sends(rest, 'Employee(1)/employer/logo?$expand=logo', 'image/png', logos.png);
    },
  ),
  sequence('§4.5 a bitmap that an old program has wrapped as an OLE object', async (rest) => {
    const photo = 'Employee(5)/photo';
    await sends(rest, `${photo}?$expand=photo`, 'image/bmp', portraits.bitmap);
    await shows(rest, `${photo}?$imageformat=best&$expand=photo`, 'png', [32, 32]);
    await shows(rest, `${photo}?$imageformat=.jpeg&$expand=photo`, 'jpeg', [32, 32]);
    // As it is stored, with all that is around it.
    const raw = await get(rest, `${photo}?$binary=true&$expand=photo`);
    expect(raw.bytes.length).toBeGreaterThan(portraits.bitmap.length + 78);
    expect(raw.bytes.subarray(0, 2).toString('hex')).toBe('151c');
  }),
  sequence('§4.5 {} where there is no such format, or no image', async (rest) => {
    for (const url of [
      'Employee(1)/photo?$imageformat=image/bmp&$expand=photo',
      'Employee(1)/photo?$imageformat=&$expand=photo',
      'Employee(4)/photo?$imageformat=png&$expand=photo',
      'Employee(4)/photo?$imageformat=best&$version=7&$expand=photo',
      'Employee(4)/photo?$expand=photo',
    ]) {
      await rest.answers({ method: 'GET', url, type: null }, {});
    }
  }),
  sequence('§4.5 $version changes nothing but how long the image may be kept', async (rest) => {
    const photo = (query: string): string => `Employee(1)/photo?${query}&$expand=photo`;
    const current = await sends(rest, photo('$version=4'), 'image/png', portraits.png);
    expect(current.headers['cache-control']).toBe('private, max-age=31536000, immutable');
    const other = await sends(rest, photo('$version=3'), 'image/png', portraits.png);
    expect(other.headers['cache-control']).toBe('private, no-cache');
    expect(other.headers['etag']).toBe(current.headers['etag']);
    const best = await get(rest, photo('$imageformat=best&$version=4'));
    expect(best.headers['vary']).toContain('Accept');
    const tag = { 'if-none-match': String(best.headers['etag']) };
    const again = await get(rest, photo('$imageformat=best&$version=4'), tag);
    expect([again.status, again.bytes.length, again.headers['etag']]).toEqual([
      304,
      0,
      best.headers['etag'],
    ]);
    // Another format is another representation.
    const gif = await get(rest, photo('$imageformat=gif'), tag);
    expect([gif.status, gif.headers['content-type']]).toEqual([200, 'image/gif']);
    const same = await get(rest, photo('$imageformat=gif'), {
      'if-none-match': String(gif.headers['etag']),
    });
    expect([same.status, same.bytes.length]).toEqual([304, 0]);
  }),
  sequence('§4.5 a BLOB by $binary, whole and in ranges', async (rest) => {
    const url = `${DOCUMENT}/content?$binary=true&$expand=content`;
    const type = 'application/octet-stream';
    const { headers } = await sends(rest, url, type, letter);
    expect(headers).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-disposition': 'attachment',
      'content-length': String(letter.length),
    });
    await sends(rest, `${DOCUMENT}/content?$expand=content`, type, letter);
    const tag = String(headers['etag']);
    const { length } = letter;
    for (const [asked, start, end] of [
      [{ range: 'bytes=0-3' }, 0, 4],
      [{ range: 'bytes=-7', 'if-range': tag }, length - 7, length],
      [{ range: `bytes=${length - 1}-99999` }, length - 1, length],
    ] as const) {
      const part = await get(rest, url, asked);
      expect([part.status, part.headers['content-range'], summary(part.bytes)]).toEqual([
        206,
        `bytes ${start}-${end - 1}/${length}`,
        summary(letter.subarray(start, end)),
      ]);
    }
    await sends(rest, url, type, letter, { range: 'bytes=0-3', 'if-range': '"another"' });
    const behind = await get(rest, url, { range: `bytes=${length}-` });
    expect([behind.status, behind.headers['content-range']]).toEqual([416, `bytes */${length}`]);
    expect(behind.body).toMatchObject({ __ERROR: [{ errCode: 9041 }] });
    const head = await rest.send({ method: 'HEAD', url, type: null });
    expect([head.status, head.bytes.length, head.headers['content-length']]).toEqual([
      200,
      0,
      String(length),
    ]);
  }),
  sequence(
    '§4.5 a BLOB that is null has no content, and one without bytes has none of them',
    async (rest) => {
      const answers: (readonly [number, string | undefined, number])[] = [];
      for (const url of emptyDocuments) {
        const { status, headers, bytes } = await get(rest, `${url}/content?$expand=content`);
        answers.push([status, headers['content-length']?.toString(), bytes.length]);
      }
      expect(answers).toEqual([
        [204, undefined, 0],
        [200, '0', 0],
      ]);
    },
  ),
  sequence('§4.5 without $expand an image is not expanded', async (rest) => {
    const uri = '/rest/Employee(1)/photo?$imageformat=best&$version=4&$expand=photo';
    const photo = { __KEY: '1', __STAMP: 4, uri, __deferred: { uri, image: true } };
    for (const query of ['', '?$imageformat=best&$version=4', '?$binary=true']) {
      const { body } = await get(rest, `Employee(1)/photo${query}`);
      expect(body).toMatchObject({ __KEY: '1', __STAMP: 4, photo });
    }
  }),
];
