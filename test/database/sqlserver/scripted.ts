import { expect } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import type { Database } from '../../../src/database/database.ts';
import { openSqlServer } from '../../../src/database/sqlserver/open.ts';
import { DatabaseRefusal } from '../../../src/database/errors.ts';
import {
  startTdsEndpoint,
  type TdsAnswer,
  type TdsEndpoint,
  type TdsError,
  type TdsTransactionStep,
} from './tds-endpoint.ts';
import { change, query, transaction } from '../../targets/sql.ts';
import { SERVER_SETTINGS } from '../../targets/server.ts';

type Manage = (step: TdsTransactionStep) => TdsAnswer | null;

const closers: (() => Promise<void>)[] = [];

/** Closes what a test has opened. */
export async function closeAll(): Promise<void> {
  for (const close of closers.splice(0).reverse()) await close();
}

/** A database whose statements are answered one after the other as the test says, and with no rows from there on. */
export async function open(
  answers: readonly TdsAnswer[],
  {
    manage = () => null,
    login = () => [],
    ...settings
  }: { manage?: Manage; login?: () => readonly TdsError[] | null } & Partial<Settings> = {},
): Promise<{ database: Database; endpoint: TdsEndpoint; since: () => string[] }> {
  const rest = [...answers];
  const endpoint = await startTdsEndpoint(
    () => rest.shift() ?? { kind: 'rows', values: [] },
    login,
    manage,
  );
  closers.push(() => endpoint.close());
  const database = await openSqlServer(
    {
      engine: 'sqlserver',
      url: `mssql://sa:secret@127.0.0.1:${endpoint.port}/legacy?encrypt=false`,
      ...SERVER_SETTINGS,
      poolSize: 1,
      statementTimeoutSeconds: 5,
      connectTimeoutSeconds: 1,
      ...settings,
    },
    { timeZone: 'UTC', bigNumbersAsStrings: false },
  );
  closers.push(() => database.close());
  const start = endpoint.seen.length;
  return { database, endpoint, since: () => endpoint.seen.slice(start) };
}

type Settings = Parameters<typeof openSqlServer>[0];

/** What work was refused by. */
export async function failure(work: Promise<unknown>): Promise<ProtocolError> {
  const error: unknown = await work.then(
    () => new Error('it did not fail'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ProtocolError)) throw error;
  return error;
}

/** The rule of the database that work was refused by. */
export async function refusal(work: Promise<unknown>): Promise<DatabaseRefusal> {
  const error = await failure(work);
  if (!(error instanceof DatabaseRefusal)) throw error;
  return error;
}

/** The pool has one connection: whoever did not give it back keeps this from being answered. */
export async function stillWorks(database: Database): Promise<void> {
  await transaction(database, (on) => change(on, 'UPDATE t'));
  expect(await query(database, 'SELECT 1')).toEqual([]);
}

/** A change on its own. */
export const insert = (database: Database): Promise<unknown> => change(database, 'INSERT');
/** The same in a transaction. */
export const insertInTransaction = (database: Database): Promise<unknown> =>
  transaction(database, (on) => change(on, 'INSERT'));
