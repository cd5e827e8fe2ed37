import type sql from 'mssql';
import { nameHint } from '../../base/names.ts';
import type { SqlServerConfig } from '../../config/config.ts';
import { readConnectionString, type SqlServerTarget } from './connection-string.ts';

/**
 * What the configuration says of the connection, by URL, connection string or fields. Fields go before what the URL says.
 * @throws TypeError when the URL is none
 */
export function connectionTarget(config: SqlServerConfig): SqlServerTarget {
  const base: SqlServerTarget =
    config.url === undefined ? { server: '' } : sqlServerTarget(config.url);
  const { host, port, instance, database, authentication } = config;
  const { encrypt, trustServerCertificate, hostNameInCertificate, readOnlyIntent } = config;
  const user = config.user ?? base.user;
  const password = config.password ?? base.password;
  const given = <Value>(name: string, value: Value | undefined): Record<string, Value> =>
    value === undefined ? {} : { [name]: value };
  // A port leaves nothing to ask the server's browser for.
  const { instanceName, ...options } = base.options ?? {};
  const named = port === undefined ? (instance ?? instanceName) : undefined;
  return {
    ...base,
    ...given('server', host),
    ...given('port', port),
    ...given('database', database),
    ...given('user', user),
    ...given('password', password),
    ...(authentication === undefined ? {} : authenticated(authentication, user, password)),
    options: {
      ...options,
      ...given('encrypt', encrypt),
      ...given('trustServerCertificate', trustServerCertificate),
      ...given('serverName', hostNameInCertificate),
      ...given('readOnlyIntent', readOnlyIntent),
      ...given('instanceName', named),
    },
  };
}

/** https://tediousjs.github.io/tedious/api-connection.html: authentication */
function authenticated(
  { type, ...options }: NonNullable<SqlServerConfig['authentication']>,
  userName: string | undefined,
  password: string | undefined,
): Pick<sql.config, 'authentication'> {
  const login = ['default', 'ntlm', 'azure-active-directory-password'].includes(type);
  return {
    authentication: {
      type,
      options: { ...options, ...(login ? { userName, password } : {}) },
    },
  } as Pick<sql.config, 'authentication'>;
}

/** What may stand behind the question mark of a URL. */
const PARAMETERS = [
  'encrypt',
  'trustServerCertificate',
  'hostNameInCertificate',
  'instanceName',
  'applicationIntent',
];

/**
 * Reads `mssql://user:password@host:1433/database?encrypt=true&trustServerCertificate=false`, or a connection string
 * (`Server=host,1433;Database=…`). Connections are encrypted, and certificates checked, unless it says otherwise.
 * @throws TypeError when it is neither
 */
export function sqlServerTarget(text: string): SqlServerTarget {
  if (!/^(?:mssql|sqlserver):\/\//i.test(text)) return readConnectionString(text);
  const { host, port, user, password, database, parameters } = partsOf(text);
  const encrypt = parameters.get('encrypt') ?? 'true';
  const instance = parameters.get('instancename');
  const certificateHost = parameters.get('hostnameincertificate');
  return {
    server: host,
    ...(port === '' ? {} : { port: Number(port) }),
    ...(database === '' ? {} : { database }),
    ...(user === '' ? {} : { user }),
    ...(password === '' ? {} : { password }),
    options: {
      encrypt: (/^strict$/i.test(encrypt) ? 'strict' : isTrue('encrypt', encrypt)) as boolean,
      trustServerCertificate: isTrue(
        'trustServerCertificate',
        parameters.get('trustservercertificate') ?? 'false',
      ),
      readOnlyIntent: /^readonly$/i.test(parameters.get('applicationintent') ?? ''),
      ...(certificateHost === undefined ? {} : { serverName: certificateHost }),
      ...(instance === undefined || port !== '' ? {} : { instanceName: instance }),
    },
  };
}

interface UrlParts {
  readonly host: string;
  readonly port: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  /** By name in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** No message repeats a part of the URL that may be one of the password. */
function partsOf(text: string): UrlParts {
  let parts: UrlParts;
  try {
    const url = new URL(text);
    // What follows an authority that ended too early, within a password, would be one of these.
    if (url.hash !== '' || (url.pathname + url.search).includes('@')) throw new TypeError();
    parts = {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port,
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: decodeURIComponent(url.pathname.replace(/^\//, '')),
      parameters: new Map(
        [...url.searchParams].map(([name, value]) => [name.toLowerCase(), value]),
      ),
    };
  } catch {
    throw new TypeError(
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
