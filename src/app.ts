import { randomBytes, randomUUID } from 'node:crypto';
import { dirname } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { Audiences } from './access/roles/audiences.ts';
import { readRoles } from './access/roles/roles.ts';
import { openAuthentication } from './access/auth/authentication.ts';
import { checkGivenRoles } from './access/auth/given-roles.ts';
import { openAudit } from './server/audit/audit-log.ts';
import { MOST_TOLD, ProtocolError, StartupError } from './base/errors.ts';
import { derivedKey } from './base/hashes.ts';
import type { Config } from './config/config.ts';
import { isLoginNeeded, isLoopback } from './config/settings/listening.ts';
import { readProxyFiles } from './config/settings/proxy.ts';
import { loadMappings } from './config/mapping.ts';
import { stampSecretOf } from './config/secrets/stamp-secret.ts';
import { contextKeys } from './config/settings/session-context.ts';
import { readTlsFiles } from './config/secrets/tls-files.ts';
import type { Database } from './database/database.ts';
import { batchingDatabase } from './database/batching-database.ts';
import { contextText } from './database/session-context.ts';
import type { OnWait } from './database/retry.ts';
import type { Clock } from './base/clock.ts';
import { MemoryEntitySets } from './state/entity-set/memory-entity-sets.ts';
import { SetIds } from './state/entity-set/store.ts';
import { WriteStatements } from './run/save/rows/write-statements.ts';
import { ImageConverter } from './answer/image/converter.ts';
import { EntityLocks } from './state/lock/entity-locks.ts';
import { DatabaseKeeper, keptByProcess } from './state/lock/keeper.ts';
import { buildModel } from './model/build.ts';
import type { Model } from './model/types.ts';
import { type Logger, unattended } from './base/observe/observer.ts';
import { requestLog } from './base/observe/request-log.ts';
import type { PhysicalSchema } from './schema/types.ts';
import type { DialectSettings } from './sql/dialect.ts';
import { plainStatement } from './sql/ir/statement.ts';
import { NO_ORIGINS } from './server/http/admission.ts';
import { createHandler } from './server/rest.ts';
import { standardOutput } from './server/http/log-output.ts';
import { buildServer } from './server/server.ts';
import { serveOnOwnPort } from './server/telemetry/endpoint.ts';
import { openTelemetry } from './server/telemetry/telemetry.ts';
import { PageGate } from './server/pipeline/operation.ts';
import { PlanCache } from './server/pipeline/plan-cache.ts';
import type { TlsSettings } from './server/http/tls.ts';
import { Sessions } from './state/session/sessions.ts';
import { Uploads } from './state/upload/uploads.ts';
import type { Peers } from './server/workers/peers.ts';
import { sharedSets, shareUploads, uploadsElsewhere } from './server/workers/shared-state.ts';
import { checkRestriction } from './run/convert/bind.ts';

const LEAST_PAGES = 16;

/** How many of the largest uploads are kept at once. */
const KEPT_UPLOADS = 4;

/** The memory for printed statements that write, in bytes. */
const WRITE_STATEMENT_BYTES = 16 * 1_048_576;

/** A gateway that is ready to listen. */
export interface App {
  readonly server: FastifyInstance;
  readonly model: Model;
  readonly database: Database;
  /** The address of the metrics, once the gateway listens; null where they have no port of their own. */
  readonly metricsUrl: () => string | null;
  /** Finishes the requests in flight, then closes the database. */
  readonly close: () => Promise<void>;
}

/**
 * Opens the configured database. Only its own driver is loaded, which saves memory and time.
 * @param onWait is called while a server does not answer yet
 */
export async function openDatabase(
  { database, timeZone, bigNumbersAsStrings }: Config,
  onWait?: OnWait,
): Promise<Database> {
  const settings: DialectSettings = { timeZone, bigNumbersAsStrings };
  switch (database.engine) {
    case 'pglite': {
      const { openPglite } = await import('./database/pglite/open.ts');
      return openPglite(database, settings);
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
 * @param peers the other processes that serve; null where this one serves alone
 * @throws StartupError with what the user can correct
 */
export async function buildApp(
  config: Config,
  open: (config: Config) => Promise<Database> = openDatabase,
  clock: Clock = performance,
  peers: Peers | null = null,
): Promise<App> {
  const tls = await atSetting(config, () => openTls(config));
  const routes = await atSetting(config, () => readProxyFiles(config.proxy));
  const mappings = await loadMappings(config.mappings, config.locate('mappings'));
  const database = await atSetting(config, () => open(config));
  try {
    const model = await withDefaultDatabase(config, database, async () =>
      buildModel(
        mappings.dataclasses,
        await atSetting(config, () => introspect(database)),
        { ...config, stampKey: stampKey(config, peers), dialect: database.dialect.name },
        checkRestriction,
        mappings.functions,
      ),
    );
    let log: Logger | null = null;
    const reportError = (err: Error): void => log?.error({ err }, err.message);
    const locks = config.locks ? entityLocks(database) : null;
    checkGivenRoles(config);
    const authentication = await openAuthentication(config, {
      onProblem: reportError,
      attemptNews: peers,
    });
    const roles = config.roles === undefined ? null : readRoles(config.roles, { ...config, model });
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
    const sessions = new Sessions(
      { ...config.sessions, maxNameless },
      ({ id }) => {
        void locks?.release(id);
        ownSets.disown(id);
      },
      clock,
      peers?.newId,
    );
    const sessionNames = { ...config.sessions, header: config.sessions.header.toLowerCase() };
    const crossOrigins = config.cors ?? NO_ORIGINS;
    const contextOf = contextText(contextKeys(config.database));
    const lostLogLines = (): number => standardOutput(peers !== null).lost;
    const plans = new PlanCache(config.planCacheSize);
    const handling = createHandler({
      database: batchingDatabase(database, contextOf),
      audiences: new Audiences(model, roles, database.dialect.limits),
      authentication,
      catalog: {
        application: config.application,
        uniqueId: peers?.place.uniqueId ?? randomUUID().replaceAll('-', '').toUpperCase(),
      },
      contract: config,
      settings: config,
      sessions,
      sessionNames,
      locks,
      uploads,
      clock,
      crossOrigins,
      sessionContextText: contextOf ?? (() => ''),
      entitySets: peers === null ? ownSets : sharedSets(ownSets, peers),
      images: new ImageConverter(config.images, reportError),
      pages: new PageGate(pagesAtOnce(config)),
      plans,
      writeStatements: new WriteStatements(config, database.dialect, WRITE_STATEMENT_BYTES),
      lostLogLines,
    });
    const audit =
      config.audit === undefined ? null : openAudit(config.audit, model, config.locate, () => log);
    const { pool, writePool } = database;
    const telemetry = await openTelemetry(config, {
      sources: {
        ...{ pool, writePool, plans, entitySets: ownSets, sessions, locks, uploads, lostLogLines },
      },
      dataclasses: model.dataclasses.keys(),
      peers,
    });
    const server = buildServer({
      ...handling,
      ping: (signal) => database.ping(signal),
      observer: (logger) =>
        telemetry.observing(requestLog(logger, audit?.observe, config.log.slowRequestMs)),
      metrics: telemetry.metrics,
      logLevel: config.log.level,
      maxHeaderBytes: config.server.maxHeaderBytes,
      maxBodyBytes: config.server.maxBodyBytes,
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
      unauthenticatedHosts: isLoginNeeded(config.authentication)
        ? undefined
        : [config.server.host, ...config.server.hosts],
    });
    const { ownPort } = telemetry;
    const metricsUrl = ownPort && serveOnOwnPort(server, ownPort.address, ownPort.text);
    server.addHook('onClose', async () => {
      await peers?.leave();
      await locks?.close();
      sessions.closeAll();
      await database.close();
      audit?.close();
    });
    log = server.log;
    if (peers === null || peers.place.isFirst) {
      const warnings = [
        ...(tls?.warnings ?? []),
        ...model.warnings,
        ...telemetry.warnings,
        ...configWarnings(config, model),
      ];
      for (const warning of warnings) server.log.warn(warning);
    }
    return {
      ...{ server, model, database, metricsUrl: () => metricsUrl?.() ?? null },
      close: () => server.close(),
    };
  } catch (error) {
    await database.close();
    throw error;
  }
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
  return new EntityLocks((onLost) =>
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

function configWarnings(config: Config, { dataclasses }: Model): string[] {
  const warnings: string[] = [];
  // The embedded database serves one process, whose random key lasts until it stops.
  const isKeyed = config.database.engine === 'pglite' || stampSecretOf(config) !== null;
  const hashed = [...dataclasses.values()].find(({ stamp }) => stamp.kind === 'hash');
  if (!isKeyed && hashed !== undefined) {
    warnings.push(
      `${hashed.name} has a hash as its stamp, and neither stampSecret nor a password is configured: its stamps are other ones ` +
        'after a restart, and in each instance. Set stampSecret',
    );
  }
  const { deleteByGet, overrideStamp } = config.compatibility;
  if (deleteByGet) {
    warnings.push(
      'compatibility.deleteByGet is true: a GET with $method=delete deletes. Links, crawlers and caches send GET, too',
    );
  }
  if (overrideStamp) {
    warnings.push(
      'compatibility.overrideStamp is true: a client that sends a negative __STAMP overwrites changes that it has not seen',
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
    const [row] = await database.run(command, unattended).then(
      ({ rows }) => rows,
      () => [],
    );
    const name = row === undefined ? '' : `: ${String(row[0])}`;
    const message = `no database is named, so that the login's default is served${name}`;
    const problems = error.problems.slice(0, MOST_TOLD - 1);
    const untold = error.problems.length - problems.length + error.more;
    throw new StartupError([...problems, { where: locate('database'), message }], untold);
  }
}

async function introspect(database: Database): Promise<PhysicalSchema> {
  const schema = await database.introspect();
  if (schema.tables.length > 0) return schema;
  const message = 'the database is empty, or its user may read nothing of it';
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
    const cause = error.cause instanceof Error ? ` It says: ${error.cause.message}` : '';
    const message = `${error.message}${cause}`;
    throw StartupError.at(config.locate('database'), message);
  }
}
