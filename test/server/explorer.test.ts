import { describe, expect, test } from 'vitest';
import { serveExplorer } from '../../src/server/explorer.ts';
import type { ServerOptions } from '../../src/server/server.ts';
import { testFolder } from '../config/files.ts';
import { mirror, startBoth } from './application.ts';
import { ask, expectError, start, type Started } from './serving.ts';

const page = '<!doctype html><title>Explorer</title>';
const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** Serves an explorer of two files. */
async function built(): Promise<Required<Pick<ServerOptions, 'explorer'>>> {
  const folder = await testFolder();
  await folder.write('index.html', page);
  await folder.write('assets/index-1.js', 'void 0;');
  await folder.write('assets/index-1.js.gz', 'compressed');
  return { explorer: (server, find) => serveExplorer(server, find, `${folder.path}/`) };
}

async function startBuilt(): Promise<Started> {
  return start(await built());
}

describe('the explorer', () => {
  test('is a page that may load what the gateway serves, and nothing else', async () => {
    const { status, text, headers } = await ask(await startBuilt(), '/explore/');
    expect([status, text]).toEqual([200, page]);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'content-security-policy':
        "default-src 'none';script-src 'self';style-src 'self';img-src 'self' blob:;media-src blob:;frame-src blob:;" +
        "connect-src 'self';base-uri 'none';form-action 'none';frame-ancestors 'none';require-trusted-types-for 'script'",
    });
  });

  test('has files that are kept for ever, compressed where the client knows how', async () => {
    const { port } = await startBuilt();
    const plain = await ask(port, '/explore/assets/index-1.js');
    expect(plain.text).toBe('void 0;');
    expect(plain.headers).toMatchObject({
      'content-type': 'application/javascript; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    const headers = { 'accept-encoding': 'gzip' };
    const compressed = await ask(port, '/explore/assets/index-1.js', { headers });
    expect([compressed.text, compressed.headers['content-encoding']]).toEqual([
      'compressed',
      'gzip',
    ]);
  });

  test.each(['/explore/nothing', '/explore/../package.json', '/explore/%2e%2e/package.json'])(
    'has nothing at %s',
    async (path) => {
      expect((await ask(await startBuilt(), path)).status).toBe(404);
    },
  );

  test('is where a browser is led to from /', async () => {
    const { port } = await startBuilt();
    const { status, headers } = await ask(port, '/', { headers: browser });
    expect([status, headers['location'], headers['vary']]).toEqual([302, 'explore/', 'accept']);
    const { status: moved, headers: where } = await ask(port, '/explore');
    expect([moved, where['location']]).toEqual([308, 'explore/']);
  });

  test('is named to other clients', async () => {
    const { port } = await startBuilt();
    const message =
      'There is nothing at /. The API begins at /rest/$catalog, the explorer at /explore/.';
    expectError(await ask(port, '/', { headers: { accept: '*/*' } }), 404, 9008, message);
    expectError(await ask(port, '/', { method: 'POST', headers: browser }), 404, 9008, message);
    const posted = await ask(port, '/explore/', { method: 'POST' });
    expectError(posted, 405, 9004, 'POST does not apply to /explore/.');
  });

  test('is nowhere where it is not served, or its files have not been built', async () => {
    expect((await ask(await start(), '/explore/')).status).toBe(404);
    expect((await ask(await start(), '/', { headers: browser })).status).toBe(404);
    const { path } = await testFolder();
    const { port } = await start({
      explorer: (server, find) => serveExplorer(server, find, `${path}/`),
    });
    expectError(await ask(port, '/explore/'), 404, 9008, 'The explorer is not available.');
  });

  test.each(['/explore', '/'])('gives way to an application at %s', async (prefix) => {
    const { port } = await startBoth(mirror, { prefix }, await built());
    expect((await ask(port, '/explore/', { headers: browser })).text).toContain('"method":"GET"');
    const root = await ask(port, '/', { headers: browser });
    expect(root.status).toBe(prefix === '/' ? 200 : 404);
  });

  test('stands beside an application below it', async () => {
    const { port } = await startBoth(mirror, { prefix: '/explore/more' }, await built());
    expect((await ask(port, '/explore/')).text).toBe(page);
    expect((await ask(port, '/explore/more/x')).text).toContain('"url":"/x"');
  });
});
