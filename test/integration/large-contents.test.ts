import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { beforeAll, expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { Answer, Gateway } from '../targets/gateway.ts';
import { onEngines, type Shape } from './shapes/engines.ts';

/** How many entities an export has: with what each of them holds more than the buffers between two ends of a connection do. */
const ITEMS = 16_000;

/** The digits of five places, as many rows as there are items or more. */
const digits =
  '(SELECT 0 n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)';
const numbers = `SELECT a.n + 10*b.n + 100*c.n + 1000*d.n + 10000*e.n AS n FROM ${digits} a, ${digits} b, ${digits} c, ${digits} d, ${digits} e`;

/**
 * Many entities, and a BLOB whose view has nothing that tells its versions apart: neither has it a stamp, nor does the engine change anything with
 * each change of a row of a view.
 */
const brokenOff: Shape = {
  postgres: `CREATE SCHEMA app;
CREATE TABLE app.item (id varchar(40) PRIMARY KEY, nm varchar(1000) NOT NULL);
INSERT INTO app.item SELECT 'item ' || n, repeat('x', 1000) FROM generate_series(1, ${ITEMS}) n;
CREATE TABLE app.doc (id int PRIMARY KEY, content bytea, ver int NOT NULL);
INSERT INTO app.doc VALUES (1, NULL, 1), (2, NULL, 1);
CREATE VIEW app.doc_view AS SELECT id, content FROM app.doc;`,
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.item (id varchar(40) NOT NULL PRIMARY KEY, nm varchar(1000) NOT NULL)',
    `INSERT INTO app.item SELECT 'item ' + CONVERT(varchar(10), n), REPLICATE('x', 1000) FROM (${numbers}) d WHERE n BETWEEN 1 AND ${ITEMS}`,
    'CREATE TABLE app.doc (id int NOT NULL PRIMARY KEY, content varbinary(max), ver int NOT NULL)',
    'INSERT INTO app.doc VALUES (1, NULL, 1), (2, NULL, 1)',
    'CREATE VIEW app.doc_view AS SELECT id, content FROM app.doc',
  ],
  mappings: {
    item: 'dataclass: Item\ntable: app.item\nstamp: none\nattributes: { id: id, nm: nm }',
    doc: 'dataclass: Doc\ntable: app.doc\nstamp: { counter: ver }\nattributes: { id: id, content: { column: content, type: blob } }',
    pic: 'dataclass: Pic\ntable: app.doc\nstamp: { counter: ver }\nattributes: { id: id, content: { column: content, type: image } }',
    seen: 'dataclass: Seen\nview: app.doc_view\nkey: [id]\nattributes: { id: id, content: { column: content, type: blob } }',
  },
};

/** More than the buffers between two ends of a connection hold. */
const LENGTH = 16_000_000;
const SLICES = Math.ceil((LENGTH - 65_536) / 2_097_152);

const STAMPED = '/rest/Doc(1)/content?$binary=true&$expand=content';
const CONTENT = '/rest/Seen(1)/content?$binary=true&$expand=content';
const content = randomBytes(LENGTH);

/** Room for the keys of three exports at once, and no more. */
const entitySets = { maxBytes: 700_000, maxSetBytes: 700_000, maxPerSession: 10 };

const { server } = await loadConfig('config.yaml', {});
const settings = { entitySets, server: { ...server, maxBodyBytes: 2 * LENGTH } };

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Begins to read, and takes nothing of the body. */
async function begin({ port }: Gateway, path: string): Promise<IncomingMessage> {
  // A connection of its own: one that has carried much already has larger buffers.
  const sent = request({ host: '127.0.0.1', port, path, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  // It may be broken off before anybody looks.
  response.on('error', () => undefined);
  sent.on('error', () => undefined);
  return response;
}

/** Takes what is left of an answer. @returns how it ended, and what came of it */
async function takeRest(
  response: IncomingMessage,
): Promise<{ readonly complete: boolean; readonly bytes: Buffer }> {
  const received: Buffer[] = [];
  response.on('data', (chunk: Buffer) => received.push(chunk));
  if (!response.closed) await new Promise((resolve) => response.once('close', resolve));
  return { complete: response.complete, bytes: Buffer.concat(received) };
}

onEngines('large contents', { ...brokenOff, settings }, (served) => {
  /** Whoever asks next is served, and no connection is still lent. */
  const expectServing = async (path = 'Item?$top=1'): Promise<void> => {
    expect((await served.get(path))[0]).toBe(200);
    await vi.waitFor(
      () => expect(served.gateway.database.pool()).toMatchObject({ used: 0, waiting: 0 }),
      { timeout: 20_000 },
    );
  };
  const upload = async (bytes: Buffer, id = 1): Promise<void> => {
    const path = `/rest/Doc(${id})/content?$binary=true`;
    const { status } = await served.gateway.get(path, { method: 'POST', body: bytes });
    expect(status).toBe(200);
  };
  const read = (path: string, headers: Record<string, string> = {}): Promise<Answer> =>
    served.gateway.get(path, { headers });
  beforeAll(async () => {
    await upload(content);
  });

  test('come whole, by a statement for each slice that is no larger than 2 MB', async () => {
    served.gateway.takeStatements();
    const { status, headers, bytes } = await read(STAMPED);
    expect([status, headers['content-length'], digest(bytes)]).toEqual([
      200,
      String(LENGTH),
      digest(content),
    ]);
    expect(served.gateway.takeStatements()).toHaveLength(1 + SLICES);
  });

  test('come in ranges, by what is in them alone', async () => {
    for (const [start, end] of [
      [0, 100_000],
      [2_000_000, 5_000_000],
      [LENGTH - 1, LENGTH],
    ] as const) {
      served.gateway.takeStatements();
      const { status, bytes } = await read(STAMPED, { range: `bytes=${start}-${end - 1}` });
      expect([status, digest(bytes)]).toEqual([206, digest(content.subarray(start, end))]);
      expect(served.gateway.takeStatements().length).toBeLessThan(4);
    }
  });

  test('are not read for a HEAD, nor for who has them', async () => {
    served.gateway.takeStatements();
    const head = await served.gateway.get(STAMPED, { method: 'HEAD' });
    expect([head.status, head.headers['content-length']]).toEqual([200, String(LENGTH)]);
    const again = await read(STAMPED, { 'if-none-match': String(head.headers['etag']) });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    expect(served.gateway.takeStatements()).toHaveLength(2);
  });

  test('are read no more for a client that takes nothing, or has gone', async () => {
    for (const path of [STAMPED, CONTENT]) {
      served.gateway.takeStatements();
      const response = await begin(served.gateway, path);
      expect(response.statusCode).toBe(200);
      // Others are served meanwhile, on whatever connections there are.
      await Promise.all(Array.from({ length: 20 }, () => served.get('Doc(2)')));
      response.destroy();
      await expectServing();
      const slices = served.gateway.takeStatements().filter((text) => !text.includes('item'));
      expect(slices.length - 20).toBeLessThan(SLICES);
    }
  });

  test('that are not images are none in any format', async () => {
    await upload(randomBytes(200_000), 2);
    const pic = '/rest/Pic(2)/content?$expand=content';
    expect((await read(`${pic}&$imageformat=png`)).body).toEqual({});
    const { headers, bytes } = await read(pic);
    expect([headers['content-type'], bytes.length]).toEqual(['application/octet-stream', 200_000]);
  });

  test('an export is read no more for clients that have gone, and its room is given up', async () => {
    for (let client = 0; client < 4; client += 1) {
      served.gateway.takeStatements();
      const response = await begin(served.gateway, '/rest/Item?$format=ndjson');
      expect(response.statusCode).toBe(200);
      response.destroy();
      await expectServing();
      expect(served.gateway.takeStatements().length).toBeLessThan(ITEMS / 500);
    }
    const whole = await served.gateway.get('/rest/Item?$format=csv&$attributes=id');
    expect([whole.status, whole.text.split('\r\n').length]).toEqual([200, ITEMS + 2]);
  });

  test.each([
    ['a stamp, and never mixed', STAMPED, 0],
    // The digest is asked for once more before the last slice is sent.
    ['a digest alone', CONTENT, 1],
  ])('that are changed while they are sent are broken off by %s', async (_, path, more) => {
    const [before, after] = [randomBytes(LENGTH), randomBytes(LENGTH)];
    await upload(before);
    served.gateway.takeStatements();
    const first = await read(path);
    expect([first.status, digest(first.bytes)]).toEqual([200, digest(before)]);
    expect(served.gateway.takeStatements()).toHaveLength(1 + SLICES + more);
    const tag = String(first.headers['etag']);
    expect((await read(path, { 'if-none-match': tag })).status).toBe(304);
    const part = await read(path, { 'if-range': tag, range: 'bytes=3000000-5999999' });
    expect([part.status, digest(part.bytes)]).toEqual([
      206,
      digest(before.subarray(3_000_000, 6_000_000)),
    ]);
    const response = await begin(served.gateway, path);
    await upload(after);
    const { complete, bytes } = await takeRest(response);
    expect([complete, bytes.length < LENGTH]).toEqual([false, true]);
    if (more === 0) expect(bytes.equals(before.subarray(0, bytes.length))).toBe(true);
    const changed = await read(path, { 'if-none-match': tag });
    expect([changed.status, digest(changed.bytes)]).toEqual([200, digest(after)]);
    expect(changed.headers['etag']).not.toBe(tag);
  });

  test('that fail midway are broken off', async () => {
    const response = await begin(served.gateway, CONTENT);
    await served.run('DELETE FROM app.doc WHERE id = 1');
    const { complete, bytes } = await takeRest(response);
    expect([response.statusCode, complete, bytes.length < LENGTH]).toEqual([200, false, true]);
    await expectServing();
  });

  test('an export that fails midway is broken off', async () => {
    const response = await begin(served.gateway, '/rest/Item?$format=csv');
    await served.run('ALTER TABLE app.item DROP COLUMN nm');
    const { complete, bytes } = await takeRest(response);
    expect([response.statusCode, complete]).toEqual([200, false]);
    // What came is as it was to be.
    expect(bytes.toString('utf8', 0, 11)).toBe('id,nm\r\nitem');
    await expectServing('Doc(2)');
  });
});
