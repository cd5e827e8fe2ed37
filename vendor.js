import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { build } from 'vite';

/*
 * Copies the SQL Server drivers and the SQL parser to `dist/node_modules/`, where the compiled program finds them first: the files that
 * it can load, unchanged, with their licences. As dependencies they would install 150 MB more: other dialects, source maps, and what
 * Azure's packages need in browsers.
 */

const root = fileURLToPath(new URL('.', import.meta.url));
const require = createRequire(import.meta.url);
const { dependencies } = require('./package.json');

/** The modules by which the program loads the drivers and the parser. */
const entries = [
  'mssql',
  'tedious',
  'node-sql-parser/build/postgresql.js',
  'node-sql-parser/build/transactsql.js',
];

/** The folder of a file's package. */
const PACKAGE = /^node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+(?=\/)/;

/** Packages that are loaded from where they are if they are installed: the dependencies, and two that the drivers can do without. */
const external = [...Object.keys(dependencies), 'msnodesqlv8', 'supports-color'];

/** Returns the files that the entries load at once or later, below the root. */
async function loadedFiles() {
  const files = new Set();
  await build({
    configFile: false,
    root,
    logLevel: 'error',
    // As Node.js resolves names, not as bundlers do.
    resolve: { extensions: ['.js', '.json'] },
    ssr: {
      resolve: { conditions: ['node'], mainFields: ['main'] },
      noExternal: true,
      external,
    },
    build: {
      ssr: true,
      write: false,
      rolldownOptions: {
        input: entries.map((entry) => require.resolve(entry)),
        plugins: [
          { name: 'files', moduleParsed: ({ id }) => void files.add(id.slice(root.length)) },
        ],
      },
    },
  });
  return [...files].filter((file) => PACKAGE.test(file));
}

/** Returns what goes with a file: each `package.json` that says how it is loaded, and the licences of its package. */
function companions(file) {
  const folder = PACKAGE.exec(file)[0];
  const licences = readdirSync(join(root, folder))
    .filter((name) => /^(?:licen[cs]e|notice|copying)/i.test(name))
    .map((name) => `${folder}/${name}`);
  const manifests = [];
  for (let inner = dirname(file); inner.startsWith(folder); inner = dirname(inner)) {
    if (existsSync(join(root, inner, 'package.json'))) manifests.push(`${inner}/package.json`);
  }
  return [...licences, ...manifests];
}

rmSync(join(root, 'dist/node_modules'), { recursive: true, force: true });
const files = await loadedFiles();
for (const file of new Set([...files, ...files.flatMap(companions)])) {
  cpSync(join(root, file), join(root, 'dist', file));
}
