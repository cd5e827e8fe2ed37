import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StartupError } from '../base/errors.ts';
import { nameHint } from '../base/names.ts';
import { type Config, configSchema } from '../config/config.ts';
import {
  checkOverride,
  type DatabaseOverride,
  type DatabaseSetting,
  loadConfig,
} from '../config/load.ts';
import { displayPath } from '../config/document/text-file.ts';
import { configText, databaseSetting } from './init/config-text.ts';
import { existingMappings, writeFiles } from './init/files.ts';
import { planInit } from './init/plan.ts';
import { readRules, ruleOptions, type Rules, rulesText, withOptions } from './init/rules.ts';
import { sameSchema, snapshotText } from '../schema/snapshot.ts';
import type { PhysicalSchema } from '../schema/types.ts';
import { defineCommand, UsageError } from './command.ts';
import { initReport } from './init-report.ts';
import { withProgress } from './io.ts';
import { readLiveSchema, snapshotIn } from './schema.ts';

const usage = `Usage: entitygate init --database URL [options]

Reads a database and writes config.yaml and a mapping file for each table and view. Run again, it adds
what is new and keeps what is there.

Options:
  --database URL           postgres://…, mssql://…, a SQL Server connection string, or pglite:FOLDER
                           (default: ENTITYGATE_DATABASE_URL, else the configuration in DIR)
  --out DIR                where the files are written (default: the working directory)
  --schema NAME            a schema to map; may be given several times (default: all)
  --dry-run                say what would be written, and write nothing
  --restore                bring back tables and columns that were removed from the files
  --routines               write stored procedures and functions, too; none of them is exposed
  --help                   show this text

Names; init.yaml keeps these options for the next run:
  --case STYLE             camel, pascal, snake or keep (default: camel)
  --strip TEXT             take TBL_ off the front, or _MST off the end, of names of tables and views
  --strip-column TEXT      the same for columns
  --word SHORT=LONG        spell an abbreviation out: --word EMP=employee
  --no-split               leave companyname as it is (default: companyName)
  --plural ONE=MANY        a plural that English does not have: --plural konto=konten
  --no-plurals             name relations to many with Collection at the end instead
  --no-singular            name the dataclass of ORDERS Orders (default: Order)
  --stamp-column NAME      an integer column that every writer counts up is the stamp
  --timestamp-column NAME  a column that holds the time of the last change is the timestamp
`;

/** Writes configuration and mapping files for a database, or brings them up to date. */
export const initCommand = defineCommand({
  name: 'init',
  usage,
  options: {
    database: { type: 'string' },
    out: { type: 'string' },
    'dry-run': { type: 'boolean' },
    restore: { type: 'boolean' },
    routines: { type: 'boolean' },
    ...ruleOptions,
  },
  run: async ({ values }, io) => {
    const out = values.out ?? '.';
    if (existsSync(out) && !statSync(out).isDirectory()) {
      const message = `${displayPath(out)} is a file, not a folder`;
      throw StartupError.at('--out', message);
    }
    const setting = givenDatabase(values.database, io.environment);
    const { config, isNew } = await configOf(out, setting, io.environment);
    const rulesPath = join(out, 'init.yaml');
    const rulesBefore = await readRules(rulesPath);
    const rules = rulesWith(rulesBefore, values);
    const { dataclasses: files, functions: functionFiles } = await existingMappings(
      config.mappings,
    );
    const prior = (await snapshotIn(out))?.schema ?? null;
    const live = await readLiveSchema(config, io);
    checkSchemas(rules, live.schema, config.locate('database'));
    const input = {
      schema: live.schema,
      files,
      functionFiles,
      prior,
      rules,
      restore: values.restore === true,
      routines: values.routines === true,
    };
    const plan = await withProgress(io, 'Working out the names', () =>
      planInit(
        input,
        config.mappings,
        live.dialect === null ? config : { ...config, dialect: live.dialect },
      ),
    );
    const newRules = rulesText(
      rules,
      existsSync(rulesPath)
        ? { text: await readFile(rulesPath, 'utf8'), rules: rulesBefore }
        : null,
    );
    const newSnapshot =
      prior !== null && sameSchema(prior, plan.seen)
        ? null
        : snapshotText({ ...live, schema: plan.seen });
    const newConfig = isNew && setting !== null ? configText(setting.database, out) : null;
    const besides = [
      { path: join(out, 'schema.json'), text: newSnapshot },
      { path: rulesPath, text: newRules },
      { path: join(out, 'config.yaml'), text: newConfig?.text ?? null },
    ].flatMap(({ path, text }) => (text === null ? [] : [{ path, text }]));
    const dryRun = values['dry-run'] === true;
    if (!dryRun) {
      const all = [...plan.writes, ...besides];
      await withProgress(io, `Writing ${all.length} files`, () => writeFiles(all));
    }
    io.out(
      initReport(plan, {
        version: live.version ?? '',
        dialect: live.dialect,
        besides: besides.map(({ path }) => path),
        config: join(out, 'config.yaml'),
        mappings: config.mappings,
        variables: newConfig?.variables ?? [],
        dryRun,
      }),
    );
    return 0;
  },
});

/** Overrides the rules by the command line. @throws UsageError */
function rulesWith(rules: Rules, options: Parameters<typeof withOptions>[1]): Rules {
  try {
    return withOptions(rules, options);
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    throw new UsageError(error.message);
  }
}

/** Returns the database that the command line or the environment names, or null. */
function givenDatabase(
  option: string | undefined,
  environment: NodeJS.ProcessEnv,
): DatabaseOverride | null {
  const name = option === undefined ? 'ENTITYGATE_DATABASE_URL' : '--database';
  const text = option ?? environment[name] ?? '';
  return text === '' ? null : { name, database: databaseSetting(text, name) };
}

/** Reads the configuration in a folder, or makes a new one, with the database that is given. */
async function configOf(
  out: string,
  given: DatabaseOverride | null,
  environment: NodeJS.ProcessEnv,
): Promise<{ readonly config: Config; readonly isNew: boolean }> {
  const path = join(out, 'config.yaml');
  const database = given === null ? undefined : { ...given, database: absolute(given.database) };
  if (existsSync(path)) {
    return { config: await loadConfig(path, environment, { database }), isNew: false };
  }
  if (database === undefined) {
    const message = `--database is missing, and there is no ${displayPath(path)} that names one`;
    throw StartupError.at(null, message);
  }
  checkOverride(database);
  const config = {
    ...configSchema.parse({ database: database.database }),
    mappings: resolve(out, 'mappings'),
    locate: (setting: string) => (setting.startsWith('database') ? database.name : setting),
  };
  return { config, isNew: true };
}

/** Resolves a folder from the working directory, not from the configuration. */
function absolute(setting: DatabaseSetting): DatabaseSetting {
  return setting.engine === 'pglite'
    ? { ...setting, directory: resolve(setting.directory) }
    : setting;
}

/** Refuses schemas without tables: a misspelt name would silently map nothing. */
function checkSchemas(
  rules: Rules,
  { tables, ignoreCase = false }: PhysicalSchema,
  where: string,
): void {
  const known = [...new Set(tables.map(({ schema }) => schema))];
  const fold = (name: string): string => (ignoreCase ? name.toLowerCase() : name);
  const missing = rules.schemas.filter(
    (name) => !known.some((other) => fold(other) === fold(name)),
  );
  const problems = missing.map((name) => ({
    where: '--schema',
    message: `the database has no schema ${name} with tables that the login may read.${nameHint(name, known)}`,
  }));
  if (problems.length > 0) throw new StartupError(problems);
  if (tables.length > 0) return;
  const message = 'the database has no table or view that the login may read';
  throw StartupError.at(where, message);
}
