import { describe, expect, test } from 'vitest';
import { Namer } from '../../../src/cli/init/namer.ts';
import { type Rules, rulesSchema, rulesText, withOptions } from '../../../src/cli/init/rules.ts';
import { suggestedWords } from '../../../src/cli/init/yaml-text.ts';
import { parsed, rows } from '../../rows.ts';
import { schemaIn, table } from './tables.ts';

function namer(rules: Partial<Rules> = {}): Namer {
  return new Namer(rulesSchema.parse(rules));
}

test.each(rows`
  TBL_CUST_MST | Cust      | {strip: [TBL_, _MST]}
  tbl_cust_mst | Cust      | {strip: [TBL_, _MST]}
  MY_TBL_CUST  | MyTblCust | {strip: [TBL_, _MST]}
  TBL_         | Tbl       | {strip: [TBL_, _MST]}
  OL_HDR       | OrderLine | {words: {OL: order line, HDR: ''}}
  HDR          | Hdr       | {words: {HDR: ''}}
  ORDERS       | Order
  MASTER_DATA  | MasterData
  ADRES        | Adres
  ORDERS       | Orders    | {singular: false}
`)('the dataclass of %s is %s', (physical, name, rules = '{}') => {
  expect(namer(parsed(rules)).dataclass(physical)).toBe(name);
});

test.each(rows`
  FIRST_NM         | first      | {strip: [TBL_], stripColumns: [_NM]}
  TBL_NO           | tblNo      | {strip: [TBL_], stripColumns: [_NM]}
  emp_no           | employeeNo | {words: {EMP: employee}}
  # Words that are written together.
  companyname      | companyName
  salespersonid    | salespersonId
  billtoaddressid  | billToAddressId
  UNITSINSTOCK     | unitsInStock
  addressline2     | addressLine2
  createdby        | createdBy
  nationalidnumber | nationalIdNumber
  username         | username
  therapistid      | therapistId
  empno            | employeeNo  | {words: {EMP: employee}}
  companyname      | firm        | {words: {COMPANYNAME: firm}}
  companyname      | companyname | {splitWords: false}
  companyname      | companyname | {case: keep}
`)('the attribute of %s is %s', (column, name, rules = '{}') => {
  expect(namer(parsed(rules)).attribute(column)).toBe(name);
});

test('words that are not English stay whole', () => {
  const columns = (
    'monat anrede lieferant firma kontonummer nombre direccion cantidad prenom adresse fecha beschreibung geburtsdatum ' +
    'nachname rechnung einheit woonplaats klant bedrag factuur indirizzo cognome endereco telefone pedido belopp minit ename'
  ).split(' ');
  expect(columns.map((column) => namer().attribute(column))).toEqual(columns);
});

test('words are known from other names of the schema', () => {
  const tables = [table('s.ARTIKEL', ['ID int', 'BESTELL_DATUM int'])];
  const german = new Namer(rulesSchema.parse({}), tables);
  expect(german.attribute('artikelnr')).toBe('artikelNr');
  expect(german.attribute('bestelldatum')).toBe('bestellDatum');
});

test.each([
  ['BILL_TO_ID', 'bill to'],
  ['customerId', 'customer'],
  ['FK_OWNER', 'owner'],
  ['ID', 'id'],
  ['PARENT', 'parent'],
])('%s refers to %s', (column, role) => {
  expect(namer().roleWords(column).join(' ').toLowerCase()).toBe(role);
});

test.each<[words: string[], plural: string[], rules?: Partial<Rules>]>([
  [
    ['order', 'category'],
    ['order', 'categories'],
  ],
  [['PERSON'], ['PEOPLE']],
  [['konto'], ['Konten'], { plurals: { Konto: 'Konten' } }],
  [['Заказ'], ['заказы'], { plurals: { заказ: 'заказы' } }],
  [['konto'], ['konto', 'collection'], { plurals: false }],
  [['注文'], ['注文', 'collection']],
  ...['i', 'A', 'US', 'it', 'IS', 'has'].map((word): [string[], string[]] => [
    [word],
    [word, 'collection'],
  ]),
])('many of %j are %j', (words, plural, rules) => {
  expect(namer(rules).many(words)).toEqual(plural);
  if (plural[1] === 'collection') expect(namer(rules).one(words)).toEqual(words);
});

const schema = schemaIn`
  dbo.customers | customerid int | companyname text | shipvia int | xqzcompany text
  log.orders    | orderid int | fishvia int | FST_NM text | mixedVia text
`;

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
