import { expect } from 'vitest';
import { collection } from './oracle.ts';
import { type Given, jsonText, newRow, saved } from './write-oracle.ts';
import {
  category,
  country,
  day,
  document,
  employee,
  holiday,
  line,
  order,
  product,
  project,
  rate,
} from './write-samples.ts';
import { type WriteCase, writing } from './write-suite.ts';

/** One object that makes a category, sent in another way each. */
const ways: readonly (readonly [
  how: string,
  method: string,
  query: string,
  type: string | null,
  text: (given: Given) => string | Uint8Array,
])[] = [
  ['$method=update', 'POST', '?$method=update', 'application/json', jsonText],
  ['$method=insert', 'POST', '?$method=insert', 'application/json', jsonText],
  ['POST alone', 'POST', '', 'application/json', jsonText],
  ['PUT alone', 'PUT', '', 'application/json', jsonText],
  ['PATCH', 'PATCH', '', 'application/merge-patch+json', jsonText],
  ['PUT with $method=update', 'PUT', '?$method=update', 'application/json', jsonText],
  ['a quoted method', 'POST', '?$method="update"', 'application/json', jsonText],
  ['a charset', 'POST', '', 'application/json; charset=UTF-8', jsonText],
  ['text/plain', 'POST', '', 'text/plain', jsonText],
  ['text/plain with a charset', 'POST', '', 'text/plain;charset=utf-8', jsonText],
  ['application/vnd.api+json', 'POST', '', 'application/vnd.api+json', jsonText],
  ['no content type', 'POST', '', null, jsonText],
  ['an urlencoded content type', 'POST', '', 'application/x-www-form-urlencoded', jsonText],
  ['a byte order mark', 'POST', '', 'application/json', (given) => `\ufeff${jsonText(given)}`],
  [
    'blanks around',
    'POST',
    '',
    'application/json',
    (given) => `\r\n\t ${JSON.stringify(given, null, 2)} \n`,
  ],
  [
    'escapes in JSON',
    'POST',
    '',
    'application/json',
    (given) => jsonText(given).replace('"code"', '"\\u0063ode"'),
  ],
  [
    'null for key and stamp',
    'POST',
    '',
    'application/json',
    (given) => jsonText({ __KEY: null, __STAMP: null, ...given }),
  ],
  [
    'the name of the dataclass',
    'POST',
    '',
    'application/json',
    (given) => jsonText({ __DATACLASS: 'Category', __entityModel: 'Category', ...given }),
  ],
];

const creations: readonly WriteCase[] = [
  ...ways.map(([how, method, query, type, text]) =>
    writing(`§4.6 create: ${how}`, async (rest) => {
      const given = { ...category(rest), description: 'Größe ½ 🚀' };
      const answer = await rest.send({ method, url: `Category${query}`, type, body: text(given) });
      await rest.reads(rest.made('Category', answer, newRow('Category', given)));
    }),
  ),
  writing(
    '§4.6 create: an urlencoded body with the five characters that clients escape',
    async (rest) => {
      const given = { ...category(rest), description: "Wow! (it's *bold*) 100%25 + a%20b" };
      const body = jsonText(given)
        .replace(/!/g, '%21')
        .replace(/'/g, '%27')
        .replace(/\(/g, '%28')
        .replace(/\)/g, '%29')
        .replace(/\*/g, '%2a');
      const type = 'application/x-www-form-urlencoded; charset=UTF-8';
      const answer = await rest.send({ url: 'Category?$method=update', type, body });
      await rest.reads(rest.made('Category', answer, newRow('Category', given)));
    },
  ),
  writing('§4.6 create: the five escapes stay as they are in JSON', async (rest) => {
    await rest.reads(await rest.create('Category', { ...category(rest), description: '%21%27' }));
  }),
  writing(
    '§4.6 create: fields of the answer stand in the order of the specification',
    async (rest) => {
      const { text } = await rest.send({ url: 'Category', body: category(rest) });
      const key = `Case ${rest.number}`;
      const uri = `/rest/Category(%22Case%20${rest.number}%22)`;
      const start = `{"__STATUS":{"success":true},"__entityModel":"Category","__DATACLASS":"Category","__KEY":"${key}","__TIMESTAMP":"`;
      const end = `Z","__STAMP":1,"uri":"${uri}","code":"${key}","position":500,"description":null,"products":{"__deferred":{"uri":"${uri}/products?$expand=products"}}}`;
      expect(text.replace(/[\d.:T-]+(?=Z",)/, '')).toBe(start + end);
    },
  ),
  ...[
    ['an array', (entities: unknown) => entities],
    ['an object with __ENTITIES', (entities: unknown) => ({ __ENTITIES: entities })],
    [
      'a collection as it was read',
      (entities: unknown) => ({
        __DATACLASS: 'Category',
        __entityModel: 'Category',
        __GlobalStamp: 12,
        __COUNT: 2,
        __FIRST: 0,
        __ENTITIES: entities,
        __SENT: 2,
      }),
    ],
  ].map(([how, body]) =>
    writing(`§4.6 create: several in ${how as string}`, async (rest) => {
      const given = [category(rest, 'a'), { ...category(rest, 'b'), description: 'two' }];
      const rows = given.map((one) => newRow('Category', one));
      await rest.answers(
        { url: 'Category?$method=update', body: (body as (entities: unknown) => unknown)(given) },
        { __ENTITIES: rows.map((row) => saved('Category', row)) },
      );
      await rest.answers(
        { method: 'GET', url: `Category("Case ${rest.number}a","Case ${rest.number}b")` },
        collection('Category', rows),
      );
    }),
  ),
  writing('§4.6 create: an array of one is answered by __ENTITIES', async (rest) => {
    const row = newRow('Category', category(rest));
    await rest.answers(
      { url: 'Category?$method=insert', body: [category(rest)] },
      { __ENTITIES: [saved('Category', row)] },
    );
  }),
  writing('§4.6 create: an empty array saves nothing', async (rest) => {
    await rest.answers({ url: 'Category?$method=update', body: [] }, { __ENTITIES: [] });
    await rest.answers(
      { url: 'Category?$method=update', body: { __ENTITIES: [] } },
      { __ENTITIES: [] },
    );
  }),
  writing(
    '§4.6 create: what is not named gets its default, and the key comes from the database',
    async (rest) => {
      await rest.reads(await rest.create('Employee', employee(rest)));
      await rest.reads(await rest.create('Product', product(rest)));
      await rest.reads(await rest.create('Order', order()));
      await rest.reads(await rest.create('Country', country(rest)));
    },
  ),
  writing(
    '§4.6 create: null is not a value for a key and for defaults that are mandatory',
    async (rest) => {
      const answer = await rest.send({
        url: 'Employee',
        body: { ...employee(rest), ID: null, active: null, fullName: null },
      });
      await rest.reads(rest.made('Employee', answer, newRow('Employee', employee(rest))));
    },
  ),
  writing('§4.6 create: computed attributes are answered', async (rest) => {
    const { row } = await rest.create('Order', order());
    const made = await rest.create('OrderLine', {
      ...line(row['ORD_NO']),
      quantity: 4,
      discount: 12.5,
    });
    await rest.reads(made);
  }),
];

/** Keys that clients give: as they were typed. */
const textKeys: readonly string[] = [
  'A/B',
  'Say "hi"',
  "Men's & women's",
  'Ärger, naïve, Łódź',
  'semi;colon',
  '50% off',
  '🎁 🇫🇷 👩‍🔬',
  ' blanks around ',
  '{"code":"x"}',
  'C:\\Temp',
  'a=b&c=d?e#f',
  '日本',
];

const newKeys: readonly WriteCase[] = [
  writing('§4.6 create: a GUID key is generated', async (rest) => {
    await rest.reads(await rest.create('Document', document()));
  }),
  ...[
    ['in lower case', (guid: string) => guid],
    ['in upper case', (guid: string) => guid.toUpperCase()],
    ['in braces', (guid: string) => `{${guid}}`],
    ['of digits alone', (guid: string) => guid.replaceAll('-', '')],
  ].map(([how, form]) =>
    writing(`§4.6 create: a GUID key is given ${how as string}`, async (rest) => {
      const guid = `abcdef00-0000-4000-8000-${String(rest.number).padStart(12, '0')}`;
      await rest.reads(
        await rest.create(
          'Document',
          { ...document(), ID: (form as (guid: string) => string)(guid) },
          { DOC_ID: guid },
        ),
      );
    }),
  ),
  ...textKeys.map((code) =>
    writing(`§4.6 create: a text key as it was typed: ${code}`, async (rest) => {
      const key = `${code}${rest.number}`;
      const made = await rest.create('Category', { code: key, position: 1 });
      await rest.reads(await rest.update(made, { position: 2 }));
    }),
  ),
  writing('§4.6 create: a key padded by CHAR', async (rest) => {
    await rest.reads(await rest.create('Country', country(rest)));
    const given = { ...country(rest, 'a'), code: `${rest.number}a  ` };
    await rest.reads(await rest.create('Country', given, { CTRY_CD: `${rest.number}a` }));
  }),
  writing('§4.6 create: a key that is a date', async (rest) => {
    await rest.reads(await rest.create('Holiday', { ...holiday(rest), country: 'FR' }));
  }),
  writing('§4.6 create: keys of two parts', async (rest) => {
    await rest.reads(await rest.create('ExchangeRate', rate(rest)));
    const { row } = await rest.create('Project', project(rest));
    const given = { employee: 5, project: row['PRJ_ID'], role: 'Tester', fromDate: day(rest) };
    await rest.reads(await rest.create('Assignment', given));
  }),
  writing('§4.6 create: the parts of a key by attributes or by relations', async (rest) => {
    const { row } = await rest.create('Project', project(rest));
    const given = { employeeID: 5, projectID: row['PRJ_ID'], role: 'T', fromDate: day(rest) };
    await rest.reads(await rest.create('Assignment', given));
  }),
];

export const writes: readonly WriteCase[] = [...creations, ...newKeys];
