import { availableParallelism } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/load.ts';
import { workerCount } from '../../src/cli/serve-workers.ts';
import { configProblems, testFolder, type TestFolder } from '../config/files.ts';

describe('server.workers', () => {
  let folder: TestFolder;
  beforeAll(async () => {
    folder = await testFolder();
  });
  afterAll(() => folder.remove());

  const POSTGRES = 'database: { engine: postgres, url: postgres://gate:secret@db/erp }\n';
  const STATE = `${POSTGRES}state: { url: valkey://store }\n`;

  async function counted(text: string): Promise<number> {
    return workerCount(await loadConfig(await folder.write('config.yaml', text), {}));
  }

  test.each([
    [POSTGRES, 1],
    [`${POSTGRES}server: { workers: 1 }`, 1],
    [`${STATE}server: { workers: 3 }`, 3],
    [`${STATE}server: { workers: auto }`, availableParallelism()],
    ['server: { workers: auto }', 1],
    ['server: { workers: 1 }', 1],
    ['', 1],
  ])('%j is %d', async (text, expected) => {
    expect(await counted(text)).toBe(expected);
  });

  test('is not more than one for the embedded database', async () => {
    expect(await configProblems(folder, 'server: { workers: 4 }')).toEqual([
      'config.yaml:1:20: "server.workers": the embedded database cannot be shared by 4 processes: ' +
        'remove server.workers, or use PostgreSQL or SQL Server',
    ]);
  });

  test('several need a state store', async () => {
    expect(await configProblems(folder, `${POSTGRES}server: { workers: 4 }`)).toEqual([
      'config.yaml:2:20: "server.workers": 4 processes keep their state together: set state.url, or remove server.workers',
    ]);
  });

  test('is a number that a machine can bear', async () => {
    const problems = await configProblems(folder, `${POSTGRES}server: { workers: many }`);
    expect(problems).toEqual([expect.stringContaining('"server.workers": expected')]);
  });
});
