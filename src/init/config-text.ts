import { Document, isScalar } from 'yaml';
import type { DatabaseSetting } from '../config/database-override.ts';
import { settingFor } from './database-setting.ts';

/** A new `config.yaml`, and the environment variables that it takes secrets from. */
export interface NewConfig {
  readonly text: string;
  readonly variables: readonly string[];
}

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
