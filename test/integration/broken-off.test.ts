import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { expect, test, vi } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import type { Answer, Gateway } from '../targets/gateway.ts';
import { onEngines, type Shape } from './shapes/engines.ts';

/** How many entities an export has: with what each of them holds more than the buffers between two ends of a connection do. */
const ITEMS = 24_000;

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
INSERT INTO app.doc VALUES (1, NULL, 1);
CREATE VIEW app.doc_view AS SELECT id, content FROM app.doc;`,
  sqlserver: [
    'CREATE SCHEMA app',
    'CREATE TABLE app.item (id varchar(40) NOT NULL PRIMARY KEY, nm varchar(1000) NOT NULL)',
    `INSERT INTO app.item SELECT 'item ' + CONVERT(varchar(10), n), REPLICATE('x', 1000) FROM (${numbers}) d WHERE n BETWEEN 1 AND ${ITEMS}`,
    'CREATE TABLE app.doc (id int NOT NULL PRIMARY KEY, content varbinary(max), ver int NOT NULL)',
    'INSERT INTO app.doc VALUES (1, NULL, 1)',
    'CREATE VIEW app.doc_view AS SELECT id, content FROM app.doc',
  ],
  mappings: {
    item: 'dataclass: Item\ntable: app.item\nstamp: none\nattributes: { id: id, nm: nm }',
    doc: 'dataclass: Doc\ntable: app.doc\nstamp: { counter: ver }\nattributes: { id: id, content: { column: content, type: blob } }',
    seen: 'dataclass: Seen\nview: app.doc_view\nkey: [id]\nattributes: { id: id, content: { column: content, type: blob } }',
  },
};

/** More than the buffers between two ends of a connection hold. */
const LENGTH = 24_000_000;
const SLICES = Math.ceil((LENGTH - 65_536) / 2_097_152);

const CONTENT = '/rest/Seen(1)/content?$binary=true&$expand=content';

/** Room for the keys of three exports at once, and no more. */
const entitySets = { maxBytes: 1_048_576, maxSetBytes: 1_048_576, maxPerSession: 10 };

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

onEngines('an answer that is read as it is sent', { ...brokenOff, settings }, (served) => {
  /** Whoever asks next is served, and no connection is still lent. */
  const expectServing = async (): Promise<void> => {
    expect((await served.get('Item?$top=1'))[0]).toBe(200);
    await vi.waitFor(
      () => expect(served.gateway.database.pool()).toMatchObject({ used: 0, waiting: 0 }),
      { timeout: 20_000 },
    );
  };
  const upload = async (bytes: Buffer): Promise<void> => {
    const { status } = await served.gateway.get('/rest/Doc(1)/content?$binary=true', {
      method: 'POST',
      body: bytes,
    });
    expect(status).toBe(200);
  };

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

  test('a BLOB that nothing but a digest tells from others has one', async () => {
    const [content, other] = [randomBytes(LENGTH), randomBytes(LENGTH)];
    await upload(content);
    served.gateway.takeStatements();
    const read = (headers: Record<string, string> = {}): Promise<Answer> =>
      served.gateway.get(CONTENT, { headers });
    const first = await read();
    expect([first.status, digest(first.bytes)]).toEqual([200, digest(content)]);
    // The beginning and each slice, and the digest once more before the last of them is sent.
    expect(served.gateway.takeStatements()).toHaveLength(2 + SLICES);
    const tag = String(first.headers['etag']);
    const again = await read({ 'if-none-match': tag });
    expect([again.status, again.bytes.length]).toEqual([304, 0]);
    const part = await read({ 'if-range': tag, range: 'bytes=3000000-5999999' });
    expect([part.status, digest(part.bytes)]).toEqual([
      206,
      digest(content.subarray(3_000_000, 6_000_000)),
    ]);
    const response = await begin(served.gateway, CONTENT);
    await upload(other);
    const { complete, bytes } = await takeRest(response);
    expect([complete, bytes.length < LENGTH]).toEqual([false, true]);
    const changed = await read({ 'if-none-match': tag });
    expect([changed.status, digest(changed.bytes)]).toEqual([200, digest(other)]);
    expect(changed.headers['etag']).not.toBe(tag);
  });

  test('a BLOB is read no more for a client that has gone', async () => {
    served.gateway.takeStatements();
    const response = await begin(served.gateway, CONTENT);
    expect(response.statusCode).toBe(200);
    response.destroy();
    await expectServing();
    expect(served.gateway.takeStatements().length).toBeLessThan(SLICES);
  });

  test('a BLOB that fails midway is broken off', async () => {
    const response = await begin(served.gateway, CONTENT);
    await served.run('DELETE FROM app.doc');
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
    expect((await served.get('Doc?$top=1'))[0]).toBe(200);
    await vi.waitFor(
      () => expect(served.gateway.database.pool()).toMatchObject({ used: 0, waiting: 0 }),
      { timeout: 20_000 },
    );
  });
});
