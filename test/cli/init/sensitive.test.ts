import { expect, test } from 'vitest';
import { isPersonal, isWithheld } from '../../../src/cli/init/sensitive.ts';
import type { Table } from '../../../src/schema/types.ts';
import { table } from './tables.ts';

/** The columns of a table that are withheld, and those that somebody should look at. */
function sorted(of: Table): { withheld: string[]; look: string[] } {
  const withheld = of.columns.filter((column) => isWithheld(column, of));
  const look = of.columns.filter((column) => !withheld.includes(column) && isPersonal(column, of));
  return { withheld: withheld.map(({ name }) => name), look: look.map(({ name }) => name) };
}

test.each([
  ...['PasswordHash', 'passwordhash', 'PASSWORD_SALT', 'usrpwd', 'PWD', 'salt', 'pw_salt'],
  ...['CardNumber', 'cardno', 'SSN', 'emp_ssn', 'custssn', 'NationalIDNumber', 'nationalid'],
  ...['IBAN', 'supplier_iban', 'refreshToken', 'tokens', 'api_key', 'clientSecret', 'PIN', 'CVV'],
  ...['pass', 'user_pass', 'userpass', 'userpw', 'pword', 'pswd', 'psswd', 'clave', 'senha'],
  ...['wachtwoord', 'haslo', 'hasło', 'mot_de_passe', 'contraseña', 'пароль', '密码', 'pwhash'],
  ...['key_hash', 'session_id', 'sessionid', 'jwt', 'bearer', 'cookie', 'auth_key', 'SSHKey'],
  ...['ssh_key', 'aes_key', 'master_key', 'privkey', 'private_pem', 'pem', 'keystore', 'pfx'],
  ...['refresh_tok', 'mfa', 'mfa_seed', 'recovery_code', 'recovery_codes', 'backup_codes'],
  ...['reset_code', 'connection_string', 'card_nbr', 'cc_no', 'ccno', 'pinnumber', 'cvccode'],
  ...['idcard', 'tin', 'bank_acct', 'bankkonto', 'creditcard', 'credit_card', 'passport'],
  ...['token_hash', 'accessTokens'],
])('a column called %s is withheld', (name) => {
  const found = table('dbo.T', ['ID int', `${name} text`]);
  expect(sorted(found).withheld).toEqual([name]);
});

test.each([
  ...['ProcessName', 'process_name', 'className', 'secretary', 'shipping', 'basaltic', 'EMP_WD'],
  ...['CardType', 'CreditCardID', 'company', 'tokenizer', 'token_count', 'saltwater', 'basalt'],
  ...['ibandung', 'passenger', 'compass', 'bypass', 'pass_date', 'passage', 'boarding_pass'],
  ...['stopword', 'tinted', 'tin_count', 'design_key', 'acc_no', 'rosenhaus'],
])('a column called %s is not withheld', (name) => {
  const found = table('dbo.T', ['ID int', `${name} text`]);
  expect(sorted(found).withheld).toEqual([]);
});

test.each(['session_id', 'access_key', 'reset_code', 'credit_card', 'passport', 'pass', 'mfa'])(
  'a number called %s opens nothing and is not withheld',
  (name) => {
    expect(sorted(table('dbo.T', ['ID int', `${name} int`])).withheld).toEqual([]);
  },
);

test.each([
  ...['pincode', 'steuernr', 'acctno', 'account_number', 'bic', 'swift_code', 'routing_no'],
  ...['clave_producto', 'session_id int', 'credit_card int', 'passport int', 'cookie_consent'],
])('a column called %s is to be looked at', (column) => {
  const found = table('dbo.T', ['ID int', column.includes(' ') ? column : `${column} text`]);
  expect(sorted(found)).toEqual({ withheld: [], look: [column.split(' ', 1)[0]] });
});

test.each([
  ...['tokenizer', 'token_count', 'saltwater', 'ibandung', 'passenger', 'compass', 'bypass'],
  ...['pass_date', 'passage', 'tinted', 'cubic', 'arabic'],
])('a column called %s is nothing to look at', (name) => {
  const found = table('dbo.T', ['ID int', `${name} text`]);
  expect(sorted(found)).toEqual({ withheld: [], look: [] });
});

test('the bytes and texts of sessions are withheld, their numbers and what a conference calls so are not', () => {
  expect(sorted(table('web.sessions', ['id text', 'data binary', 'user_no int']))).toEqual({
    withheld: ['id', 'data'],
    look: [],
  });
  expect(sorted(table('conf.sessions', ['id int', 'title text', 'speaker text']))).toEqual({
    withheld: [],
    look: [],
  });
});

test('what refers to a column that is withheld holds the same and is withheld, whatever it is called', () => {
  const payment = table('dbo.payment', [
    ...['id int', 'bank_ref text', 'payer text', 'FK_B: bank_ref -> dbo.bank(iban)'],
    'FK_P: payer -> dbo.payer(name)',
  ]);
  expect(sorted(payment).withheld).toEqual(['bank_ref']);
});

test('in the tables of AdventureWorks, what opens something is withheld, and what is about people is to be looked at', () => {
  const tables = [
    table('Person.Password', [
      ...['BusinessEntityID int', 'PasswordHash text', 'PasswordSalt text', 'rowguid text'],
      'ModifiedDate timestamp',
    ]),
    table('Sales.CreditCard', [
      ...['CreditCardID int', 'CardType text', 'CardNumber text', 'ExpMonth int', 'ExpYear int'],
      'ModifiedDate timestamp',
    ]),
    table('HumanResources.Employee', [
      ...['BusinessEntityID int', 'NationalIDNumber text', 'LoginID text', 'JobTitle text'],
      ...['BirthDate date', 'MaritalStatus text', 'Gender text', 'HireDate date'],
      ...['VacationHours int', 'ModifiedDate timestamp'],
    ]),
  ];
  expect(tables.map(sorted)).toEqual([
    { withheld: ['PasswordHash', 'PasswordSalt', 'rowguid'], look: [] },
    { withheld: ['CardNumber'], look: [] },
    { withheld: ['NationalIDNumber'], look: ['LoginID', 'BirthDate', 'MaritalStatus', 'Gender'] },
  ]);
});

test('in a table whose name is a secret’s, all text and bytes but keys and references are withheld', () => {
  const found = table('dbo.Password', [
    ...['ID text', 'LOGIN int', 'PERSON text', 'HASH binary', 'SALT binary', 'VALUE text'],
    'TRIES int',
    'FK_P: PERSON -> dbo.PERSON(NAME)',
  ]);
  expect(sorted(found)).toEqual({ withheld: ['HASH', 'SALT', 'VALUE'], look: ['LOGIN'] });
});
