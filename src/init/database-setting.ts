import { existsSync } from 'node:fs';
import { isAbsolute, relative, resolve } from 'node:path';
import { StartupError } from '../base/errors.ts';
import { displayPath } from '../config/display-path.ts';

/** The `database` section of a configuration, as far as the command line says it. */
export type DatabaseSetting =
  | { readonly engine: 'pglite'; readonly directory: string }
  | { readonly engine: 'postgres' | 'sqlserver'; readonly url: string };

/**
 * Reads `--database`: a URL, a SQL Server connection string, or `pglite:` and a folder.
 * @throws StartupError when it is none of them, or there is no such folder
 */
export function databaseSetting(text: string): DatabaseSetting {
  if (/^pglite:/i.test(text)) {
    const directory = text.slice('pglite:'.length);
    // The embedded engine would make an empty database of a folder that is not there.
    if (!existsSync(directory)) {
      throw new StartupError([
        { where: '--database', message: `there is no folder ${displayPath(directory)}` },
      ]);
    }
    return { engine: 'pglite', directory };
  }
  if (/^postgres(?:ql)?:\/\//i.test(text)) return { engine: 'postgres', url: text };
  if (/^(?:mssql|sqlserver):\/\/|^[\w ]+=/i.test(text)) return { engine: 'sqlserver', url: text };
  throw new StartupError([
    {
      where: '--database',
      message:
        'expected postgres://…, mssql://…, a SQL Server connection string (Server=…;Database=…), ' +
        'or pglite: and a folder',
    },
  ]);
}

/** The setting as a configuration file in another folder says it: without secrets, and with a path that holds from there. */
export function settingFor(setting: DatabaseSetting, folder: string): DatabaseSetting {
  if (setting.engine !== 'pglite') return { ...setting, url: withoutSecret(setting.url) };
  if (isAbsolute(setting.directory)) return setting;
  const path = relative(resolve(folder), resolve(setting.directory));
  return { ...setting, directory: path.replaceAll('\\', '/') };
}

/** Names of URL parameters and connection string fields that carry secrets. */
const SECRET = /^(?:password|pwd|sslpassword|client[ _-]?secret|.*token)$/i;

/** A database URL or connection string without passwords; it is itself where it has none. */
export function withoutSecret(text: string): string {
  if (!/^[a-z]+:\/\//i.test(text)) {
    // Values may be quoted, and quoted ones may hold semicolons.
    const fields = text.match(/[^;=]+=\s*(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|\{[^}]*\}|[^;]*)/g) ?? [];
    const open = fields.filter((field) => !SECRET.test((field.split('=', 1)[0] ?? '').trim()));
    return open.length === fields.length ? text : open.map((field) => field.trim()).join(';');
  }
  const [, head = '', login = '', rest = ''] =
    /^([a-z]+:\/\/)(?:([^/?#]*)@)?(.*)$/is.exec(text) ?? [];
  const user = login.split(':', 1)[0] ?? '';
  const [place = '', query] = rest.split('?', 2);
  const parameters = (query ?? '')
    .split('&')
    .filter((parameter) => parameter !== '' && !SECRET.test(parameter.split('=', 1)[0] ?? ''));
  return (
    `${head}${user === '' ? '' : `${user}@`}${place}` +
    (parameters.length === 0 ? '' : `?${parameters.join('&')}`)
  );
}
