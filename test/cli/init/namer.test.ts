import { describe, expect, test } from 'vitest';
import { Namer } from '../../../src/cli/init/namer.ts';
import { type Rules, rulesSchema, rulesText, withOptions } from '../../../src/cli/init/rules.ts';
import { suggestedWords } from '../../../src/cli/init/yaml-text.ts';
import { schemaOf, table } from './tables.ts';

function namer(rules: Partial<Rules> = {}): Namer {
  return new Namer(rulesSchema.parse(rules));
}

describe('prefixes and suffixes', () => {
  const rules = { strip: ['TBL_', '_MST'], stripColumns: ['_NM'] };
  test.each([
    ['TBL_CUST_MST', 'Cust'],
    ['tbl_cust_mst', 'Cust'],
    ['MY_TBL_CUST', 'MyTblCust'],
    ['TBL_', 'Tbl'],
  ])('%s → %s', (physical, name) => {
    expect(namer(rules).dataclass(physical)).toBe(name);
  });

  test('columns have rules of their own', () => {
    expect(namer(rules).attribute('FIRST_NM')).toBe('first');
    expect(namer(rules).attribute('TBL_NO')).toBe('tblNo');
  });
});

test('abbreviations are spelled out, in several words if need be, or dropped', () => {
  const words = { EMP: 'employee', OL: 'order line', HDR: '' };
  expect(namer({ words }).dataclass('OL_HDR')).toBe('OrderLine');
  expect(namer({ words }).attribute('emp_no')).toBe('employeeNo');
  expect(namer({ words }).dataclass('HDR')).toBe('Hdr');
});

test.each([
  ['BILL_TO_ID', 'bill to'],
  ['customerId', 'customer'],
  ['FK_OWNER', 'OWNER'],
  ['ID', 'ID'],
  ['PARENT', 'PARENT'],
])('%s refers to %s', (column, role) => {
  expect(namer().roleWords(column).join(' ').toLowerCase()).toBe(role.toLowerCase());
});

describe('plurals', () => {
  test('English ones by default, with the case of the word', () => {
    expect(namer().many(['order', 'category'])).toEqual(['order', 'categories']);
    expect(namer().many(['PERSON'])).toEqual(['PEOPLE']);
  });

  test('others as the rules have them, or none', () => {
    expect(namer({ plurals: { Konto: 'Konten' } }).many(['konto'])).toEqual(['Konten']);
    expect(namer({ plurals: false }).many(['konto'])).toEqual(['konto', 'collection']);
    expect(namer({ plurals: false }).one(['status'])).toEqual(['status']);
  });

  test.each(['i', 'A', 'US', 'it', 'IS', 'has'])('%s is not an English word to change', (word) => {
    expect([namer().many([word]), namer().one([word])]).toEqual([[word, 'collection'], [word]]);
  });

  test('words in other scripts have no English plural', () => {
    expect(namer().many(['注文'])).toEqual(['注文', 'collection']);
    expect(namer({ plurals: { заказ: 'заказы' } }).many(['Заказ'])).toEqual(['заказы']);
  });

  test('dataclasses in the singular, where that is an English word', () => {
    expect(namer().dataclass('ORDERS')).toBe('Order');
    expect(namer().dataclass('MASTER_DATA')).toBe('MasterData');
    expect(namer().dataclass('ADRES')).toBe('Adres');
    expect(namer({ singular: false }).dataclass('ORDERS')).toBe('Orders');
  });
});

describe('words that are written together', () => {
  test.each([
    ['companyname', 'companyName'],
    ['salespersonid', 'salespersonId'],
    ['billtoaddressid', 'billToAddressId'],
    ['UNITSINSTOCK', 'unitsInStock'],
    ['addressline2', 'addressLine2'],
    ['createdby', 'createdBy'],
    ['nationalidnumber', 'nationalIdNumber'],
    ['username', 'username'],
    ['therapistid', 'therapistId'],
  ])('%s is %s', (column, name) => {
    expect(namer().attribute(column)).toBe(name);
  });

  test.each(
    (
      'monat anrede lieferant firma kontonummer nombre direccion cantidad prenom adresse fecha beschreibung geburtsdatum ' +
      'nachname rechnung einheit woonplaats klant bedrag factuur indirizzo cognome endereco telefone pedido belopp minit ename'
    ).split(' '),
  )('%s is not English, and stays whole', (column) => {
    expect(namer().attribute(column)).toBe(column);
  });

  test('are known from other names of the schema, and from the rules', () => {
    const tables = [table('s.ARTIKEL', ['ID int', 'BESTELL_DATUM int'])];
    const german = new Namer(rulesSchema.parse({}), tables);
    expect(german.attribute('artikelnr')).toBe('artikelNr');
    expect(german.attribute('bestelldatum')).toBe('bestellDatum');
    expect(namer({ words: { EMP: 'employee' } }).attribute('empno')).toBe('employeeNo');
    expect(namer({ words: { COMPANYNAME: 'firm' } }).attribute('companyname')).toBe('firm');
  });

  test('stay together where the rules say so', () => {
    expect(namer({ splitWords: false }).attribute('companyname')).toBe('companyname');
    expect(namer({ case: 'keep' }).attribute('companyname')).toBe('companyname');
  });
});

const schema = schemaOf(
  table('dbo.customers', ['customerid int', 'companyname text', 'shipvia int', 'xqzcompany text']),
  table('log.orders', ['orderid int', 'fishvia int', 'FST_NM text', 'mixedVia text']),
);

test('words whose parts are a guess are written as init.yaml takes them', () => {
  expect(suggestedWords(schema, rulesSchema.parse({}))).toBe(
    'words:\n' +
      '  fishvia: fish via # log.orders.fishvia\n' +
      '  shipvia: ship via # dbo.customers.shipvia\n' +
      '  xqzcompany: xqz company # dbo.customers.xqzcompany\n',
  );
});

test('those of tables that are not chosen, and those that a rule spells out, are not', () => {
  const rules = { exclude: ['log.*'], words: { SHIPVIA: 'carrier', xqzcompany: '' } };
  expect(suggestedWords(schema, rulesSchema.parse(rules))).toBeNull();
});

const defaults = rulesSchema.parse({});

describe('options', () => {
  test('go before the rules of the file, and leave alone what they do not say', () => {
    const rules = withOptions(
      { ...defaults, strip: ['TBL_'], words: { EMP: 'employee' } },
      { case: 'snake', word: ['DEPT=department'], plural: ['konto=konten'] },
    );
    expect(rules).toEqual({
      ...defaults,
      case: 'snake',
      strip: ['TBL_'],
      words: { EMP: 'employee', DEPT: 'department' },
      plurals: { konto: 'konten' },
    });
    expect(withOptions(rules, { 'no-plurals': true }).plurals).toBe(false);
  });

  test.each([
    [{ case: 'kebab' }, '--case: expected camel, pascal, snake or keep'],
    [{ word: ['EMP'] }, '--word: expected NAME=TEXT, found "EMP"'],
    [{ strip: [''] }, '--strip: is empty'],
  ])('%o is refused', (options, message) => {
    expect(() => withOptions(defaults, options)).toThrow(message);
  });
});

describe('init.yaml', () => {
  test('is written when there is none, and keeps its comments when a rule changes', () => {
    const text = rulesText(defaults, null) ?? '';
    expect(text).toContain('case: camel\n');
    const commented = text.replace('case: camel', 'case: camel # ours');
    const before = { text: commented, rules: defaults };
    expect(rulesText(defaults, before)).toBeNull();
    expect(rulesText({ ...defaults, strip: ['TBL_'] }, before)).toContain(
      'case: camel # ours\nstrip: [ TBL_ ]\n',
    );
  });
});
