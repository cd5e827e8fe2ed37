import { readdir, readFile } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const FOLDER = 'dist/explorer';

/** The most script that a browser loads, compressed, in bytes. */
const MOST = 250 * 1024;

/** The most that a report adds to it. */
const MOST_OF_REPORT = 10 * 1024;

/** The names of built files, and how many bytes they have together, compressed. */
async function filesNamed(pattern: RegExp): Promise<{ names: string[]; bytes: number }> {
  const names = (await readdir(`${FOLDER}/assets`)).filter((name) => pattern.test(name));
  const files = await Promise.all(names.map((name) => readFile(`${FOLDER}/assets/${name}`)));
  return { names, bytes: files.reduce((sum, file) => sum + gzipSync(file).length, 0) };
}

test('all scripts together are small', async () => {
  const { names, bytes } = await filesNamed(/\.js$/);
  expect(names.length).toBeGreaterThan(0);
  expect(bytes).toBeLessThanOrEqual(MOST);
});

test('a report is small, and loaded by those who open one', async () => {
  const { names, bytes } = await filesNamed(/^report-view-.*\.(?:js|css)$/);
  expect(names).toHaveLength(2);
  expect(bytes).toBeLessThanOrEqual(MOST_OF_REPORT);
  const page = await readFile(`${FOLDER}/index.html`, 'utf8');
  expect(page).not.toContain('report-view');
});

test('compressed files are what is served to those who do not decompress', async () => {
  const { names } = await filesNamed(/\.(?:js|css)$/);
  for (const name of names) {
    const path = `${FOLDER}/assets/${name}`;
    const plain = await readFile(path);
    expect(gunzipSync(await readFile(`${path}.gz`)).equals(plain), name).toBe(true);
    expect(brotliDecompressSync(await readFile(`${path}.br`)).equals(plain), name).toBe(true);
  }
});

test('the page has no script and no style of its own, and names its files by what they hold', async () => {
  const page = await readFile(`${FOLDER}/index.html`, 'utf8');
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\bon\w+=/);
  const files = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, file]) => file);
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect(file).toMatch(/^\.\/assets\/[\w-]+-[\w-]{8}\.\w+$/);
});
