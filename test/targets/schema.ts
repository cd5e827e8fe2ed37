import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../src/config/config.ts';
import { openPostgresDatabase } from './postgres.ts';
import { openSqlServerDatabase } from './sqlserver.ts';
import type { OpenTarget } from './target.ts';

/** One schema in both languages. */
export interface Schema {
  readonly postgres: string;
  /** Batches of T-SQL; empty where SQL Server has nothing like it, as is the script where PostgreSQL has not. */
  readonly sqlserver: readonly string[];
  /** The collation of SQL Server's database, where it is not the server's own. */
  readonly collation?: string;
}

/** Makes a database with a schema on an engine that is there. @param folder where the embedded engine finds its script */
export async function openSchema(
  engine: Config['database']['engine'],
  { postgres, sqlserver, collation }: Schema,
  folder: string,
): Promise<OpenTarget> {
  if (engine === 'sqlserver') return openSqlServerDatabase(() => sqlserver, collation);
  if (engine === 'postgres') return openPostgresDatabase(postgres);
  const seed = join(folder, 'seed.sql');
  await writeFile(seed, postgres);
  return {
    database: { engine, statementTimeoutSeconds: 30, directory: 'memory:', seed },
    close: () => Promise.resolve(),
  };
}
