import { Document } from 'yaml';
import { settingFor, type DatabaseSetting } from './database-setting.ts';

/** A new `config.yaml`, and whether it leaves a secret to the environment. */
export interface NewConfig {
  readonly text: string;
  readonly withoutSecret: boolean;
}

/** The text of a configuration that serves a database; secrets never stand in it. */
export function configText(setting: DatabaseSetting, folder: string): NewConfig {
  const database = settingFor(setting, folder);
  const withoutSecret = 'url' in setting && 'url' in database && setting.url !== database.url;
  const document = new Document({
    application: applicationName(setting),
    server: { host: '127.0.0.1', port: 8080 },
    database,
    mappings: 'mappings',
  });
  document.commentBefore =
    ' Written by entitygate init; docs/configuration.md explains every setting.';
  if (withoutSecret) {
    document.commentBefore +=
      '\n The URL stands here without its password: ENTITYGATE_DATABASE_URL supplies the whole one.';
  }
  return { text: document.toString({ lineWidth: 0, singleQuote: true }), withoutSecret };
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
