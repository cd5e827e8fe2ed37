import { expect, test } from 'vitest';
import { isPersonal, isWithheld } from '../../src/init/sensitive.ts';
import type { Table } from '../../src/schema/types.ts';
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
])('a column called %s is withheld: %s', (name, withheld) => {
  const found = table('dbo.T', ['ID int', `${name} text`]);
  expect(sorted(found).withheld).toEqual(withheld ? [name] : []);
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
