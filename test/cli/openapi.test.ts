import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { sharedFolder } from '../config/files.ts';
import { snapshots } from '../fixtures/legacy/model.ts';
import { type Ended, run } from './run.ts';

const folder = await sharedFolder();
await folder.write(
  'config.yaml',
  `database: { engine: pglite, directory: none }
mappings: ${join(process.cwd(), 'mappings')}
roles: { clerk: { dataclasses: { Country: { read: true } } } }
`,
);

/** Offline: the sample's mapping files over the snapshot of its schema. */
function openapi(...options: readonly string[]): Promise<Ended> {
  const config = join(folder.path, 'config.yaml');
  const schema = fileURLToPath(snapshots.postgres);
  return run(['openapi', '--config', config, '--schema-file', schema, ...options]);
}

function dataclassesIn(document: unknown): string[] {
  const { tags } = document as { readonly tags: readonly { readonly name: string }[] };
  return tags.map(({ name }) => name);
}

test('prints everything that the mapping files expose', async () => {
  const { code, out, error } = await openapi();
  expect([code, error]).toEqual([0, '']);
  expect(dataclassesIn(JSON.parse(out))).toHaveLength(17 + 2);
  expect(out).toMatch(/^\{\n {2}"openapi": "3\.1\.0",\n/);
});

test('prints what a role sees', async () => {
  const { code, out } = await openapi('--role', 'clerk');
  expect(code).toBe(0);
  expect(dataclassesIn(JSON.parse(out))).toEqual(['Country', 'functions', 'services']);
});

test.each(['json', 'yaml'])('writes a file of %s', async (kind) => {
  const file = join(folder.path, `openapi.${kind}`);
  expect(await openapi('--role', 'clerk', '--out', file)).toEqual({ code: 0, out: '', error: '' });
  const text = await readFile(file, 'utf8');
  expect(text.startsWith('{')).toBe(kind === 'json');
  expect(parse(text)).toEqual(JSON.parse((await openapi('--role', 'clerk')).out));
});

test('refuses a role that is not configured', async () => {
  const { code, out, error } = await openapi('--role', 'clark');
  expect([code, out]).toEqual([2, '']);
  expect(error).toMatch(/^--role clark: there is no such role\. .*clerk/);
});
