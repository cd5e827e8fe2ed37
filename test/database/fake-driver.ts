import { NOBODY, type Principal } from '../../src/base/principal.ts';
import type { Database } from '../../src/database/database.ts';
import type { Driver, DriverConnection } from '../../src/database/driver.ts';
import { pooledDatabase } from '../../src/database/pooled.ts';
import { postgresErrors } from '../../src/database/postgres/errors.ts';
import { contextBuilder, type ContextBuilder } from '../../src/database/session-context.ts';
import { gatewayContext, type RequestContext } from '../../src/base/observe/observer.ts';

/** What of a connection a test has fail, or wait; the others succeed at once. */
export type Steps = Partial<
  Record<'run' | 'tell' | 'forget' | 'begin' | 'commit' | 'rollback', () => Promise<void>>
>;

/** A database of one connection, and what happened to it. */
export interface FakeDatabase {
  readonly database: Omit<Database, 'dialect' | 'version' | 'dedicated'>;
  readonly driver: Driver;
  readonly connection: DriverConnection;
  readonly happened: string[];
  /** Resolves when the connection was given back as often. */
  readonly released: (times: number) => Promise<void>;
}

const unused = (): Promise<never> => Promise.reject(new Error('not used'));

const telling = contextBuilder({ user: 'user', claims: {} }, { longest: 10, zeros: true });

/** A database whose only connection notes what it is asked for, and who the database knows to be asking. */
export function fakeDatabase(
  steps: Steps = {},
  sessionContext: ContextBuilder | null = telling,
): FakeDatabase {
  const happened: string[] = [];
  let releases = 0;
  let heard: () => void = () => undefined;
  let known: string | null = null;
  const step = (name: keyof Steps): Promise<void> => {
    happened.push(known === null ? name : `${name} for ${known}`);
    return steps[name]?.() ?? Promise.resolve();
  };
  const connection: DriverConnection = {
    run: async () => {
      await step('run');
      return { columns: [], rows: [] };
    },
    open: unused,
    call: unused,
    begin: () => step('begin'),
    commit: () => step('commit'),
    rollback: () => step('rollback'),
    setContext: async (told) => {
      await step('tell');
      known = told.get('user') ?? null;
    },
    clearContext: async () => {
      await step('forget');
      known = null;
    },
    cancel: () => {
      happened.push('cancel');
      return Promise.resolve();
    },
    destroy: () => {
      happened.push('destroy');
    },
    release: (isClean) => {
      happened.push(isClean ? 'given back' : 'broken off');
      // Nobody gets the same one again.
      if (!isClean) known = null;
      releases += 1;
      heard();
    },
  };
  const pool = {
    size: 1,
    waitMilliseconds: 60_000,
    connected: () => 1,
    acquire: () => Promise.resolve(connection),
  };
  const driver: Driver = {
    reading: pool,
    writing: pool,
    errors: postgresErrors,
    limits: { statement: 60_000, schema: 60_000, cancelRead: 60_000, cancelWrite: 60_000 },
    textEncoding: 'utf8',
    sessionContext,
    introspect: unused,
    close: () => Promise.resolve(),
  };
  return {
    database: pooledDatabase(driver),
    driver,
    connection,
    happened,
    released: async (times) => {
      while (releases < times) {
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
    },
  };
}

/** What is done for a user. */
export function doneFor(name: string, more: Partial<RequestContext> = {}): RequestContext {
  const principal: Principal = { ...NOBODY, name };
  return { ...gatewayContext, principal, ...more };
}
