import { Audiences } from './access/roles/audiences.ts';
import { servedModel } from './access/roles/role-view.ts';
import { readRoles, restrictionsOf, type Role } from './access/roles/roles.ts';
import {
  type AuthenticationDependencies,
  openAuthentication,
} from './access/auth/authentication.ts';
import { isLoginNeeded } from './config/settings/listening.ts';
import { checkGivenRoles } from './access/auth/given-roles.ts';
import { byteCache } from './base/collections.ts';
import {
  allOf,
  MOST_TOLD,
  ProtocolError,
  StartupError,
  type StartupProblem,
} from './base/errors.ts';
import { gatewayContext } from './base/observe/observer.ts';
import { lengthOf } from './base/text.ts';
import { inSlices, TimeSlice } from './base/time.ts';
import type { Config } from './config/config.ts';
import { openRightsWarning } from './config/settings/authentication.ts';
import type { MappingFolder } from './config/mapping.ts';
import { loadReports } from './config/report.ts';
import { stampSecretOf } from './config/secrets/stamp-secret.ts';
import { batchingDatabase } from './database/batching-database.ts';
import type { Database } from './database/database.ts';
import { modelSteps } from './model/build.ts';
import { describedDefinitionOf } from './model/definition.ts';
import { allLeftOut } from './model/lookup.ts';
import { dependents } from './model/restriction.ts';
import type { Model } from './model/types.ts';
import { checkRestriction } from './run/convert/bind.ts';
import { WriteStatements } from './run/save/rows/write-statements.ts';
import type { PhysicalSchema } from './schema/types.ts';
import { type AuditOptions, wantedValues } from './server/audit/audit-log.ts';
import {
  PlanCache,
  type PlanCounts,
  type ProcessServices,
  type Services,
} from './server/pipeline/operation.ts';
import { ChangesHub } from './server/changes/changes-hub.ts';
import { checkReports } from './server/operations/reports.ts';
import type { Definitions } from './server/reload/changes.ts';
import { plainStatement } from './sql/ir/statement.ts';

/** The memory for printed statements that write, in bytes. */
const WRITE_STATEMENT_BYTES = 16 * 1_048_576;

/** The memory for OpenAPI documents, in bytes. */
const OPENAPI_BYTES = 16 * 1_048_576;

/** What generations are built with: it lives as long as the process. */
export interface Dependencies extends ProcessServices {
  readonly database: Database;
  /** The `__UNIQID` of the catalog. */
  readonly uniqueId: string;
  /** Returns the key of hash stamps. */
  readonly stampKey: () => string;
  readonly authentication: AuthenticationDependencies;
  /** How the plan caches of all generations have been used. */
  readonly planCounts: PlanCounts;
}

/** What follows from mapping files, schema, roles, users and reports: the model, and what requests use. A request begins and ends in one. */
export interface Generation {
  readonly config: Config;
  readonly model: Model;
  readonly services: Omit<Services, 'reload'>;
  /** Whether the audit log holds the values of an attribute or relation. */
  readonly wantsValues: AuditOptions['wantsValues'];
  /** What cannot be served as the database has changed, by name, and why: left out, or met by a request. */
  readonly misfits: () => ReadonlyMap<string, string>;
  readonly warnings: readonly string[];
  readonly definitions: Definitions;
}

/** Reads schema, roles, users and reports, and builds a generation. @throws StartupError with what the user can correct */
export async function buildGeneration(
  config: Config,
  mappings: MappingFolder,
  dependencies: Dependencies,
): Promise<Generation> {
  const { database, uniqueId, stampKey, authentication, planCounts } = dependencies;
  const leavesOut = config.server.onMismatch === 'leaveOut';
  const building = withDefaultDatabase(config, database, async () =>
    inSlices(
      modelSteps(
        mappings.dataclasses,
        await atSetting(config, () => introspect(database)),
        { ...config, stampKey, dialect: database.dialect.name, leavesOut },
        checkRestriction,
        mappings.functions,
      ),
      new TimeSlice(),
    ),
  );
  const restricting = building.then((built) => {
    const restricted = withRoles(built, config, leavesOut);
    return { ...restricted, served: servedModel(restricted.model) };
  });
  const reading = loadReports(config);
  const [, callers, restricted, , { reports, misfits }, wantsValues] = await allOf([
    building,
    openAuthentication(config, authentication),
    restricting,
    reading,
    restricting.then(async ({ served }) => {
      const checked = await checkReports(await reading, served, config, database);
      if (leavesOut || checked.misfits.size === 0) return checked;
      throw new StartupError([...checked.misfits.values()].flat());
    }),
    building.then((built) => wantedValues(config.audit?.values ?? 'none', built, config.locate)),
    Promise.resolve(config).then(checkGivenRoles),
  ]);
  const { model: whole, roles, served: model } = restricted;
  const leftOut = leftOutOf(model, misfits);
  const services: Generation['services'] = {
    ...dependencies,
    database: batchingDatabase(database, dependencies.sessionContextText),
    audiences: new Audiences(whole, roles, database.dialect.limits),
    agents: {
      audiences: new Audiences(whole, roles, database.dialect.limits, {
        mayWrite: config.mcp.write,
      }),
      settings: config.mcp,
    },
    authentication: callers,
    unauthenticatedHosts: isLoginNeeded(config.authentication)
      ? null
      : [config.server.host, ...config.server.hosts],
    catalog: { application: config.application, uniqueId, logins: callers.logins },
    contract: config,
    openApiDocuments: byteCache(OPENAPI_BYTES, ({ text }) => 2 * lengthOf([text].flat())),
    settings: config,
    reports,
    outdated: new Map(),
    plans: new PlanCache(config.planCacheSize, planCounts),
    changes: new ChangesHub({ ...config.changes, onError: authentication.onProblem }),
    writeStatements: new WriteStatements(config, database.dialect, WRITE_STATEMENT_BYTES),
  };
  return {
    config,
    model,
    services,
    wantsValues,
    misfits: () => new Map([...services.outdated, ...leftOut]),
    warnings: [
      ...Array.from(leftOut, ([name, why]) => `${name} is ${why}`),
      ...model.warnings,
      ...configWarnings(config, model),
    ],
    definitions: {
      ...callers.definitions,
      dataclasses: mapped(model.dataclasses, describedDefinitionOf),
      functions: mapped(model.functions, (called) => JSON.stringify(called)),
      roles: mapped(roles ?? new Map<string, Role>(), ({ definition }) => definition),
      reports: new Map(reports.map(({ name, text }) => [name, () => text])),
    },
  };
}

/**
 * Reads the roles, and adds to what is left out of a model what does not fit them, and the dataclasses whose restrictions, in mapping files and roles,
 * lead to what is left out. @throws StartupError also where nothing would be left
 */
function withRoles(
  built: Model,
  config: Config,
  leavesOut: boolean,
): { readonly model: Model; readonly roles: Map<string, Role> | null } {
  const leftOut = new Map(built.leftOut);
  const leaveOut = (dataclass: string, why: string): void => {
    leftOut.set(dataclass, { why, needs: null, isFunction: false });
  };
  const roles =
    config.roles === undefined
      ? null
      : readRoles(config.roles, { ...config, model: built, ...(leavesOut ? { leaveOut } : {}) });
  const ofModel = [...built.dataclasses.values()].map(({ name, where }) => [name, where] as const);
  const ofRoles = [...(roles?.values() ?? [])].flatMap(restrictionsOf);
  for (const [name, needs] of dependents(leftOut.keys(), [...ofModel, ...ofRoles])) {
    leftOut.set(name, { why: null, needs, isFunction: false });
  }
  if (leftOut.size > 0 && [...built.dataclasses.keys()].every((name) => leftOut.has(name))) {
    const reasons = [...leftOut.values()].flatMap(({ why }) => why ?? []);
    throw new StartupError(reasons.map((message) => ({ where: null, message })));
  }
  return { model: { ...built, leftOut }, roles };
}

/** Says what is left out, by its full name, and why. @param reports what is wrong with those that are left out */
function leftOutOf(
  model: Model,
  reports: ReadonlyMap<string, readonly StartupProblem[]>,
): Map<string, string> {
  const ofModel = allLeftOut(model).map(
    ([name, { why, needs }]) => [name, why ?? `it leads to ${needs ?? ''}`] as const,
  );
  const ofReports = Array.from(
    reports,
    ([name, problems]) =>
      [
        `report ${name}`,
        problems.map(({ where, message }) => `${where ?? ''}: ${message}`).join('; '),
      ] as const,
  );
  return new Map([...ofModel, ...ofReports].map(([name, why]) => [name, `left out: ${why}`]));
}

function mapped<Value>(
  values: ReadonlyMap<string, Value>,
  definitionOf: (value: Value) => string,
): ReadonlyMap<string, () => string> {
  return new Map([...values].map(([name, value]) => [name, () => definitionOf(value)]));
}

function configWarnings(config: Config, { dataclasses }: Model): string[] {
  const warnings: string[] = [];
  // The embedded database serves one process, whose random key lasts until it stops.
  const isKeyed = config.database.engine === 'pglite' || stampSecretOf(config) !== null;
  const hashed = [...dataclasses.values()].find(({ stamp }) => stamp.kind === 'hash');
  if (!isKeyed && hashed !== undefined) {
    warnings.push(
      `${hashed.name} has a hash as its stamp, but neither stampSecret nor a database password is configured: its stamps change ` +
        'with each restart and differ between instances. Set stampSecret',
    );
  }
  const open = openRightsWarning(config);
  if (open !== null) warnings.push(open);
  const { deleteByGet, overrideStamp } = config.compatibility;
  if (deleteByGet) {
    warnings.push(
      'compatibility.deleteByGet is true: a GET with $method=delete deletes. Links, crawlers and caches also send GET',
    );
  }
  if (overrideStamp) {
    warnings.push(
      'compatibility.overrideStamp is true: with a negative __STAMP, clients overwrite changes that they have not seen',
    );
  }
  return warnings;
}

/** Adds to errors about missing tables which database the login led to, where none was named. */
async function withDefaultDatabase<Result>(
  { database: settings, locate }: Config,
  database: Database,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (settings.engine !== 'sqlserver' || !(error instanceof StartupError)) throw error;
    const { connectionTarget } = await import('./database/sqlserver/url.ts');
    if (connectionTarget(settings).database !== undefined) throw error;
    const command = { statement: plainStatement('SELECT DB_NAME()'), values: [] };
    const [row] = await database.run(command, gatewayContext).then(
      ({ rows }) => rows,
      () => [],
    );
    const name = row === undefined ? '' : `: ${String(row[0])}`;
    const message = `the configuration names no database: this is the login's default${name}`;
    const problems = error.problems.slice(0, MOST_TOLD - 1);
    const untold = error.problems.length - problems.length + error.more;
    throw new StartupError([...problems, { where: locate('database'), message }], untold);
  }
}

async function introspect(database: Database): Promise<PhysicalSchema> {
  const schema = await database.introspect();
  if (schema.tables.length > 0) return schema;
  const message = 'the database is empty, or the login may not read anything in it';
  throw StartupError.at('database', message);
}

/**
 * Adds the position of the setting to errors of the database and of files.
 * @throws StartupError for what the user can correct
 */
export async function atSetting<Result>(
  config: Config,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof StartupError) {
      throw new StartupError(
        error.problems.map(({ where, message }) => ({
          where: where === null ? null : config.locate(where),
          message,
        })),
        error.more,
      );
    }
    if (!(error instanceof ProtocolError)) throw error;
    const cause = error.cause instanceof Error ? ` Cause: ${error.cause.message}` : '';
    const message = `${error.message}${cause}`;
    throw StartupError.at(config.locate('database'), message);
  }
}
