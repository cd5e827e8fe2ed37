import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { testFolder, type TestFolder } from '../config/files.ts';
import { describeWith } from '../targets/missing.ts';
import { SHORT_LIVED } from './gateway-process.ts';

const execute = promisify(execFile);

/** Variables of npm and of the gateway would reach the installed command. */
const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:npm_|ENTITYGATE_)/i.test(name)),
);
const inEnvironment = { env: environment, maxBuffer: 2 ** 24 };

/** Packing and installing take longer than any other test, and are wanted where something is shipped. */
const missing =
  process.env['ENTITYGATE_TEST_PACKAGE'] === '1' ? null : 'ENTITYGATE_TEST_PACKAGE=1 is not set';

let folder: TestFolder;
let installed: string;
let files: string[];
let unreachable: string | null = null;

async function npm(
  args: readonly string[],
  cwd: string,
): Promise<{ stdout: string; stderr: string }> {
  return execute('npm', [...args], { ...inEnvironment, cwd });
}

/** What npm warned of. */
let said = '';
beforeAll(async () => {
  folder = await testFolder();
  // The program has been compiled before the tests.
  const packed = await npm(
    ['pack', '--ignore-scripts', '--json', '--pack-destination', folder.path],
    process.cwd(),
  );
  const [pack] = JSON.parse(packed.stdout) as { filename: string; files: { path: string }[] }[];
  files = (pack?.files ?? []).map(({ path }) => path);
  await folder.write('prefix/package.json', '{}');
  const install = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--omit=dev'];
  const prefix = join(folder.path, 'prefix');
  try {
    said = (await npm([...install, join(folder.path, pack?.filename ?? '')], prefix)).stderr;
  } catch (error) {
    const { stderr } = error as { stderr: string };
    // The dependencies are in npm's cache after npm ci; only where they are not does it need the registry.
    if (!/code (?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT)/.test(stderr)) throw error;
    unreachable = stderr;
  }
  installed = join(prefix, 'node_modules/.bin/entitygate');
});
afterAll(() => folder.remove());

/** Runs the installed command in a folder, compiling WebAssembly no better than a few statements need. */
async function entitygate(args: readonly string[], cwd: string): Promise<string> {
  const command = [SHORT_LIVED, installed, ...args];
  const { stdout, stderr } = await execute(process.execPath, command, { ...inEnvironment, cwd });
  return stdout + stderr;
}

/** Serves on a free port in a folder. */
async function serving(
  cwd: string,
): Promise<{ readonly child: ChildProcess; readonly base: string; readonly told: () => string }> {
  const child = spawn(process.execPath, [SHORT_LIVED, installed, 'serve', '--port', '0'], {
    cwd,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let told = '';
  const base = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      told += chunk.toString('utf8');
      const address = /^Entitygate serves .* at (.*)\/rest\/$/m.exec(told)?.[1];
      if (address !== undefined) resolve(address);
    });
    child.once('exit', () => reject(new Error(told)));
  });
  return { child, base, told: () => told };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function emptyFolder(name: string): Promise<string> {
  await folder.write(`${name}/.keep`, '');
  return join(folder.path, name);
}

describeWith(missing, 'the package', () => {
  test('has what it needs at run time, and neither sources nor tests', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        ...['README.md', 'CHANGELOG.md', 'config.yaml', 'mappings/employee.yaml', 'package.json'],
        'schema.json',
        ...['dist/main.js', 'dist/client/client.ts', 'dist/empty-database.tar.gz'],
        'schemas/config.schema.json',
        ...['docs/reference/commands.md', 'sample.sql.gz'],
        ...['dist/node_modules/mssql/LICENSE.md', 'dist/node_modules/tedious/LICENSE'],
        'dist/node_modules/node-sql-parser/LICENSE',
      ]),
    );
    const others = files.filter((path) =>
      /^(?:src|test|node_modules)\/|\.map$|tsbuildinfo/.test(path),
    );
    expect(others).toEqual([]);
  });

  /** The files of the packages that it has copies of. */
  const copied = (): string[] => files.filter((path) => path.startsWith('dist/node_modules/'));

  test('has the licence of each package that it has a copy of', () => {
    const folders = new Set(
      copied().map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? ''),
    );
    const unlicensed = [...folders].filter(
      (folder) =>
        !copied().some((path) => path.startsWith(`${folder}/`) && /licen[cs]e[^/]*$/i.test(path)),
    );
    expect(unlicensed).toEqual([]);
  });

  /** The bytes on the disk that a folder takes, in blocks of 4 KB. */
  async function sizeOf(path: string): Promise<number> {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const sizes = await Promise.all(
      entries
        .filter((entry) => entry.isFile())
        .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
    );
    return sizes.reduce((sum, size) => sum + Math.ceil(size / 4096) * 4096, 0);
  }

  test('installs a command that works alone', { timeout: 180_000 }, async (context) => {
    if (unreachable !== null) context.skip(`the registry of npm cannot be reached: ${unreachable}`);
    // No engine, no setting, no deprecated package. npm 11 names the script prepare, which it does not run for a package.
    const alarms = said.split('\n').filter((line) => !/^(?:npm warn install-scripts|$)/.test(line));
    expect(alarms).toEqual([]);
    const { version } = JSON.parse(await readFile('package.json', 'utf8')) as { version: string };
    expect((await execute(installed, ['--version'], inEnvironment)).stdout).toBe(`${version}\n`);

    expect(await sizeOf(join(folder.path, 'prefix'))).toBeLessThan(150_000_000);
    const packaged = await realpath(join(folder.path, 'prefix/node_modules/entitygate'));

    // All that the copies of packages load is there, such as what a login at Azure needs.
    const modules = copied().filter((path) => /\.[cm]?js$/.test(path));
    const load = 'for (const file of process.argv.slice(1)) await import(`./${file}`)';
    const loading = ['--input-type=module', '-e', load, '--', ...modules];
    const loaded = await execute(process.execPath, loading, { cwd: packaged });
    expect(loaded).toEqual({ stdout: '', stderr: '' });

    const sample = await emptyFolder('sample');
    const { child, base, told } = await serving(sample);
    try {
      const answer = await fetch(`${base}/rest/Employee(1)?$attributes=ID`);
      expect([answer.status, await answer.json()]).toEqual([
        200,
        expect.objectContaining({ ID: 1 }),
      ]);
      await expect
        .poll(told)
        .toContain('There is no config.yaml in this folder, so this is the sample');
      // docs/how-to/agents.md asks the sample as an agent.
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
      const listed = await fetch(`${base}/mcp`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(message),
      });
      expect([listed.status, await listed.json()]).toEqual([
        200,
        expect.objectContaining({ id: 1, result: expect.anything() }),
      ]);
      // The database is locked by the server: this reads the packaged schema, and the packaged source.
      const types = await execute(installed, ['types'], { ...inEnvironment, cwd: sample });
      expect(types).toEqual({
        stdout: expect.stringMatching(/^\/\* eslint-disable \*\/[^]*Company/),
        stderr:
          'There is no config.yaml in this folder, so this is the sample.\n' +
          `Reading the schema from ${packaged}/schema.json; --live reads it from the database.\n`,
      });
      expect((await readdir(sample)).toSorted()).toEqual(['.data', '.keep']);
    } finally {
      await stop(child);
    }

    const own = await emptyFolder('prefix/own');
    const database = `pglite:${join(sample, '.data/sample')}`;
    await entitygate(['init', '--database', database], own);
    expect(await readdir(own)).toEqual(expect.arrayContaining(['config.yaml', 'mappings']));
    // Editors find the schemas in the project, and from other folders where the package is.
    const elsewhere = await emptyFolder('elsewhere');
    await entitygate(['init', '--database', database], elsewhere);
    const addresses = await Promise.all(
      [own, elsewhere].flatMap((at) =>
        ['config.yaml', 'mappings/ctry-ref.yaml'].map(async (name) => {
          const [line = ''] = (await readFile(join(at, name), 'utf8')).split('\n', 1);
          const address = line.replace('# yaml-language-server: $schema=', '');
          const found = new URL(address, pathToFileURL(join(at, name)));
          expect(JSON.parse(await readFile(found, 'utf8'))).toMatchObject({ type: 'object' });
          return address;
        }),
      ),
    );
    expect(addresses).toEqual([
      '../node_modules/entitygate/schemas/config.schema.json',
      '../../node_modules/entitygate/schemas/mapping.schema.json',
      pathToFileURL(`${packaged}/schemas/config.schema.json`).href,
      pathToFileURL(`${packaged}/schemas/mapping.schema.json`).href,
    ]);
    // What a mapping file computes is parsed by a package that it has a copy of.
    await writeFile(
      join(own, 'mappings/twice.yaml'),
      'dataclass: Twice\ntable: SALES.CTRY_REF\nattributes:\n  twice: { sql: POP_CNT * 2, type: long64 }\n',
    );
    const served = await serving(own);
    try {
      const answer = await fetch(`${served.base}/rest/Twice?$top=1&$attributes=twice`);
      expect([answer.status, await answer.json()]).toEqual([
        200,
        expect.objectContaining({ __SENT: 1 }),
      ]);
      expect(served.told()).not.toContain('sample');
    } finally {
      await stop(served.child);
    }

    // So is its driver of SQL Server one.
    const refused = await entitygate(
      ['init', '--database', 'mssql://u:p@127.0.0.1:1/d'],
      folder.path,
    ).catch(String);
    expect(refused).toContain('SQL Server at 127.0.0.1:1/d cannot be used: connect ECONNREFUSED');
  });
});
