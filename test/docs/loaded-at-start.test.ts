import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** What a module imports when it is loaded: no types, and nothing that is imported later on. */
const IMPORTS = /^(?:import|export)\s+(?!type\b)(?:[^'";]*?\bfrom\s+)?'([^']+)'/gm;

/** The files and the packages that are loaded with these files. */
function loadedWith(files: readonly string[]): { files: Set<string>; packages: Set<string> } {
  const found = { files: new Set<string>(), packages: new Set<string>() };
  const visit = (file: string): void => {
    if (found.files.has(file)) return;
    found.files.add(file);
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(IMPORTS)) {
      if (name.startsWith('.')) visit(join(dirname(file), name));
      else if (!name.startsWith('node:')) found.packages.add(name);
    }
  };
  files.forEach(visit);
  return found;
}

/** The command line, and the command that serves. */
const OF_SERVE = ['src/cli/commands.ts', 'src/cli/serve.ts'];

const OF_ALL = [
  '@fastify/compress',
  '@fastify/rate-limit',
  'cookie',
  'fastest-levenshtein',
  'fastify',
  'lru-cache',
  'p-limit',
  'pino',
  'yaml',
  'zod',
];

test.each([
  { engine: 'postgres', driver: ['pg'] },
  { engine: 'sqlserver', driver: ['iconv-lite', 'mssql', 'tedious'] },
  { engine: 'pglite', driver: [] },
])('a gateway on $engine loads no other driver, and nothing else that it may not need', (row) => {
  const open = `src/database/${row.engine}/open.ts`;
  const { packages } = loadedWith([...OF_SERVE, open]);
  expect([...packages].sort()).toEqual([...OF_ALL, ...row.driver].sort());
});

test('what other commands and settings need is not loaded to serve', () => {
  const { files } = loadedWith(OF_SERVE);
  const later = [
    'src/cli/init.ts',
    'src/cli/init/plan.ts',
    'src/access/auth/tokens.ts',
    'src/server/proxy/plugin.ts',
  ];
  expect(later.filter((file) => !existsSync(file))).toEqual([]);
  expect(later.filter((file) => files.has(file))).toEqual([]);
});

test('the program loads next to nothing before it has set how its heap grows', () => {
  expect([...loadedWith(['src/main.ts']).files]).toEqual(['src/main.ts', 'src/base/heap.ts']);
});

test('a command loads the modules of no other one', () => {
  expect([...loadedWith(['src/cli/commands.ts']).packages]).toEqual(['fastest-levenshtein']);
});
