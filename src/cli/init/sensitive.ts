import { wordsOf } from '../../base/words.ts';
import type { Column, ColumnType, Table } from '../../schema/types.ts';

/*
 * Patterns for names that suggest secrets or personal data. They match a name in lower case, as its words between underscores
 * (`_ssh_key_`), or joined (`sshkey`).
 */

/** Secrets anywhere in a joined name: `PasswordHash`, `NationalIDNumber`. */
const SECRET_ANYWHERE = new RegExp(
  'password|passwort|passwrd|passphrase|passcode|kennwort|contrasena|motdepasse|wachtwoord|losenord|jelszo|salasana|' +
    'пароль|密码|密碼|パスワード|비밀번호|pswd|psswd|cardn(?:o|r|um|br)|ccnum|nationalid|socialsecurity|passportn|' +
    'licen[cs]en|apikey|privatekey|secretkey|encryptionkey|securityanswer|credential|bankac(?:count|ct)|bankkonto',
);

/** The end of names of numbers: `ccno`, `pin_number`. */
const NUMBER = '(?:no|nr|num|nbr|number)';

/** Shorter secrets, as words: across two words they would match by chance. */
const SECRET_WORDS: readonly RegExp[] = [
  /pwd|passwd|secret(?!ar)/,
  // Neither tokenizers nor numbers of tokens.
  /tokens?_(?!(?:count|cnt|limit|type|usage|used)_)|_token(?:id|hash|value)_/,
  /(?<!ba)salt_|_salt(?:s|ed|hash|value|bytes|hex)_/,
  /_ssn|ssn_/,
  new RegExp(`(?<!tal|cal)iban_|_iban(?:code|${NUMBER})_`),
  /_(?:pw|pin|otp|totp|pan|pword|senha|haslo|heslo|jwt|pem|pfx|jks|keystore|truststore|itin)_/,
  /_pw_?(?:hash|salt|enc)_|[a-z]{3}pw_|(?:user|usr)pword_/,
  new RegExp(`_pin(?:${NUMBER}|hash|block)_`),
  new RegExp(`_cv[vc]2?(?:code|value|hash|${NUMBER})?_`),
  new RegExp(`_cc_?${NUMBER}_`),
  new RegExp(`^_(?:[a-z]+_|tax)?tin_?${NUMBER}?_$`),
];

const KEYS =
  'auth|ssh|aes|des|rsa|dsa|pgp|gpg|hmac|tls|ssl|master|priv|private|secret|encryption|crypt|cipher|signing|access|' +
  'session|wallet|recovery|activation|webhook|symmetric|decryption|shared';
const CODES = 'recovery|backup|reset|verification|verify|activation|access|login|auth|unlock';

/** Keys and codes, where they are text or bytes, and tables that hold them. */
const OPENERS: readonly RegExp[] = [
  new RegExp(`_(?:${KEYS})_?keys?_|_(?:${CODES})_?codes?_`),
  /_key_?hash(?:es)?_|_(?:mfa|2fa|tfa|hotp)/,
];

const OWNERS =
  'user|usr|login|log|db|admin|adm|root|smtp|mail|email|ftp|sftp|http|proxy|account|acct|web|app|wifi|client|member|' +
  'old|new|enc|encrypted|hashed|my';

/** Secrets where a column holds text or bytes, not numbers or flags. */
const SECRET_TEXT: readonly RegExp[] = [
  new RegExp(`^_(?:(?:${OWNERS})_?)?pass_?(?:hash|salt|enc|crypt|encrypted|key)?_$`),
  /^_(?:(?:user|usuario)_?)?clave_?(?:(?:de_?)?(?:acceso|usuario))?_$/,
  /_(?:refresh|access|auth|csrf|xsrf)?tok_/,
  /^_(?:(?:auth|api|access)_?)?bearer_$/,
  /^_(?:(?:auth|session|login|http)_?)?cookies?_?(?:value|data|hash)?_$/,
  /_conn(?:ection)?_?str(?:ing)?_/,
  new RegExp(
    `_id_?card_?${NUMBER}?_|_credit_?cards?_$|_passports?_?(?:scan|image|photo|copy|file)?_$`,
  ),
];

/** Sessions of a website (not of a conference), by the names of table and column. */
const SESSION = /_sessions?_?(?:id|sid|key|data|sess|payload|value)_$/;

/** Data about people, their money or their logins, which may be meant for clients. */
const PERSONAL = new RegExp(
  'hash|birth|dob$|gender|sex$|marital|religio|ethnic|nationality|disab|health|diagnos|medical|salar|wage|payrate|' +
    'phone|mobile|fax|mail|address|street|login|account|acct|konto|creditcard|taxid|steuer(?:n|id)|vat(?:no|number|id)|' +
    'passport|licen[cs]e|signature|fingerprint|latitude|longitude|securityq|pincode|sortcode|bankcode|sessionid',
);

/** Such data as words: `cubic` is not a bank. */
const PERSONAL_WORDS = /_(?:bic|swift|blz|routing|ein|clave|cookies?|bearer|dsn)_/;

const TEXTS: readonly ColumnType['kind'][] = ['text', 'binary', 'json', 'uuid', 'opaque'];

/** Whether a column is withheld from clients, by its own name, that of its table, or that of a column it refers to. */
export function isWithheld(column: Column, table: Table): boolean {
  const { kind } = column.type;
  const places = [
    { table: table.name, name: column.name },
    ...table.foreignKeys.flatMap(({ columns, targetTable, targetColumns }) =>
      targetColumns
        .filter((_, index) => columns[index] === column.name)
        .map((target) => ({ table: targetTable, name: target })),
    ),
  ];
  if (places.some(({ name }) => soundsSecret(name))) return true;
  if (!TEXTS.includes(kind)) return false;
  if (places.some(({ name }) => isLike(name, [...OPENERS, ...SECRET_TEXT]))) return true;
  if (kind !== 'text' && kind !== 'binary') return false;
  return (
    places.some((place) => isLike(`${place.table}_${place.name}`, [SESSION])) ||
    (!isReference(column, table) && (soundsSecret(table.name) || isLike(table.name, OPENERS)))
  );
}

/** Whether the user should check a column that clients see. */
export function isPersonal(column: Column, table: Table): boolean {
  const { name } = column;
  const sounds = PERSONAL.test(joined(name)) || isLike(name, [PERSONAL_WORDS]);
  return sounds && !isReference(column, table);
}

function isReference({ name }: Column, { primaryKey, foreignKeys }: Table): boolean {
  return primaryKey.includes(name) || foreignKeys.some(({ columns }) => columns.includes(name));
}

function soundsSecret(name: string): boolean {
  return SECRET_ANYWHERE.test(joined(name)) || isLike(name, SECRET_WORDS);
}

/** Whether a name matches as words between underscores, split at changes of case or not. */
function isLike(name: string, patterns: readonly RegExp[]): boolean {
  return [wordsOf(name), wordsOf(name, false)].some((words) => {
    const parted = `_${words.join('_')}_`.toLowerCase();
    return patterns.some((pattern) => pattern.test(parted));
  });
}

/** Joins the words of a name: `national_id_number` becomes `nationalidnumber`. */
function joined(name: string): string {
  return wordsOf(name).join('').toLowerCase();
}
