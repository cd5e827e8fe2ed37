import { wordsOf } from './words.ts';

/** A word of a name that says that what bears the name is nobody's business. */
const SECRET_WORD = /^(?:.*password|passwd|passphrase|pwd|pw|secret|.*token)$/i;

/** Longer names are none, and take long to be taken apart. */
const LONGEST = 256;

/** What stands in the place of a secret. */
export const MASK = '***';

/**
 * Whether a setting, a field of a connection string, a parameter of a URL or a column is a secret by its name, also where that is
 * percent-encoded: `clientSecret`, `Pwd`, `sslpassword`, `USR_PASSWD`.
 */
export function isSecretName(name: string): boolean {
  if (name.length > LONGEST) return false;
  return wordsOf(unescaped(name)).some((word) => SECRET_WORD.test(word));
}

/** A name without the escapes of URLs; as it came where they are none. */
export function unescaped(name: string): string {
  try {
    return decodeURIComponent(name.replaceAll('+', ' '));
  } catch {
    return name;
  }
}

/** The login of a URL that is a part of a text, or of another URL, where it is escaped. */
const LOGIN = /((?::|%3a)(?:\/|%2f){2})[^/?#@&\s]{0,300}(@|%40)/gi;

/** A URL or a text with a mask in the place of the logins of URLs in it. */
export function withoutLogins(text: string): string {
  // Nearly none has one, and it takes no time to see that.
  if (!text.includes('@') && !text.includes('%40')) return text;
  return text.replace(LOGIN, `$1${MASK}$2`);
}

/** What has a name and a value in a text: `Password=…`, quoted or not. */
const NAMED =
  /(?<![\w%-])([\w%-]{1,256})(\s{0,9}=\s{0,9})("[^"]{0,9999}"?|'[^']{0,9999}'?|[^\s;&"',]{1,9999})/g;

/** A text of any kind, such as what was typed in the wrong place, with masks in the place of what may be secret. */
export function withoutSecrets(text: string): string {
  return withoutLogins(text).replace(NAMED, (found, name: string, sign: string) =>
    isSecretName(name) ? `${name}${sign}${MASK}` : found,
  );
}
