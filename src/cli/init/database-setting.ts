import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { StartupError } from '../../base/errors.ts';
import { isConnectionString } from '../../config/settings/connection-string.ts';
import { engineOf, type DatabaseSetting } from '../../config/database-override.ts';
import { displayPath } from '../../config/document/display-path.ts';
import { replaceSecrets } from '../../config/secrets/secrets.ts';

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
