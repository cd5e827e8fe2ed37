import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../src/base/errors.ts';
import { checkDatabaseNamed } from '../../src/cli/databases.ts';
import type { Config } from '../../src/config/config.ts';
import type { Database } from '../../src/database/database.ts';
import { commandIo } from './run.ts';

/** A server that answers the question for its databases, and what it was opened with and asked. */
function server(answer: readonly string[] | Error) {
  const seen = { opened: '', asked: '', closed: 0 };
  const open = ({ database }: Config): Promise<Pick<Database, 'run' | 'close'>> => {
    seen.opened = 'url' in database ? (database.url ?? '') : '';
    return Promise.resolve({
      run: ({ statement }) => {
        seen.asked = statement.text;
        if (answer instanceof Error) return Promise.reject(answer);
        return Promise.resolve({ columns: [], rows: answer.map((name) => [name]) });
      },
      close: () => {
        seen.closed += 1;
        return Promise.resolve();
      },
    });
  };
  return { open, seen };
}

const denied = new ProtocolError(
  'refusedByDatabase',
  'The database refused the statement.',
  undefined,
  new Error('permission denied for table pg_database'),
);

describe.each([
  {
    engine: 'postgres',
    url: 'postgres://ada:geheim@h:5433?sslmode=require',
    opened: 'postgres://ada:geheim@h:5433/postgres?sslmode=require',
    asked: /pg_catalog\.pg_database .*has_database_privilege\(oid, 'CONNECT'\)/,
  },
  {
    engine: 'sqlserver',
    url: 'mssql://ada:geheim@h/?encrypt=false',
    opened: 'mssql://ada:geheim@h/master?encrypt=false',
    asked: /sys\.databases WHERE HAS_DBACCESS\(name\) = 1/,
  },
  {
    engine: 'sqlserver',
    url: 'Server=h;User Id=ada;Password=geheim',
    opened: 'Server=h;User Id=ada;Password=geheim;Database="master"',
    asked: /sys\.databases WHERE HAS_DBACCESS\(name\) = 1/,
  },
] as const)('$url names no database', ({ engine, url, opened, asked }) => {
  const given = { name: '--database', database: { engine, url } };

  test.each([
    [['erp', 'Sales 2'], 'add the name of the database; the login may open erp, Sales 2'],
    [[], 'add the name of the database; the server lists none that the login may open'],
    [
      denied,
      'add the name of the database; those of the server cannot be listed: The database refused the statement. Cause: permission denied for table pg_database',
    ],
  ])('where the server answers %o', async (answer, message) => {
    const { open, seen } = server(answer);
    await expect(checkDatabaseNamed(given, commandIo(), open)).rejects.toMatchObject({
      problems: [{ where: '--database', message }],
    });
    expect(seen).toEqual({ opened, asked: expect.stringMatching(asked), closed: 1 });
  });

  test('where the server cannot be opened', async () => {
    const open = () => Promise.reject(new ProtocolError('databaseUnavailable', 'No server.'));
    await expect(checkDatabaseNamed(given, commandIo(), open)).rejects.toMatchObject({
      problems: [
        {
          where: '--database',
          message: 'add the name of the database; those of the server cannot be listed: No server.',
        },
      ],
    });
  });
});

test.each([
  { engine: 'postgres', url: 'postgres://h/erp' },
  { engine: 'sqlserver', url: 'Server=h;Initial Catalog=erp' },
  { engine: 'pglite', directory: 'folder' },
] as const)('%o names its database, so the server is not asked', async (database) => {
  const { open, seen } = server([]);
  await checkDatabaseNamed({ name: '--database', database }, commandIo(), open);
  expect(seen).toEqual({ opened: '', asked: '', closed: 0 });
});
