import { expect, test } from 'vitest';
import { isPersonal, isWithheld } from '../../../src/cli/init/sensitive.ts';
import type { Table } from '../../../src/schema/types.ts';
import { foreignKey, table } from './tables.ts';

/** The columns of a table that are withheld, and those that somebody should look at. */
function sorted(of: Table): { withheld: string[]; look: string[] } {
  const withheld = of.columns.filter((column) => isWithheld(column, of));
  const look = of.columns.filter((column) => !withheld.includes(column) && isPersonal(column, of));
  return { withheld: withheld.map(({ name }) => name), look: look.map(({ name }) => name) };
}

test.each([
  ['PasswordHash', true],
  ['passwordhash', true],
  ['PASSWORD_SALT', true],
  ['usrpwd', true],
  ['PWD', true],
  ['salt', true],
  ['pw_salt', true],
  ['CardNumber', true],
  ['cardno', true],
  ['SSN', true],
  ['emp_ssn', true],
  ['custssn', true],
  ['NationalIDNumber', true],
  ['nationalid', true],
  ['IBAN', true],
  ['supplier_iban', true],
  ['refreshToken', true],
  ['tokens', true],
  ['api_key', true],
  ['clientSecret', true],
  ['PIN', true],
  ['CVV', true],
  ['ProcessName', false],
  ['process_name', false],
  ['className', false],
  ['secretary', false],
  ['shipping', false],
  ['basaltic', false],
  ['EMP_WD', false],
  ['CardType', false],
  ['CreditCardID', false],
  ['company', false],
  ['pass', true],
  ['user_pass', true],
  ['userpass', true],
  ['userpw', true],
  ['pword', true],
  ['pswd', true],
  ['psswd', true],
  ['clave', true],
  ['senha', true],
  ['wachtwoord', true],
  ['haslo', true],
  ['hasło', true],
  ['mot_de_passe', true],
  ['contraseña', true],
  ['пароль', true],
  ['密码', true],
  ['pwhash', true],
  ['key_hash', true],
  ['session_id', true],
  ['sessionid', true],
  ['jwt', true],
  ['bearer', true],
  ['cookie', true],
  ['auth_key', true],
  ['SSHKey', true],
  ['ssh_key', true],
  ['aes_key', true],
  ['master_key', true],
  ['privkey', true],
  ['private_pem', true],
  ['pem', true],
  ['keystore', true],
  ['pfx', true],
  ['refresh_tok', true],
  ['mfa', true],
  ['mfa_seed', true],
  ['recovery_code', true],
  ['recovery_codes', true],
  ['backup_codes', true],
  ['reset_code', true],
  ['connection_string', true],
  ['card_nbr', true],
  ['cc_no', true],
  ['ccno', true],
  ['pinnumber', true],
  ['cvccode', true],
  ['idcard', true],
  ['tin', true],
  ['bank_acct', true],
  ['bankkonto', true],
  ['creditcard', true],
  ['credit_card', true],
  ['passport', true],
  ['token_hash', true],
  ['accessTokens', true],
  ['tokenizer', false],
  ['token_count', false],
  ['saltwater', false],
  ['basalt', false],
  ['ibandung', false],
  ['passenger', false],
  ['compass', false],
  ['bypass', false],
  ['pass_date', false],
  ['passage', false],
  ['boarding_pass', false],
  ['stopword', false],
  ['tinted', false],
  ['tin_count', false],
  ['design_key', false],
  ['acc_no', false],
  ['rosenhaus', false],
])('a column called %s is withheld: %s', (name, withheld) => {
  const found = table('dbo.T', ['ID int', `${name} text`]);
  expect(sorted(found).withheld).toEqual(withheld ? [name] : []);
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
  const payment = table('dbo.payment', ['id int', 'bank_ref text', 'payer text'], {
    foreignKeys: [
      foreignKey('FK_B: bank_ref -> dbo.bank(iban)'),
      foreignKey('FK_P: payer -> dbo.payer(name)'),
    ],
  });
  expect(sorted(payment).withheld).toEqual(['bank_ref']);
});

test('in the tables of AdventureWorks, what opens something is withheld, and what is about people is to be looked at', () => {
  const tables = [
    table('Person.Password', [
      'BusinessEntityID int',
      'PasswordHash text',
      'PasswordSalt text',
      'rowguid text',
      'ModifiedDate timestamp',
    ]),
    table('Sales.CreditCard', [
      'CreditCardID int',
      'CardType text',
      'CardNumber text',
      'ExpMonth int',
      'ExpYear int',
      'ModifiedDate timestamp',
    ]),
    table('HumanResources.Employee', [
      'BusinessEntityID int',
      'NationalIDNumber text',
      'LoginID text',
      'JobTitle text',
      'BirthDate date',
      'MaritalStatus text',
      'Gender text',
      'HireDate date',
      'VacationHours int',
      'ModifiedDate timestamp',
    ]),
  ];
  expect(tables.map(sorted)).toEqual([
    { withheld: ['PasswordHash', 'PasswordSalt', 'rowguid'], look: [] },
    { withheld: ['CardNumber'], look: [] },
    { withheld: ['NationalIDNumber'], look: ['LoginID', 'BirthDate', 'MaritalStatus', 'Gender'] },
  ]);
});

test('in a table whose name is a secret’s, all text and bytes but keys and references are withheld', () => {
  const found = table(
    'dbo.Password',
    [
      'ID text',
      'LOGIN int',
      'PERSON text',
      'HASH binary',
      'SALT binary',
      'VALUE text',
      'TRIES int',
    ],
    { foreignKeys: [foreignKey('FK_P: PERSON -> dbo.PERSON(NAME)')] },
  );
  expect(sorted(found)).toEqual({ withheld: ['HASH', 'SALT', 'VALUE'], look: ['LOGIN'] });
});
