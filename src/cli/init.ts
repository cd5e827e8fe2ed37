import { existsSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { catching, StartupError } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import {
  checkOverride,
  type DatabaseOverride,
  type DatabaseSetting,
  loadConfig,
} from '../config/load.ts';
import { displayPath } from '../config/document/text-file.ts';
import { configText, databaseSetting } from './init/config-text.ts';
import { choiceProblems, columnProblems } from './init/choice.ts';
import { existingMappings, type FileToWrite, withSchemaLine, writeFiles } from './init/files.ts';
import { planInit } from './init/plan.ts';
import {
  readRules,
  ruleOptions,
  type Rules,
  rulesOf,
  rulesText,
  withNaming,
  withOptions,
} from './init/rules.ts';
import { suggestedWords } from './init/yaml-text.ts';
import { planRename, renameReport, rolesNaming } from './init-rename.ts';
import { sameSchema, snapshotText } from '../schema/snapshot.ts';
import type { PhysicalSchema } from '../schema/types.ts';
import { defineCommand, UsageError } from './command.ts';
import {
  checkDatabaseNamed,
  checkSameDatabase,
  configOfDatabase,
  readTables,
} from './databases.ts';
import {
  askForDatabase,
  askForFolder,
  askForSignIn,
  askForTables,
  confirm,
} from './init-questions.ts';
import { initReport, nextStep } from './init-report.ts';
import { type CommandIo, withProgress } from './io.ts';
import { snapshotIn } from './schema.ts';

const usage = `Usage: entitygate init --database URL [options]

Reads a database and writes config.yaml and a mapping file for each table and view. Run again, it adds
what is new and keeps what is there.

Options:
  --database URL           postgres://…, mssql://…, a SQL Server connection string, or pglite:FOLDER
                           (default: ENTITYGATE_DATABASE_URL, else the configuration in DIR)
  --out DIR                where the files are written (default: the working directory)
  --dry-run                say what would be written, and write nothing
  --restore                bring back tables and columns that were removed from the files
  --help                   show this text

On a terminal, init asks for the database where nothing names one, and for the identity provider
where people sign in, and shows what it would write.

Tables; init.yaml keeps these options for the next run:
  --schema NAME            a schema to map; may be given several times, as may globs (default: all)
  --table GLOB             tables and views to map: ORD_*, SALES.*, in any case (default: all)
  --exclude GLOB           tables and views to leave out
  --no-views               map tables alone
  --routines               write stored procedures and functions, too; none of them is exposed

Names; init.yaml keeps these options, too:
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

Names in use stay as they are when a rule changes:
  --suggest-words          print names that may be several words, as "words:" for init.yaml; write nothing
  --rename                 show which names in the files the rules would change, and ask before they do;
                           the exit code is 1 where they were not changed
  --yes                    change the names without asking
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
    'suggest-words': { type: 'boolean' },
    rename: { type: 'boolean' },
    yes: { type: 'boolean' },
    ...ruleOptions,
  },
  run: async ({ values }, io) => {
    const given = givenDatabase(values.database, io.environment);
    const asked =
      given === null && isPerson(io) && !existsSync(join(values.out ?? '.', 'config.yaml'))
        ? await askForDatabase(io)
        : null;
    if (given !== null) await checkDatabaseNamed(given, io);
    const setting = asked?.setting ?? given;
    const out = values.out ?? (asked === null ? '.' : await askForFolder(io));
    if (existsSync(out) && !statSync(out).isDirectory()) {
      const message = `${displayPath(out)} is a file, not a folder`;
      throw StartupError.at('--out', message);
    }
    const { config, isNew } = await configOf(out, setting, io.environment);
    const rulesPath = join(out, 'init.yaml');
    const rulesBefore = await readRules(rulesPath);
    const rulesGiven = rulesWith(rulesBefore, values);
    const mappings = await existingMappings(config.mappings);
    const snapshot = await snapshotIn(out);
    const prior = snapshot?.schema ?? null;
    const live = asked?.live ?? (await readTables(config, io));
    const rules = asked === null ? rulesGiven : await askForTables(rulesGiven, live.schema, io);
    const signIn = asked === null ? null : await askForSignIn(io);
    const staleRules = checkChoice(rules, live.schema, values, rulesPath);
    const settings = live.dialect === null ? config : { ...config, dialect: live.dialect };
    const newRules = rulesText(
      rules,
      existsSync(rulesPath)
        ? { text: await readFile(rulesPath, 'utf8'), rules: rulesBefore }
        : null,
    );
    if (values['suggest-words'] === true) {
      io.out(
        suggestedWords(live.schema, rules) ??
          '# No name looks like several words written as one.\n',
      );
      return 0;
    }
    const namedBy = rulesOf(
      snapshot === null ? withNaming([], rulesBefore) : snapshot.namedBy,
      rulesBefore,
    );
    if (values.rename === true) {
      const renaming = await planRename(mappings, live.schema, rules, namedBy, settings);
      const newSnapshot = snapshot && snapshotText({ ...snapshot, namedBy: withNaming([], rules) });
      const besides = filesOf({ 'schema.json': newSnapshot, 'init.yaml': newRules }, out);
      return rename(renaming, besides, join(out, 'config.yaml'), values, io);
    }
    const input = {
      schema: live.schema,
      files: mappings.dataclasses,
      functionFiles: mappings.functions,
      prior,
      rules,
      restore: values.restore === true,
    };
    const plan = await withProgress(io, 'Working out the names', () =>
      planInit(input, config.mappings, settings),
    );
    const named =
      plan.writes.length === 0
        ? snapshot?.namedBy
        : withNaming(
            mappings.dataclasses.length === 0
              ? []
              : namedBy.reduce<readonly unknown[]>(withNaming, []),
            rules,
          );
    const newSnapshot =
      prior !== null && sameSchema(prior, plan.seen) && isDeepStrictEqual(named, snapshot?.namedBy)
        ? null
        : snapshotText({
            ...live,
            schema: plan.seen,
            ...(named === undefined ? {} : { namedBy: named }),
          });
    const newConfig = isNew && setting !== null ? configText(setting.database, out, signIn) : null;
    const besides = filesOf(
      { 'schema.json': newSnapshot, 'init.yaml': newRules, 'config.yaml': newConfig?.text ?? null },
      out,
    );
    const all = [...plan.writes, ...besides].map(withSchemaLine);
    const outcome = {
      version: live.version ?? '',
      dialect: live.dialect,
      besides: besides.map(({ path }) => path),
      config: join(out, 'config.yaml'),
      mappings: config.mappings,
      variables: newConfig?.variables ?? [],
      program: io.program,
    };
    const report = { ...plan, warnings: [...staleRules, ...plan.warnings] };
    // The gateway does not start with what no longer matches.
    const code = plan.gone.length === 0 ? 0 : 1;
    const write = (): Promise<void> =>
      withProgress(io, `Writing ${all.length} files`, () => writeFiles(all));
    if (asked !== null || values['dry-run'] === true) {
      io.out(initReport(report, { ...outcome, dryRun: true }));
      if (values['dry-run'] === true || !(await confirm(io, 'Write these files?'))) return code;
      await write();
      io.out(`\nWrote ${all.length} files.\n\n${nextStep(outcome)}`);
    } else {
      await write();
      io.out(initReport(report, { ...outcome, dryRun: false }));
    }
    return code;
  },
});

/** The files beside the mapping files; null for one that need not be written. */
function filesOf(texts: Readonly<Record<string, string | null>>, folder: string): FileToWrite[] {
  return Object.entries(texts).flatMap(([name, text]) =>
    text === null ? [] : [{ path: join(folder, name), text }],
  );
}

/** Shows what is renamed, and writes it where that is agreed to. @returns 1 where names do not follow the rules, and stay */
async function rename(
  { renamed, writes }: Awaited<ReturnType<typeof planRename>>,
  besides: readonly FileToWrite[],
  configPath: string,
  options: { readonly yes?: boolean; readonly 'dry-run'?: boolean },
  io: CommandIo,
): Promise<number> {
  const roles = rolesNaming(await readFile(configPath, 'utf8'), configPath, renamed);
  io.out(renameReport(renamed, roles));
  if (renamed.length === 0) return 0;
  if (options['dry-run'] === true) return 1;
  if (options.yes !== true) {
    if (!isPerson(io)) {
      io.error('Nothing was written. Add --yes to write these names.\n');
      return 1;
    }
    if (!(await confirm(io, 'Write these names?'))) return 1;
  }
  const all = [...writes, ...besides];
  await withProgress(io, `Writing ${all.length} files`, () => writeFiles(all));
  io.out(`\nWrote ${writes.length} mapping files.\n`);
  return 0;
}

/** Whether a person at a terminal can be asked. */
function isPerson({ isTerminal, input }: CommandIo): boolean {
  return isTerminal && input.isTerminal;
}

/** Overrides the rules by the command line. @throws UsageError */
function rulesWith(rules: Rules, options: Parameters<typeof withOptions>[1]): Rules {
  return catching(
    StartupError,
    () => withOptions(rules, options),
    ({ message }) => {
      throw new UsageError(message);
    },
  );
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
    // The environment may name the database of another stage.
    if (database?.name === '--database') await checkSameDatabase(path, database, environment);
    return { config: await loadConfig(path, environment, { database }), isNew: false };
  }
  if (database === undefined) {
    const message = `add --database URL: there is no ${displayPath(path)} that names a database`;
    throw StartupError.at(null, message);
  }
  checkOverride(database);
  const config = { ...configOfDatabase(database), mappings: resolve(out, 'mappings') };
  return { config, isNew: true };
}

/** Resolves a folder from the working directory, not from the configuration. */
function absolute(setting: DatabaseSetting): DatabaseSetting {
  return setting.engine === 'pglite'
    ? { ...setting, directory: resolve(setting.directory) }
    : setting;
}

const RULE_OPTIONS = {
  schemas: 'schema',
  tables: 'table',
  exclude: 'exclude',
  stampColumns: 'stamp-column',
  timestampColumns: 'timestamp-column',
} as const;

/** Refuses options that name nothing, and a choice that leaves nothing. @returns warnings about those of init.yaml, whose tables may have been dropped */
function checkChoice(
  rules: Rules,
  schema: PhysicalSchema,
  options: Parameters<typeof withOptions>[1],
  rulesPath: string,
): string[] {
  const problems = [...choiceProblems(rules, schema), ...columnProblems(rules, schema)];
  const found = problems.map(({ rule, message }) => {
    const isOption = options[RULE_OPTIONS[rule]] !== undefined;
    const where = isOption ? `--${RULE_OPTIONS[rule]}` : `${displayPath(rulesPath)}: ${rule}`;
    return { isRefused: isOption || rule === 'schemas', where, message };
  });
  const refused = found.filter(({ isRefused }) => isRefused);
  if (refused.length > 0) throw new StartupError(refused);
  return found.map(({ where, message }) => `${where}: ${message}`);
}
