import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import { sqlServerTarget } from '../targets/sqlserver.ts';
import { onEveryTarget, serving } from './writing.ts';

/** More than the buffers between two ends of a connection hold. */
const LENGTH = 24_000_000;
const content = randomBytes(LENGTH);

const { server } = await loadConfig('config.yaml', {});

const URL = '/rest/Document(c0ffee00-0000-4000-8000-000000000002)/content';
const READ = `${URL}?$binary=true&$expand=content`;

const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** Begins to read, and takes nothing of the body. */
async function begin(port: number, path: string): Promise<IncomingMessage> {
  // A connection of its own: one that has carried much already has larger buffers.
  const sent = request({ host: '127.0.0.1', port, path, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  // It may be broken off before anybody looks.
  response.on('error', () => undefined);
  sent.on('error', () => undefined);
  return response;
}

/** The embedded engine stands for PostgreSQL. */
const targets = [pgliteTarget, sqlServerTarget];

await onEveryTarget(
  'large contents',
  (target) => {
    const { gateway } = serving(target, { server: { ...server, maxBodyBytes: 2 * LENGTH } });
    const upload = async (bytes: Buffer): Promise<void> => {
      const { status } = await gateway.get(`${URL}?$binary=true`, { method: 'POST', body: bytes });
      expect(status).toBe(200);
    };
    beforeAll(async () => {
      await upload(content);
    });

    test('come whole, by a statement for each slice that is no larger than 2 MB', async () => {
      gateway.takeStatements();
      const { status, headers, bytes } = await gateway.get(READ);
      expect([status, headers['content-length'], digest(bytes)]).toEqual([
        200,
        String(LENGTH),
        digest(content),
      ]);
      expect(gateway.takeStatements()).toHaveLength(1 + Math.ceil((LENGTH - 65_536) / 2_097_152));
    });

    test('come in ranges, by what is in them alone', async () => {
      for (const [start, end] of [
        [0, 100_000],
        [2_000_000, 5_000_000],
        [LENGTH - 1, LENGTH],
      ] as const) {
        gateway.takeStatements();
        const { status, bytes } = await gateway.get(READ, {
          headers: { range: `bytes=${start}-${end - 1}` },
        });
        expect([status, digest(bytes)]).toEqual([206, digest(content.subarray(start, end))]);
        expect(gateway.takeStatements().length).toBeLessThan(4);
      }
    });

    test('are not read for a HEAD, nor for who has them', async () => {
      gateway.takeStatements();
      const head = await gateway.get(READ, { method: 'HEAD' });
      expect([head.status, head.headers['content-length']]).toEqual([200, String(LENGTH)]);
      const tag = String(head.headers['etag']);
      const again = await gateway.get(READ, { headers: { 'if-none-match': tag } });
      expect([again.status, again.bytes.length]).toEqual([304, 0]);
      expect(gateway.takeStatements()).toHaveLength(2);
    });

    test('are not read on for a client that takes nothing, nor for one that has gone', async () => {
      gateway.takeStatements();
      const response = await begin(gateway.port, READ);
      // Others are served meanwhile, on whatever connections there are.
      await Promise.all(Array.from({ length: 20 }, () => gateway.get('/rest/Country?$top=1')));
      const slices = gateway.takeStatements().filter((text) => /DOC_BLOB/i.test(text)).length;
      expect(slices).toBeLessThan(1 + Math.ceil(LENGTH / 2_097_152));
      response.destroy();
      await gateway.get('/rest/Country?$top=1');
      expect(await gateway.get(READ)).toMatchObject({ status: 200 });
    });

    test('that are changed while they are sent are broken off, and never mixed', async () => {
      const response = await begin(gateway.port, READ);
      const other = randomBytes(LENGTH);
      await upload(other);
      const received: Buffer[] = [];
      response.on('data', (chunk: Buffer) => received.push(chunk));
      if (!response.closed) await new Promise((resolve) => response.once('close', resolve));
      expect(response.complete).toBe(false);
      const begun = Buffer.concat(received);
      expect(begun.length).toBeLessThan(LENGTH);
      expect(begun.equals(content.subarray(0, begun.length))).toBe(true);
      const { bytes } = await gateway.get(READ);
      expect(digest(bytes)).toBe(digest(other));
    });

    test('that are not images are none in any format', async () => {
      const bytes = randomBytes(200_000);
      const path = '/rest/Employee(2)/photo?$binary=true';
      expect((await gateway.get(path, { method: 'POST', body: bytes })).status).toBe(200);
      const photo = '/rest/Employee(2)/photo?$expand=photo';
      expect((await gateway.get(`${photo}&$imageformat=png`)).body).toEqual({});
      const stored = await gateway.get(photo);
      expect([stored.headers['content-type'], stored.bytes.length]).toEqual([
        'application/octet-stream',
        200_000,
      ]);
    });
  },
  targets,
);
