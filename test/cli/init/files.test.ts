import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withSchemaLine, writeFiles } from '../../../src/cli/init/files.ts';
import { testFolder, type TestFolder } from '../../config/files.ts';

test('a file names its schema, relatively within the project of the program, and elsewhere by its URL', () => {
  const lineOf = (path: string, text: string): string =>
    withSchemaLine({ path, text })
      .text.replace(text, '')
      .replace('# yaml-language-server: $schema=', '')
      .replace(pathToFileURL(resolve('schemas')).href, 'URL');
  expect([
    lineOf('erp/config.yaml', 'mappings: mappings\n'),
    lineOf('erp/mappings/a.yaml', '# a\ntable: dbo.A\n'),
    lineOf(resolve('erp/mappings/b.yaml'), 'view: dbo.B\n'),
    lineOf('/srv/erp/config.yaml', 'mappings: mappings\n'),
    lineOf(`${process.cwd()}-erp/mappings/a.yaml`, 'table: dbo.A\n'),
    // A file that exists, and those without a schema.
    lineOf('config.yaml', 'mappings: mappings\n'),
    lineOf('erp/init.yaml', 'tables: [A]\n'),
    lineOf('erp/mappings/functions.yaml', 'functions:\n  f: { routine: dbo.F }\n'),
    lineOf('erp/schema.json', '{ "tables": [] }\n'),
  ]).toEqual([
    '../schemas/config.schema.json\n',
    '../../schemas/mapping.schema.json\n',
    '../../schemas/mapping.schema.json\n',
    'URL/config.schema.json\n',
    'URL/mapping.schema.json\n',
    ...['', '', '', ''],
  ]);
});

describe('writeFiles', () => {
  let folder: TestFolder;
  beforeEach(async () => {
    folder = await testFolder();
  });
  afterEach(() => folder.remove());

  const toWrite = (name: string): { path: string; text: string } => ({
    path: join(folder.path, name),
    text: `new ${name}`,
  });

  test('puts every file in its place', async () => {
    await folder.write('a', 'old');
    await writeFiles([toWrite('a'), toWrite('b/c')]);
    expect((await readdir(folder.path, { recursive: true })).toSorted()).toEqual(['a', 'b', 'b/c']);
    expect(await readFile(join(folder.path, 'a'), 'utf8')).toBe('new a');
  });

  test('leaves all as they were when one cannot be written', async () => {
    await folder.write('a', 'old');
    await folder.write('b', 'a file');
    await expect(writeFiles([toWrite('a'), toWrite('b/c')])).rejects.toThrow(
      /b\/c: cannot be written: /,
    );
    expect((await readdir(folder.path)).toSorted()).toEqual(['a', 'b']);
    expect(await readFile(join(folder.path, 'a'), 'utf8')).toBe('old');
  });

  test('leaves nothing unfinished when a file cannot be moved to its place', async () => {
    await mkdir(join(folder.path, 'a'));
    await expect(writeFiles([toWrite('a'), toWrite('b')])).rejects.toThrow(
      /a: cannot be written: /,
    );
    expect(await readdir(folder.path)).toEqual(['a']);
  });

  test('is not cut off by a signal, which is let through afterwards', async () => {
    const heard: string[] = [];
    const listen = (signal: string): void => {
      heard.push(signal);
    };
    process.on('SIGINT', listen);
    try {
      const written = writeFiles([toWrite('a'), toWrite('b')]);
      process.emit('SIGINT', 'SIGINT');
      await written;
      await expect.poll(() => heard).toEqual(['SIGINT', 'SIGINT']);
      expect(await readdir(folder.path)).toEqual([]);
    } finally {
      process.off('SIGINT', listen);
    }
  });
});
