import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AuditFile } from '../../../src/server/audit/audit-file.ts';
import { testFolder, type TestFolder } from '../../config/files.ts';

let folder: TestFolder;
let path: string;
/** What was told of trouble. */
let told: unknown[];
let open: AuditFile[];

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['performance', 'setInterval', 'clearInterval'] });
  folder = await testFolder();
  path = join(folder.path, 'audit.log');
  told = [];
  open = [];
});
afterEach(async () => {
  for (const file of open) file.close();
  vi.useRealTimers();
  await folder.remove();
});

function audit(to = path): AuditFile {
  const file = new AuditFile(to, {
    failing: ({ message }, waiting, lost) => told.push([message.split(':')[0], waiting, lost]),
    recovered: (lost) => told.push(['recovered', lost]),
  });
  open.push(file);
  return file;
}

const read = (name = 'audit.log'): string => readFileSync(join(folder.path, name), 'utf8');

/** The name is that of a disk on which there is no room. */
function fill(): void {
  rmSync(path, { force: true });
  symlinkSync('/dev/full', path);
}

/** It is that of a file again. */
function empty(): void {
  rmSync(path);
  writeFileSync(path, '');
}

describe('the lines of an audit log', () => {
  test('are in the file at once, behind those that were there', () => {
    writeFileSync(path, 'before\n');
    const file = audit();
    file.write('a\n', 1);
    file.write('b\nß😀\n', 2);
    expect(read()).toBe('before\na\nb\nß😀\n');
    expect([file.problem(), told]).toEqual([null, []]);
  });

  test('of two processes stand one after the other', () => {
    const [one, other] = [audit(), audit()];
    one.write('1\n', 1);
    other.write('2\n', 1);
    one.write('3\n', 1);
    expect(read()).toBe('1\n2\n3\n');
  });

  test('go to a new file where the old one was moved away', () => {
    const file = audit();
    file.write('1\n', 1);
    renameSync(path, `${path}.1`);
    file.write('2\n', 1);
    vi.advanceTimersByTime(1000);
    file.write('3\n', 1);
    file.write('4\n', 1);
    expect([read('audit.log.1'), read(), told]).toEqual(['1\n2\n', '3\n4\n', []]);
  });

  test('go where they went while the new file cannot be made', async () => {
    const file = audit();
    renameSync(path, `${path}.1`);
    await folder.write('audit.log/in-the-way', '');
    vi.advanceTimersByTime(1000);
    file.write('1\n', 1);
    // The stream tells of it once more, when its listeners have their turn.
    await new Promise((resolve) => setImmediate(resolve));
    vi.advanceTimersByTime(1000);
    file.write('2\n', 1);
    expect([read('audit.log.1'), file.problem()]).toEqual(['1\n2\n', null]);
    expect(told).toEqual([['EISDIR', 0, 0]]);
  });

  test('that come after the end are written all the same', () => {
    const file = audit();
    file.close();
    file.write('late\n', 1);
    expect(read()).toBe('late\n');
  });
});

describe('where the disk is full', () => {
  test('lines wait, and are written in their order when there is room', () => {
    fill();
    const file = audit();
    file.write('1\n', 1);
    expect(told).toEqual([['ENOSPC', 1, 0]]);
    file.write('2\n3\n', 2);
    expect(file.problem()).toMatchObject({ code: 'ENOSPC' });
    empty();
    vi.advanceTimersByTime(1000);
    expect(read()).toBe('1\n2\n3\n');
    file.write('4\n', 1);
    expect(read()).toBe('1\n2\n3\n4\n');
    expect([file.problem(), told]).toEqual([
      null,
      [
        ['ENOSPC', 1, 0],
        ['recovered', 0],
      ],
    ]);
  });

  test('no more lines wait than there is room for', () => {
    fill();
    const file = audit();
    const many = `${'x'.repeat(16 * 1_048_576 - 1)}\n`;
    file.write(many, 10);
    file.write(many, 10);
    file.write('too many\n', 1);
    vi.advanceTimersByTime(31_000);
    expect(told).toEqual([
      ['ENOSPC', 10, 0],
      ['ENOSPC', 20, 1],
    ]);
    empty();
    vi.advanceTimersByTime(1000);
    expect([read().length, told.at(-1)]).toEqual([32 * 1_048_576, ['recovered', 1]]);
  });

  test('what waits at the end is told to be lost', () => {
    fill();
    const file = audit();
    file.write('1\n2\n', 2);
    file.close();
    file.write('3\n', 1);
    expect(told).toEqual([
      ['ENOSPC', 2, 0],
      ['ENOSPC', 0, 2],
      ['ENOSPC', 0, 1],
    ]);
  });
});

test('a file that cannot be opened is known at the start', () => {
  expect(() => audit(join(folder.path, 'nowhere', 'audit.log'))).toThrow('ENOENT');
  expect(() => audit(folder.path)).toThrow('EISDIR');
});

test('a pipe that nobody reads is not waited for', () => {
  const pipe = join(folder.path, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(() => audit(pipe)).toThrow('ENXIO');
});
