import { readdir, readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

const FOLDER = 'dist/explorer';

/** The most script that a browser loads, compressed, in bytes. */
const MOST = 250 * 1024;

test('all scripts together are small', async () => {
  const names = (await readdir(`${FOLDER}/assets`)).filter((name) => name.endsWith('.js'));
  expect(names.length).toBeGreaterThan(0);
  const scripts = await Promise.all(names.map((name) => readFile(`${FOLDER}/assets/${name}`)));
  const bytes = scripts.reduce((sum, script) => sum + gzipSync(script).length, 0);
  expect(bytes).toBeLessThanOrEqual(MOST);
});

test('the page has no script and no style of its own, and names its files by what they hold', async () => {
  const page = await readFile(`${FOLDER}/index.html`, 'utf8');
  expect(page).not.toMatch(/<style|style=|<script(?![^>]*\bsrc=)|\bon\w+=/);
  const files = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, file]) => file);
  expect(files.length).toBeGreaterThan(1);
  for (const file of files) expect(file).toMatch(/^\/explore\/assets\/[\w-]+-[\w-]{8}\.\w+$/);
});
