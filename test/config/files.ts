import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll } from 'vitest';
import { StartupError } from '../../src/base/errors.ts';
import { loadConfig } from '../../src/config/load.ts';

/** A folder of files that a test made. */
export interface TestFolder {
  readonly path: string;
  /** Writes a file, and gives its absolute path. */
  readonly write: (name: string, text: string) => Promise<string>;
  readonly remove: () => Promise<void>;
}

/** Makes a folder of its own for a test. */
export async function testFolder(): Promise<TestFolder> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'entitygate-test-')));
  return {
    path,
    write: async (name, text) => {
      const file = join(path, name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
      return file;
    },
    remove: () => rm(path, { recursive: true, force: true }),
  };
}

/** A folder that the tests around the call share. */
export async function sharedFolder(): Promise<TestFolder> {
  const folder = await testFolder();
  afterAll(() => folder.remove());
  return folder;
}

/** Copies the sample's mapping files to the folder `mappings` of a test, changed; those that `change` makes null are left out. */
export async function copyMappings(
  { path, write }: TestFolder,
  change: (text: string, file: string) => string | null,
): Promise<string> {
  for (const file of await readdir('mappings')) {
    const text = change(await readFile(join('mappings', file), 'utf8'), file);
    if (text !== null) await write(join('mappings', file), text);
  }
  return join(path, 'mappings');
}

/** What keeps the work from starting, a line each, the folder's own path left out; `null` when nothing does. */
export async function startupProblems(
  work: () => Promise<unknown>,
  folder: TestFolder,
): Promise<string[] | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    return error.message.replaceAll(`${folder.path}/`, '').split('\n');
  }
}

/**
 * What is wrong with a configuration, as {@link startupProblems} says it; `null` when nothing is.
 */
export async function configProblems(
  folder: TestFolder,
  text: string,
  environment: NodeJS.ProcessEnv = {},
  commandLine: { host?: string; port?: string } = {},
): Promise<string[] | null> {
  const path = await folder.write('config.yaml', text);
  return startupProblems(() => loadConfig(path, environment, commandLine), folder);
}
