import { wordsOf } from './words.ts';

/** A word that makes a name that of a secret. */
const SECRET_WORD = /^(?:.*password|passwd|passphrase|pwd|pw|secret|.*token)$/i;

/** Longer texts are not names, and take long to split. */
const LONGEST = 256;

export const MASK = '***';

/** Whether the name of a setting, parameter or column is that of a secret, also percent-encoded: `clientSecret`, `Pwd`, `sslpassword`, `USR_PASSWD`. */
export function isSecretName(name: string): boolean {
  if (name.length > LONGEST) return false;
  return wordsOf(unescaped(name)).some((word) => SECRET_WORD.test(word));
}

/** Decodes the escapes of URLs; returns a name with broken escapes as it is. */
export function unescaped(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

/** The login of a URL within a text, or within another URL, where it is escaped. */
const LOGIN = /((?::|%3a)(?:\/|%2f){2})[^/?#@&\s]{0,300}(@|%40)/gi;

/** Masks the logins of URLs in a text. */
export function withoutLogins(text: string): string {
  // Nearly all texts have none.
  if (!text.includes('@') && !text.includes('%40')) return text;
  return text.replace(LOGIN, `$1${MASK}$2`);
}

/** A name with a value in a text: `Password=…`, quoted or not. */
const NAMED =
  /(?<![\w%-])([\w%-]{1,256})(\s{0,9}=\s{0,9})("[^"]{0,9999}"?|'[^']{0,9999}'?|[^\s;&"',]{1,9999})/g;

/** Masks whatever may be secret in a text of any kind. */
export function withoutSecrets(text: string): string {
  return withoutLogins(text).replace(NAMED, (found, name: string, sign: string) =>
    isSecretName(name) ? `${name}${sign}${MASK}` : found,
  );
}
