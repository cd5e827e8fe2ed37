import { Document, isMap, isScalar } from 'yaml';
import type { DatabaseSetting } from '../../config/database-override.ts';
import { settingFor } from './database-setting.ts';

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
