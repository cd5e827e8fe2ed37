import { describe } from 'vitest';
import { isSqlServer, sqlServerTarget, sqlServerVersion } from '../../targets/sqlserver.ts';
import { serve, type Served, type Shape } from '../shapes/engines.ts';

/** What some versions do not have. */
export interface Lacking {
  /** Of their version strings. */
  readonly version: RegExp;
  readonly reason: string;
}

/** What the server says of itself, or why there is none. */
const server = await theServer();

/** Runs tests on SQL Server, and says of any other server, and of none, that they are skipped and why. */
export function onSqlServer(
  title: string,
  shape: Omit<Shape, 'postgres'>,
  tests: (served: Served) => void,
  lacking?: Lacking,
): void {
  const missing = server.missing ?? (lacking?.version.test(server.version) ? lacking.reason : null);
  const why = missing === null ? '' : ` (${missing})`;
  describe.skipIf(missing !== null)(`${title} on SQL Server itself${why}`, () => {
    serve('sqlserver', { ...shape, postgres: '' }, tests);
  });
}

async function theServer(): Promise<{ readonly version: string; readonly missing: string | null }> {
  const unavailable = await sqlServerTarget.unavailable();
  if (unavailable !== null) return { version: '', missing: unavailable };
  const version = await sqlServerVersion();
  const missing = isSqlServer(version)
    ? null
    : `the server is not a SQL Server: ${version.split('\n')[0] ?? ''}`;
  return { version, missing };
}
