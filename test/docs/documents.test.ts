import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, test } from 'vitest';
import { z } from 'zod';
import { sqlServerSchemaQueries } from '../../src/schema/sqlserver/rows.ts';
import { run } from '../cli/run.ts';
import { readUsersFile } from '../../src/access/auth/users-file.ts';
import { loadConfig } from '../../src/config/load.ts';
import { proxySetting } from '../../src/config/settings/proxy.ts';
import { sharedFolder, testFolder } from '../config/files.ts';
import { run as runProgram } from '../targets/build.ts';
import { blocksOf } from './examples.ts';
import { snapshots } from '../fixtures/legacy/model.ts';
import { plain, read, tableRows, withoutCode } from './markdown.ts';

it('docs/reference/configuration.md has every environment variable', () => {
  const source = read('src/config/load.ts') + read('src/cli/serve.ts') + read('src/main.ts');
  const variables = new Set(source.match(/\bENTITYGATE_[A-Z_]+/g));
  const documented = tableRows(read('docs/reference/configuration.md'))
    .filter(({ heading }) => heading === 'Environment')
    .map(({ cells: [name = ''] }) => plain(name))
    .filter((name) => name !== 'variable');
  expect(new Set(documented)).toEqual(variables);
});

const manifest = JSON.parse(read('package.json')) as Record<
  'dependencies' | 'devDependencies' | 'overrides',
  Readonly<Record<string, string>>
>;
const rows = tableRows(read('docs/reference/dependencies.md')).filter(
  ({ cells: [name] }) => name !== 'package',
);

it.each([
  ['dependencies', 'At run time'],
  ['devDependencies', 'For development'],
  ['overrides', 'Overrides'],
] as const)(
  'docs/reference/dependencies.md says why of all %s, and of nothing else',
  (part, section) => {
    const documented = rows.filter(({ heading }) => heading === section);
    expect(documented.map(({ cells: [name = ''] }) => plain(name))).toEqual(
      Object.keys(manifest[part]).toSorted(),
    );
    for (const { cells } of documented) expect(cells[1], cells[0]).not.toBe('');
  },
);

const files = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync('docs', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** The anchors that a Markdown file's headings give. */
function anchors(text: string): string[] {
  return [...withoutCode(text).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

it.each(files)('the relative links of %s lead somewhere', (file) => {
  const text = withoutCode(read(file)).replace(/`[^`\n]*`/g, '');
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target);
  const broken = targets.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false;
    const [path = '', anchor] = target.split('#');
    const found = path === '' ? file : join(dirname(file), path);
    if (!existsSync(found)) return true;
    return anchor !== undefined && !anchors(read(found)).includes(anchor);
  });
  expect(broken).toEqual([]);
});

it('docs/reference/performance.md tells how many statements read a schema on SQL Server', () => {
  const [, number] = /(\d+) on SQL Server/.exec(read('docs/reference/performance.md')) ?? [];
  expect(Number(number)).toBe(Object.keys(sqlServerSchemaQueries).length);
});

type ByRoom = Readonly<Record<string, readonly string[]>>;

/** What each folder of src/ may import, and the packages that it alone knows, as the lint rules have it. */
async function linted(): Promise<Readonly<Record<'rooms' | 'packages', ByRoom>>> {
  const { href } = new URL('../../rooms.js', import.meta.url);
  return (await import(href)) as Record<'rooms' | 'packages', ByRoom>;
}

test('the guide to the inside says of each folder what it may import, in the order of the pipeline', async () => {
  const rows = tableRows(read('src/README.md')).map(({ cells }) => cells);
  const documented = rows.flatMap(([folder = '', , others = '']) => {
    const room = /^`([\w/-]+)\/`$/.exec(folder)?.[1];
    return room === undefined ? [] : [[room, others === '' ? [] : others.split(', ')]];
  });
  const { rooms } = await linted();
  expect(documented).toEqual(Object.entries(rooms));
});

test('the packages that one room alone knows are there, and the room as well', async () => {
  const manifest = JSON.parse(read('package.json')) as Record<
    'dependencies' | 'devDependencies',
    Readonly<Record<string, string>>
  >;
  const installed = { ...manifest.dependencies, ...manifest.devDependencies };
  const { rooms, packages } = await linted();
  expect(packages['state']).toEqual(['ioredis']);
  expect(Object.keys(rooms)).toEqual(expect.arrayContaining(Object.keys(packages)));
  expect(Object.keys(installed)).toEqual(expect.arrayContaining(Object.values(packages).flat()));
});

test('the guide to the inside names files that exist', () => {
  const named = [...read('src/README.md').matchAll(/`((?:[\w-]+\/)+(?:[\w-]+\.ts)?)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(30);
  const missing = named.filter((path) => !existsSync(`src/${path}`) && !existsSync(path));
  expect(missing).toEqual([]);
});

it('docs/how-to/typescript-client.md has examples that the compiler takes', async () => {
  const examples = blocksOf('docs/how-to/typescript-client.md').flatMap(({ language, text }) =>
    language === 'ts' ? [text] : [],
  );
  expect(examples.length).toBeGreaterThan(2);
  const folder = await testFolder();
  try {
    const schema = fileURLToPath(snapshots.postgres);
    await run(['types', '--schema-file', schema, '--out', `${folder.path}/api`]);
    await folder.write('package.json', '{ "type": "module" }');
    await folder.write('examples.ts', examples.join('\n'));
    const compilerOptions = {
      ...{ target: 'ES2022', lib: ['ES2022', 'DOM'], types: [], module: 'NodeNext' },
      ...{ strict: true, noEmit: true },
    };
    await folder.write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    runProgram('node_modules/typescript/bin/tsc', '-p', folder.path);
  } finally {
    await folder.remove();
  }
});

test('docs/how-to/proxy.md has every setting of an entry with its default, and no other', () => {
  const { items } = z.toJSONSchema(proxySetting, { io: 'input' }) as {
    items: {
      properties: Record<string, { default?: string | number | boolean | object }>;
      required: string[];
    };
  };
  const known = Object.entries(items.properties).map(([name, { default: value }]) => {
    const shown = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '–');
    return [name, items.required.includes(name) ? 'required' : shown];
  });
  const [section = ''] =
    /^## Settings of an entry$[^]*?(?=^## )/m.exec(read('docs/how-to/proxy.md')) ?? [];
  const documented = [
    ...section.matchAll(/^- `(\w+)`: .*?(?:; (?:default `(.+)`|(required)))?\.$/gm),
  ].map(([, name, value, required]) => [name, value ?? required ?? '–']);
  expect(documented).toEqual(known);
});

const folder = await sharedFolder();
const { publicKey } = generateKeyPairSync('ed25519');
await folder.write('issuer.pem', publicKey.export({ type: 'spki', format: 'pem' }).toString());

const SECRETS = {
  ...{ TOKEN_SECRET: 'x'.repeat(32), ENTITYGATE_CLIENT_SECRET: 'x', REPORTS_SECRET: 'x' },
};

/** The YAML that the pages show. */
const examples = [
  'docs/reference/authentication.md',
  'docs/how-to/sign-in.md',
  'docs/how-to/entra-id.md',
  'docs/how-to/keycloak.md',
  'docs/how-to/proxy.md',
].flatMap((page) =>
  blocksOf(page).flatMap(({ language, text }) => (language === 'yaml' ? [text] : [])),
);

test('the pages have examples', () => {
  expect(examples.length).toBeGreaterThan(12);
});

test.each(examples)('what a page shows is what the gateway reads: %s', async (text) => {
  const path = await folder.write('example.yaml', text);
  const isUsersFile = /^users:/m.test(text);
  const reading = isUsersFile ? readUsersFile(path) : loadConfig(path, SECRETS);
  await expect(reading).resolves.toBeDefined();
});
