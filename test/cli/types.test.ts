import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { CLIENT_FILES, clientText, namesOf } from '../../src/cli/types/client-text.ts';
import { modelText } from '../../src/cli/types/model-text.ts';
import { buildModel } from '../../src/model/build.ts';
import { loadMappings } from '../../src/config/mapping.ts';
import { checkRestriction } from '../../src/run/convert/bind.ts';
import { MODEL_FILE, writtenFile } from '../client/sample/make.ts';
import { sharedFolder, testFolder } from '../config/files.ts';
import { run as runProgram } from '../targets/build.ts';
import { readSnapshot, sampleSettings, snapshots } from '../fixtures/legacy/model.ts';
import { type Ended, run } from './run.ts';

const MAPPINGS = resolve('mappings');
const folder = await sharedFolder();
const SCHEMA = ['--schema-file', fileURLToPath(snapshots.postgres)];

test('the model that the tests are compiled with is what the command writes (npm run types)', async () => {
  expect(readFileSync(MODEL_FILE, 'utf8')).toBe(await writtenFile('model.ts'));
});

test('all files of the client are joined, and import nothing', async () => {
  const files = readdirSync('src/client').map((file) => file.replace(/\.ts$/, ''));
  expect([...CLIENT_FILES].sort()).toEqual(files.sort());
  expect(await clientText()).not.toMatch(/^import /m);
});

test('what is written is compiled by strict settings for browsers, in one file and in two', async () => {
  const folder = await testFolder();
  try {
    expect(await run(['types', ...SCHEMA, '--out', `${folder.path}/api`])).toMatchObject({
      code: 0,
      error: '',
    });
    const printed = await run(['types', ...SCHEMA]);
    await folder.write('single.ts', printed.out);
    expect((await run(['types', ...SCHEMA, '--out', `${folder.path}/out.ts`])).code).toBe(0);
    expect(readFileSync(`${folder.path}/out.ts`, 'utf8')).toBe(printed.out);
    const compilerOptions = {
      ...{ target: 'ES2022', lib: ['ES2022', 'DOM'], types: [], module: 'NodeNext', noEmit: true },
      ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
      ...{ verbatimModuleSyntax: true, erasableSyntaxOnly: true, isolatedModules: true },
    };
    await folder.write('package.json', '{ "type": "module" }');
    await folder.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['**/*.ts'] }));
    runProgram('node_modules/typescript/bin/tsc', '-p', folder.path);
  } finally {
    await folder.remove();
  }
});

test.each(['types', 'openapi'])('%s refuses a role that is not configured', async (command) => {
  const roles = '\nroles: { clerk: { dataclasses: { Employee: { read: true } } } }\n';
  const text = readFileSync('config.yaml', 'utf8').replace(': mappings', `: ${MAPPINGS}`);
  const config = ['--config', await folder.write('types.yaml', text + roles)];
  expect(await run([command, ...config, ...SCHEMA, '--role', 'clark'])).toMatchObject({
    code: 2,
    error: `--role clark: there is no such role. Did you mean clerk? See "entitygate ${command} --help".\n`,
  });
});

test('dataclasses that are called as the client’s own types are, get other names', async () => {
  const client = namesOf(await clientText());
  const { dataclasses } = await loadMappings('mappings', null);
  const named = new Map([
    ['Country', 'Page'],
    ['Holiday', 'Response'],
    ['LogEntry', 'PageEntity'],
  ]);
  const renamed = dataclasses
    .filter(({ mapping }) => named.has(mapping.dataclass ?? ''))
    .map((source) => {
      const { dataclass = '', ...mapping } = source.mapping;
      return {
        ...source,
        mapping: { ...mapping, relations: {}, dataclass: named.get(dataclass) ?? '' },
      };
    });
  const model = buildModel(renamed, readSnapshot('postgres'), sampleSettings, checkRestriction, []);
  const { text, imports } = modelText(model, client);
  const declared = Array.from(
    text.matchAll(/^export (?:interface|type) (\w+)/gm),
    ([, name]) => name,
  );
  expect(new Set(declared).size).toBe(declared.length);
  expect(declared.filter((name = '') => client.taken.has(name))).toEqual([]);
  expect(text).toMatch(/ {4}Page: Page\w+Types;/);
  expect(imports).not.toContain('Page');
});

/** Offline: the sample's mapping files over the snapshot of its schema. */
async function openapi(...options: readonly string[]): Promise<Ended> {
  const config = await folder.write(
    'config.yaml',
    `database: { engine: pglite, directory: none }
mappings: ${MAPPINGS}
roles: { clerk: { dataclasses: { Country: { read: true } } } }
`,
  );
  return run(['openapi', '--config', config, ...SCHEMA, ...options]);
}

test.each(['json', 'yaml'])('writes what a role sees to a file of %s', async (kind) => {
  const file = join(folder.path, `openapi.${kind}`);
  expect(await openapi('--role', 'clerk', '--out', file)).toEqual({ code: 0, out: '', error: '' });
  const text = await readFile(file, 'utf8');
  expect(text.startsWith('{')).toBe(kind === 'json');
  const { out } = await openapi('--role', 'clerk');
  const { tags } = JSON.parse(out) as { readonly tags: readonly { readonly name: string }[] };
  expect(parse(text)).toEqual(JSON.parse(out));
  expect(tags.map(({ name }) => name)).toEqual(['Country', 'functions', 'services']);
});
