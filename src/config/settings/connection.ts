import { fieldsOf, isConnectionString } from './connection-string.ts';

/** Keywords of a connection string that say what settings say, too; 0 is no limit, which is the setting's greatest value. */
const SETTINGS: readonly { setting: string; names: readonly string[]; unlimited?: number }[] = [
  {
    setting: 'connectTimeoutSeconds',
    names: ['connect timeout', 'connection timeout', 'timeout'],
    unlimited: 600,
  },
  { setting: 'statementTimeoutSeconds', names: ['command timeout'], unlimited: 86_400 },
  { setting: 'poolSize', names: ['max pool size'] },
];

/**
 * A file's value with the settings that its connection string makes, where the file itself does not make them. What cannot be
 * read is left to the engine, which says so of the whole string.
 */
export function withConnectionSettings(value: unknown): unknown {
  const database = (value as { database?: unknown } | null | undefined)?.database;
  if (typeof database !== 'object' || database === null) return value;
  const { engine, url } = database as { engine?: unknown; url?: unknown };
  if (engine !== 'sqlserver' || typeof url !== 'string' || !isConnectionString(url)) return value;
  const fields = fieldsOf(url);
  const found = SETTINGS.flatMap(({ setting, names, unlimited }) => {
    const text = names.map((name) => fields.get(name)).findLast((one) => one !== undefined) ?? '';
    if (!/^\d{1,9}$/.test(text)) return [];
    const number = Number(text);
    if (number > 0) return [[setting, number] as const];
    return unlimited === undefined ? [] : [[setting, unlimited] as const];
  });
  return { ...(value as object), database: { ...Object.fromEntries(found), ...database } };
}
