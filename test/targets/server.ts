import type { Target } from './target.ts';

/** The variables that name the servers; where they do not, the containers' setup names one of its own. */
export const POSTGRES_URL = 'ENTITYGATE_TEST_POSTGRES_URL';
export const SQLSERVER_URL = 'ENTITYGATE_TEST_SQLSERVER_URL';

/** The URL of the server that an environment variable names, or undefined where it names none. */
export function serverUrl(variable: string): string | undefined {
  const url = process.env[variable];
  return url === '' ? undefined : url;
}

/** The same for a target that is known to be there. */
export function neededUrl(variable: string): string {
  const url = serverUrl(variable);
  if (url === undefined) throw new Error(`${variable} is not set`);
  return url;
}

/** Says of a target that runs on a server whether there is one. */
export function needsServer(variable: string): Target['unavailable'] {
  return () =>
    Promise.resolve(
      serverUrl(variable) === undefined
        ? `${variable} is not set, and no container could be started`
        : null,
    );
}

/** The settings of a database server, where a test needs no others. */
export const SERVER_SETTINGS = {
  poolSize: 4,
  statementTimeoutSeconds: 30,
  lockTimeoutSeconds: 10,
  connectTimeoutSeconds: 5,
  startupWaitSeconds: 0,
  schemaTimeoutSeconds: 60,
};
