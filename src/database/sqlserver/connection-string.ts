import sql from 'mssql';
import { fieldsOf } from '../../config/settings/connection-string.ts';
import { checkKeywords } from './keywords.ts';
import type { SqlServerTarget } from './target.ts';

type Authentication = SqlServerTarget['authentication'];

/**
 * Reads a connection string as ADO.NET and ODBC write it. The driver's own reader does most of it; what it reads
 * otherwise than they do, or passes over in silence, is read here.
 * @throws TypeError when it is none, or asks for what cannot be had
 */
export function readConnectionString(text: string): SqlServerTarget {
  if (fieldsOf(text).size > 0) checkKeywords(text);
  const parsed = sql.ConnectionPool.parseConnectionString(text) as SqlServerTarget;
  if (!parsed.server) throw new TypeError('neither a URL (mssql://…) nor a connection string');
  const fields = fieldsOf(text);
  const field = (...names: readonly string[]): string | undefined =>
    names.map((name) => fields.get(name)).findLast((value) => value !== undefined);
  const integrated = field('integrated security', 'trusted_connection');
  if (integrated !== undefined && /^(?:sspi|true|yes)$/i.test(integrated)) {
    throw new TypeError(
      'Integrated Security is the login of a Windows process, which the gateway does not take over: ' +
        'write User Id=DOMAIN\\user and Password in its place',
    );
  }
  const trust = field('trustservercertificate', 'trust server certificate');
  const applicationName = field('application name', 'app');
  const certificateHost = field('hostnameincertificate', 'host name in certificate');
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
      ...(applicationName === undefined ? {} : { appName: applicationName }),
      ...(trust === undefined ? {} : { trustServerCertificate: /^(?:true|yes)$/i.test(trust) }),
      readOnlyIntent: /^readonly$/i.test(field('applicationintent', 'application intent') ?? ''),
      ...(certificateHost === undefined ? {} : { serverName: certificateHost }),
      // A port leaves nothing to ask the server's browser for.
      ...(instanceName === undefined || hasPort ? {} : { instanceName }),
    },
  };
}

/** What the driver does not know of ADO.NET's `Authentication`; null where it does, or where it is not said. */
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
