import { MSSQLServerContainer } from '@testcontainers/mssqlserver';
import { PostgreSqlContainer } from '@testcontainers/postgresql';
import { getContainerRuntimeClient } from 'testcontainers';
import { POSTGRES_URL, serverUrl, SQLSERVER_URL } from './server.ts';

/** A server in a container. */
interface Server {
  readonly url: string;
  readonly stop: () => Promise<unknown>;
}

/** How long a server may take to be ready once its image is there, in milliseconds. */
const STARTUP = 300_000;

/** The servers by the variable that names one. */
const servers: Readonly<Record<string, () => Promise<Server>>> = {
  [POSTGRES_URL]: async () => {
    const container = await new PostgreSqlContainer('postgres:17-alpine')
      .withStartupTimeout(STARTUP)
      .start();
    return { url: container.getConnectionUri(), stop: () => container.stop() };
  },
  [SQLSERVER_URL]: async () => {
    const container = await new MSSQLServerContainer('mcr.microsoft.com/mssql/server:2022-latest')
      .acceptLicense()
      .withStartupTimeout(STARTUP)
      .start();
    const login = `sa:${encodeURIComponent(container.getPassword())}`;
    return {
      url: `mssql://${login}@${container.getHost()}:${container.getPort()}/master?trustServerCertificate=true`,
      stop: () => container.stop(),
    };
  },
};

/**
 * Starts a container for each server that the environment does not name, where a container runtime answers, and names it there.
 * This is done once for all tests and before any of them: an image can take longer to come than a hook may last.
 * @returns what stops the containers
 */
export default async function startContainers(): Promise<() => Promise<void>> {
  const wanted = Object.entries(servers).filter(([variable]) => serverUrl(variable) === undefined);
  if (wanted.length === 0 || !(await hasRuntime())) return () => Promise.resolve();
  const started = await Promise.all(
    wanted.map(async ([variable, start]) => {
      try {
        const server = await start();
        process.env[variable] = server.url;
        return [server];
      } catch (error) {
        console.warn(`No container for ${variable}: ${String(error)}`);
        return [];
      }
    }),
  );
  return async () => {
    await Promise.all(started.flat().map(({ stop }) => stop()));
  };
}

async function hasRuntime(): Promise<boolean> {
  try {
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}
