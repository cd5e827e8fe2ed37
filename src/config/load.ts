import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isRecord } from '../base/collections.ts';
import { StartupError } from '../base/errors.ts';
import { STDOUT } from './settings/server.ts';
import { type Config, configSchema, type Settings } from './config.ts';
import { withConnectionSettings } from './settings/connection-string.ts';
import { REPORTS } from './report.ts';
import { resolveReferences } from './document/references.ts';
import { displayPath } from './document/text-file.ts';
import { complaint, validate } from './document/validate.ts';
import { readYaml, type YamlFile } from './document/yaml.ts';

/** Settings of the command line; what is left out is not overridden. */
export interface CommandLineSettings {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  /** A folder's path is relative to the working directory. */
  readonly database?: DatabaseOverride | undefined;
  /** Nothing connects: only the engine of the file's database counts, and its secrets are not resolved. */
  readonly offline?: boolean | undefined;
}

/** A value for one setting from outside the file, and the option or variable that gave it. */
interface Override {
  readonly name: string;
  readonly setting: string;
  readonly value: unknown;
}

/**
 * Reads `config.yaml` and freezes the result. Environment variables (`ENTITYGATE_HOST`, `ENTITYGATE_PORT`, `ENTITYGATE_ALLOW_UNAUTHENTICATED`,
 * `ENTITYGATE_DATABASE_URL`, `ENTITYGATE_LOG_LEVEL`) override the file, and the command line overrides both. Relative paths are relative to the file.
 * Where a database comes from outside, secrets of the file's own connection are not resolved. @throws StartupError with every problem found
 */
export async function loadConfig(
  path: string,
  environment: NodeJS.ProcessEnv,
  commandLine: CommandLineSettings = {},
): Promise<Config> {
  const folder = dirname(resolve(path));
  if (isMissing(path)) {
    const message =
      'there is no such file; "entitygate init" writes one, and --config names another';
    throw StartupError.at(displayPath(path), message);
  }
  const read = await readYaml(path);
  const outside = databaseOverride(environment, commandLine, namedEngine(read.value));
  const file = await resolved(read, outside, environment, folder);
  const overrides = readOverrides(environment, commandLine);
  const complete = { ...file, value: withConnectionSettings(file.value) };
  const settings = withOverrides(validate(complete, configSchema), overrides);
  makePathsAbsolute(settings, folder);
  return deepFreeze({
    ...settings,
    locate: (setting: string) =>
      outside !== null && /^database(?:\.|$)/.test(setting)
        ? outside.name
        : locate(setting, file, overrides),
  });
}

/** @returns false also for a file in a folder that may not be entered: reading it says so */
function isMissing(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}

function makePathsAbsolute(settings: Settings, folder: string): void {
  const { server, database, state, authentication, audit, proxy } = settings;
  settings.mappings = resolve(folder, settings.mappings);
  settings.reports = reportsFolder(settings, folder);
  if (server.tls !== undefined) {
    server.tls.certificate = resolve(folder, server.tls.certificate);
    server.tls.key = resolve(folder, server.tls.key);
  }
  if (database.engine === 'pglite') {
    if (database.directory !== 'memory:') database.directory = resolve(folder, database.directory);
    if (database.seed !== undefined) database.seed = resolve(folder, database.seed);
  }
  if (state?.ca !== undefined) state.ca = resolve(folder, state.ca);
  if (authentication?.users !== undefined) {
    authentication.users = resolve(folder, authentication.users);
  }
  if (audit !== undefined && audit.to !== STDOUT) audit.to = resolve(folder, audit.to);
  for (const entry of proxy) {
    if (entry.ca !== undefined) entry.ca = resolve(folder, entry.ca);
  }
}

/** Returns the folder of the reports: the one that is named, or else the one beside the configuration, if there is one. */
function reportsFolder({ reports }: Settings, folder: string): string | undefined {
  if (reports !== undefined) return resolve(folder, reports);
  const beside = join(folder, REPORTS);
  return statSync(beside, { throwIfNoEntry: false })?.isDirectory() === true ? beside : undefined;
}

/** Returns the database of the command line or the environment, whose URL determines the engine. */
function databaseOverride(
  environment: NodeJS.ProcessEnv,
  { database, offline = false }: CommandLineSettings,
  engine: unknown,
): DatabaseOverride | null {
  if (offline) return { name: 'database', database: nowhere(engine) };
  if (database !== undefined) return database;
  const name = 'ENTITYGATE_DATABASE_URL';
  const url = environment[name] ?? '';
  if (url === '') return null;
  const likely = engineOf(url) ?? (engine === 'sqlserver' ? engine : 'postgres');
  return { name, database: { engine: likely, url } };
}

/** Returns a database of an engine that is never opened. */
function nowhere(engine: unknown): DatabaseSetting {
  return engine === 'sqlserver' || engine === 'postgres'
    ? { engine, url: `${engine}://nowhere/nothing` }
    : { engine: 'pglite', directory: 'memory:' };
}

/** Resolves the references in a file, and puts in the database from outside, where there is one. */
async function resolved(
  file: YamlFile,
  outside: DatabaseOverride | null,
  environment: NodeJS.ProcessEnv,
  folder: string,
): Promise<YamlFile> {
  if (outside === null) return resolveReferences(file, environment, folder);
  checkOverride(outside);
  const { database } = outside;
  const rest = { ...file, value: withoutConnection(file.value, database.engine) };
  const { value } = await resolveReferences(rest, environment, folder);
  return { ...file, value: withConnection(value, database) };
}

/** Returns all overrides; the last one of a setting counts, so that the command line comes last. */
function readOverrides(
  environment: NodeJS.ProcessEnv,
  { host, port }: CommandLineSettings,
): readonly Override[] {
  // Compose files and shells pass unset variables as empty texts.
  const variable = (name: string): string | undefined =>
    environment[name] === '' ? undefined : environment[name];
  const given = [
    ...[
      { name: 'ENTITYGATE_HOST', setting: 'server.host' },
      { name: 'ENTITYGATE_PORT', setting: 'server.port' },
      { name: 'ENTITYGATE_ALLOW_UNAUTHENTICATED', setting: 'server.allowUnauthenticated' },
      { name: 'ENTITYGATE_LOG_LEVEL', setting: 'log.level' },
    ].map((override) => ({ ...override, text: variable(override.name) })),
    { name: '--host', setting: 'server.host', text: host },
    { name: '--port', setting: 'server.port', text: port },
  ];
  return given.flatMap(({ name, setting, text }) =>
    text === undefined ? [] : [{ name, setting, value: readAs(setting, text) }],
  );
}

/** Converts the text of an override to the type of its setting; validation refuses what does not fit. */
function readAs(setting: string, text: string): unknown {
  if (setting === 'server.port' && /^\d+$/.test(text)) return Number(text);
  const isFlag = setting === 'server.allowUnauthenticated' && /^(?:true|false)$/.test(text);
  return isFlag ? text === 'true' : text;
}

function withOverrides(settings: Settings, overrides: readonly Override[]): Settings {
  return overrides.reduce((result, { name, setting, value }) => {
    const [section = '', key = ''] = setting.split('.');
    const before = result[section as 'server' | 'log'];
    const checked = configSchema.safeParse({ ...result, [section]: { ...before, [key]: value } });
    if (checked.success) return checked.data;
    const [issue] = checked.error.issues;
    const message = issue === undefined ? 'is not valid' : complaint(configSchema, issue, value);
    throw StartupError.at(name, message);
  }, settings);
}

function locate(setting: string, file: YamlFile, overrides: readonly Override[]): string {
  const override = overrides.findLast(
    (candidate) => candidate.setting === setting || candidate.setting.startsWith(`${setting}.`),
  );
  return override?.name ?? file.locate(setting.split('.'));
}

function deepFreeze<Value extends object>(value: Value): Value {
  for (const part of Object.values(value) as unknown[]) {
    if (typeof part === 'object' && part !== null) deepFreeze(part);
  }
  return Object.freeze(value);
}

/** The engine and the address of a database, as an environment variable or the command line gives it. */
export type DatabaseSetting =
  | { readonly engine: 'pglite'; readonly directory: string }
  | { readonly engine: 'postgres' | 'sqlserver'; readonly url: string };

/** A database from outside the file, and the option or variable that named it. */
export interface DatabaseOverride {
  readonly name: string;
  readonly database: DatabaseSetting;
}

/** The settings that a URL from outside replaces: where the database is and who logs in. */
const CONNECTION: readonly string[] = (
  'directory seed url host port instance database user password encrypt ' +
  'trustServerCertificate hostNameInCertificate readOnlyIntent authentication'
).split(' ');

/** Returns the engine of a URL or a connection string, or null where it does not say. */
export function engineOf(url: string): 'postgres' | 'sqlserver' | null {
  if (/^postgres(?:ql)?:/i.test(url)) return 'postgres';
  return /^(?:mssql|sqlserver):|^[\w ]+=/i.test(url) ? 'sqlserver' : null;
}

/** Checks a database from outside. No message repeats it: it may hold a password. @throws StartupError under the name by which it was given */
export function checkOverride({ name, database }: DatabaseOverride): void {
  const checked = configSchema.safeParse({ database });
  if (checked.success) return;
  const message = checked.error.issues[0]?.message ?? 'is not valid';
  throw StartupError.at(name, message);
}

/** Removes the connection from a file's value; for the same engine, pool and time-outs stay. */
function withoutConnection(value: unknown, engine: DatabaseSetting['engine']): unknown {
  if (!isRecord(value) || !isRecord(value['database'])) return value;
  const { database } = value;
  const others = Object.entries(database).filter(([key]) => !CONNECTION.includes(key));
  const isSame = (database['engine'] ?? 'pglite') === engine;
  return { ...value, database: isSame ? Object.fromEntries(others) : {} };
}

function withConnection(value: unknown, setting: DatabaseSetting): unknown {
  const file = value ?? {};
  if (!isRecord(file)) return value;
  const own = isRecord(file['database']) ? file['database'] : {};
  return { ...file, database: { ...own, ...setting } };
}

function namedEngine(value: unknown): unknown {
  return isRecord(value) && isRecord(value['database']) ? value['database']['engine'] : undefined;
}
