import { randomBytes, randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { PasswordChecks } from './access/auth/password-checks.ts';
import { openAudit } from './server/audit/audit-log.ts';
import { derivedKey } from './base/hashes.ts';
import { allOf } from './base/errors.ts';
import type { Config } from './config/config.ts';
import { checkListening, isLoopback } from './config/settings/listening.ts';
import { readProxyFiles } from './config/settings/proxy.ts';
import { atSetting, buildGeneration, type Dependencies } from './generation.ts';
import { loadMappings, type MappingFolder } from './config/mapping.ts';
import { stampSecretOf } from './config/secrets/stamp-secret.ts';
import { contextKeys } from './config/settings/session-context.ts';
import { readTlsFiles } from './config/secrets/tls-files.ts';
import type { Database } from './database/database.ts';
import { contextText } from './database/session-context.ts';
import { type Clock, systemClock } from './base/time.ts';
import { SetIds } from './state/entity-set/store.ts';
import { ImageConverter } from './answer/image/converter.ts';
import type { Model } from './model/types.ts';
import { requestLog } from './base/observe/request-log.ts';
import type { DialectSettings } from './sql/dialect.ts';
import { NO_ORIGINS } from './server/http/admission.ts';
import { lostLogLines, openLog, type ProcessLog } from './server/http/log-output.ts';
import { Semaphore } from './database/pool.ts';
import { buildServer } from './server/server.ts';
import { openTelemetry, serveOnOwnPort } from './server/telemetry/telemetry.ts';
import type { MetricSources } from './server/telemetry/sources.ts';
import type { TlsSettings } from './server/http/tls.ts';
import type { ProxyRoute } from './server/proxy/routes.ts';
import type { ReloadCause, ReloadOutcome } from './server/reload/changes.ts';
import { ServedGeneration } from './served-generation.ts';
import { readStateFiles } from './config/settings/state.ts';
import { type AttemptCounts, ATTEMPT_WINDOW } from './access/auth/throttle.ts';
import type { SharedState } from './state/shared/shared-state.ts';
import type { StateStore, StateStoreSettings } from './state/shared/state-store.ts';
import { figuresOf, memoryState, type State, type StateOptions } from './state/state.ts';
import type { WorkerConnection } from './server/workers/messages.ts';

const LEAST_PAGES = 16;

/** How many of the largest uploads are kept at once. */
const KEPT_UPLOADS = 4;

/** A gateway that is ready to listen. */
export interface App {
  readonly server: FastifyInstance;
  /** The model that is served at the moment. */
  readonly model: Model;
  readonly database: Database;
  /** Where several gateways keep their state; null where this one keeps its own. */
  readonly store: StateStore | null;
  /** The address of the metrics, once the gateway listens; null where they have no port of their own. */
  readonly metricsUrl: () => string | null;
  /** Reads configuration, mapping files, reports, users and schema again. A failure is reported, and changes nothing. */
  readonly reload: (cause: ReloadCause) => Promise<ReloadOutcome>;
  /** Finishes the requests in flight, then closes the database. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the configured database. Only its own driver is loaded, which saves memory and time.
 * @param log gets what makes the start take longer: a server that does not answer yet, a new database that is filled
 */
export async function openDatabase(
  { database, timeZone, bigNumbersAsStrings }: Config,
  log?: Record<'info' | 'warn', (message: string) => void>,
): Promise<Database> {
  const onWait = log && ((message: string): void => log.warn(message));
  const settings: DialectSettings = { timeZone, bigNumbersAsStrings };
  switch (database.engine) {
    case 'pglite': {
      const { openPglite } = await import('./database/pglite/open.ts');
      return openPglite(database, settings, log && ((message) => log.info(message)));
    }
    case 'postgres': {
      const { openPostgres } = await import('./database/postgres/open.ts');
      return openPostgres(database, settings, onWait);
    }
    case 'sqlserver': {
      const { openSqlServer } = await import('./database/sqlserver/open.ts');
      return openSqlServer(database, settings, onWait);
    }
  }
}

/**
 * Puts the parts of a gateway together, each from those before it.
 * @param open opens the database; tests pass one that records statements
 * @param clock ends sessions and entity sets; tests pass their own
 * @param worker this process among several that serve; null where it serves alone
 * @param load reads the configuration again; where it is left out, a reload keeps it
 * @throws StartupError with what the user can correct
 */
export async function buildApp(
  config: Config,
  open: typeof openDatabase = openDatabase,
  clock: Clock = performance,
  worker: WorkerConnection | null = null,
  load: () => Promise<Config> = () => Promise.resolve(config),
): Promise<App> {
  const settings = await readSettings(config, worker);
  const database = await atSetting(config, () => open(config, settings.log.logger));
  const state = await openState(settings, database, clock);
  try {
    const served = await buildFirstGeneration(settings, database, state, clock, load);
    return await openServer(settings, database, state, served);
  } catch (error) {
    await state.close();
    await database.close();
    throw error;
  }
}

/** The configuration with the files that it names, and the log. */
interface Settings {
  readonly config: Config;
  readonly worker: WorkerConnection | null;
  readonly log: ProcessLog;
  readonly mappings: MappingFolder;
  /** Where several gateways keep their state; left out where this one keeps its own. */
  readonly store: StateStoreSettings | undefined;
  readonly tls: TlsSettings | undefined;
  readonly routes: readonly ProxyRoute[];
  readonly warnings: readonly string[];
}

/** @throws StartupError */
async function readSettings(config: Config, worker: WorkerConnection | null): Promise<Settings> {
  const [openToAll, tls, routes, store, mappings] = await allOf([
    checkListening(config),
    atSetting(config, () => openTls(config)),
    atSetting(config, () => readProxyFiles(config.proxy)),
    atSetting(config, () => readStateFiles(config.state)),
    loadMappings(config.mappings, config.locate('mappings')),
  ]);
  const log = openLog(config.log, worker !== null, worker?.id);
  const warnings = [...(openToAll === null ? [] : [openToAll]), ...(tls?.warnings ?? [])];
  return { config, worker, log, mappings, store, tls: tls?.settings, routes, warnings };
}

/** The state of this process, or of several gateways, with their store. */
type OpenState = State & Partial<SharedState>;

/** Opens what outlives a request. */
async function openState(
  { config, store }: Settings,
  database: Database,
  clock: Clock,
): Promise<OpenState> {
  const { max } = config.sessions;
  const options: StateOptions = {
    database,
    hasLocks: config.locks,
    // Anonymous clients must not keep out those who log in.
    sessionBounds: {
      ...config.sessions,
      maxNameless: config.authentication === undefined ? max : Math.ceil(max / 2),
    },
    entitySetBounds: { ...config.entitySets, maxPerOwner: config.entitySets.maxPerSession },
    setIds: new SetIds(keyFor('entity sets', config)),
    maxUploadBytes: config.server.maxBodyBytes * KEPT_UPLOADS,
    clock,
  };
  if (store === undefined) return memoryState(options);
  // The client of the store is loaded only where there is one.
  return (await import('./state/shared/shared-state.ts')).openSharedState(store, options);
}

/** Builds the generation that is served first, and that reloads replace. @throws StartupError */
async function buildFirstGeneration(
  { config, worker, log: { logger }, mappings }: Settings,
  database: Database,
  state: OpenState,
  clock: Clock,
  load: () => Promise<Config>,
): Promise<ServedGeneration> {
  const onProblem = (err: Error): void => logger.error({ err }, err.message);
  const checks = new PasswordChecks(systemClock, undefined, attemptCounts(state));
  const dependencies: Dependencies = {
    ...state,
    database,
    planCounts: { hits: 0, misses: 0, evictions: 0 },
    uniqueId: uniqueIdOf(config),
    stampKey: laterKey('stamps', config),
    authentication: {
      onProblem,
      providerKeys: new Map(),
      checks,
      signInKey: laterKey('sign-in', config),
    },
    sessionNames: { ...config.sessions, header: config.sessions.header.toLowerCase() },
    clock,
    crossOrigins: config.cors ?? NO_ORIGINS,
    sessionContextText: contextText(contextKeys(config.database)),
    images: new ImageConverter(config.images, onProblem),
    pages: new Semaphore(pagesAtOnce(config)),
  };
  const first = await buildGeneration(config, mappings, dependencies);
  return new ServedGeneration(first, dependencies, load, logger, worker?.channel ?? null);
}

/** Opens the server, with all that observes its requests. @throws StartupError */
async function openServer(
  { config, worker, log: { logger, requests }, tls, routes, ...settings }: Settings,
  database: Database,
  state: OpenState,
  served: ServedGeneration,
): Promise<App> {
  const { store = null } = state;
  const audit =
    config.audit &&
    openAudit(
      config.audit,
      (...named) => served.generation.wantsValues(...named),
      config.locate,
      logger,
    );
  const { pool, writePool } = database;
  const sources: MetricSources = {
    pool,
    writePool,
    locks: state.locks,
    lostLogLines,
    plans: () => served.generation.services.plans.stats,
    state: () => figuresOf(state),
  };
  const isDataclass = (name: string): boolean => served.generation.model.dataclasses.has(name);
  const telemetry = await openTelemetry(config, sources, isDataclass, worker);
  const reload = async (cause: ReloadCause): Promise<ReloadOutcome> => {
    const outcome = await served.reloads.reload();
    audit?.reloaded(cause, outcome.ok);
    return outcome;
  };
  const { sessionNames, crossOrigins } = served.generation.services;
  const { requestsPerMinute: perMinute, maxUrlBytes } = config.limits;
  const server = buildServer({
    ...config.server,
    served,
    ping: (signal) => database.ping(signal),
    reloadFailure: () => served.reloads.failure,
    stateProblem: () => store?.problem ?? null,
    misfits: () => served.generation.misfits(),
    observer: telemetry.observing(requestLog(requests, audit?.observe, config.log.slowRequestMs)),
    metrics: telemetry.metrics,
    log: logger,
    maxUrlBytes,
    tls,
    cors: config.cors && { ...config.cors, sessionHeader: config.sessions.header },
    rateLimit: perMinute === undefined ? undefined : { perMinute, store },
    proxy:
      routes.length === 0
        ? undefined
        : {
            routes,
            sessionNames,
            crossOrigins,
            // HTTP clients are loaded only where requests are forwarded.
            serve: (await import('./server/proxy/plugin.ts')).serveProxies,
          },
    explorer:
      (config.explorer.enabled ?? (await isLoopback(config.server.host)))
        ? (await import('./server/explorer.ts')).serveExplorer
        : undefined,
    signIn:
      config.authentication?.oidc === undefined
        ? undefined
        : (await import('./server/sign-in/plugin.ts')).serveSignIn,
    // The SDK is loaded only where agents are served.
    mcp: config.mcp.enabled ? (await import('./server/mcp/plugin.ts')).serveMcp : undefined,
  });
  const { ownPort } = telemetry;
  const metricsUrl = ownPort && serveOnOwnPort(server, ownPort.address, ownPort.text);
  // One of the workers watches for all.
  const isWatching = config.server.watch && (worker === null || worker.id === 0);
  const unwatch = isWatching ? await served.watchFiles(() => reload('change')) : null;
  server.addHook('onClose', async () => {
    unwatch?.();
    await state.close();
    await database.close();
    audit?.close();
  });
  if (worker?.isFirst !== false) {
    const warnings = [
      ...settings.warnings,
      ...telemetry.warnings,
      ...served.generation.warnings,
      ...(store?.problem == null ? [] : [store.problem]),
      ...(store?.advice ?? []),
    ];
    for (const warning of warnings) logger.warn(warning);
  }
  return {
    server,
    get model() {
      return served.generation.model;
    },
    database,
    store,
    metricsUrl: () => metricsUrl?.() ?? null,
    reload,
    close: () => server.close(),
  };
}

/** Counts attempts to log in together with other gateways; undefined where this one counts alone. */
function attemptCounts({ counts }: OpenState): AttemptCounts | undefined {
  return (
    counts && {
      pairs: counts('attempt-pair', ATTEMPT_WINDOW),
      addresses: counts('attempt-address', ATTEMPT_WINDOW),
    }
  );
}

/** Reads the files of TLS; null where HTTP is served. @throws StartupError */
async function openTls({ server: { tls } }: Config): Promise<{
  readonly settings: TlsSettings;
  readonly warnings: readonly string[];
} | null> {
  if (tls === undefined) return null;
  const read = (): ReturnType<typeof readTlsFiles> => readTlsFiles(tls);
  const { pair, warnings } = await read();
  const folders = [...new Set([dirname(tls.certificate), dirname(tls.key)])];
  return { settings: { pair, folders, read }, warnings };
}

/** Returns a key that is derived, slowly, when it is first needed. */
function laterKey(purpose: string, config: Config): () => string {
  let key: string | undefined;
  return () => (key ??= keyFor(purpose, config));
}

/** Derives a key from the configured secret, or makes one at random. */
function keyFor(purpose: string, config: Config): string {
  const secret = stampSecretOf(config);
  return secret === null ? randomBytes(32).toString('hex') : derivedKey(secret, purpose);
}

/** The `__UNIQID` of the catalog, by which clients recognise a server: gateways with one state are one server. */
function uniqueIdOf(config: Config): string {
  return config.state === undefined
    ? randomUUID().replaceAll('-', '').toUpperCase()
    : keyFor('unique id', config).slice(0, 32).toUpperCase();
}

/** Returns twice the number of connections: while some pages are read, others are written. */
function pagesAtOnce({ database }: Config): number {
  return database.engine === 'pglite' ? LEAST_PAGES : Math.max(LEAST_PAGES, 2 * database.poolSize);
}
