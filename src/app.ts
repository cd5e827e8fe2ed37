import { randomBytes, randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { PasswordChecks } from './access/auth/password-checks.ts';
import { openAudit } from './server/audit/audit-log.ts';
import { derivedKey } from './base/hashes.ts';
import { allOf } from './base/errors.ts';
import type { Config } from './config/config.ts';
import { checkListening, isLoginNeeded, isLoopback } from './config/settings/listening.ts';
import { readProxyFiles } from './config/settings/proxy.ts';
import { atSetting, buildGeneration, type LastingParts } from './generation.ts';
import { loadMappings } from './config/mapping.ts';
import { stampSecretOf } from './config/secrets/stamp-secret.ts';
import { contextKeys } from './config/settings/session-context.ts';
import { readTlsFiles } from './config/secrets/tls-files.ts';
import type { Database } from './database/database.ts';
import { contextText } from './database/session-context.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { SetIds } from './state/entity-set/store.ts';
import { ImageConverter } from './answer/image/converter.ts';
import type { Model } from './model/types.ts';
import { requestLog } from './base/observe/request-log.ts';
import type { DialectSettings } from './sql/dialect.ts';
import { NO_ORIGINS } from './server/http/admission.ts';
import { standardOutput } from './server/http/log-output.ts';
import { Semaphore } from './database/pool.ts';
import { buildServer } from './server/server.ts';
import { serveOnOwnPort } from './server/telemetry/endpoint.ts';
import type { MetricSources } from './server/telemetry/sources.ts';
import { openTelemetry } from './server/telemetry/telemetry.ts';
import type { TlsSettings } from './server/http/tls.ts';
import { isWatchedName, logReload, nextGeneration, watchedFolders } from './next-generation.ts';
import type { ReloadCause, ReloadOutcome } from './server/reload/changes.ts';
import { type PreparedReload, Reloads } from './server/reload/reloads.ts';
import { watchFolders } from './server/reload/watch.ts';

import { readStateFiles } from './config/settings/state.ts';
import { type AttemptCounts, ATTEMPT_WINDOW } from './access/auth/throttle.ts';
import type { SharedState } from './state/shared/shared-state.ts';
import type { StateStore } from './state/shared/state-store.ts';
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
  /** Reads configuration, mapping files, users and schema again. A failure is reported, and changes nothing. */
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
 * Puts the parts of a gateway together.
 * @param open opens the database; tests pass one that records statements
 * @param clock ends sessions and entity sets; tests pass their own
 * @param worker this process among others that serve; null where it serves alone
 * @param load reads the configuration again; where it is left out, a reload keeps it
 * @throws StartupError with what the user can correct
 */
export async function buildApp(
  config: Config,
  open: (config: Config) => Promise<Database> = openDatabase,
  clock: Clock = performance,
  worker: WorkerConnection | null = null,
  load: () => Promise<Config> = () => Promise.resolve(config),
): Promise<App> {
  const [openToAll, tls, routes, storeSettings, mappings] = await allOf([
    checkListening(config),
    atSetting(config, () => openTls(config)),
    atSetting(config, () => readProxyFiles(config.proxy)),
    atSetting(config, () => readStateFiles(config.state)),
    loadMappings(config.mappings, config.locate('mappings')),
  ]);
  const database = await atSetting(config, () => open(config));
  const stateOptions = stateOptionsOf(config, database, clock);
  // The client of the store is loaded only where there is one.
  const shared =
    storeSettings === undefined
      ? null
      : await (
          await import('./state/shared/shared-state.ts')
        ).openSharedState(storeSettings, stateOptions);
  const state = shared ?? memoryState(stateOptions);
  let log: FastifyBaseLogger | null = null;
  let reloads: Reloads;
  const reportError = (err: Error): void => log?.error({ err }, err.message);
  const lostLogLines = (): number => standardOutput(worker !== null).lost;
  const parts = lastingParts(
    config,
    { database, state, shared, clock, reportError, lostLogLines },
    () => reloads.reload('request'),
  );
  try {
    let generation = await buildGeneration(config, mappings, parts);
    const audit =
      config.audit === undefined
        ? null
        : openAudit(
            config.audit,
            (...named) => generation.wantsValues(...named),
            config.locate,
            () => log,
          );
    const prepare = async (): Promise<PreparedReload> => {
      const next = await nextGeneration(generation, await load(), parts);
      return {
        report: next.report,
        commit: () => {
          generation.handling.endStreams();
          generation = next.generation;
        },
      };
    };
    reloads = new Reloads(
      {
        prepare,
        onEnd: (outcome) => {
          if (log !== null) logReload(outcome, log);
        },
        onUnasked: (cause, { ok }) => audit?.reloaded(cause, ok),
      },
      worker?.channel ?? null,
    );
    const { sessionNames, crossOrigins } = parts.services;
    const { requestsPerMinute: perMinute } = config.limits;
    const telemetry = await openTelemetry(config, {
      sources: {
        ...parts.sources,
        plans: {
          get stats() {
            return generation.plans.stats;
          },
        },
      },
      isDataclass: (name) => generation.model.dataclasses.has(name),
      worker,
    });
    const server = buildServer({
      handling: () => generation.handling,
      ping: (signal) => database.ping(signal),
      reloadFailure: () => reloads.failure,
      observer: (logger) =>
        telemetry.observing(requestLog(logger, audit?.observe, config.log.slowRequestMs)),
      metrics: telemetry.metrics,
      logLevel: config.log.level,
      logFormat: config.log.format,
      maxHeaderBytes: config.server.maxHeaderBytes,
      maxBodyBytes: config.server.maxBodyBytes,
      compression: config.server.compression,
      maxUrlBytes: config.limits.maxUrlBytes,
      tls: tls?.settings,
      trustedProxies: config.server.trustedProxies,
      cors: config.cors && { ...config.cors, sessionHeader: config.sessions.header },
      rateLimit: perMinute === undefined ? undefined : { perMinute, store: shared?.store ?? null },
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
      // The SDK is loaded only where agents are served.
      mcp: config.mcp.enabled ? (await import('./server/mcp/plugin.ts')).serveMcp : undefined,
      worker: worker?.place.worker,
      stateProblem: () => shared?.store.problem ?? null,
      unauthenticatedHosts: () =>
        isLoginNeeded(generation.config.authentication)
          ? null
          : [config.server.host, ...config.server.hosts],
    });
    const { ownPort } = telemetry;
    const metricsUrl = ownPort && serveOnOwnPort(server, ownPort.address, ownPort.text);
    const unwatch =
      config.server.watch && (worker === null || worker.place.worker === 0)
        ? await watchFolders(
            () => watchedFolders(generation.config),
            (name) => isWatchedName(name, generation.config),
            () => reloads.reload('change'),
          )
        : null;
    server.addHook('onClose', async () => {
      unwatch?.();
      await parts.close();
      audit?.close();
    });
    log = server.log;
    if (worker?.place.isFirst !== false) {
      const warnings = [
        ...(openToAll === null ? [] : [openToAll]),
        ...(tls?.warnings ?? []),
        ...telemetry.warnings,
        ...generation.warnings,
        ...(shared?.store.problem == null ? [] : [shared.store.problem]),
        ...(shared?.store.advice ?? []),
      ];
      for (const warning of warnings) server.log.warn(warning);
    }
    return {
      server,
      get model() {
        return generation.model;
      },
      database,
      store: shared?.store ?? null,
      metricsUrl: () => metricsUrl?.() ?? null,
      reload: (cause) => reloads.reload(cause),
      close: () => server.close(),
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** The options of what outlives a request. */
function stateOptionsOf(config: Config, database: Database, clock: Clock): StateOptions {
  const { max } = config.sessions;
  return {
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
}

/** What {@link lastingParts} are made with. */
interface Surroundings {
  readonly database: Database;
  readonly state: State;
  /** The state where several gateways keep it together; null where this one keeps its own. */
  readonly shared: SharedState | null;
  readonly clock: Clock;
  readonly reportError: (error: Error) => void;
  readonly lostLogLines: () => number;
}

/** Makes the parts of a gateway that live as long as its process. */
function lastingParts(
  config: Config,
  { database, state, shared, clock, reportError, lostLogLines }: Surroundings,
  reload: () => Promise<ReloadOutcome>,
): LastingParts & {
  readonly sources: Omit<MetricSources, 'plans'>;
  readonly close: () => Promise<void>;
} {
  const { sessions, locks, uploads, entitySets } = state;
  const contextOf = contextText(contextKeys(config.database));
  const { pool, writePool } = database;
  return {
    database,
    planCounts: { hits: 0, misses: 0, evictions: 0 },
    sources: { pool, writePool, locks, state: () => figuresOf(state), lostLogLines },
    uniqueId: uniqueIdOf(config),
    stampKey: stampKey(config),
    contextOf,
    authentication: {
      onProblem: reportError,
      providerKeys: new Map(),
      checks: new PasswordChecks(
        systemClock,
        undefined,
        shared === null ? undefined : attemptCounts(shared),
      ),
    },
    services: {
      sessions,
      sessionNames: { ...config.sessions, header: config.sessions.header.toLowerCase() },
      locks,
      uploads,
      clock,
      crossOrigins: config.cors ?? NO_ORIGINS,
      sessionContextText: contextOf ?? (() => ''),
      entitySets,
      images: new ImageConverter(config.images, reportError),
      pages: new Semaphore(pagesAtOnce(config)),
      lostLogLines,
      reload,
    },
    close: async () => {
      await state.close();
      await database.close();
    },
  };
}

/** Counts attempts to log in together with other gateways. */
function attemptCounts({ counts }: SharedState): AttemptCounts {
  return {
    pairs: counts('attempt-pair', ATTEMPT_WINDOW),
    addresses: counts('attempt-address', ATTEMPT_WINDOW),
  };
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

/** Returns the key of hash stamps, which is derived when the first one is needed. */
function stampKey(config: Config): () => string {
  let key: string | undefined;
  return () => (key ??= keyFor('stamps', config));
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
