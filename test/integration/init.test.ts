import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { beforeAll, expect, test } from 'vitest';
import { buildApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { openPglite } from '../../src/database/pglite/open.ts';
import { isRelation } from '../../src/model/types.ts';
import { run } from '../cli/run.ts';
import { sharedFolder } from '../config/files.ts';

/** The commands on an embedded copy of the sample, one after the other as a user would run them. */
const folder = await sharedFolder();
const database = join(folder.path, 'sample');
const out = join(folder.path, 'gateway');
const config = join(out, 'config.yaml');

beforeAll(async () => {
  const seed = 'sample.sql.gz';
  const opened = await openPglite(
    { engine: 'pglite', statementTimeoutSeconds: 30, directory: database, seed },
    { timeZone: 'UTC', bigNumbersAsStrings: false },
  );
  await opened.close();
});

/** Every file below the output folder, by its path. */
async function files(): Promise<Record<string, string>> {
  const names = await readdir(out, { recursive: true, withFileTypes: true });
  const found = names.filter((entry) => entry.isFile());
  return Object.fromEntries(
    await Promise.all(
      found.map(async ({ parentPath, name }) => {
        const path = join(parentPath, name);
        return [path.slice(out.length + 1), await readFile(path, 'utf8')] as const;
      }),
    ),
  );
}

async function alter(script: string): Promise<void> {
  const db = await PGlite.create({ dataDir: database });
  await db.exec(script);
  await db.close();
}

test('a dry run says what would be written, and writes nothing', async () => {
  const given = ['--database', `pglite:${database}`, '--out', out];
  const { out: said } = await run(['init', ...given, '--dry-run']);
  expect(said).toContain('Would write 18 new mapping files');
  await expect(readdir(out)).rejects.toThrow('ENOENT');
});

test('init writes files that are named by the rules', async () => {
  const options = ['--strip', 'TBL_', '--strip', '_MST', '--word', 'EMP=employee'];
  const { code, out: said } = await run(
    ['init', '--database', `pglite:${database}`, '--out', out, ...options],
    {},
    true,
  );
  expect(code).toBe(0);
  expect(said).toContain('Wrote 18 new mapping files');
  expect(said).toContain('HR.USER, column PWD_HASH');
  const written = await files();
  expect(Object.keys(written)).toHaveLength(18 + 3);
  expect(written['mappings/employee.yaml']).toContain('table: HR.TBL_EMP');
  expect(written['init.yaml']).toContain('words:\n  EMP: employee');
});

test('what was written serves at once: every dataclass, every attribute, every relation', async () => {
  const loaded = await loadConfig(config, { ENTITYGATE_LOG_LEVEL: 'silent' });
  const app = await buildApp(loaded);
  try {
    expect(app.model.dataclasses.size).toBe(18);
    for (const { name, members } of app.model.dataclasses.values()) {
      const relations = [...members.values()].filter(isRelation);
      const paths = ['*', ...relations.map((relation) => `${relation.name}.*`)];
      const url = `/rest/${name}?$top=3&$attributes=${paths.join(',')}`;
      const { statusCode, body } = await app.server.inject(url);
      expect(`${statusCode} ${name} ${statusCode === 200 ? '' : body}`).toBe(`200 ${name} `);
      const answer = JSON.parse(body) as { __ENTITIES: Record<string, unknown>[] };
      expect(answer.__ENTITIES).toHaveLength(3);
      expect(Object.keys(answer.__ENTITIES[0] ?? {})).toEqual(
        expect.arrayContaining([...members.keys()]),
      );
    }
  } finally {
    await app.close();
  }
});

test.each([
  ['with the snapshot', ['--restore'], []],
  ['without, as after a run that was cut off', [], ['schema.json']],
])('files that were removed come back as they were, %s', async (_title, options, removed) => {
  const before = await files();
  for (const name of ['mappings/cmp.yaml', 'mappings/employee.yaml', ...removed]) {
    await rm(join(out, name));
  }
  const { code, out: said } = await run(['init', '--out', out, ...options]);
  expect(code).toBe(0);
  expect(said).toContain('Wrote 2 new mapping files');
  expect(said).not.toMatch(/Gone|Left out|Added/);
  expect(await files()).toEqual(before);
});

test('a file that cannot be written leaves the others as they were', async () => {
  const before = await files();
  await rm(join(out, 'mappings/cmp.yaml'));
  await rm(join(out, 'mappings/dept.yaml'));
  await mkdir(join(out, 'mappings/dept.yaml'));
  const { code, error } = await run(['init', '--out', out, '--restore']);
  expect(code).toBe(1);
  expect(error).toMatch(/dept\.yaml: is a folder, not a file\n$/);
  await rm(join(out, 'mappings/dept.yaml'), { recursive: true });
  expect((await run(['init', '--out', out, '--restore'])).code).toBe(0);
  expect(await files()).toEqual(before);
});

test('check finds that files and database fit; a second run writes nothing', async () => {
  const { code, out: said } = await run(['check', '--config', config, '--strict']);
  expect([code, said]).toEqual([
    0,
    `18 mapping files match the database.\nNext: entitygate serve --config ${config}\n`,
  ]);
  const before = await files();
  const again = await run(['init', '--out', out]);
  expect([again.code, again.out]).toEqual([
    0,
    expect.stringContaining('Nothing is new; no file was written.'),
  ]);
  expect(await files()).toEqual(before);
});

test('schema prints what init left, and sql prints statements from it', async () => {
  const { code, out: printed } = await run(['schema', '--config', config]);
  expect(code).toBe(0);
  const { 'schema.json': left = '' } = await files();
  expect(printed).toBe(left.replace(/ {2}"namedBy": \[\n.*\n {2}\],\n/, ''));
  const source = ['--schema-file', join(out, 'schema.json'), '--dialect', 'tsql'];
  const statements = await run(['sql', 'Employee(1)', '--config', config, ...source]);
  expect(statements.out).toContain('FROM "HR"."TBL_EMP" t0');
});

test('another run keeps what was edited, adds what is new, and tells what is gone', async () => {
  const path = join(out, 'mappings/employee.yaml');
  const edited = (await readFile(path, 'utf8'))
    .replace('dataclass: Employee\n', 'dataclass: Person # ours\n')
    .replace(/ {2}noteTx: NOTE_TX .*\n/, '');
  await writeFile(path, edited);
  await rm(join(out, 'mappings/sys-param.yaml'));
  for (const [name, text] of Object.entries(await files())) {
    const to = text.replaceAll('to: Employee,', 'to: Person,');
    await writeFile(join(out, name), to.replaceAll('inverse: Employee.', 'inverse: Person.'));
  }
  await alter(`
    ALTER TABLE "HR"."TBL_EMP" ADD "NICK_NM" char(8);
    ALTER TABLE "HR"."CAL_HOL" DROP COLUMN "HALF_FL";
    CREATE TABLE "HR"."BADGE" ("BADGE_ID" int PRIMARY KEY,
      "EMP_NO" int CONSTRAINT "FK_BADGE_EMP" REFERENCES "HR"."TBL_EMP" ("EMP_NO"));`);

  const drift = await run(['check', '--config', config]);
  expect(drift.code).toBe(1);
  expect(drift.out).toMatch(
    /^error: .*cal-hol\.yaml:\d+:\d+: HR\.CAL_HOL has no column HALF_FL\./m,
  );
  expect(drift.out).toContain('\nnote: 2 notes, which --verbose lists\n1 error, 2 notes.\n');
  const { out: all } = await run(['check', '--config', config, '--verbose']);
  expect(all).toContain('note: HR.BADGE: no mapping file names this table\n');
  expect(all).toMatch(/^note: HR\.TBL_EMP: .*employee\.yaml does not name column NICK_NM$/m);
  expect(all).toContain('1 error, 2 notes.');

  const before = await files();
  const { code, out: said } = await run(['init', '--out', out]);
  expect(code).toBe(1);
  expect(said).toMatch(/These no longer match the database.*\n {2}.*cal-hol\.yaml.*HALF_FL/);
  expect(said).toMatch(/Skipped, because.*\n {2}HR\.SYS_PARAM/);
  const after = await files();
  const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
  expect(changed.toSorted()).toEqual([
    'mappings/badge.yaml',
    'mappings/employee.yaml',
    'schema.json',
  ]);
  const person = after['mappings/employee.yaml'] ?? '';
  expect(person).toContain('dataclass: Person # ours\n');
  expect(person).toContain('  nickNm: { column: NICK_NM, trim: true } # bpchar(8)\n');
  expect(person).toContain('  badges: { inverse: Badge.employee }\n');
  expect(person).not.toContain('NOTE_TX');
  expect(after['mappings/badge.yaml']).toContain(
    'employee: { to: Person, foreignKey: FK_BADGE_EMP }',
  );
});
