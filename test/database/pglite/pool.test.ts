import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, symlink, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ResultSet } from '../../../src/database/database.ts';
import type { DriverCommand } from '../../../src/database/driver.ts';
import type { Engine } from '../../../src/database/pglite/engine.ts';
import { PglitePool } from '../../../src/database/pglite/pool.ts';
import { postgresErrors } from '../../../src/database/postgres/errors.ts';
import { plainStatement } from '../../../src/sql/ir/statement.ts';
import { type FolderLock, isLocked, lockFolder } from '../../../src/database/pglite/folder.ts';
import { testFolder, type TestFolder } from '../../config/files.ts';

/** A thread that answers nothing, and never to what is named `endless` before it is ended. */
class ScriptedEngine {
  readonly asked: string[] = [];
  isOver = false;
  isBusy = false;
  cause: Error | null = null;
  readonly ended = Promise.resolve();
  #give: (cause: Error) => void = () => undefined;

  query({ statement: { text } }: DriverCommand): Promise<ResultSet> {
    this.asked.push(text.split(' ')[0] ?? '');
    if (text !== 'endless') return Promise.resolve({ columns: [], rows: [] });
    this.isBusy = true;
    return new Promise((_resolve, reject) => (this.#give = reject));
  }

  end(cause: Error): Promise<void> {
    this.cause = cause;
    this.isOver = true;
    this.#give(cause);
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.asked.push('close');
    return this.end(new Error('closed'));
  }
}

const endless: DriverCommand = { statement: plainStatement('endless'), values: [] };

async function inMemory(): Promise<{ engine: ScriptedEngine; pool: PglitePool }> {
  const engine = new ScriptedEngine();
  return { engine, pool: await PglitePool.of(engine as unknown as Engine, null, 1000) };
}

describe('the connection of the embedded database', () => {
  test('is rolled back for the next one where it was not given back as it came', async () => {
    const { engine, pool } = await inMemory();
    (await pool.acquire()).release(true);
    (await pool.acquire()).release(false);
    await pool.acquire();
    await pool.acquire();
    expect(engine.asked).toEqual(['SELECT', 'ROLLBACK']);
  });

  test('is gone with what was kept in memory', async () => {
    const { engine, pool } = await inMemory();
    await engine.end(new Error('unreachable'));
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(pool.acquire()).rejects.toMatchObject({
        errorName: 'databaseUnavailable',
        message: expect.stringContaining('its data in memory is lost'),
      });
    }
  });
});

describe('a statement that takes too long', () => {
  test('is given up as a server does it; nobody knows what a routine has done', async () => {
    const ends = ['run', 'call'].map(async (how) => {
      const { engine, pool } = await inMemory();
      const connection = await pool.acquire();
      const running = (how === 'run' ? connection.run : connection.call)(endless);
      const failed = running.catch((error: unknown) => error);
      await connection.cancel('signal');
      expect(engine.isOver).toBe(false);
      await connection.cancel('time limit');
      const error = await failed;
      return [postgresErrors.isLost(error), postgresErrors.wasSent(error)];
    });
    expect(await Promise.all(ends)).toEqual([
      [false, true],
      [true, true],
    ]);
  });
});

describe('folder lock', () => {
  let folder: TestFolder;
  let path: string;
  beforeEach(async () => {
    folder = await testFolder();
    path = join(folder.path, 'entitygate.lock');
  });
  afterEach(() => folder.remove());

  describe('what has the place of the lock and is not a file ends the start', () => {
    test.each<[what: string, make: () => unknown]>([
      ['a folder', () => mkdir(path)],
      ['a folder with something in it', () => folder.write('entitygate.lock/x', '')],
      ['a pipe', () => execFileSync('mkfifo', [path])],
      ['a link to itself', () => symlink(path, path)],
      ['a link to nothing', () => symlink('nothing', path)],
    ])('%s', async (_, make) => {
      await make();
      const message = `database.directory: ${path} is not a file, and the lock of the embedded database is one: remove it`;
      await expect(lockFolder(folder.path)).rejects.toThrow(message);
      expect(() => isLocked(folder.path)).toThrow(message);
    });
  });

  test('a lock that nobody wrote to the end is taken over when it is old', async () => {
    await folder.write('entitygate.lock', '{"pid":');
    expect(await lockFolder(folder.path)).toBe('Another process is starting on it.');
    await utimes(path, 0, 0);
    const lock = (await lockFolder(folder.path)) as FolderLock;
    expect(isLocked(folder.path)).toBe(true);
    lock.release();
    expect(existsSync(path)).toBe(false);
  });

  test.each([
    [
      { pid: 1, host: 'elsewhere', started: null },
      'Process 1 on the machine or container elsewhere works on it.',
    ],
    [
      { pid: process.ppid, host: hostname(), started: null },
      `Process ${process.ppid} works on it: stop that one first.`,
    ],
  ])('the lock of %j is respected', async (holder, message) => {
    await folder.write('entitygate.lock', JSON.stringify(holder));
    expect(await lockFolder(folder.path)).toContain(message);
  });
});
