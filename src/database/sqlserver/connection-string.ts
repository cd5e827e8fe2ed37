import sql from 'mssql';
import { fieldsIn, fieldsOf } from '../../config/settings/connection-string.ts';
import { nameHint } from '../../base/names.ts';
import { isSecretName } from '../../base/secret-names.ts';

type Check = 'text' | 'boolean' | 'seconds' | 'count' | RegExp;

const ENCRYPT = /^(?:true|false|yes|no|mandatory|optional|strict)$/i;
const INTEGRATED = /^(?:true|false|yes|no|sspi)$/i;
const INTENT = /^read(?:only|write)$/i;
const AUTHENTICATION =
  /^(?:sql ?password|active ?directory ?(?:default|workload ?identity|msi|managed ?identity|service ?principal|password|interactive|device ?code ?flow))$/i;

/** The keywords that the gateway uses, by their names in ADO.NET and ODBC, with the check of their values. */
const TAKEN: readonly (readonly [names: readonly string[], check: Check])[] = [
  [['Server', 'Data Source', 'Addr', 'Address', 'Network Address'], 'text'],
  [['Database', 'Initial Catalog'], 'text'],
  [['User Id', 'Uid', 'User'], 'text'],
  [['Password', 'Pwd'], 'text'],
  [['Encrypt'], ENCRYPT],
  [['TrustServerCertificate', 'Trust Server Certificate'], 'boolean'],
  [['HostNameInCertificate', 'Host Name In Certificate'], 'text'],
  [['ApplicationIntent', 'Application Intent'], INTENT],
  [['Authentication'], AUTHENTICATION],
  [['Integrated Security', 'Trusted_Connection'], INTEGRATED],
  [['Client Id', 'Client Secret', 'Tenant Id', 'Token', 'Msi Endpoint', 'Msi Secret'], 'text'],
  [['Application Name', 'App', 'Workstation Id', 'Wsid', 'Current Language', 'Language'], 'text'],
  [['Packet Size', 'Max Pool Size'], 'count'],
  [['Connect Timeout', 'Connection Timeout', 'Timeout', 'Command Timeout'], 'seconds'],
  [['MultiSubnetFailover', 'Multi Subnet Failover'], 'boolean'],
];

/** Keywords that are ignored. */
const IGNORED: readonly string[] = (
  'Driver, MultipleActiveResultSets, Multiple Active Result Sets, MARS_Connection, Persist Security Info, PersistSecurityInfo, ' +
  'Pooling, Min Pool Size, Connection Lifetime, Load Balance Timeout, Connection Reset, ConnectRetryCount, Connect Retry Count, ' +
  'ConnectRetryInterval, Connect Retry Interval, Enlist, Asynchronous Processing, Async, Failover Partner, PoolBlockingPeriod, ' +
  'Pool Blocking Period, TransparentNetworkIPResolution, Type System Version'
).split(', ');

const CHECKS: ReadonlyMap<string, Check> = new Map([
  ...IGNORED.map((name) => [name.toLowerCase(), 'text'] as const),
  ...TAKEN.flatMap(([names, check]) => names.map((name) => [name.toLowerCase(), check] as const)),
]);

/** Checks all keywords of a connection string, so that none is ignored. @throws TypeError with no part of a secret */
function checkKeywords(text: string): void {
  const { fields, rest } = fieldsIn(text);
  if (rest) {
    const message =
      'a part of the connection string is not a Keyword=value; a value with a ; in it needs quotes: Password="…"';
    throw new TypeError(message);
  }
  for (const [index, { name, value }] of fields.entries()) {
    const check = CHECKS.get(name.toLowerCase());
    if (check === undefined) {
      const before = fields[index - 1]?.name ?? '';
      if (isSecretName(before)) {
        const message = `what follows ${before} is not a keyword; a value with a ; in it needs quotes: ${before}="…"`;
        throw new TypeError(message);
      }
      const known = [...TAKEN.flatMap(([names]) => names), ...IGNORED];
      throw new TypeError(`there is no keyword ${name}.${nameHint(name, known)}`);
    }
    const expected = complaint(check, value);
    if (expected !== null) throw new TypeError(`${name}=${value}: expected ${expected}`);
  }
}

/** Says what a value should have been; null if it is right. */
function complaint(check: Check, value: string): string | null {
  switch (check) {
    case 'text':
      return null;
    case 'boolean':
      return /^(?:true|false|yes|no)$/i.test(value) ? null : 'true or false';
    case 'seconds':
      return /^\d{1,9}$/.test(value) ? null : 'a whole number of seconds';
    case 'count':
      return /^0*[1-9]\d{0,8}$/.test(value) ? null : 'a whole number from 1 on';
    default:
      return check.test(value) ? null : (EXPECTED.get(check) ?? 'another value');
  }
}

const EXPECTED: ReadonlyMap<RegExp, string> = new Map([
  [ENCRYPT, 'true, false, strict, Mandatory or Optional'],
  [INTEGRATED, 'true, false or SSPI'],
  [INTENT, 'ReadOnly or ReadWrite'],
  [
    AUTHENTICATION,
    'Sql Password or Active Directory Default, Managed Identity, Service Principal or Password',
  ],
]);

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
