import { dirname, resolve } from 'node:path';
import { StartupError } from '../base/errors.ts';
import { STDOUT } from './settings/server.ts';
import { configSchema, type Config, type Settings } from './config.ts';
import { withConnectionSettings } from './settings/connection-string.ts';
import {
  checkOverride,
  engineOf,
  namedEngine,
  withConnection,
  withoutConnection,
  type DatabaseOverride,
  type DatabaseSetting,
} from './database-override.ts';
import { resolveReferences } from './document/references.ts';
import { complaint, validate } from './document/validate.ts';
import { readYaml, type YamlFile } from './document/yaml.ts';

/** What the command line says over and above the file; what is left out is not said. */
export interface CommandLineSettings {
  readonly host?: string | undefined;
  readonly port?: string | undefined;
  /** A folder's path is relative to the working directory. */
  readonly database?: DatabaseOverride | undefined;
  /** Nothing connects: of the file's database only the engine counts, and none of its secrets is asked for. */
  readonly offline?: boolean | undefined;
}

/** A value from outside the file for one setting, under the name by which the user gave it. */
interface Override {
  readonly name: string;
  readonly setting: string;
  readonly value: unknown;
}

/**
 * Reads `config.yaml`, lays environment variables over it (`ENTITYGATE_HOST`, `ENTITYGATE_PORT`, `ENTITYGATE_ALLOW_UNAUTHENTICATED`,
 * `ENTITYGATE_DATABASE_URL`, `ENTITYGATE_LOG_LEVEL`) and the command line over those, and freezes the result.
 * Relative paths in the file are relative to the file.
 * Where a database comes from outside, secrets of the file's own connection are not asked for.
 * @throws StartupError with every problem found
 */
export async function loadConfig(
  path: string,
  environment: NodeJS.ProcessEnv,
  commandLine: CommandLineSettings = {},
): Promise<Config> {
  const base = dirname(resolve(path));
  const read = await readYaml(path);
  const outside = databaseOverride(environment, commandLine, namedEngine(read.value));
  const file = await resolved(read, outside, environment, base);
  const overrides = readOverrides(environment, commandLine);
  const said = { ...file, value: withConnectionSettings(file.value) };
  const value = withOverrides(validate(said, configSchema), overrides);
  const { database, server } = value;
  const { tls } = server;
  return deepFreeze({
    ...value,
    server:
      tls === undefined
        ? server
        : {
            ...server,
            tls: {
              ...tls,
              certificate: resolve(base, tls.certificate),
              key: resolve(base, tls.key),
            },
          },
    database:
      database.engine === 'pglite'
        ? {
            ...database,
            directory:
              database.directory === 'memory:' ? 'memory:' : resolve(base, database.directory),
            ...(database.seed === undefined ? {} : { seed: resolve(base, database.seed) }),
          }
        : database,
    mappings: resolve(base, value.mappings),
    ...withUsersFile(value, base),
    ...withAuditFile(value, base),
    proxy: value.proxy.map((entry) =>
      entry.ca === undefined ? entry : { ...entry, ca: resolve(base, entry.ca) },
    ),
    locate: (setting: string) =>
      outside !== null && /^database(?:\.|$)/.test(setting)
        ? outside.name
        : locate(setting, file, overrides),
  });
}

/** The path of the users file is relative to the configuration, as all of them are. */
function withUsersFile(
  { authentication }: Settings,
  base: string,
): Pick<Settings, 'authentication'> {
  return authentication?.users === undefined
    ? {}
    : { authentication: { ...authentication, users: resolve(base, authentication.users) } };
}

/** The file of an audit log is relative to the configuration, too. */
function withAuditFile({ audit }: Settings, base: string): Pick<Settings, 'audit'> {
  return audit === undefined || audit.to === STDOUT
    ? {}
    : { audit: { ...audit, to: resolve(base, audit.to) } };
}

/** The command line goes before the environment, whose URL says which engine it is for. */
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

/** A database of the engine that is never opened. */
function nowhere(engine: unknown): DatabaseSetting {
  return engine === 'sqlserver' || engine === 'postgres'
    ? { engine, url: `${engine}://nowhere/nothing` }
    : { engine: 'pglite', directory: 'memory:' };
}

/** The file with the values behind its references, and with the database from outside, where there is one. */
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

/** The last override of a setting is the one that counts: the command line stands behind the environment. */
function readOverrides(
  environment: NodeJS.ProcessEnv,
  { host, port }: CommandLineSettings,
): readonly Override[] {
  const fromEnvironment = [
    { name: 'ENTITYGATE_HOST', setting: 'server.host' },
    { name: 'ENTITYGATE_PORT', setting: 'server.port' },
    { name: 'ENTITYGATE_ALLOW_UNAUTHENTICATED', setting: 'server.allowUnauthenticated' },
    { name: 'ENTITYGATE_LOG_LEVEL', setting: 'log.level' },
  ].flatMap((override): Override[] => {
    const text = environment[override.name];
    // Compose files and shells pass what is not set as an empty text.
    return text === undefined || text === '' ? [] : [{ ...override, value: text }];
  });
  const fromCommandLine = [
    { name: '--host', setting: 'server.host', value: host },
    { name: '--port', setting: 'server.port', value: port },
  ].filter(({ value }) => value !== undefined);
  return [...fromEnvironment, ...fromCommandLine].map(({ value, ...override }) => ({
    ...override,
    value: readAs(override.setting, value as string),
  }));
}

/** The text of an override as what the setting is; as it is where it is no such thing, to be complained of. */
function readAs(setting: string, text: string): unknown {
  if (setting === 'server.port' && /^\d+$/.test(text)) return Number(text);
  if (setting === 'server.allowUnauthenticated' && /^(?:true|false)$/.test(text)) {
    return text === 'true';
  }
  return text;
}

function withOverrides(settings: Settings, overrides: readonly Override[]): Settings {
  return overrides.reduce((result, { name, setting, value }) => {
    const [section = '', key = ''] = setting.split('.');
    const before = result[section as 'server' | 'log'];
    const checked = configSchema.safeParse({ ...result, [section]: { ...before, [key]: value } });
    if (checked.success) return checked.data;
    const [issue] = checked.error.issues;
    const message = issue === undefined ? 'is not valid' : complaint(configSchema, issue, value);
    throw new StartupError([{ where: name, message }]);
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
