import sql from 'mssql';
import type { SqlServerConfig } from '../config/config.ts';

/**
 * What the configuration says of the connection, by URL, connection string or fields. Fields go before what the URL says.
 * @throws TypeError when the URL is none
 */
export function connectionTarget(config: SqlServerConfig): SqlServerTarget {
  const base = config.url === undefined ? { server: '' } : sqlServerTarget(config.url);
  const { host, port, instance, database, user, password, authentication } = config;
  const { encrypt, trustServerCertificate, readOnlyIntent } = config;
  const given = <Value>(name: string, value: Value | undefined): Record<string, Value> =>
    value === undefined ? {} : { [name]: value };
  return {
    ...base,
    ...given('server', host),
    ...given('port', port),
    ...given('database', database),
    ...given('user', user),
    ...given('password', password),
    ...(authentication === undefined ? {} : authenticated(authentication, user, password)),
    options: {
      ...base.options,
      ...given('encrypt', encrypt),
      ...given('trustServerCertificate', trustServerCertificate),
      ...given('readOnlyIntent', readOnlyIntent),
      ...given('instanceName', instance),
    },
  };
}

/** https://tediousjs.github.io/tedious/api-connection.html: authentication */
function authenticated(
  { type, ...options }: NonNullable<SqlServerConfig['authentication']>,
  userName: string | undefined,
  password: string | undefined,
): Pick<sql.config, 'authentication'> {
  const login = type === 'ntlm' || type === 'azure-active-directory-password';
  return {
    authentication: {
      type,
      options: { ...options, ...(login ? { userName, password } : {}) },
    },
  } as Pick<sql.config, 'authentication'>;
}

/** What of a connection's settings the URL or the connection string says. */
export type SqlServerTarget = Pick<
  sql.config,
  'server' | 'port' | 'database' | 'user' | 'password' | 'authentication' | 'options'
>;

/**
 * Reads `mssql://user:password@host:1433/database?encrypt=true&trustServerCertificate=false`, or a connection string
 * (`Server=host,1433;Database=…`). Connections are encrypted, and certificates checked, unless it says otherwise.
 * @throws TypeError when it is neither
 */
export function sqlServerTarget(text: string): SqlServerTarget {
  if (!/^(?:mssql|sqlserver):\/\//i.test(text)) {
    const parsed = sql.ConnectionPool.parseConnectionString(text) as SqlServerTarget;
    if (!parsed.server) throw new TypeError('neither a URL (mssql://…) nor a connection string');
    return parsed;
  }
  const url = new URL(text);
  const option = (name: string): string | undefined => {
    for (const [key, value] of url.searchParams) {
      if (key.toLowerCase() === name.toLowerCase()) return value;
    }
    return undefined;
  };
  const instance = option('instanceName');
  const database = decodeURIComponent(url.pathname.replace(/^\//, ''));
  return {
    server: url.hostname.replace(/^\[|\]$/g, ''),
    ...(url.port === '' ? {} : { port: Number(url.port) }),
    ...(database === '' ? {} : { database }),
    ...(url.username === '' ? {} : { user: decodeURIComponent(url.username) }),
    ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
    options: {
      encrypt: option('encrypt') !== 'false',
      trustServerCertificate: option('trustServerCertificate') === 'true',
      readOnlyIntent: option('applicationIntent')?.toLowerCase() === 'readonly',
      ...(instance === undefined ? {} : { instanceName: instance }),
    },
  };
}
