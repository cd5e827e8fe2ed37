import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { Document, isMap, isScalar, parse } from 'yaml';
import { type DatabaseSetting, engineOf } from '../../config/load.ts';
import { StartupError } from '../../base/errors.ts';
import {
  fieldsOf,
  fieldValue,
  isConnectionString,
  loginProblem,
  replaceSecrets,
} from '../../config/settings/connection-string.ts';
import { displayPath } from '../../config/document/text-file.ts';
import { YAML_STYLE } from '../../config/document/yaml.ts';

/** The settings of TLS, as a comment after the port. */
const TLS = `tls:
  certificate: tls/fullchain.pem
  key: tls/privkey.pem`;

/** The environment variable with the gateway's secret at an identity provider. */
const CLIENT_SECRET = 'ENTITYGATE_CLIENT_SECRET';

const ROLES = `roles:
  reader:
    dataclasses:
      # All dataclasses that are not named.
      '*': { read: true }
  editor:
    dataclasses:
      '*': { read: true, create: true, update: true, delete: true }`;

/** The settings of access, as a comment. Lines without a leading blank become settings when their `#` is removed and a few values are filled in. */
const ACCESS = ` Without authentication, the gateway listens on this machine only. To let other machines in, remove the # from the
 settings below (of apiKeys, jwt and oidc, keep what you use) and from tls, unless a proxy has the certificate. Then set
 server.host; 0.0.0.0 means all addresses. docs/how-to/security.md explains more.

authentication:
  apiKeys:
    - name: reporting
      # A placeholder: "entitygate key reporting --role reader" prints a key and its hash.
      hash: sha256:${'0'.repeat(64)}
      roles: [reader]
  jwt:
    jwks: https://login.example.com/.well-known/jwks.json
    issuer: https://login.example.com/
    audience: entitygate
  # People sign in at the explorer: docs/how-to/sign-in.md.
  oidc:
    issuer: https://login.example.com/
    clientId: entitygate
    clientSecret: \${ENV:${CLIENT_SECRET}}
${ROLES}`;

/** The same where people sign in, which the settings say already. */
const MORE_ACCESS = ` People sign in at the explorer. The claim "roles" of their ID tokens names their roles; rolesClaim takes another one, and
 docs/how-to/sign-in.md explains more. The gateway listens on this machine only. To let other machines in, remove the #
 from tls, unless a proxy has the certificate, and set server.host; 0.0.0.0 means all addresses.`;

/** An identity provider where people sign in, and the name of the gateway there. */
export interface SignInPlace {
  readonly issuer: string;
  readonly clientId: string;
}

/** Writes a configuration that serves a database; secrets come from environment variables, which are returned, too. */
export function configText(
  setting: DatabaseSetting,
  folder: string,
  signIn: SignInPlace | null = null,
): { readonly text: string; readonly variables: readonly string[] } {
  const { database, variables: ofDatabase } = settingFor(setting, folder);
  const variables = signIn === null ? ofDatabase : [...ofDatabase, CLIENT_SECRET];
  const document = new Document({
    application: applicationName(setting),
    server: { host: '127.0.0.1', port: 8080 },
    database,
    mappings: 'mappings',
    // A database that others depend on must not be changed by accident.
    readOnly: true,
    ...(signIn !== null && {
      authentication: { oidc: { ...signIn, clientSecret: `\${ENV:${CLIENT_SECRET}}` } },
      ...(parse(ROLES) as object),
    }),
  });
  const readOnly = document.get('readOnly', true);
  if (isScalar(readOnly)) readOnly.comment = ' Clients read. Remove this line to let them write.';
  const server = document.get('server', true);
  if (isMap(server)) server.comment = TLS;
  document.comment = signIn === null ? ACCESS : MORE_ACCESS;
  document.commentBefore =
    ' Written by entitygate init; docs/reference/configuration.md explains every setting.';
  if (variables.length > 0) {
    document.commentBefore += `\n Secrets come from the environment: ${variables.join(', ')}.`;
  }
  return { text: document.toString(YAML_STYLE), variables };
}

/** Returns the name of the database, for the catalog. */
function applicationName(setting: DatabaseSetting): string {
  if (setting.engine === 'pglite') {
    return (
      setting.directory.replaceAll('\\', '/').split('/').filter(Boolean).at(-1) ?? 'Entitygate'
    );
  }
  return databaseIn(setting.url) ?? 'Entitygate';
}

/** Returns the name of the database in a URL or a connection string; null where it names none. */
export function databaseIn(url: string): string | null {
  if (isConnectionString(url)) {
    const fields = fieldsOf(url);
    const names = [fields.get('initial catalog'), fields.get('database')];
    return names.find(Boolean) ?? null;
  }
  const name = /^[a-z]+:\/\/[^/?#]*\/([^?#]+)/i.exec(url)?.[1];
  try {
    return name === undefined ? null : decodeURIComponent(name);
  } catch {
    return null;
  }
}

/** Puts the name of a database into a URL or a connection string that names none. */
export function withDatabase(url: string, name: string): string {
  if (isConnectionString(url)) {
    const text = `${url.trimEnd().endsWith(';') ? url : `${url};`}Database=`;
    return text + fieldValue(name, text, '');
  }
  const [server = ''] = /^[a-z]+:\/\/[^/?#]*/i.exec(url) ?? [];
  return `${server}/${encodeURIComponent(name)}${url.slice(server.length).replace(/^\//, '')}`;
}

/** Reads a URL, a SQL Server connection string, or `pglite:` and a folder. @param where the option or the variable it comes from @throws StartupError */
export function databaseSetting(text: string, where: string): DatabaseSetting {
  if (/^pglite:/i.test(text)) {
    const directory = text.slice('pglite:'.length);
    // The embedded engine would make an empty database in a new folder.
    if (!existsSync(directory)) {
      throw StartupError.at(where, `there is no folder ${displayPath(directory)}`);
    }
    return { engine: 'pglite', directory };
  }
  // A login that ends too early hides the database, which would then be asked for.
  const problem = databaseIn(text) === null ? loginProblem(text) : null;
  if (problem !== null) throw StartupError.at(where, problem);
  const engine = isConnectionString(text) || /^[a-z]+:\/\//i.test(text) ? engineOf(text) : null;
  if (engine !== null) return { engine, url: text };
  const message =
    'expected postgres://…, mssql://…, a SQL Server connection string (Server=…;Database=…), or pglite: and a folder';
  throw StartupError.at(where, message);
}

/** Writes a setting for a configuration file in a folder: without secrets, and with a path relative to the folder. */
export function settingFor(
  setting: DatabaseSetting,
  folder: string,
): { readonly database: DatabaseSetting; readonly variables: readonly string[] } {
  if (setting.engine === 'pglite') {
    const path = isAbsolute(setting.directory)
      ? setting.directory
      : relative(resolve(folder), resolve(setting.directory)).replaceAll('\\', '/');
    return { database: { ...setting, directory: path }, variables: [] };
  }
  const variables = new Set<string>();
  const url = replaceSecrets(setting.url, (name) => {
    const variable = variableOf(name);
    variables.add(variable);
    return `\${ENV:${variable}}`;
  });
  return { database: { ...setting, url }, variables: [...variables] };
}

function variableOf(name: string): string {
  const field = /^pwd$/i.test(name) ? 'password' : name;
  return `ENTITYGATE_DATABASE_${field.toUpperCase().replace(/[^A-Z\d]+/g, '_')}`;
}
