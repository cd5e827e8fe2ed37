import { describe, expect, test } from 'vitest';
import { TimeSlice } from '../../../src/base/time.ts';
import { planDelete } from '../../../src/plan/write/delete.ts';
import { parseBody } from '../../../src/protocol/body/body.ts';
import { parseRequest } from '../../../src/protocol/parse.ts';
import type { RestRequest } from '../../../src/protocol/rest-request.ts';
import { deletedEntities, neededBytes } from '../../../src/server/bodies/write-body.ts';
import { planning, readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';
import { complaint, rejection } from '../../protocol/complaint.ts';
import { parsed, rows } from '../../rows.ts';
import { postgres } from '../../fixtures/dialects.ts';

const model = await sampleModel(readSnapshot('postgres'));
const { limits } = postgres;

/** What DELETE of a URL with a body is to delete. */
async function deleted(path: string, body: unknown): Promise<unknown> {
  const { ast, values } = parseRequest(`/rest/${path}`, 'DELETE');
  if (ast.kind !== 'delete') throw new Error(`${path} is not a delete`);
  const bytes = Buffer.from(JSON.stringify(body));
  const slice = new TimeSlice();
  return deletedEntities(
    planDelete(ast, planning(model)),
    values,
    await parseBody({ contentType: 'application/json', bytes }, { slice, maxEntities: 2 }),
    limits,
    slice,
  );
}

describe('a delete by URL', () => {
  test.each(rows`
    Employee(5)         | {__STAMP: 3} | ['5']      | '3'
    Employee(5)         | {__KEY: 5, __STAMP: 3} | ['5']      | '3'
    Employee(5)         | {__KEY: '5'} | ['5']      | null
    Employee(5)         | {__KEY: '5', __STAMP: 3, uri: /rest/Employee(5), lastName: x} | ['5']      | '3'
    OrderLine(7;2)      | {__KEY: '{"orderNo":7,"line":2}', __STAMP: 1} | ['7', '2'] | '1'
    Country(FR)         | {__KEY: 'FR   ', __STAMP: 2} | [FR]       | '2'
    Employee:email(a@b) | {__STAMP: 3} | [a@b]      | '3'
  `)('%s takes the stamp of its body %j', async (path, body, key, stamp) => {
    expect(await deleted(path, parsed(body))).toEqual([
      { index: 0, key: parsed(key), stamp: parsed(stamp) },
    ]);
  });

  const saidTwice =
    'Both the URL and the body name what to delete: send one of them, or the __STAMP of the one entity in the URL.';

  test.each(rows`
    Employee(5)         | {__KEY: 6, __STAMP: 3} | keyMismatch   | The URL names Employee(5), but the body’s __KEY is 6.
    Employee(5)         | {__STAMP: x}           | wrongType     | The __STAMP of Employee is not a stamp: expected the whole number that the entity was read with.
    Employee(5)         | {lastName: x}          | notApplicable | ${saidTwice}
    Employee(5)         | [{__STAMP: 3}]         | notApplicable | ${saidTwice}
    Employee(5,6)       | {__STAMP: 3}           | notApplicable | ${saidTwice}
    Employee:email(a@b) | {__KEY: 5, __STAMP: 3} | notApplicable | ${saidTwice}
  `)('%s refuses the body %j', async (path, body, error, message) => {
    expect(await rejection(() => deleted(path, parsed(body)))).toEqual([error, message]);
  });
});

describe('bytes that are said to be an image', () => {
  const png = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  const bytes = (body: Buffer, image: string | null): unknown =>
    neededBytes({ body } as RestRequest, image);

  test.each([
    [png, null],
    [png, 'png'],
    [Buffer.from('\ufeff  <svg/>'), 'svg+xml'],
  ])('%j are taken as %s', (body, image) => {
    expect(bytes(body, image)).toBe(body);
  });

  test.each(rows`
    gif     | The body is not an image of type gif: name its type, or send $rawPict=true.
    svg+xml | The body is not an image of type svg+xml: name its type, or send $rawPict=true.
    nope    | nope is not a known image type: png, jpeg, gif, bmp, tiff, webp, svg+xml. Send $rawPict=true for others.
  `)('of a PNG, %s is refused', (image, message) => {
    expect(complaint(() => bytes(png, image))).toEqual(['badMedia', message]);
  });
});
