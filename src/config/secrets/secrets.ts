import { isSecretName, MASK } from '../../base/secret-names.ts';
import { isConnectionString, replaceFields } from '../settings/connection-string.ts';

/** Whether a text is a URL, which may hold a login, or assigns a value to the name of a secret: `Server=h;Pwd=…`. */
export function mayHoldSecret(text: string): boolean {
  const names = text.split('=').slice(0, -1);
  return text.includes('://') || names.some((name) => isSecretName(name.split(';').at(-1) ?? ''));
}

/** Replaces each secret of a database URL or connection string, by its name: `password` for that of a URL's login. */
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

/** Masks the secrets of a database URL or connection string: `postgres://gateway:***@host/erp`. */
export function redacted(connection: string): string {
  return replaceSecrets(connection, () => MASK);
}
