import { expect, test } from 'vitest';
import { isPersonal, isWithheld } from '../../../src/cli/init/sensitive.ts';
import type { Table } from '../../../src/schema/types.ts';
import { table } from './tables.ts';
import { rows } from '../../rows.ts';

/** The columns of a table that are withheld, and those that somebody should look at. */
function sorted(of: Table): { withheld: string[]; look: string[] } {
  const withheld = of.columns.filter((column) => isWithheld(column, of));
  const look = of.columns.filter((column) => !withheld.includes(column) && isPersonal(column, of));
  return { withheld: withheld.map(({ name }) => name), look: look.map(({ name }) => name) };
}

/** What is found of columns by names, each alone in its table, of text unless a type is said. */
function found(columns: string): { withheld: string[]; look: string[] } {
  const each = columns.split(/,\s+/).map((column) => {
    const [name = '', type = 'text'] = column.split(' ');
    return sorted(table('dbo.T', ['ID int', `${name} ${type}`]));
  });
  return {
    withheld: each.flatMap(({ withheld }) => withheld),
    look: each.flatMap(({ look }) => look),
  };
}

test('columns that are withheld by their names', () => {
  const names = `PasswordHash, passwordhash, PASSWORD_SALT, usrpwd, PWD, salt, pw_salt, CardNumber, cardno, SSN, emp_ssn, custssn,
    NationalIDNumber, nationalid, IBAN, supplier_iban, refreshToken, tokens, api_key, clientSecret, PIN, CVV, pass, user_pass, userpass,
    userpw, pword, pswd, psswd, clave, senha, wachtwoord, haslo, hasło, mot_de_passe, contraseña, пароль, 密码, pwhash, key_hash,
    session_id, sessionid, jwt, bearer, cookie, auth_key, SSHKey, ssh_key, aes_key, master_key, privkey, private_pem, pem, keystore, pfx,
    refresh_tok, mfa, mfa_seed, recovery_code, recovery_codes, backup_codes, reset_code, connection_string, card_nbr, cc_no, ccno,
    pinnumber, cvccode, idcard, tin, bank_acct, bankkonto, creditcard, credit_card, passport, token_hash, accessTokens`;
  expect(found(names).withheld).toEqual(names.split(/,\s+/));
});

test('columns that are not withheld', () => {
  const names = `ProcessName, process_name, className, secretary, shipping, basaltic, EMP_WD, CardType, CreditCardID, company, tokenizer,
    token_count, saltwater, basalt, ibandung, passenger, compass, bypass, pass_date, passage, boarding_pass, stopword, tinted, tin_count,
    design_key, acc_no, rosenhaus`;
  // A number opens nothing.
  const numbers =
    'session_id int, access_key int, reset_code int, credit_card int, passport int, pass int, mfa int';
  expect(found(`${names}, ${numbers}`).withheld).toEqual([]);
});

test('columns to be looked at, and those that are not', () => {
  const names =
    'pincode, steuernr, acctno, account_number, bic, swift_code, routing_no, clave_producto, session_id int, credit_card int, passport int, cookie_consent';
  const look = names.replaceAll(' int', '').split(', ');
  expect(found(names)).toEqual({ withheld: [], look });
  const plain =
    'tokenizer, token_count, saltwater, ibandung, passenger, compass, bypass, pass_date, passage, tinted, cubic, arabic';
  expect(found(plain)).toEqual({ withheld: [], look: [] });
});

test.each(rows`
  the bytes and texts of sessions | web.sessions | id text, data binary, user_no int | id, data
  nothing of what a conference calls sessions | conf.sessions | id int, title text, speaker text | ${''}
  what refers to a column that is withheld, and so holds the same | dbo.payment
    | id int, bank_ref text, payer text, FK_B: bank_ref -> dbo.bank(iban), FK_P: payer -> dbo.payer(name) | bank_ref
  in a table whose name is a secret’s all text and bytes but keys and references | dbo.Password
    | ID text, LOGIN int, PERSON text, HASH binary, SALT binary, VALUE text, TRIES int, FK_P: PERSON -> dbo.PERSON(NAME) | HASH, SALT, VALUE | LOGIN
  what opens something, and what is about people is to be looked at | HumanResources.Employee
    | BusinessEntityID int, NationalIDNumber text, LoginID text, JobTitle text, BirthDate date, MaritalStatus text, Gender text, HireDate date, Hours int
    | NationalIDNumber | LoginID, BirthDate, MaritalStatus, Gender
`)('withheld is %s', (_, name, columns, withheld, look = '') => {
  const names = [withheld, look].map((text) => (text === '' ? [] : text.split(', ')));
  const found = sorted(table(name, columns.split(', ')));
  expect([found.withheld, found.look]).toEqual(names);
});
