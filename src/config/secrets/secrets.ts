import { isSecretName, MASK } from '../../base/secret-names.ts';
import { isConnectionString, replaceFields } from '../settings/connection-string.ts';

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
  return replaceSecrets(connection, () => MASK);
}
