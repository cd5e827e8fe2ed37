import { copyFile, utimes } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { snapshots } from '../fixtures/legacy/model.ts';
import { testFolder, sharedFolder } from '../config/files.ts';
import { run } from './run.ts';

/** A configuration whose password is not set, as init writes it, and the schema that init leaves beside it. */
const folder = await sharedFolder();
const config = await folder.write(
  'config.yaml',
  `mappings: ${resolve('mappings')}
database:
  engine: postgres
  url: postgres://u:\${ENV:ENTITYGATE_DATABASE_PASSWORD}@127.0.0.1:1/d
`,
);
await copyFile(fileURLToPath(snapshots.postgres), `${folder.path}/schema.json`);

const commands = [
  ['sql', ['Company?$top=1'], /^-- the page\n/],
  ['openapi', [], /^\{\n {2}"openapi": /],
  ['types', [], /^\/\* eslint-disable \*\//],
] as const;

test.each(commands)(
  '%s reads schema.json beside the configuration, without a password',
  async (name, args, printed) => {
    expect(await run([name, ...args, '--config', config])).toEqual({
      code: 0,
      out: expect.stringMatching(printed),
      error: `Reading the schema from ${folder.path}/schema.json; --live reads it from the database.\n`,
    });
  },
);

test.each(commands)('%s reads the schema.json of the sample', async (name, args, printed) => {
  expect(await run([name, ...args])).toEqual({
    code: 0,
    out: expect.stringMatching(printed),
    error: 'Reading the schema from schema.json; --live reads it from the database.\n',
  });
});

test.each(commands)('%s --live reads the database', async (name, args) => {
  const live = [name, ...args, '--config', config, '--live'];
  expect(await run(live)).toEqual({
    code: 1,
    out: '',
    error: `entitygate ${name}:\n  ${config}:4:8: the environment variable ENTITYGATE_DATABASE_PASSWORD is not set\n`,
  });
  expect(await run(live, { ENTITYGATE_DATABASE_PASSWORD: 'geheim' })).toEqual({
    code: 1,
    out: '',
    error: expect.stringContaining('ECONNREFUSED'),
  });
});

test('--schema-file goes before the file beside the configuration', async () => {
  const args = ['sql', 'Company', '--config', config, '--schema-file'];
  expect(await run([...args, `${folder.path}/none.json`])).toEqual({
    code: 1,
    out: '',
    error: `entitygate sql:\n  ${folder.path}/none.json: there is no such file\n`,
  });
  expect(await run([...args, 'x.json', '--live'])).toEqual({
    code: 2,
    out: '',
    error: '--live and --schema-file exclude each other. See "entitygate sql --help".\n',
  });
});

test.each(commands)('%s says how old a schema is that lacks what is mapped', async (name, args) => {
  const older = await testFolder();
  const mappings = await older.write('mappings/a.yaml', 'table: HR.NEW\n');
  await older.write('mappings/f.yaml', 'functions: { f: { routine: HR.NEW_P } }\n');
  const own = await older.write(
    'config.yaml',
    'mappings: mappings\ndatabase: { engine: postgres, url: postgres://127.0.0.1:1/d }\n',
  );
  const schema = await older.write(
    'schema.json',
    '{"dialect":"postgres","version":null,"tables":[],"routines":[]}',
  );
  await utimes(schema, 0, new Date('2026-03-05T23:00:00Z'));
  try {
    const { code, error } = await run([name, ...args, '--config', own]);
    expect([code, error.split('\n').slice(2)]).toEqual([
      1,
      [
        `  ${mappings}:1:8: ${schema} has no table HR.NEW.`,
        `  ${older.path}/mappings/f.yaml:1:28: ${schema} has no procedure or function HR.NEW_P.`,
        `  ${schema}: holds the schema of 2026-03-05, and the database may have changed since. --live reads the database; "entitygate schema > ${schema}" writes the file anew`,
        '',
      ],
    ]);
  } finally {
    await older.remove();
  }
});
