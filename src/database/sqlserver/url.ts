import type sql from 'mssql';
import { loginProblem } from '../../config/settings/connection-string.ts';
import { nameHint } from '../../base/names.ts';
import type { SqlServerConfig } from '../../config/config.ts';
import { defined, readConnectionString, type SqlServerTarget } from './connection-string.ts';

/** The settings of the connection, from a URL or connection string, and from the configuration's fields, which go first. @throws TypeError */
export function connectionTarget(config: SqlServerConfig): SqlServerTarget {
  const base: SqlServerTarget =
    config.url === undefined ? { server: '' } : sqlServerTarget(config.url);
  const { host, port, instance, database, authentication } = config;
  const { encrypt, trustServerCertificate, hostNameInCertificate, readOnlyIntent } = config;
  const user = config.user ?? base.user;
  const password = config.password ?? base.password;
  // With a port, the server's browser is not asked.
  const { instanceName, ...options } = base.options ?? {};
  const named = port === undefined ? (instance ?? instanceName) : undefined;
  return {
    ...base,
    ...defined({ server: host, port, database, user, password }),
    ...(authentication === undefined ? {} : authenticated(authentication, user, password)),
    options: {
      ...options,
      ...defined({
        encrypt,
        trustServerCertificate,
        serverName: hostNameInCertificate,
        readOnlyIntent,
        instanceName: named,
      }),
    },
  };
}

/** SQL Server listens at it unless it is set up otherwise. */
const PORT = 1433;

/** Names a server and its database for messages: `SQL Server at db.example.com:1433/erp`. */
export function targetName({ server, port = PORT, database, options }: SqlServerTarget): string {
  const host = server.includes(':') ? `[${server}]` : server;
  const instance = options?.instanceName;
  const address = instance === undefined ? `${host}:${port}` : `${host}\\${instance}`;
  return `SQL Server at ${address}${database === undefined ? '' : `/${database}`}`;
}

/** https://tediousjs.github.io/tedious/api-connection.html: authentication */
function authenticated(
  { type, ...options }: NonNullable<SqlServerConfig['authentication']>,
  userName: string | undefined,
  password: string | undefined,
): Pick<sql.config, 'authentication'> {
  const login = ['default', 'ntlm', 'azure-active-directory-password'].includes(type);
  return {
    authentication: { type, options: { ...options, ...(login ? { userName, password } : {}) } },
  } as Pick<sql.config, 'authentication'>;
}

/** The parameters of a URL. */
const PARAMETERS = [
  'encrypt',
  'trustServerCertificate',
  'hostNameInCertificate',
  'instanceName',
  'applicationIntent',
];

/**
 * Reads `mssql://user:password@host:1433/database?encrypt=true&trustServerCertificate=false`, or a connection string (`Server=host,1433;Database=…`).
 * Connections are encrypted, and certificates checked, unless it says otherwise. @throws TypeError when it is neither
 */
export function sqlServerTarget(text: string): SqlServerTarget {
  if (!/^(?:mssql|sqlserver):\/\//i.test(text)) return readConnectionString(text);
  const { host, port, user, password, database, parameters } = partsOf(text);
  const encrypt = parameters.get('encrypt') ?? 'true';
  return {
    server: host,
    ...defined({ port: port === undefined ? port : Number(port), database, user, password }),
    options: {
      encrypt: (/^strict$/i.test(encrypt) ? 'strict' : isTrue('encrypt', encrypt)) as boolean,
      trustServerCertificate: isTrue(
        'trustServerCertificate',
        parameters.get('trustservercertificate') ?? 'false',
      ),
      readOnlyIntent: /^readonly$/i.test(parameters.get('applicationintent') ?? ''),
      ...defined({
        serverName: parameters.get('hostnameincertificate'),
        instanceName: port === undefined ? parameters.get('instancename') : undefined,
      }),
    },
  };
}

interface UrlParts extends Partial<Record<'port' | 'user' | 'password' | 'database', string>> {
  readonly host: string;
  /** By name in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Parses a URL. No message repeats a part that may be one of the password. */
function partsOf(text: string): UrlParts {
  let parts: UrlParts;
  try {
    const url = new URL(text);
    // They may be the rest of a password that ends the authority too early.
    if (url.hash !== '' || (url.pathname + url.search).includes('@')) throw new TypeError();
    const given = (text: string): string | undefined =>
      text === '' ? undefined : decodeURIComponent(text);
    parts = {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      ...defined({
        port: given(url.port),
        user: given(url.username),
        password: given(url.password),
        database: given(url.pathname.replace(/^\//, '')),
      }),
      parameters: new Map(
        [...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]),
      ),
    };
  } catch {
    throw new TypeError(
      loginProblem(text) ??
        'is not a SQL Server URL: expected mssql://user:password@host:1433/database, with % / ? # [ ] @ and : in the ' +
          'password written as %25 %2F %3F %23 %5B %5D %40 and %3A, and a named instance as ?instanceName=NAME',
    );
  }
  const known = PARAMETERS.map((name) => name.toLowerCase());
  const unknown = [...parts.parameters.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return parts;
  throw new TypeError(`there is no parameter ${unknown}.${nameHint(unknown, PARAMETERS)}`);
}

function isTrue(name: string, value: string): boolean {
  if (/^(?:true|yes|1)$/i.test(value)) return true;
  if (/^(?:false|no|0)$/i.test(value)) return false;
  throw new TypeError(`${name}=${value}: expected true or false`);
}
