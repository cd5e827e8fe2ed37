import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { hasAdministrators } from '../access/auth/given-roles.ts';
import { readRoles, restrictionsOf } from '../access/roles/roles.ts';
import { buildApp } from '../app.ts';
import { StartupError, type StartupProblem } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { displayPath } from '../config/document/text-file.ts';
import { loadConfig } from '../config/load.ts';
import { openRightsWarning } from '../config/settings/authentication.ts';
import { loadMappings, type MappingFile } from '../config/mapping.ts';
import { STDOUT } from '../config/settings/server.ts';
import type { Database } from '../database/database.ts';
import { changesAdvice } from '../model/changes.ts';
import { withoutIndex } from '../model/restriction.ts';
import type { Dataclass, Model, Restriction } from '../model/types.ts';
import { unsetColumns } from '../model/writable.ts';
import { checkRestriction } from '../run/convert/bind.ts';
import type { PhysicalSchema } from '../schema/types.ts';
import { checkProviders, signInAdvice } from './check-sign-in.ts';
import { configPath, defineCommand } from './command.ts';
import { findDrift } from './init/drift.ts';
import { readRules } from './init/rules.ts';
import type { CommandIo } from './io.ts';
import { type LiveSchema, openAtOnce, readSnapshotFile, schemaOf, snapshotIn } from './schema.ts';
import { shellWord } from './shell.ts';

const usage = `Usage: entitygate check [options]

Compares the mapping files with the database, and finds what keeps the gateway from starting. It does
not listen. The exit code is 1 if there are errors.

Options:
  --config FILE       the configuration file (default: config.yaml; also ENTITYGATE_CONFIG)
  --schema-file FILE  an earlier schema; changes since then are listed
                      (default: schema.json beside the configuration, if there is one)
  --strict            the exit code is also 1 for harmless changes, and for tables and columns that
                      no mapping file names
  --verbose           lists these notes beside errors, too
  --help              show this text
`;

/** Reports what keeps the gateway from starting, and how mapping files and live schema differ, for a pipeline or before a start. */
export const checkCommand = defineCommand({
  name: 'check',
  usage,
  options: {
    config: { type: 'string' },
    'schema-file': { type: 'string' },
    strict: { type: 'boolean' },
    verbose: { type: 'boolean' },
  },
  run: async ({ values }, io) => {
    const path = configPath(values.config, io.environment);
    const config = await loadConfig(path, io.environment);
    const prior = await (values['schema-file'] === undefined
      ? snapshotIn(dirname(path))
      : readSnapshotFile(values['schema-file']));
    const rules = await readRules(join(dirname(path), 'init.yaml'));
    const { live, problems } = await tryStart(config, io);
    const { schema, dialect, advice } = live;
    const { dataclasses, functions } = await loadMappings(
      config.mappings,
      config.locate('mappings'),
    );
    const {
      errors: drift,
      notes,
      model,
    } = findDrift(
      dataclasses,
      schema,
      prior?.schema ?? null,
      dialect === null ? config : { ...config, dialect },
      checkRestriction,
      functions,
      rules,
    );
    const found = [
      ...problems,
      ...drift.filter((one) => !problems.some((problem) => isDeepStrictEqual(problem, one))),
    ];
    const unset =
      found.length > 0 || model === null ? [] : await unsetInCreates(model, dataclasses, config);
    const providers = await checkProviders(config);
    const errors = [...found, ...unset, ...providers.problems];
    for (const { where, message } of errors) {
      io.out(`error: ${where === null ? message : `${where}: ${message}`}\n`);
    }
    const isSummedUp = errors.length > 0 && notes.length > 1 && values.verbose !== true;
    const told = isSummedUp ? [`${notes.length} notes, which --verbose lists`] : notes;
    for (const note of told) io.out(`note: ${note}\n`);
    const wanted =
      errors.length > 0 || model === null
        ? []
        : [
            ...adviceOnFilters(model, config),
            ...changesAdvice(model.dataclasses.values(), config.database.engine),
            ...(await signInAdvice(config)),
            ...providers.advice,
          ];
    const open = openRightsWarning(config);
    const advised = [...advice, ...(open === null ? [] : [`${open}.`]), ...wanted];
    for (const sentence of advised) io.out(`advice: ${sentence}\n`);
    for (const host of providers.hosts)
      io.out(`The identity provider ${host} answers as it should.\n`);
    const files = dataclasses.length + functions.length;
    io.out(
      errors.length + notes.length === 0
        ? `${count(files, 'mapping file')} ${files === 1 ? 'matches' : 'match'} the database.\n`
        : `${count(errors.length, 'error')}, ${count(notes.length, 'note')}.\n`,
    );
    if (errors.length > 0 || (values.strict === true && notes.length > 0)) return 1;
    io.out(`Next: ${io.program} serve --config ${shellWord(displayPath(path))}\n`);
    return 0;
  },
});

/** Reports the columns for want of which the entities cannot be created that users may create. */
async function unsetInCreates(
  model: Model,
  files: readonly MappingFile[],
  config: Config,
): Promise<StartupProblem[]> {
  const roles =
    config.roles === undefined || (await hasAdministrators(config))
      ? null
      : [...readRoles(config.roles, { ...config, model }).values()];
  const maySomebody = (name: string): boolean =>
    roles?.some(({ grants }) => {
      const right = grants.get(name)?.rules.create.right;
      return right !== undefined && right !== 'denied';
    }) ?? true;
  const isCreated = ({ name, readOnly }: Dataclass): boolean =>
    readOnly === null && maySomebody(name);
  return [...model.dataclasses.values()].filter(isCreated).flatMap((dataclass) => {
    const { name, number, table } = dataclass;
    const where = files[number - 1]?.file.locate([table.kind]) ?? null;
    return unsetColumns(dataclass).map((column) => {
      const message = `no entity of ${name} can be created: column ${column.name} takes no null and has no default, and no attribute names it`;
      return { where, message };
    });
  });
}

/** Names the indexes that the filters of roles and mapping files want. */
function adviceOnFilters(model: Model, config: Config): string[] {
  const roles = config.roles === undefined ? [] : readRoles(config.roles, { ...config, model });
  const filters: { readonly whose: string; readonly filter: Restriction }[] = [];
  for (const { name, where } of model.dataclasses.values()) {
    if (where !== null) filters.push({ whose: `The where of ${name}`, filter: where });
  }
  for (const [, role] of roles) {
    for (const [name, filter] of restrictionsOf(role)) {
      filters.push({ whose: `A filter of role ${role.name} for ${name}`, filter });
    }
  }
  const sentences = filters.flatMap(({ whose, filter }) =>
    withoutIndex(filter).map((columns) => `${whose} wants an index on ${columns}.`),
  );
  return [...new Set(sentences)];
}

/**
 * Builds the gateway as `serve` does, up to where it would listen.
 * @returns the schema that it was built with, and what keeps the gateway from starting or from using its store
 * @throws StartupError where the schema cannot be read
 */
async function tryStart(
  config: Config,
  io: CommandIo,
): Promise<{ readonly live: LiveSchema; readonly problems: readonly StartupProblem[] }> {
  const seen: { live?: LiveSchema } = {};
  const open = async (settings: Config): Promise<Database> => {
    const database = await openAtOnce(settings, io);
    const introspect = async (): Promise<PhysicalSchema> => {
      seen.live = await schemaOf(database, io);
      return seen.live.schema;
    };
    return { ...database, introspect };
  };
  const { to = STDOUT } = config.audit ?? {};
  const isNewLog = to !== STDOUT && !existsSync(to);
  const advice: string[] = [];
  // What would be left out is an error here.
  const server = { ...config.server, onMismatch: 'stop' } as const;
  const failure = await buildApp({ ...config, server, log: { level: 'silent' } }, open).then(
    async ({ store, close }) => {
      const problem = store?.problem ?? null;
      advice.push(...(store?.advice ?? []));
      await close();
      return problem === null ? null : StartupError.at(config.locate('state.url'), problem);
    },
    (error: unknown) => error,
  );
  // The gateway creates the file, and may run as another user.
  if (isNewLog) await rm(to, { force: true });
  const { live: read } = seen;
  if (read === undefined || (failure !== null && !(failure instanceof StartupError))) throw failure;
  const live = { ...read, advice: [...read.advice, ...advice] };
  return { live, problems: failure?.problems ?? [] };
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
