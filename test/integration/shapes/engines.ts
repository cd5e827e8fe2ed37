import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { parse, stringify } from 'yaml';
import { openDatabase } from '../../../src/app.ts';
import type { Clock } from '../../../src/base/time.ts';
import type { Config, PostgresConfig, SqlServerConfig } from '../../../src/config/config.ts';
import { loadConfig } from '../../../src/config/load.ts';
import type { Database } from '../../../src/database/database.ts';
import { withContract } from '../../conformance/contract.ts';
import { startGateway, type Answer, type Gateway, type Sent } from '../../targets/gateway.ts';
import { describeWith } from '../../targets/missing.ts';
import { openPostgresDatabase, postgresTarget } from '../../targets/postgres.ts';
import { openSqlServerDatabase, sqlServerTarget } from '../../targets/sqlserver.ts';
import { openSchema, type Schema } from '../../targets/schema.ts';
import type { OpenTarget } from '../../targets/target.ts';
import { change } from '../../targets/sql.ts';
import { cuttingProxy, type CuttingProxy } from '../cutting-proxy.ts';

/** What a verb of its own is given by a case, and how it answers; null where it has no answer. */
export type Verb = (
  served: Served,
  asked: { readonly text: string; readonly headers: Sent['headers']; readonly body: string | null },
) => Promise<Omit<Answer, 'bytes'> | null>;

/** A schema, and the mapping files that the engines share. */
export interface Shape extends Schema {
  readonly mappings: Readonly<Record<string, string>>;
  readonly settings?: Partial<Config>;
  /** Makes the settings that need files, in a folder for these tests. */
  readonly prepare?: (folder: string) => Promise<Partial<Config>>;
  /** The engines that it is for; all where it is left out. */
  readonly engines?: readonly Config['database']['engine'][];
  /** Why none of the engines on this machine can have it; null where they can. */
  readonly missing?: string | null;
  /** Opens the database, where the shape does not describe it. */
  readonly open?: (engine: Config['database']['engine']) => Promise<OpenTarget>;
  /** What is run in the database before the gateway serves it, where `open` has made it. */
  readonly routines?: Readonly<Record<'postgres' | 'sqlserver', readonly string[]>>;
  /** The headers of the users that cases name. */
  readonly users?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** What cases can ask besides requests. */
  readonly verbs?: Readonly<Record<string, Verb>>;
  /** Waits until a change by SQL is visible. */
  readonly settle?: (database: Database) => Promise<void>;
  /** By which sessions and entity sets live, instead of the machine's clock. */
  readonly clock?: Clock;
  /** A login that the schema makes, and that the gateway takes; the embedded database has none. */
  readonly login?: { readonly user: string; readonly password: string };
  /** How long a statement may take on a server, where it is not as long as in other tests. */
  readonly statementTimeoutSeconds?: number;
  /** How long a statement may wait for a lock on a server, where it is not as long as in other tests. */
  readonly lockTimeoutSeconds?: number;
  /** Whether each answer has to fit the OpenAPI document that the gateway serves, to the user `admin` where users are named. */
  readonly isDocumented?: boolean;
}

/** Sends a request, and adds to the answer how many statements that took, and how many of these write: `[Statements: 2] [Writes: 1]`, and `[Text: …]` of the first. */
const counting =
  (method: string): Verb =>
  async ({ gateway }, { text: path, headers, body }) => {
    gateway.takeStatements();
    gateway.takeChanges();
    const sent = { method, headers: headers ?? {}, ...(body === null ? {} : { body }) };
    const url = path.startsWith('/') ? path : `/rest/${path}`;
    const answer = await gateway.get(url, sent);
    const [text = '', ...others] = gateway.takeStatements();
    const statements = String(text === '' ? 0 : others.length + 1);
    const writes = String(gateway.takeChanges().length);
    return { ...answer, headers: { ...answer.headers, statements, writes, text } };
  };

/** `COUNTED Product {…}` posts, and tells how many statements that takes. */
export const COUNTED = counting('POST');

/** `READ Product` gets, and tells how many statements that takes. */
export const READ = counting('GET');

/** Mapping files by their names, from YAML or what was read of it: `item: {dataclass: Item, table: app.item}`. */
export function mapped(given: string | object): Readonly<Record<string, string>> {
  const files = (typeof given === 'string' ? parse(given) : given) as object;
  return Object.fromEntries(
    Object.entries(files).map(([file, mapping]) => [file, stringify(mapping)]),
  );
}

/** Mapping files of tables in `app` that are named like their dataclasses. @param others what all of them say besides */
export function mappedAlike(dataclasses: string, others: object = {}): Shape['mappings'] {
  const files = dataclasses.split(' ').map((dataclass) => {
    const name = dataclass.toLowerCase();
    return [name, { dataclass, table: `app.${name}`, ...others }] as const;
  });
  return mapped(Object.fromEntries(files));
}

/** A key that the database counts up, from 10 on. */
export const identity = {
  postgres: 'GENERATED BY DEFAULT AS IDENTITY (START 10)',
  tsql: 'IDENTITY(10, 1)',
};

export const uuid = { postgres: 'uuid', tsql: 'uniqueidentifier' };

/** The HTTP status of an answer, its JSON, and how many entities a filter or an entity set has deleted. */
export type Told = readonly [status: number, body: unknown, deleted?: number];

const NOTHING = {
  database: { engine: 'pglite', statementTimeoutSeconds: 30, directory: '' },
} as const;

/** A gateway in front of a {@link Shape} on one engine. */
export class Served {
  readonly engine: Config['database']['engine'];
  readonly shape: Shape;
  /** The folder of the mapping files. */
  mappings = '';
  /** By what the gateway is started. */
  settings: Partial<Config> & Pick<Config, 'database'> = NOTHING;
  #gateway: Gateway | null = null;
  /** What ends before the gateway. */
  readonly #others: { readonly close: () => Promise<void> }[] = [];

  constructor(engine: Config['database']['engine'], shape: Shape) {
    this.engine = engine;
    this.shape = shape;
  }

  set gateway(gateway: Gateway) {
    this.#gateway = gateway;
  }

  get gateway(): Gateway {
    if (this.#gateway === null) throw new Error('the gateway has not been started');
    return this.#gateway;
  }

  /** Starts another gateway on the same connections, which ends with the tests. */
  async start(settings: Partial<Config> = {}): Promise<Gateway> {
    const { database, ...own } = this.settings;
    const all = { ...own, ...settings };
    const gateway = await startGateway(database, all, this.gateway.database, this.shape.clock);
    this.#others.push(gateway);
    return gateway;
  }

  /** Starts a proxy to the server, and a gateway behind it, which end with the tests. @param own settings of the database that differ */
  async startBehindProxy(
    own: Partial<Omit<PostgresConfig, 'engine'>> = {},
    settings: Partial<Config> = {},
  ): Promise<{ readonly proxy: CuttingProxy; readonly gateway: Gateway }> {
    const { database, ...shared } = this.settings;
    const proxy = await cuttingProxy(database);
    this.#others.push(proxy);
    const all = { ...shared, ...settings };
    const through = { ...proxy.settings, ...own } as Config['database'];
    const gateway = await startGateway(through, all, undefined, this.shape.clock);
    this.#others.push(gateway);
    return { proxy, gateway };
  }

  async close(): Promise<void> {
    for (const one of [...this.#others.toReversed(), this.gateway]) await one.close();
  }

  get isSqlServer(): boolean {
    return this.engine === 'sqlserver';
  }

  /** A stand-in for SQL Server that speaks T-SQL. */
  get isBabelfish(): boolean {
    return this.gateway.database.version.includes('Babelfish');
  }

  get(path: string): Promise<Told> {
    return this.#send('GET', path);
  }

  post(path: string, body?: unknown): Promise<Told> {
    return this.#send('POST', path, body);
  }

  delete(path: string): Promise<Told> {
    return this.#send('DELETE', path);
  }

  /** Writes a mapping file, which the next reload reads. */
  async map(file: string, text: string): Promise<void> {
    await writeFile(join(this.mappings, `${file}.yaml`), text);
  }

  /** Writes a configuration by which a process serves the database of a server, too. @param more settings besides @returns its path */
  async configFile(more: object = {}): Promise<string> {
    const { engine, url } = this.settings.database as PostgresConfig | SqlServerConfig;
    const own = { server: { port: 0 }, log: { level: 'fatal' }, mappings: this.mappings };
    const path = join(this.mappings, '../config.yaml');
    await writeFile(path, stringify({ ...own, ...more, database: { engine, url } }));
    return path;
  }

  /** Changes the database as another program does. */
  async run(sql: string): Promise<void> {
    await change(this.gateway.database, sql);
    this.gateway.takeChanges();
    await this.shape.settle?.(this.gateway.database);
  }

  async #send(method: string, path: string, body?: unknown): Promise<Told> {
    const text = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
    const answer = await this.gateway.get(`/rest/${path}`, {
      method,
      ...(text === undefined ? {} : { body: text }),
    });
    const deleted = answer.headers['entitygate-deleted'];
    const told = [answer.status, answer.body] as const;
    return deleted === undefined ? told : [...told, Number(deleted)];
  }
}

const engines = [
  { name: 'PGlite', engine: 'pglite', missing: null },
  { name: 'PostgreSQL', engine: 'postgres', missing: await postgresTarget.unavailable() },
  { name: 'SQL Server', engine: 'sqlserver', missing: await sqlServerTarget.unavailable() },
] as const;

/**
 * Runs tests on every engine that a shape has a schema for and that this machine has.
 * @param left the engines that are left out
 */
export function onEngines(
  name: string,
  shape: Shape,
  tests: (served: Served) => void,
  left: readonly Config['database']['engine'][] = [],
): void {
  for (const { name: target, engine, missing } of engines) {
    if (left.includes(engine) || shape.engines?.includes(engine) === false) continue;
    const schema = engine === 'sqlserver' ? shape.sqlserver : shape.postgres;
    if (
      (schema.length === 0 && shape.open === undefined) ||
      (engine === 'pglite' && shape.login !== undefined)
    )
      continue;
    const reason = missing ?? shape.missing ?? null;
    describeWith(reason, `${name} on ${target}`, () => {
      tests(serving(engine, shape));
    });
  }
}

/** Serves a shape on an engine that is there, while the tests run that the surrounding `describe` has by this call. */
export function serving(engine: Config['database']['engine'], shape: Shape): Served {
  const served = new Served(engine, shape);
  let opened: OpenTarget;
  let filled: Database | undefined;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'entitygate-shape-'));
    const mappings = join(folder, 'mappings');
    await mkdir(mappings);
    served.mappings = mappings;
    for (const [file, text] of Object.entries(shape.mappings)) await served.map(file, text);
    opened = (await shape.open?.(engine)) ?? (await openSchema(engine, shape, folder));
    // A test reads such stamps as plain numbers.
    const own: Partial<Config> =
      shape.open === undefined ? { ignoreCase: false, stampBits: 31, mappings } : {};
    const settings = { ...own, ...shape.settings, ...(await shape.prepare?.(folder)) };
    const database = asShaped(opened.database, shape);
    served.settings = { ...settings, database };
    if (shape.routines !== undefined) {
      filled = await openDatabase({ ...(await loadConfig('config.yaml', {})), database });
      const language = engine === 'sqlserver' ? 'sqlserver' : 'postgres';
      for (const routine of shape.routines[language]) await change(filled, routine);
    }
    const gateway = await startGateway(database, settings, filled, shape.clock);
    served.gateway =
      shape.isDocumented === true ? await withContract(gateway, shape.users?.['admin']) : gateway;
    // The rows that the schema makes are a change, too.
    await shape.settle?.(gateway.database);
  });
  afterAll(async () => {
    await served.close();
    await filled?.close();
    await opened.close();
    if (shape.login !== undefined) await dropLogin(engine, shape.login.user);
    await rm(folder, { recursive: true });
  });
  return served;
}

/** The database's settings with what a shape says of them. */
function asShaped(
  database: Config['database'],
  { login, statementTimeoutSeconds, lockTimeoutSeconds }: Shape,
): Config['database'] {
  if (database.engine === 'pglite' || database.url === undefined) return database;
  const url = new URL(database.url);
  if (login !== undefined) {
    url.username = login.user;
    url.password = login.password;
  }
  return {
    ...database,
    url: url.href,
    statementTimeoutSeconds: statementTimeoutSeconds ?? database.statementTimeoutSeconds,
    lockTimeoutSeconds: lockTimeoutSeconds ?? database.lockTimeoutSeconds,
  };
}

/** Drops a login, which the server keeps beyond the test's database. */
async function dropLogin(engine: Config['database']['engine'], user: string): Promise<void> {
  const opened =
    engine === 'sqlserver'
      ? await openSqlServerDatabase(() => [`DROP LOGIN ${user}`])
      : await openPostgresDatabase(`DROP ROLE IF EXISTS ${user}`);
  await opened.close();
}

const anyNumber = expect.any(Number) as number;

/** An entity that was saved, as the answer to one object holds it; a key of text with blanks has its `uri` in the fields. */
export function saved(dataclass: string, key: string, fields: object, stamp = anyNumber): object {
  return {
    __STATUS: { success: true },
    __entityModel: dataclass,
    __DATACLASS: dataclass,
    __KEY: key,
    __STAMP: stamp,
    uri: `/rest/${dataclass}(${encodeURIComponent(key)})`,
    ...fields,
  };
}

/** Items of `__ERROR`. */
export function errors(...items: readonly (readonly [code: number, message: string])[]): object {
  return {
    __ERROR: items.map(([errCode, message]) => ({
      message,
      componentSignature: 'dbmg',
      errCode,
    })),
  };
}

type Item = readonly [code: number, message: string];

/** What an object that was not saved is answered, with its key where it has one. */
export function refused(key: string | null, ...items: readonly Item[]): object {
  return {
    __STATUS: { success: false },
    ...(key === null ? {} : { __KEY: key }),
    ...errors(...items),
  };
}

/** What a new entity that was not saved is answered. */
export function notCreated(dataclass: string, code: number, message: string): object {
  return refused(null, [code, message], [1534, `The new entity of ${dataclass} was not saved.`]);
}

/** What an existing entity that was not saved is answered. */
export function notUpdated(dataclass: string, key: string, code: number, message: string): object {
  return refused(key, [code, message], [1517, `${dataclass}(${key}) was not saved.`]);
}
