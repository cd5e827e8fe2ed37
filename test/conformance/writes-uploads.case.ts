import { expect } from 'vitest';
import { everyByte, portraits } from '../fixtures/legacy/binaries.ts';
import { addressOf, type WriteClient } from './write-client.ts';
import { changedRow, failed, saved } from './write-oracle.ts';
import { document, employee } from './write-samples.ts';
import { type WriteCase, writing } from './write-suite.ts';

const png = Buffer.from(portraits.png);
const bytes = Buffer.from(everyByte);

/** What gives an employee a photograph in the body's JSON. */
const forms: readonly (readonly [how: string, text: string])[] = [
  ['base64', png.toString('base64')],
  ['base64 without its padding', png.toString('base64').replace(/=+$/, '')],
  ['base64 in lines', png.toString('base64').replace(/.{76}/g, '$&\r\n')],
  ['a data: URI', `data:image/png;base64,${png.toString('base64')}`],
];

async function upload(rest: WriteClient, query: string, body: Uint8Array): Promise<string> {
  const answer = await rest.answers(
    { url: `$upload?${query}`, type: 'application/octet-stream', body },
    { ID: expect.stringMatching(/^[0-9A-F]{32}$/) },
  );
  return (answer.body as { ID: string }).ID;
}

export const writes: readonly WriteCase[] = [
  ...[
    '$rawPict=image/png',
    '$rawPict=true',
    '$binary=true',
    '$rawPict=image/png&$expand=photo',
  ].map((query) =>
    writing(`§4.5 the bytes of an image: POST with ${query}`, async (rest) => {
      const made = await rest.create('Employee', employee(rest));
      const url = `Employee(${made.key})/photo?${query}`;
      await rest.answers({ url, type: 'image/png', body: png }, { ok: true });
      await rest.reads({ ...made, row: changedRow('Employee', made.row, {}, { PHOTO_IMG: png }) });
    }),
  ),
  ...['POST', 'PUT'].map((method) =>
    writing(`§4.5 the bytes of a BLOB: ${method}`, async (rest) => {
      const made = await rest.create('Document', document());
      const url = `${addressOf('Document', made.row)}/content?$binary=true`;
      await rest.answers({ method, url, type: null, body: bytes }, { ok: true });
      await rest.reads({ ...made, row: changedRow('Document', made.row, {}, { DOC_BLOB: bytes }) });
    }),
  ),
  writing(
    '§4.5 an image that is replaced has another $version, by which the new one is read',
    async (rest) => {
      const made = await rest.create('Employee', employee(rest));
      const address = `Employee(${made.key})/photo`;
      for (const [version, type, image] of [
        [2, 'image/png', png],
        [3, 'image/jpeg', Buffer.from(portraits.jpeg)],
      ] as const) {
        await rest.answers({ url: `${address}?$rawPict=${type}`, type, body: image }, { ok: true });
        const { body } = await rest.send({ method: 'GET', url: `Employee(${made.key})/photo` });
        const { uri } = (body as { photo: { uri: string } }).photo;
        expect(uri).toBe(`/rest/${address}?$imageformat=best&$version=${version}&$expand=photo`);
        const { headers, bytes } = await rest.send({
          method: 'GET',
          url: uri.slice(6),
          type: null,
        });
        expect([headers['content-type'], bytes.equals(image)]).toEqual([type, true]);
        expect(headers['cache-control']).toContain('immutable');
      }
    },
  ),
  writing(
    '§4.5 the bytes of an image of the entity that a unique attribute names',
    async (rest) => {
      const made = await rest.create('Employee', employee(rest));
      const url = `Employee:email(ada${rest.number}@case.example)/photo?$rawPict=image/png`;
      await rest.answers({ url, type: 'image/png', body: png }, { ok: true });
      await rest.reads({ ...made, row: changedRow('Employee', made.row, {}, { PHOTO_IMG: png }) });
    },
  ),
  ...forms.map(([how, photo]) =>
    writing(`§4.6 an image in JSON: ${how}`, async (rest) => {
      const given = { ...employee(rest), photo };
      await rest.reads(await rest.create('Employee', given, { PHOTO_IMG: png }));
    }),
  ),
  writing('§4.6 an image: empty text is not bytes, null is not an image', async (rest) => {
    const made = await rest.create(
      'Document',
      { ...document(), content: 'AAEC' },
      { DOC_BLOB: Buffer.of(0, 1, 2) },
    );
    const empty = await rest.update(made, { content: '' }, { DOC_BLOB: Buffer.of() });
    await rest.reads(empty);
    await rest.reads(await rest.update(empty, { content: null }));
  }),
  ...[
    ['$rawPict=true', 'photo'],
    ['$binary=true', 'photo'],
  ].map(([query = '', attribute = '']) =>
    writing(
      `§4.6 an upload with ${query}, named in an update and in a new entity`,
      async (rest) => {
        const ID = await upload(rest, query, png);
        const made = await rest.create('Employee', employee(rest));
        await rest.reads(await rest.update(made, { [attribute]: { ID } }, { PHOTO_IMG: png }));
        const other = { ...employee(rest, 'a'), photo: { ID } };
        await rest.reads(await rest.create('Employee', other, { PHOTO_IMG: png }));
      },
    ),
  ),
  writing('§7 9018 an upload that was never made', async (rest) => {
    const made = await rest.create('Employee', employee(rest));
    const body = { __KEY: made.key, __STAMP: 1, note: 'x', photo: { ID: 'F'.repeat(32) } };
    const said = `There is no upload ${'F'.repeat(32)}: it was never made, or was kept for its time and is gone.`;
    await rest.answers({ url: 'Employee', body }, failed(made.key, [9018, said]), 404);
    await rest.reads(made);
  }),
  writing('§2.2 the deferred form of a BLOB sent back changes nothing', async (rest) => {
    const made = await rest.create(
      'Document',
      { ...document(), content: 'AAEC' },
      { DOC_BLOB: Buffer.of(0, 1, 2) },
    );
    const { body } = await rest.reads(made);
    await rest.answers({ url: 'Document', body }, saved('Document', made.row));
  }),
  ...[
    ['Employee(1)/photo?$rawPict=image/png', portraits.jpeg, 'png'],
    ['Employee(1)/photo?$rawPict=.JPG', png, 'jpg'],
    ['Employee(1)/photo?$rawPict=image/gif', png, 'gif'],
    ['$upload?$rawPict=image/webp', png, 'webp'],
    ['$upload?$rawPict=image/bmp', png, 'bmp'],
    ['$upload?$rawPict=image/tiff', Buffer.from('<html>'), 'tiff'],
  ].map(([url, body, type]) =>
    writing(`§7 1824 upload of other bytes: ${String(url)}`, (rest) =>
      rest.refuses(
        { url: String(url), body: body },
        415,
        1824,
        `The body is not an image of type ${String(type)}: name its type, or send $rawPict=true.`,
      ),
    ),
  ),
];
