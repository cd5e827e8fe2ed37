import { expect } from 'vitest';
import { rows } from '../rows.ts';
import { readLines } from './lines.ts';
import { oneEntity, rowAt, rowsOf, uriOf } from './oracle.ts';
import { type Case, type SequenceCase, sequence } from './suite.ts';
import { refusal } from './values.ts';

const encoded = encodeURIComponent;

export const document = 'c0ffee00-0000-4000-8000-000000000001';

const ofRate = '{"currency":"USD","date":"2024-01-02"}';

/** §4.2: the forms of a key, and the entity that each addresses. */
const keyForms = rows`
  a number | 1 | Employee(1)
  a quoted number | "1" | Employee(1)
  blanks around a key | %20126%20 | Employee(126)
  a code padded by CHAR | FR | Country(FR)
  an apostrophe-quoted code | 'FR' | Country(FR)
  a code that fills its column | GB-SC | Country(GB-SC)
  an escaped ampersand | R%26D | Department(R&D)
  an escaped slash | OPS%2FEU | Department(OPS/EU)
  a slash inside quotes | "OPS/EU" | Department(OPS/EU)
  a GUID | ${document} | Document(${document})
  a GUID in capitals | ${document.toUpperCase()} | Document(${document})
  a date | 2024-07-14 | Holiday(2024-07-14)
  the last date but one | 9999-12-30 | Holiday(9999-12-30)
  two parts | 7;2 | OrderLine(7;2)
  an escaped semicolon | 7%3B2 | OrderLine(7;2)
  a JSON object | {"orderNo":7,"line":2} | OrderLine(7;2)
  a JSON object in any order | {"line":2,"orderNo":7} | OrderLine(7;2)
  a JSON object with blanks | ${encoded('{ "orderNo" : 7, "line" : 2 }')} | OrderLine(7;2)
  a JSON object of text | {"orderNo":"7","line":"2"} | OrderLine(7;2)
  a JSON object of one part | {"ID":1} | Employee(1)
  a padded code and a date | USD;2024-01-02 | ExchangeRate(USD;2024-01-02)
  quoted parts | "USD";'2024-01-02' | ExchangeRate(USD;2024-01-02)
  a JSON object in quotes | "{"orderNo":7,"line":2}" | OrderLine(7;2)
  a JSON object of a code and a date | ${encoded(ofRate)} | ExchangeRate(USD;2024-01-02)
  a JSON object of texts in quotes | ${encoded(`"${ofRate}"`)} | ExchangeRate(USD;2024-01-02)
  the key that a mapping file declares for a view | 1 | DirectoryEntry(1)
`.map(([what = '', key = '', entity = '']) => {
  const [dataclass = ''] = entity.split('(');
  return [`§4.2 ${dataclass}(key): ${what}`, `${dataclass}(${key})`, entity];
});

/** Text keys as users typed them, as a careful hand writes them into a URL. */
const textKeys: readonly (readonly [path: string, code: string])[] = [
  ['"AC/DC"', 'AC/DC'],
  ['AC%2FDC', 'AC/DC'],
  ['"Cables 1/2""', 'Cables 1/2"'],
  [`'Cables 1/2"'`, 'Cables 1/2"'],
  ['"Men\'s shoes"', "Men's shoes"],
  ["'Men's shoes'", "Men's shoes"],
  ['"Café, thé & chocolat"', 'Café, thé & chocolat'],
  ['"Nuts; bolts (M8)"', 'Nuts; bolts (M8)'],
  ['"100%25 cotton"', '100% cotton'],
  ['🎁 Gifts', '🎁 Gifts'],
  ['"C:\\Temp\\parts"', 'C:\\Temp\\parts'],
  ['"a=b&c=d%3Fe%23f"', 'a=b&c=d?e#f'],
  ['"[Brackets]"', '[Brackets]'],
  ['Stars ***', 'Stars ***'],
  ['Work@Home', 'Work@Home'],
  ['"Plus%2BMinus"', 'Plus+Minus'],
  ['"%2520 is not a blank"', '%20 is not a blank'],
  ['Größe XXL', 'Größe XXL'],
  ['" leading blank"', ' leading blank'],
  ['null', 'null'],
  ['true', 'true'],
  [encoded('{"looks":"like a key"}'), '{"looks":"like a key"}'],
  ['Nuts; bolts (M8)', 'Nuts; bolts (M8)'],
  ['%20leading blank', ' leading blank'],
];

const unique = rows`
  email(marie.dubois@acme.example) | email | Employee(1)
  email("marie.dubois@acme.example") | quoted | Employee(1)
  email[marie.dubois@acme.example] | brackets | Employee(1)
  email(MARIE.Dubois@ACME.example) | case folded | Employee(1)
  sku("TL-0001") | text | Product(1)
  barcode(9007199254740993) | past 2^53 | Product(1)
  registrationNo(-9223372036854775808) | the least bigint | Company(2)
  login("ACME%5Cs.oreilly") | a backslash | User(2)
  login("zoë müller") | accents | User(4)
  login(linh+hr@acme.example) | a plus sign | User(5)
  login("service/batch") | a slash | User(6)
`.map(([value = '', what = '', entity = '']) => {
  const path = `${entity.replace(/\(.*/, '')}:${value}`;
  return [`§4.2 one entity by a unique attribute, ${what}: ${path}`, path, entity];
});

function category(title: string, path: string, code: string): Case {
  return { title, url: `/rest/${path}`, body: oneEntity('Category', rowAt('Category', code)) };
}

export const reads: readonly Case[] = [
  ...readLines([...keyForms, ['§4.2 Employee[key]: a number', 'Employee[1]', 'Employee(1)']]),
  ...textKeys.map(([path, code]) =>
    category(`§4.2 a key as it was typed: Category(${path})`, `Category(${path})`, code),
  ),
  ...['AC/DC', 'Nuts; bolts (M8)'].map((code) =>
    category(`§4.2 a text key in brackets: Category["${code}"]`, `Category["${code}"]`, code),
  ),
  category('§4.2 brackets inside brackets need quotes', 'Category["[Brackets]"]', '[Brackets]'),
  ...rowsOf('Category').map((row) => ({
    title: `§2.2 the URI of a category leads to it: ${row.CAT_CD}`,
    url: uriOf('Category', row),
    body: oneEntity('Category', row),
  })),
  ...readLines(unique),
  {
    title: '§7 an error is __ERROR with message, componentSignature and errCode',
    url: '/rest/Employe',
    status: 404,
    body: refusal(1800),
    text: /^\{"__ERROR":\[\{"message":"[^"]+","componentSignature":"dbmg","errCode":1800\}\]\}$/,
  },
  {
    title: '§2.1 fields of an entity stand in the order of the specification',
    url: '/rest/Employee(1)',
    body: oneEntity('Employee', rowAt('Employee', 1)),
    text: /^\{(?:"__entityModel":"Employee",|"__DATACLASS":"Employee",){2}"__KEY":"1","__TIMESTAMP":"2024-06-03T07:45:12\.345Z","__STAMP":4,"ID":1,"firstName":"Marie","lastName":"Dubois",/,
  },
  {
    title: '§2.1 __KEY of two parts is JSON text in key order without blanks',
    url: '/rest/OrderLine({"line":2,"orderNo":7})?$attributes=quantity',
    body: oneEntity('OrderLine', rowAt('OrderLine', 7, 2), { attributes: 'quantity' }),
    text: /"__KEY":"\{\\"orderNo\\":7,\\"line\\":2\}"/,
  },
  ...readLines(
    rows`
      §4.2 a slash before the question mark is optional | Employee(1)/?$attributes=ID | Employee(1)
      §4.2 several keys are a collection | Employee(1,2,3) | Employee(1,2,3)[]
      §4.2 several keys, some quoted, with blanks, in brackets | Employee[1, "2",%203] | Employee(1,2,3)[]
      §4.2 of several keys those that exist are answered, each once | Employee(3,9999,1,3,2)?$attributes=lastName | Employee(1,2,3)[]
      §4.2 several keys with $orderby, $skip and $top | Employee(1,2,3)?$orderby="ID desc"&$skip=1&$top=1&$attributes=ID | Employee(3,2,1)[]
      §4.2 several keys with $filter | Employee(1,2,3)?$filter="grade>5"&$attributes=ID | Employee(1,2)[]
      §4.2 several text keys, with commas and slashes in them
        | Category("AC/DC","Café, thé & chocolat",Tools)?$orderby=position&$attributes=code | typed of Category
      §4.2 several padded keys | Country(FR,"GB-SC",DE)?$orderby=isoNumber&$attributes=code | Country(FR,DE,GB-SC)[]
      §4.2 several keys of two parts: tuples | OrderLine(7;2,1;1,7;9) | OrderLine(1;1,7;2)[]
      §4.2 several keys of two parts: JSON objects | OrderLine({"orderNo":7,"line":2},{"line":1,"orderNo":1}) | OrderLine(1;1,7;2)[]
      §4.2 several keys of two parts: both forms | OrderLine({"orderNo":7,"line":2},1;1) | OrderLine(1;1,7;2)[]
      §4.2 several GUIDs | Document(${document},${document.replace(/1$/, '2')})?$orderby=createdAt | first of Document
    `,
    {
      typed: rowsOf('Category').filter(({ CAT_CD }) =>
        ['AC/DC', 'Café, thé & chocolat', 'Tools'].includes(CAT_CD),
      ),
      first: rowsOf('Document').slice(0, 2),
    },
  ),
  {
    title: '§7 key lists refuse a key of the wrong type as one key does',
    url: '/rest/Employee(1,abc)',
    status: 400,
    body: refusal(1508, /"abc"/, /Employee\.ID/, /position \d+ of the path/),
  },
];

/** Each asked for at the same time as all others: some are looked up by one statement. */
export const sequences: readonly SequenceCase[] = [
  sequence('§4.2 entities that are asked for at the same time', async (rest) => {
    const twice = [...reads, ...reads];
    const found = await Promise.all(
      twice.map(({ url }) => rest.send({ method: 'GET', url: url.replace(/^\/rest\//, '') })),
    );
    expect(found.map(({ status, body }) => ({ status, body }))).toEqual(
      twice.map(({ status = 200, body }) => ({ status, body })),
    );
  }),
  sequence(
    '§4.2 entities that are there and others that are not, asked for at the same time',
    async (rest) => {
      const keys = [1, 999_999, 2, '"x', 3, 2 ** 40, 1, 1.5];
      const found = await Promise.all(
        keys.map((key) => rest.send({ method: 'GET', url: `Employee(${key})?$attributes=ID` })),
      );
      for (const [index, key] of keys.entries()) {
        const url = `Employee(${key})?$attributes=ID`;
        const { status, body } = await rest.send({ method: 'GET', url });
        expect([found[index]?.status, found[index]?.body]).toEqual([status, body]);
      }
      expect(found.map(({ status }) => status)).toEqual([200, 404, 200, 400, 200, 404, 200, 404]);
    },
  ),
];
