import sql from 'mssql';

/** What of a connection's settings the URL or the connection string says. */
export type SqlServerTarget = Pick<
  sql.config,
  'server' | 'port' | 'database' | 'user' | 'password' | 'options'
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
