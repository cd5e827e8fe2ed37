import { wordsOf } from '../base/words.ts';
import { isSecretName } from '../config/secrets.ts';
import type { Column, Table } from '../schema/types.ts';

/** What a name is withheld for wherever it holds one of these, blanks and underscores aside: `PasswordHash`, `NationalIDNumber`. */
const SECRET_ANYWHERE = new RegExp(
  'password|passwort|passphrase|passcode|kennwort|cardn(?:o|r|um|ber)|ccnum|nationalid|' +
    'socialsecurity|passportn|licen[cs]en|apikey|privatekey|secretkey|encryptionkey|securityanswer|' +
    'credential|bankaccount',
);

/** What one word of a name is withheld for; shorter than the others, so that what two words make together does not count. */
const SECRET_WORD =
  /pwd|passwd|secret(?!ar)|tokens?$|^token|salt$|^salt|^ssn|ssn$|^iban|iban$|^(?:pw|pin|cvv2?|cvc2?|otp|totp|pan)$/;

/** What is about people or their money, or opens something, and may be meant for clients or not. */
const PERSONAL =
  /hash|birth|dob$|gender|sex$|marital|religio|ethnic|nationality|disab|health|diagnos|medical|salar|wage|payrate|phone|mobile|fax|mail|address|street|login|account|creditcard|taxid|vat(?:no|number|id)|passport|licen[cs]e|signature|fingerprint|latitude|longitude|securityq/;

/** Whether a column is to be there for the gateway and kept from clients: its own name, or that of its table, says so. */
export function isWithheld(column: Column, table: Table): boolean {
  if (soundsSecret(column.name)) return true;
  const holdsText = column.type.kind === 'text' || column.type.kind === 'binary';
  return holdsText && !isReference(column, table) && soundsSecret(table.name);
}

/** Whether somebody should look at a column before clients do. */
export function isPersonal(column: Column, table: Table): boolean {
  return PERSONAL.test(joined(column.name)) && !isReference(column, table);
}

/** Whether a column takes part in the key or in a foreign key. */
function isReference({ name }: Column, { primaryKey, foreignKeys }: Table): boolean {
  return primaryKey.includes(name) || foreignKeys.some(({ columns }) => columns.includes(name));
}

function soundsSecret(name: string): boolean {
  return (
    isSecretName(name) ||
    SECRET_ANYWHERE.test(joined(name)) ||
    [...wordsOf(name), ...wordsOf(name, false)].some((word) => SECRET_WORD.test(word.toLowerCase()))
  );
}

/** A name without what parts its words: `national_id_number` is looked at as `nationalidnumber`. */
function joined(name: string): string {
  return wordsOf(name).join('').toLowerCase();
}
