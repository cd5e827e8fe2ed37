import { wordsOf } from '../base/words.ts';
import { isConnectionString, replaceFields } from './connection-string.ts';

/** A word of a name that says that what bears the name is nobody's business. */
const SECRET_WORD = /^(?:.*password|passwd|passphrase|pwd|pw|secret|.*token)$/i;

/**
 * Whether a setting, a field of a connection string, a parameter of a URL or a column is a secret by its name:
 * `clientSecret`, `Pwd`, `sslpassword`, `USR_PASSWD`.
 */
export function isSecretName(name: string): boolean {
  return wordsOf(name).some((word) => SECRET_WORD.test(word));
}

/** Whether a text is a URL, which may hold a login, or gives something with a secret's name a value: `Server=h;Pwd=…`. */
export function mayHoldSecret(text: string): boolean {
  const names = text.split('=').slice(0, -1);
  return text.includes('://') || names.some((name) => isSecretName(name.split(';').at(-1) ?? ''));
}

/**
 * A database URL or connection string with something else in the place of each secret; it is itself where it has none.
 * @param replacement is given the name under which the secret stands: `password` for that of a URL's login
 */
export function replaceSecrets(text: string, replacement: (name: string) => string): string {
  const replace = (name: string, value: string): string =>
    isSecretName(name) && value.trim() !== '' ? replacement(name) : value;
  if (isConnectionString(text)) return replaceFields(text, replace);
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

/** A database URL or connection string as messages show it: `postgres://gateway:***@host/erp`. */
export function redacted(connection: string): string {
  return replaceSecrets(connection, () => '***');
}
