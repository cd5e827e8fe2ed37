import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { withContract } from '../../conformance/contract.ts';
import { startGateway, type Gateway } from '../../targets/gateway.ts';
import { openPostgresDatabase, postgresTarget } from '../../targets/postgres.ts';
import { openSqlServerDatabase, sqlServerTarget } from '../../targets/sqlserver.ts';
import { openSchema, type Schema } from '../../targets/schema.ts';
import type { OpenTarget } from '../../targets/target.ts';
import { change } from '../../targets/sql.ts';

/** A schema, and the mapping files that the engines share. */
export interface Shape extends Schema {
  readonly mappings: Readonly<Record<string, string>>;
  readonly settings?: Partial<Config>;
  /** A login that the schema makes, and that the gateway takes; the embedded database has none. */
  readonly login?: { readonly user: string; readonly password: string };
  /** How long a statement may take on a server, where it is not as long as in other tests. */
  readonly statementTimeoutSeconds?: number;
  /** How long a statement may wait for a lock on a server, where it is not as long as in other tests. */
  readonly lockTimeoutSeconds?: number;
  /** Whether each answer has to fit the OpenAPI document that the gateway serves. */
  readonly isDocumented?: boolean;
}

/** The HTTP status of an answer, its JSON, and how many entities a filter or an entity set has deleted. */
export type Told = readonly [status: number, body: unknown, deleted?: number];

/** A gateway in front of a {@link Shape} on one engine. */
export class Served {
  readonly engine: Config['database']['engine'];
  /** The folder of the mapping files. */
  mappings = '';
  #gateway: Gateway | null = null;

  constructor(engine: Config['database']['engine']) {
    this.engine = engine;
  }

  set gateway(gateway: Gateway) {
    this.#gateway = gateway;
  }

  get gateway(): Gateway {
    if (this.#gateway === null) throw new Error('the gateway has not been started');
    return this.#gateway;
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

  /** Changes the database as another program does. */
  async run(sql: string): Promise<void> {
    await change(this.gateway.database, sql);
    this.gateway.takeChanges();
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
    if (left.includes(engine)) continue;
    const schema = engine === 'sqlserver' ? shape.sqlserver : shape.postgres;
    if (schema.length === 0 || (engine === 'pglite' && shape.login !== undefined)) continue;
    const why = missing === null ? '' : ` (${missing})`;
    describe.skipIf(missing !== null)(`${name} on ${target}${why}`, () => {
      serve(engine, shape, tests);
    });
  }
}

/** Serves a shape on an engine that is there, while the tests run that the surrounding `describe` has by this call. */
export function serve(
  engine: Config['database']['engine'],
  shape: Shape,
  tests: (served: Served) => void,
): void {
  const served = new Served(engine);
  let opened: OpenTarget;
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'entitygate-shape-'));
    const mappings = join(folder, 'mappings');
    await mkdir(mappings);
    served.mappings = mappings;
    for (const [file, text] of Object.entries(shape.mappings)) await served.map(file, text);
    opened = await openSchema(engine, shape, folder);
    const gateway = await startGateway(asShaped(opened.database, shape), {
      ignoreCase: false,
      // A test reads such stamps as plain numbers.
      stampBits: 31,
      ...shape.settings,
      mappings,
    });
    served.gateway = shape.isDocumented === true ? await withContract(gateway) : gateway;
  });
  afterAll(async () => {
    await served.gateway.close();
    await opened.close();
    if (shape.login !== undefined) await dropLogin(engine, shape.login.user);
    await rm(folder, { recursive: true });
  });
  tests(served);
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
