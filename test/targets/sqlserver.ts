import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import sql from 'mssql';
import { sqlServerTarget as readUrl } from '../../src/database/sqlserver/url.ts';
import { ownName } from './own-name.ts';
import { neededUrl, needsServer, SQLSERVER_URL, SERVER_SETTINGS } from './server.ts';
import type { OpenTarget, Target } from './target.ts';

/** A SQL Server, or what speaks TDS and T-SQL like one: the one that the environment names. */
export const sqlServerTarget: Target = {
  engine: 'sqlserver',
  name: 'SQL Server',
  unavailable: needsServer(SQLSERVER_URL),
  open: async () => {
    const script = gunzipSync(await readFile('test/fixtures/legacy/legacy.tsql.sql.gz'));
    return openSqlServerDatabase(() => script.toString('utf8').split(/^GO$/m));
  },
  skip: [
    {
      engine: /Babelfish/,
      reason:
        'OPENJSON gives text with quotes in it back with its escapes, and cuts its end; SQL Server gives the text itself',
      cases: [
        String.raw`§4.6 create: a text key as it was typed, Say \"W\"`,
        String.raw`§4.6 create: a text key as it was typed, {\"code\":\"W\"}`,
        String.raw`§4.6 create: a text key as it was typed, C:\\W`,
        String.raw`§4.6 create: a text key as it was typed, {\"case\":1} and {W`,
        String.raw`§4.6 create: a text key as it was typed, case W {x};\"y\"`,
        '§4.6 $method=entityset of all, by keys of each kind, Category',
      ],
    },
    {
      engine: /Babelfish/,
      reason:
        'tells of a view that cannot be changed in words of its own; SQL Server by error 4405',
      cases: ['§7 1046 a view'],
    },
  ],
};

/**
 * Makes a database of its own on the server that the target is, dropped afterwards, and fills it.
 * @param batches what is run in it, by the engine's version string
 * @param collation the database's, where it is not the server's own
 */
export async function openSqlServerDatabase(
  batches: (version: string) => readonly string[],
  collation?: string,
): Promise<OpenTarget> {
  const server = neededUrl(SQLSERVER_URL);
  const name = ownName();
  const collate = collation === undefined ? '' : ` COLLATE ${collation}`;
  await executeBatches(server, [ONE_AT_A_TIME, `CREATE DATABASE ${name}${collate}`]);
  const version = await sqlServerVersion();
  const url = new URL(server);
  url.pathname = `/${name}`;
  const drop = async (): Promise<void> => {
    // A session may outlive its connection for a moment, and a database in use is not dropped. Babelfish does not take the words.
    const alone = `ALTER DATABASE ${name} SET SINGLE_USER WITH ROLLBACK IMMEDIATE`;
    await executeBatches(server, [
      ...(isSqlServer(version) ? [alone] : []),
      `DROP DATABASE ${name}`,
    ]);
  };
  try {
    await executeBatches(url.href, [...batches(version), ...missingFunctions(version)]);
  } catch (error) {
    await drop();
    throw error;
  }
  return {
    database: {
      engine: 'sqlserver',
      url: url.href,
      ...SERVER_SETTINGS,
      connectTimeoutSeconds: 15,
    },
    close: drop,
  };
}

/** CREATE DATABASE copies `model`, and fails where another one has it locked (error 1807). The lock ends with the connection. */
const ONE_AT_A_TIME =
  "EXEC sp_getapplock @Resource = 'entitygate_test', @LockMode = 'Exclusive', @LockOwner = 'Session', @LockTimeout = 60000";

/** What the server that the target is says of itself. */
export async function sqlServerVersion(): Promise<string> {
  return String(await executeBatches(neededUrl(SQLSERVER_URL), ['SELECT @@VERSION']));
}

/** Whether a version string is SQL Server's own, and not that of something that speaks like it. */
export function isSqlServer(version: string): boolean {
  return version.startsWith('Microsoft SQL Server');
}

/**
 * What SQL Server has built in and Babelfish has not; there, a database's own function is found by its name alone.
 * https://learn.microsoft.com/sql/t-sql/functions/min-active-rowversion-transact-sql
 */
function missingFunctions(version: string): readonly string[] {
  if (!version.includes('Babelfish')) return [];
  return [
    // Its rowversions are the numbers of transactions.
    'CREATE FUNCTION dbo.MIN_ACTIVE_ROWVERSION() RETURNS binary(8) AS BEGIN RETURN CONVERT(binary(8),' +
      ' CONVERT(bigint, CONVERT(varchar(20), pg_catalog.pg_snapshot_xmin(pg_catalog.pg_current_snapshot())))) END',
    'GRANT EXECUTE ON dbo.MIN_ACTIVE_ROWVERSION TO PUBLIC',
  ];
}

/** Runs batches. @returns the first value of the last one's answer, if it answers */
export async function executeBatches(url: string, batches: readonly string[]): Promise<unknown> {
  const pool = new sql.ConnectionPool({
    ...readUrl(url),
    pool: { max: 1 },
    requestTimeout: 120_000,
  });
  await pool.connect();
  try {
    let value: unknown;
    for (const batch of batches) {
      if (batch.trim() === '') continue;
      const { recordset } = (await pool.request().batch(batch)) as {
        recordset?: readonly object[];
      };
      value = Object.values(recordset?.[0] ?? {})[0];
    }
    return value;
  } finally {
    await pool.close();
  }
}
