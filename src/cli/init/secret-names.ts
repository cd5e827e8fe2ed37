/**
 * The words by which names sound like secrets, or like what somebody should look at. A name is looked at as its words between
 * underscores, `_ssh_key_`, or written together, `sshkey`, both in small letters.
 */

/** Secrets wherever a name, its words together, holds one: `PasswordHash`, `NationalIDNumber`. */
export const SECRET_ANYWHERE = new RegExp(
  'password|passwort|passwrd|passphrase|passcode|kennwort|contrasena|motdepasse|wachtwoord|losenord|jelszo|salasana|' +
    'пароль|密码|密碼|パスワード|비밀번호|pswd|psswd|cardn(?:o|r|um|br)|ccnum|nationalid|socialsecurity|passportn|' +
    'licen[cs]en|apikey|privatekey|secretkey|encryptionkey|securityanswer|credential|bankac(?:count|ct)|bankkonto',
);

/** How names of numbers go on: `ccno`, `pin_number`. */
const NUMBER = '(?:no|nr|num|nbr|number)';

/** Secrets as words: shorter than the others, so that what two words make together does not count. */
export const SECRET_WORDS: readonly RegExp[] = [
  /pwd|passwd|secret(?!ar)/,
  // Neither tokenizers nor how many tokens there are.
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

/** What opens something where it is text or bytes, and what tables are called that hold it. */
export const OPENERS: readonly RegExp[] = [
  new RegExp(`_(?:${KEYS})_?keys?_|_(?:${CODES})_?codes?_`),
  /_key_?hash(?:es)?_|_(?:mfa|2fa|tfa|hotp)/,
];

const OWNERS =
  'user|usr|login|log|db|admin|adm|root|smtp|mail|email|ftp|sftp|http|proxy|account|acct|web|app|wifi|client|member|' +
  'old|new|enc|encrypted|hashed|my';

/** Secrets where columns of such a name hold text or bytes; numbers and flags of that name tell little. */
export const SECRET_TEXT: readonly RegExp[] = [
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

/** Sessions of a website, by the name of a column or of its table and itself: not the sessions of a conference. */
export const SESSION = /_sessions?_?(?:id|sid|key|data|sess|payload|value)_$/;

/** What is about people or their money, or opens something, and may be meant for clients or not. */
export const PERSONAL = new RegExp(
  'hash|birth|dob$|gender|sex$|marital|religio|ethnic|nationality|disab|health|diagnos|medical|salar|wage|payrate|' +
    'phone|mobile|fax|mail|address|street|login|account|acct|konto|creditcard|taxid|steuer(?:n|id)|vat(?:no|number|id)|' +
    'passport|licen[cs]e|signature|fingerprint|latitude|longitude|securityq|pincode|sortcode|bankcode|sessionid',
);

/** The same as words: `cubic` is no bank. */
export const PERSONAL_WORDS = /_(?:bic|swift|blz|routing|ein|clave|cookies?|bearer|dsn)_/;
