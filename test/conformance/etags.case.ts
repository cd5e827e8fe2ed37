import { expect } from 'vitest';
import { portraits } from '../fixtures/legacy/binaries.ts';
import type { Answer } from '../targets/gateway.ts';
import type { Client } from './client.ts';
import { type SequenceCase, sequence } from './suite.ts';
import { addressOf, type Made, type WriteClient } from './write-client.ts';
import { changedRow, conflict, errors, saved } from './write-oracle.ts';
import { category, country, employee } from './write-samples.ts';
import { type WriteCase, writing } from './write-suite.ts';
import { stamped } from './writes-update.case.ts';

const get = (rest: Client, url: string, headers: Record<string, string> = {}): Promise<Answer> =>
  rest.send({ method: 'GET', url, type: null, headers });

const tagOf = ({ headers }: Answer): string => String(headers['etag']);

const DIGEST = '[\\w-]{22}';
const OF_ENTITY = new RegExp(`^"\\d+\\.${DIGEST}"$`);
const OF_VALUES = new RegExp(`^"${DIGEST}"$`);
const OF_PAGE = new RegExp(`^W/"${DIGEST}"$`);
/** An entity with `__GlobalStamp` in what is related to it. */
const OF_EXPANDED = new RegExp(`^W/"\\d+\\.${DIGEST}"$`);

const tagged: readonly (readonly [url: string, tag: RegExp])[] = [
  ['Country(FR)', OF_ENTITY],
  ['Employee(1)/employer?$attributes=name', OF_ENTITY],
  ['Company(1)?$expand=employees', OF_EXPANDED],
  ['Country?$top=3&$orderby=name', OF_PAGE],
  ['Country?$top=0', OF_PAGE],
  ['Country?$top=3&$asArray=true', OF_VALUES],
  ['Country?$top=3&$format=dashboard&$attributes=name', OF_VALUES],
  ['Employee/grade?$compute=sum', OF_VALUES],
  ['Employee/grade?$distinct=true', OF_VALUES],
  ['$catalog/Country', OF_VALUES],
  ['$openapi', OF_VALUES],
  ['$reports', OF_VALUES],
];

/** The client has what it would be sent. */
async function expectHeld(rest: Client, url: string, answer: Answer): Promise<void> {
  const tag = tagOf(answer);
  for (const held of [tag, `"other", ${tag}`, '*', tag.replace(/^(?:W\/)?/, 'W/')]) {
    const again = await get(rest, url, { 'if-none-match': held });
    expect([url, held, again.status, again.text]).toEqual([url, held, 304, '']);
    const { etag, vary, 'cache-control': cacheControl } = again.headers;
    expect({ etag, vary, 'cache-control': cacheControl }).toEqual({
      etag: tag,
      vary: answer.headers['vary'],
      'cache-control': 'private, no-cache',
    });
  }
}

export const sequences: readonly SequenceCase[] = [
  sequence(
    '§4.2 entities, pages and values have a tag, and If-None-Match is answered by 304',
    async (rest) => {
      for (const [url, tag] of tagged) {
        const answer = await get(rest, url);
        expect([url, answer.status, tagOf(answer)]).toEqual([
          url,
          200,
          expect.stringMatching(tag) as string,
        ]);
        expect(answer.headers['vary']).toMatch(/\bAuthorization, api-key, Cookie\b/);
        await expectHeld(rest, url, answer);
        const other = await get(rest, url, { 'if-none-match': '"other", W/"1"' });
        expect([other.status, tagOf(other)]).toEqual([200, tagOf(answer)]);
        const head = await rest.send({ method: 'HEAD', url, type: null });
        expect([head.status, tagOf(head), head.text]).toEqual([200, tagOf(answer), '']);
      }
      // Another representation has another tag.
      const [one, other] = await Promise.all(
        ['name', 'name,population'].map((names) => get(rest, `Country(FR)?$attributes=${names}`)),
      );
      expect(one === undefined ? '' : tagOf(one)).not.toEqual(other && tagOf(other));
    },
  ),
  sequence(
    '§4.6 a page of an entity set has a tag, and the answer that makes one has none',
    async (rest) => {
      const made = await get(rest, 'Country?$filter="inEU=true"&$method=entityset&$top=2');
      expect([made.headers['etag'], made.headers['cache-control']]).toEqual([
        undefined,
        'no-store',
      ]);
      const { __ENTITYSET: uri } = made.body as { __ENTITYSET: string };
      const url = `${uri.slice('/rest/'.length)}?$top=2`;
      const page = await get(rest, url);
      expect(tagOf(page)).toMatch(OF_PAGE);
      await expectHeld(rest, url, page);
    },
  ),
  sequence('§7 no tag of errors, plans and exports; If-Match on a read', async (rest) => {
    for (const url of ['Country(XX)', 'Country?$top=1&$queryplan=true', 'Country?$format=csv']) {
      const { headers } = await get(rest, url, { 'if-none-match': '*' });
      expect([url, headers['etag']]).toEqual([url, undefined]);
    }
    const tag = tagOf(await get(rest, 'Country(FR)'));
    const page = tagOf(await get(rest, 'Country?$top=1'));
    for (const [url, named, status] of [
      ['Country(FR)', `"1", ${tag}`, 200],
      ['Country(FR)', '*', 200],
      ['Country(FR)', `W/${tag}`, 412],
      ['Country?$top=1', page, 412],
    ] as const) {
      const { status: told, body } = await get(rest, url, { 'if-match': named });
      expect([url, named, told]).toEqual([url, named, status]);
      if (status !== 412) continue;
      expect(body).toEqual(
        errors([
          [
            1263,
            'The current version is not one that If-Match names: read it without that header.',
          ],
        ]),
      );
    }
  }),
];

const read = async (rest: WriteClient, { dataclass, row }: Made): Promise<string> =>
  tagOf(await get(rest, addressOf(dataclass, row)));

/** The digits of the stamp in an answer. */
const stampText = ({ text }: Answer): string => /"__STAMP":(\d+)/.exec(text)?.[1] ?? '';

export const writes: readonly WriteCase[] = [
  ...stamped.map(([dataclass, make, change, again]) =>
    writing(`§4.6 If-Match on a save is a stamp: ${dataclass}`, async (rest) => {
      const made = await make(rest);
      const url = addressOf(made.dataclass, made.row);
      const tag = await read(rest, made);
      const save = (body: object, ifMatch: string): Promise<Answer> =>
        rest.send({ url, body, headers: { 'if-match': ifMatch } });
      const tried = await rest.send({
        url: `${url}?$refresh=true`,
        body: change,
        headers: { 'if-match': tag },
      });
      expect([tried.status, tried.headers['etag']]).toEqual([200, undefined]);
      const first = await save(change, tag);
      const row = changedRow(made.dataclass, made.row, change);
      expect([first.status, first.body]).toEqual([200, saved(made.dataclass, row)]);
      const { __STAMP: stamp } = first.body as { __STAMP: unknown };
      expect(tagOf(first)).toBe(`"${stampText(first)}"`);
      expect(await read(rest, made)).not.toBe(tag);
      const late = await save(again, tag);
      expect([late.status, late.body]).toEqual([
        412,
        { ...conflict(made.dataclass, row), __STAMP: stamp },
      ]);
      // The tag of the save, as a proxy that compresses would have it.
      const second = await save(again, `W/${tagOf(first)}`);
      expect([second.status, second.body]).toEqual([
        200,
        saved(made.dataclass, changedRow(made.dataclass, row, again)),
      ]);
      const gone = { method: 'DELETE', url };
      const kept = await rest.send({ ...gone, headers: { 'if-match': tagOf(first) } });
      expect([kept.status, kept.body]).toMatchObject([
        412,
        { __ERROR: [{ errCode: 1263 }, { errCode: 1518 }] },
      ]);
      const headers = { 'if-match': `"other", "${stampText(second)}"` };
      await rest.answers({ ...gone, headers }, { ok: true });
    }),
  ),
  writing(
    '§4.6 the tag of a page tells what it holds, and nothing of what else is saved',
    async (rest) => {
      const made = await rest.create('Category', category(rest));
      const page = `Category?$filter="code='${made.key}'"`;
      const expanded = `Company(1)?$attributes=employees.lastName&$top=1`;
      const before = [await get(rest, page), await get(rest, expanded)];
      await rest.create('Country', country(rest));
      const after = [await get(rest, page), await get(rest, expanded)];
      expect(after.map(tagOf)).toEqual(before.map(tagOf));
      const held = { 'if-none-match': before.map(tagOf).join(', ') };
      expect((await get(rest, page, held)).status).toBe(304);
      await rest.update(made, { position: 501 });
      expect((await get(rest, page, held)).status).toBe(200);
    },
  ),
  writing('§4.12 If-Match goes with no lock and no upload for a later save', async (rest) => {
    const headers = { 'if-match': '"1"' };
    const told = errors([
      [
        1813,
        'If-Match is allowed on the save or the delete of one entity only: name it by its key.',
      ],
    ]);
    await rest.answers({ method: 'GET', url: 'Country(FR)?$lock=true', headers }, told, 400);
    await rest.answers({ url: '$upload?$binary=true', body: 'x', headers }, told, 400);
  }),
  writing(
    '§4.5 an upload by the tag of the image that it replaces, or by its entity’s',
    async (rest) => {
      const made = await rest.create('Employee', employee(rest));
      const url = `${addressOf(made.dataclass, made.row)}/photo`;
      const upload = (ifMatch: string): Promise<Answer> =>
        rest.send({
          url: `${url}?$rawPict=image/png`,
          body: portraits.png,
          type: 'image/png',
          headers: { 'if-match': ifMatch },
        });
      const tag = await read(rest, made);
      expect((await upload(tag)).body).toEqual({ ok: true });
      const image = tagOf(await get(rest, `${url}?$expand=photo`));
      const late = await upload(tag);
      expect([late.status, late.body]).toMatchObject([
        412,
        { __ERROR: [{ errCode: 1263 }, { errCode: 1517 }] },
      ]);
      const other = await rest.send({
        url: addressOf(made.dataclass, made.row),
        body: { note: 'x' },
        headers: { 'if-match': image },
      });
      expect(other.status).toBe(200);
      expect((await upload(image)).status).toBe(412);
      const now = tagOf(await get(rest, `${url}?$expand=photo`));
      expect((await upload(now)).body).toEqual({ ok: true });
    },
  ),
];
