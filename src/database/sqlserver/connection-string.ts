import sql from 'mssql';
import { fieldsIn, fieldsOf } from '../../config/settings/connection-string.ts';
import { nameHint } from '../../base/names.ts';
import { isSecretName } from '../../base/text.ts';

/** Keywords by their names in ADO.NET and ODBC, with the form of their values, and what is expected where they have another. */
const KEYWORDS: readonly (readonly [names: string, form?: RegExp, expected?: string])[] = [
  [
    'Server, Data Source, Addr, Address, Network Address, Database, Initial Catalog, User Id, Uid, User, Password, Pwd, ' +
      'HostNameInCertificate, Host Name In Certificate, Client Id, Client Secret, Tenant Id, Token, Msi Endpoint, Msi Secret, ' +
      'Application Name, App, Workstation Id, Wsid, Current Language, Language',
  ],
  [
    'TrustServerCertificate, Trust Server Certificate, MultiSubnetFailover, Multi Subnet Failover',
    /^(?:true|false|yes|no)$/i,
    'true or false',
  ],
  [
    'Encrypt',
    /^(?:true|false|yes|no|mandatory|optional|strict)$/i,
    'true, false, strict, Mandatory or Optional',
  ],
  ['ApplicationIntent, Application Intent', /^read(?:only|write)$/i, 'ReadOnly or ReadWrite'],
  [
    'Authentication',
    /^(?:sql ?password|active ?directory ?(?:default|workload ?identity|msi|managed ?identity|service ?principal|password|interactive|device ?code ?flow))$/i,
    'Sql Password or Active Directory Default, Managed Identity, Service Principal or Password',
  ],
  [
    'Integrated Security, Trusted_Connection',
    /^(?:true|false|yes|no|sspi)$/i,
    'true, false or SSPI',
  ],
  ['Packet Size, Max Pool Size', /^0*[1-9]\d{0,8}$/, 'a whole number from 1 on'],
  [
    'Connect Timeout, Connection Timeout, Timeout, Command Timeout',
    /^\d{1,9}$/,
    'a whole number of seconds',
  ],
  // They are ignored.
  [
    'Driver, MultipleActiveResultSets, Multiple Active Result Sets, MARS_Connection, Persist Security Info, PersistSecurityInfo, ' +
      'Pooling, Min Pool Size, Connection Lifetime, Load Balance Timeout, Connection Reset, ConnectRetryCount, Connect Retry Count, ' +
      'ConnectRetryInterval, Connect Retry Interval, Enlist, Asynchronous Processing, Async, Failover Partner, PoolBlockingPeriod, ' +
      'Pool Blocking Period, TransparentNetworkIPResolution, Type System Version',
  ],
];

/** Checks all keywords of a connection string, so that none is ignored. @throws TypeError with no part of a secret */
function checkKeywords(text: string): void {
  const { fields, rest } = fieldsIn(text);
  if (rest) {
    const message =
      'a part of the connection string is not a Keyword=value; a value with a ; in it needs quotes: Password="…"';
    throw new TypeError(message);
  }
  const forms = new Map(
    KEYWORDS.flatMap(([names, ...form]) => names.split(', ').map((name) => [name, form] as const)),
  );
  const known = [...forms.keys()];
  for (const [index, { name, value }] of fields.entries()) {
    const keyword = known.find((one) => one.toLowerCase() === name.toLowerCase());
    if (keyword === undefined) {
      const before = fields[index - 1]?.name ?? '';
      if (isSecretName(before)) {
        const message = `what follows ${before} is not a keyword; a value with a ; in it needs quotes: ${before}="…"`;
        throw new TypeError(message);
      }
      throw new TypeError(`there is no keyword ${name}.${nameHint(name, known)}`);
    }
    const [form, expected] = forms.get(keyword) ?? [];
    if (form?.test(value) === false) {
      throw new TypeError(`${name}=${value}: expected ${expected}`);
    }
  }
}

type Authentication = SqlServerTarget['authentication'];

/** Reads a connection string of ADO.NET or ODBC, corrected where the driver's own reader misreads it. @throws TypeError if it is none or unsupported */
export function readConnectionString(text: string): SqlServerTarget {
  if (fieldsOf(text).size > 0) checkKeywords(text);
  const parsed = sql.ConnectionPool.parseConnectionString(text) as SqlServerTarget;
  if (!parsed.server) throw new TypeError('neither a URL (mssql://…) nor a connection string');
  const fields = fieldsOf(text);
  const field = (...names: readonly string[]): string | undefined =>
    names.map((name) => fields.get(name)).findLast((value) => value !== undefined);
  const integrated = field('integrated security', 'trusted_connection');
  if (integrated !== undefined && /^(?:sspi|true|yes)$/i.test(integrated)) {
    const message =
      'Integrated Security is the login of a Windows process, which the gateway does not take over: ' +
      'write User Id=DOMAIN\\user and Password in its place';
    throw new TypeError(message);
  }
  const trust = field('trustservercertificate', 'trust server certificate');
  const { instanceName, ...options } = parsed.options ?? {};
  const hasPort = /,\s*\d+\s*$/.test(
    field('addr', 'address', 'network address', 'data source', 'server') ?? '',
  );
  const authentication = readAuthentication(field('authentication'), fields, parsed);
  return {
    ...parsed,
    ...(authentication === null ? {} : { authentication }),
    options: {
      ...options,
      ...(/^strict$/i.test(field('encrypt') ?? '') ? { encrypt: 'strict' as never } : {}),
      ...(/^(?:optional|no|false)$/i.test(field('encrypt') ?? '') ? { encrypt: false } : {}),
      readOnlyIntent: /^readonly$/i.test(field('applicationintent', 'application intent') ?? ''),
      ...defined({
        appName: field('application name', 'app'),
        trustServerCertificate: trust === undefined ? trust : /^(?:true|yes)$/i.test(trust),
        serverName: field('hostnameincertificate', 'host name in certificate'),
        // With a port, the server's browser is not asked.
        instanceName: hasPort ? undefined : instanceName,
      }),
    },
  };
}

/** The methods of ADO.NET's `Authentication` that the driver does not know; null for others. */
function readAuthentication(
  method: string | undefined,
  fields: ReadonlyMap<string, string>,
  { user, password }: SqlServerTarget,
): Authentication | null {
  const clientId = user === undefined ? {} : { clientId: user };
  const name = /^active ?directory ?(.*)$/i.exec(method ?? '')?.[1] ?? '';
  switch (name.replaceAll(' ', '').toLowerCase()) {
    case 'default':
    case 'workloadidentity':
      return { type: 'azure-active-directory-default', options: clientId };
    case 'msi':
    case 'managedidentity':
      return { type: 'azure-active-directory-msi-vm', options: clientId };
    case 'serviceprincipal':
      return {
        type: 'azure-active-directory-service-principal-secret',
        options: { ...clientId, clientSecret: password, tenantId: needed('Tenant Id', fields) },
      } as Authentication;
    case 'password':
      needed('Client Id', fields);
      return null;
    case 'interactive':
    case 'devicecodeflow':
      throw new TypeError(
        `Authentication=${method} needs a person, and the gateway runs without one`,
      );
    default:
      return null;
  }
}

function needed(name: string, fields: ReadonlyMap<string, string>): string {
  const value = fields.get(name.toLowerCase());
  if (value !== undefined) return value;
  throw new TypeError(`this Authentication needs ${name}=… in the connection string`);
}

/** The fields that are not undefined. */
export function defined<Fields extends object>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as ReturnType<typeof defined<Fields>>;
}

/** The settings of a connection that a URL, a connection string or the configuration has. */
export type SqlServerTarget = Pick<
  sql.config,
  'server' | 'port' | 'database' | 'user' | 'password' | 'authentication' | 'options'
>;
