import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { Document, isMap, isScalar } from 'yaml';
import { type DatabaseSetting, engineOf } from '../../config/database-override.ts';
import { StartupError } from '../../base/errors.ts';
import { isConnectionString } from '../../config/settings/connection-string.ts';
import { displayPath } from '../../config/document/text-file.ts';
import { replaceSecrets } from '../../config/secrets/secrets.ts';

/** A new `config.yaml`, and the environment variables that it takes secrets from. */
export interface NewConfig {
  readonly text: string;
  readonly variables: readonly string[];
}

/** What TLS needs, behind the port. */
const TLS = `tls:
  certificate: tls/fullchain.pem
  key: tls/privkey.pem`;

/**
 * Who may ask, and what they may do: complete, but for what only the user knows. Lines without a blank before them come to be settings when their
 * `#` is removed.
 */
const ACCESS = ` The gateway listens on this machine alone as long as nobody has to say who they are. Before other machines reach it,
 remove the # from the settings below that begin with one (and from tls, unless a proxy before it does that), keep of
 apiKeys and jwt what you use, and then set server.host: 0.0.0.0 stands for all addresses. docs/security.md explains it all.

authentication:
  apiKeys:
    - name: reporting
      # The hash that "entitygate key reporting --role reader" prints with the key; this one is nobody's.
      hash: sha256:${'0'.repeat(64)}
      roles: [reader]
  jwt:
    jwks: https://login.example.com/.well-known/jwks.json
    issuer: https://login.example.com/
    audience: entitygate
roles:
  reader:
    dataclasses:
      # All that are not named.
      '*': { read: true }
  editor:
    dataclasses:
      '*': { read: true, create: true, update: true, delete: true }`;

/** The text of a configuration that serves a database; secrets never stand in it. */
export function configText(setting: DatabaseSetting, folder: string): NewConfig {
  const { database, variables } = settingFor(setting, folder);
  const document = new Document({
    application: applicationName(setting),
    server: { host: '127.0.0.1', port: 8080 },
    database,
    mappings: 'mappings',
    // A database that others depend on is not to be changed by accident.
    readOnly: true,
  });
  const readOnly = document.get('readOnly', true);
  if (isScalar(readOnly)) readOnly.comment = ' Clients read. Remove this line to let them write.';
  const server = document.get('server', true);
  if (isMap(server)) server.comment = TLS;
  document.comment = ACCESS;
  document.commentBefore =
    ' Written by entitygate init; docs/configuration.md explains every setting.';
  if (variables.length > 0) {
    document.commentBefore += `\n Secrets come from the environment: ${variables.join(', ')}.`;
  }
  return { text: document.toString({ lineWidth: 0, singleQuote: true }), variables };
}

/** The database's name, which the catalog answers. */
function applicationName(setting: DatabaseSetting): string {
  if (setting.engine === 'pglite') {
    return (
      setting.directory.replaceAll('\\', '/').split('/').filter(Boolean).at(-1) ?? 'Entitygate'
    );
  }
  const name =
    /^[a-z]+:\/\/[^/]*\/([^/?#]+)/i.exec(setting.url)?.[1] ??
    /(?:^|;)\s*(?:database|initial catalog)\s*=\s*([^;]+)/i.exec(setting.url)?.[1];
  try {
    return decodeURIComponent(name ?? 'Entitygate').trim();
  } catch {
    return 'Entitygate';
  }
}

/**
 * Reads a URL, a SQL Server connection string, or `pglite:` and a folder.
 * @param where `--database`, or the variable that says it
 * @throws StartupError when it is none of them, or there is no such folder
 */
export function databaseSetting(text: string, where: string): DatabaseSetting {
  if (/^pglite:/i.test(text)) {
    const directory = text.slice('pglite:'.length);
    // The embedded engine would make an empty database of a folder that is not there.
    if (!existsSync(directory)) {
      throw new StartupError([{ where, message: `there is no folder ${displayPath(directory)}` }]);
    }
    return { engine: 'pglite', directory };
  }
  const engine = isConnectionString(text) || /^[a-z]+:\/\//i.test(text) ? engineOf(text) : null;
  if (engine !== null) return { engine, url: text };
  throw new StartupError([
    {
      where,
      message:
        'expected postgres://…, mssql://…, a SQL Server connection string (Server=…;Database=…), ' +
        'or pglite: and a folder',
    },
  ]);
}

/** A setting as a configuration file says it, and the environment variables that hold what must not stand there. */
export interface WrittenSetting {
  readonly database: DatabaseSetting;
  readonly variables: readonly string[];
}

/** The setting as a configuration file in another folder says it: without secrets, and with a path that holds from there. */
export function settingFor(setting: DatabaseSetting, folder: string): WrittenSetting {
  if (setting.engine !== 'pglite') {
    const variables = new Set<string>();
    const reference = (name: string): string => {
      const variable = variableOf(name);
      variables.add(variable);
      return `\${ENV:${variable}}`;
    };
    const url = replaceSecrets(setting.url, reference);
    return { database: { ...setting, url }, variables: [...variables] };
  }
  if (isAbsolute(setting.directory)) return { database: setting, variables: [] };
  const path = relative(resolve(folder), resolve(setting.directory));
  return { database: { ...setting, directory: path.replaceAll('\\', '/') }, variables: [] };
}

function variableOf(name: string): string {
  const field = /^pwd$/i.test(name) ? 'password' : name;
  return `ENTITYGATE_DATABASE_${field.toUpperCase().replace(/[^A-Z\d]+/g, '_')}`;
}
