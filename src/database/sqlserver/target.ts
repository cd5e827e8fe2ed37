import type sql from 'mssql';

/** What of a connection's settings a URL, a connection string or fields of the configuration say. */
export type SqlServerTarget = Pick<
  sql.config,
  'server' | 'port' | 'database' | 'user' | 'password' | 'authentication' | 'options'
>;
