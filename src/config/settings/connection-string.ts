import { isRecord } from '../../base/collections.ts';
import { isSecretName, MASK } from '../../base/text.ts';

/** Keywords of a connection string that stand for settings. 0 means no limit, which is the setting's greatest value. */
const SETTINGS: readonly { setting: string; names: readonly string[]; unlimited?: number }[] = [
  {
    setting: 'connectTimeoutSeconds',
    names: ['connect timeout', 'connection timeout', 'timeout'],
    unlimited: 600,
  },
  { setting: 'statementTimeoutSeconds', names: ['command timeout'], unlimited: 86_400 },
  { setting: 'poolSize', names: ['max pool size'] },
];

/** Adds the settings in a connection string to a file's value, whose own settings win. The engine refuses what is malformed. */
export function withConnectionSettings(value: unknown): unknown {
  if (!isRecord(value) || !isRecord(value['database'])) return value;
  const { database } = value;
  const { engine, url } = database;
  if (engine !== 'sqlserver' || typeof url !== 'string' || !isConnectionString(url)) return value;
  const fields = fieldsOf(url);
  const found = SETTINGS.flatMap(({ setting, names, unlimited }) => {
    const text = names.map((name) => fields.get(name)).findLast((one) => one !== undefined) ?? '';
    if (!/^\d{1,9}$/.test(text)) return [];
    const number = Number(text) > 0 ? Number(text) : unlimited;
    return number === undefined ? [] : [[setting, number] as const];
  });
  return { ...value, database: { ...Object.fromEntries(found), ...database } };
}

/** A field of a connection string: its name, and its value with quotes. */
const FIELD =
  /([^;=]+)=\s*("(?:[^"]|"")*(?:"|$)|'(?:[^']|'')*(?:'|$)|\{(?:[^}]|\}\})*(?:\}|$)|(?:[^;]|;;)*)/g;

/** The longest URL or connection string, in characters; a token in it has some thousand. */
export const LONGEST_CONNECTION = 16_384;

/** Whether a text is a connection string of SQL Server, or begins like one. */
export function isConnectionString(text: string): boolean {
  return text.length <= LONGEST_CONNECTION && /^[\w ]+=/.test(text);
}

/** Quotes a value for its place in a connection string, between the text before it and the text after it. */
export function fieldValue(value: string, before: string, after: string): string {
  const twice = (sign: string): string => value.replaceAll(sign, sign + sign);
  const begun = [...before.matchAll(FIELD)].at(-1)?.[2] ?? '';
  const quote = /^["']/.exec(begun)?.[0];
  const isOpen = quote !== undefined && begun.split(quote).length % 2 === 0;
  if (isOpen) return twice(quote);
  const isWhole = /=\s*$/.test(before) && /^\s*(?:;|$)/.test(after);
  return isWhole ? `"${twice('"')}"` : twice(';');
}

/** Parses the fields of a connection string in their order, and tells whether it holds anything else. */
export function fieldsIn(text: string): {
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  readonly rest: boolean;
} {
  return {
    fields: [...text.matchAll(FIELD)].map(([, name = '', value = '']) => ({
      name: name.trim(),
      value: withoutQuotes(value),
    })),
    rest: /[^;\s]/.test(text.replace(FIELD, '')),
  };
}

/** Returns the fields of a connection string by their names in lower case, without quotes; the last of a name counts. */
export function fieldsOf(text: string): ReadonlyMap<string, string> {
  return new Map(fieldsIn(text).fields.map(({ name, value }) => [name.toLowerCase(), value]));
}

function withoutQuotes(value: string): string {
  const sign = { '"': '"', "'": "'", '{': '}' }[value.charAt(0)];
  return sign === undefined
    ? value.trim().replaceAll(';;', ';')
    : value.slice(1, -1).replaceAll(sign + sign, sign);
}

/** Whether a text is a URL, which may hold a login, or assigns a value to the name of a secret: `Server=h;Pwd=…`. */
export function mayHoldSecret(text: string): boolean {
  const names = text.split('=').slice(0, -1);
  return text.includes('://') || names.some((name) => isSecretName(name.split(';').at(-1) ?? ''));
}

/** Replaces each secret of a database URL or connection string, by its name: `password` for that of a URL's login. */
export function replaceSecrets(text: string, replacement: (name: string) => string): string {
  const replace = (name: string, value: string): string =>
    isSecretName(name) && value.trim() !== '' ? replacement(name) : value;
  if (isConnectionString(text))
    return text.replace(FIELD, (field, name: string, value: string) =>
      field.slice(0, field.length - value.length).concat(replace(name.trim(), value)),
    );
  const [, head = '', login = '', rest = ''] = /^([a-z]+:\/\/)([^/?#]*@)?(.*)$/is.exec(text) ?? [];
  const [, user = '', password = ''] = /^([^:]*:)(.+)@$/s.exec(login) ?? [];
  const [, place = '', query = ''] = /^([^?]*)(.*)$/s.exec(rest) ?? [];
  return (
    head +
    (password === '' ? login : `${user}${replace('password', password)}@`) +
    place +
    query.replace(
      /([?&])([^=&]+)=([^&#]*)/g,
      (_, sign: string, name: string, value: string) => `${sign}${name}=${replace(name, value)}`,
    )
  );
}

/** Masks the secrets of a database URL or connection string: `postgres://gateway:***@host/erp`. */
export function redacted(connection: string): string {
  return replaceSecrets(connection, () => MASK);
}

/** A well-formed URL up to its query, in which an `@` may stand as it is. */
const BEFORE_QUERY = /^[a-z]+:\/\/(?:[^/?#@]*@)?[^/?#@]*\/[^?#@]+(?=\?)/i;

/** Says which characters of a URL's user and password have to be percent-encoded; null where none has. The message shows no more of them. */
export function loginProblem(url: string): string | null {
  const text = BEFORE_QUERY.exec(url)?.[0] ?? url;
  const login = /^[a-z]+:\/\/(.*)@/is.exec(text)?.[1] ?? '';
  const signs = new Set(login.match(/[@/?#]|%(?![\da-f]{2})/gi));
  if (signs.size === 0) return null;
  const encoded = [...signs].map((sign) => `${sign} as ${encodeURIComponent(sign)}`);
  return `user and password of a URL have to be percent-encoded: write ${encoded.join(', ')}`;
}
