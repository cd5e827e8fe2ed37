import { randomBytes, randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { PasswordChecks } from './access/auth/password-checks.ts';
import { openAudit } from './server/audit/audit-log.ts';
import { derivedKey } from './base/hashes.ts';
import { StartupError } from './base/errors.ts';
import type { Config } from './config/config.ts';
import { isLoginNeeded, isLoopback } from './config/settings/listening.ts';
import { readProxyFiles } from './config/settings/proxy.ts';
import { atSetting, buildGeneration, type LastingParts } from './generation.ts';
import { loadMappings } from './config/mapping.ts';
import { stampSecretOf } from './config/secrets/stamp-secret.ts';
import { contextKeys } from './config/settings/session-context.ts';
import { readTlsFiles } from './config/secrets/tls-files.ts';
import type { Database } from './database/database.ts';
import { contextText } from './database/session-context.ts';
import { type Clock, systemClock } from './base/clock.ts';
import { MemoryEntitySets } from './state/entity-set/memory-entity-sets.ts';
import { SetIds } from './state/entity-set/store.ts';
import { ImageConverter } from './answer/image/converter.ts';
import type { EntityLocks } from './state/lock/entity-locks.ts';
import { MemoryLocks } from './state/lock/memory-locks.ts';
import { DatabaseKeeper, keptByProcess } from './state/lock/keeper.ts';
import type { Model } from './model/types.ts';
import { requestLog } from './base/observe/request-log.ts';
import type { DialectSettings } from './sql/dialect.ts';
import { NO_ORIGINS } from './server/http/admission.ts';
import { standardOutput } from './server/http/log-output.ts';
import { PageGate } from './server/pipeline/operation.ts';
import { buildServer } from './server/server.ts';
import { serveOnOwnPort } from './server/telemetry/endpoint.ts';
import type { MetricSources } from './server/telemetry/sources.ts';
import { openTelemetry } from './server/telemetry/telemetry.ts';
import type { TlsSettings } from './server/http/tls.ts';
import { isWatchedName, logReload, nextGeneration, watchedFolders } from './next-generation.ts';
import type { ReloadCause, ReloadOutcome } from './server/reload/changes.ts';
import { type PreparedReload, Reloads } from './server/reload/reloads.ts';
import { watchFolders } from './server/reload/watch.ts';
import type { Channel } from './server/workers/messages.ts';
import { MemorySessions } from './state/session/memory-sessions.ts';
import { Uploads } from './state/upload/uploads.ts';
import type { Peers } from './server/workers/peers.ts';
import { sharedSets, shareUploads, uploadsElsewhere } from './server/workers/shared-state.ts';

const LEAST_PAGES = 16;

/** How many of the largest uploads are kept at once. */
const KEPT_UPLOADS = 4;

/** A gateway that is ready to listen. */
export interface App {
  readonly server: FastifyInstance;
  /** The model that is served at the moment. */
  readonly model: Model;
  readonly database: Database;
  /** The address of the metrics, once the gateway listens; null where they have no port of their own. */
  readonly metricsUrl: () => string | null;
  /** Reads configuration, mapping files, users and schema again. A failure is reported, and changes nothing. */
  readonly reload: (cause: ReloadCause) => Promise<ReloadOutcome>;
  /** Finishes the requests in flight, then closes the database. */
  readonly close: () => Promise<void>;
}

/** The connections of a worker to the others and to the primary. */
export interface WorkerConnection {
  readonly peers: Peers;
  readonly channel: Channel;
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
  if (config.state !== undefined) {
    const message = 'gateways do not keep their state together yet: leave state out';
    throw StartupError.at(config.locate('state'), message);
  }
  const peers = worker?.peers ?? null;
  const tls = await atSetting(config, () => openTls(config));
  const routes = await atSetting(config, () => readProxyFiles(config.proxy));
  const mappings = await loadMappings(config.mappings, config.locate('mappings'));
  const database = await atSetting(config, () => open(config));
  let log: FastifyBaseLogger | null = null;
  let reloads: Reloads;
  const reportError = (err: Error): void => log?.error({ err }, err.message);
  const parts = lastingParts(config, database, clock, peers, reportError, () =>
    reloads.reload('request'),
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
      peers,
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
      requestsPerMinute: config.limits.requestsPerMinute,
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
      workers: peers === null ? undefined : { peers, sessionNames },
      unauthenticatedHosts: () =>
        isLoginNeeded(generation.config.authentication)
          ? null
          : [config.server.host, ...config.server.hosts],
    });
    const { ownPort } = telemetry;
    const metricsUrl = ownPort && serveOnOwnPort(server, ownPort.address, ownPort.text);
    const unwatch =
      config.server.watch && (peers === null || peers.place.worker === 0)
        ? await watchFolders(
            () => watchedFolders(generation.config),
            (name) => isWatchedName(name, generation.config),
            () => reloads.reload('change'),
          )
        : null;
    server.addHook('onClose', async () => {
      unwatch?.();
      await peers?.leave();
      await parts.close();
      audit?.close();
    });
    log = server.log;
    if (peers === null || peers.place.isFirst) {
      const warnings = [...(tls?.warnings ?? []), ...telemetry.warnings, ...generation.warnings];
      for (const warning of warnings) server.log.warn(warning);
    }
    return {
      server,
      get model() {
        return generation.model;
      },
      database,
      metricsUrl: () => metricsUrl?.() ?? null,
      reload: (cause) => reloads.reload(cause),
      close: () => server.close(),
    };
  } catch (error) {
    await parts.close();
    throw error;
  }
}

/** Makes the parts of a gateway that live as long as its process. */
function lastingParts(
  config: Config,
  database: Database,
  clock: Clock,
  peers: Peers | null,
  reportError: (error: Error) => void,
  reload: () => Promise<ReloadOutcome>,
): LastingParts & {
  readonly sources: Omit<MetricSources, 'plans'>;
  readonly close: () => Promise<void>;
} {
  const locks = config.locks ? entityLocks(database) : null;
  const ownSets = new MemoryEntitySets(
    { ...config.entitySets, maxPerOwner: config.entitySets.maxPerSession },
    new SetIds(keyFor('entity sets', config, peers), peers?.newId),
    clock,
  );
  const uploads = new Uploads(
    config.server.maxBodyBytes * KEPT_UPLOADS,
    peers === null ? null : uploadsElsewhere(peers),
  );
  if (peers !== null) shareUploads(uploads, peers);
  const { max } = config.sessions;
  // Anonymous clients must not keep out those who log in.
  const maxNameless = config.authentication === undefined ? max : Math.ceil(max / 2);
  const sessions = new MemorySessions(
    { ...config.sessions, maxNameless },
    ({ hash }) => {
      void locks?.release(hash);
      ownSets.disown(hash);
    },
    clock,
    peers?.newId,
  );
  const contextOf = contextText(contextKeys(config.database));
  const lostLogLines = (): number => standardOutput(peers !== null).lost;
  const { pool, writePool } = database;
  return {
    database,
    planCounts: { hits: 0, misses: 0, evictions: 0 },
    sources: { pool, writePool, entitySets: ownSets, sessions, locks, uploads, lostLogLines },
    uniqueId: peers?.place.uniqueId ?? randomUUID().replaceAll('-', '').toUpperCase(),
    stampKey: stampKey(config, peers),
    contextOf,
    authentication: {
      onProblem: reportError,
      providerKeys: new Map(),
      checks: new PasswordChecks(systemClock, undefined, peers),
    },
    services: {
      sessions,
      sessionNames: { ...config.sessions, header: config.sessions.header.toLowerCase() },
      locks,
      uploads,
      clock,
      crossOrigins: config.cors ?? NO_ORIGINS,
      sessionContextText: contextOf ?? (() => ''),
      entitySets: peers === null ? ownSets : sharedSets(ownSets, peers),
      images: new ImageConverter(config.images, reportError),
      pages: new PageGate(pagesAtOnce(config)),
      lostLogLines,
      reload,
    },
    close: async () => {
      await locks?.close();
      sessions.closeAll();
      await database.close();
    },
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

/** Makes the locks of a gateway's sessions, which other gateways on the database share where it is a server. */
function entityLocks({ dialect: { locks }, dedicated }: Database): EntityLocks {
  return new MemoryLocks((onLost) =>
    locks === null ? keptByProcess : new DatabaseKeeper(dedicated, locks, onLost),
  );
}

/** Returns the key of hash stamps, which is derived when the first one is needed. */
function stampKey(config: Config, peers: Peers | null): () => string {
  let key: string | undefined;
  return () => (key ??= keyFor('stamps', config, peers));
}

/** Derives a key from the configured secret, from that of the processes that serve together, or at random. */
function keyFor(purpose: string, config: Config, peers: Peers | null): string {
  const secret = stampSecretOf(config) ?? peers?.place.secret ?? null;
  return secret === null ? randomBytes(32).toString('hex') : derivedKey(secret, purpose);
}

/** Returns twice the number of connections: while some pages are read, others are written. */
function pagesAtOnce({ database }: Config): number {
  return database.engine === 'pglite' ? LEAST_PAGES : Math.max(LEAST_PAGES, 2 * database.poolSize);
}
