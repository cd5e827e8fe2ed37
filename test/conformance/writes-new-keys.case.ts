import type { WriteClient } from './write-client.ts';
import { country, day, document, holiday, project, rate } from './write-samples.ts';
import type { WriteCase } from './write-suite.ts';

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

export const writes: readonly WriteCase[] = [
  {
    title: '§4.6 create: a GUID key is generated',
    run: async (rest) => {
      await rest.reads(await rest.create('Document', document()));
    },
  },
  ...[
    ['in lower case', (guid: string) => guid],
    ['in upper case', (guid: string) => guid.toUpperCase()],
    ['in braces', (guid: string) => `{${guid}}`],
    ['of digits alone', (guid: string) => guid.replaceAll('-', '')],
  ].map(([how, form]) => ({
    title: `§4.6 create: a GUID key is given ${how as string}`,
    run: async (rest: WriteClient) => {
      const guid = `abcdef00-0000-4000-8000-${String(rest.number).padStart(12, '0')}`;
      await rest.reads(
        await rest.create(
          'Document',
          { ...document(), ID: (form as (guid: string) => string)(guid) },
          { DOC_ID: guid },
        ),
      );
    },
  })),
  ...textKeys.map((code) => ({
    title: `§4.6 create: a text key as it was typed: ${code}`,
    run: async (rest: WriteClient) => {
      const key = `${code}${rest.number}`;
      const made = await rest.create('Category', { code: key, position: 1 });
      await rest.reads(await rest.update(made, { position: 2 }));
    },
  })),
  {
    title: '§4.6 create: a key padded by CHAR',
    run: async (rest) => {
      await rest.reads(await rest.create('Country', country(rest)));
      const given = { ...country(rest, 'a'), code: `${rest.number}a  ` };
      await rest.reads(await rest.create('Country', given, { CTRY_CD: `${rest.number}a` }));
    },
  },
  {
    title: '§4.6 create: a key that is a date',
    run: async (rest) => {
      await rest.reads(await rest.create('Holiday', { ...holiday(rest), country: 'FR' }));
    },
  },
  {
    title: '§4.6 create: keys of two parts',
    run: async (rest) => {
      await rest.reads(await rest.create('ExchangeRate', rate(rest)));
      const { row } = await rest.create('Project', project(rest));
      const given = { employee: 5, project: row['PRJ_ID'], role: 'Tester', fromDate: day(rest) };
      await rest.reads(await rest.create('Assignment', given));
    },
  },
  {
    title: '§4.6 create: the parts of a key by attributes or by relations',
    run: async (rest) => {
      const { row } = await rest.create('Project', project(rest));
      const given = { employeeID: 5, projectID: row['PRJ_ID'], role: 'T', fromDate: day(rest) };
      await rest.reads(await rest.create('Assignment', given));
    },
  },
];
