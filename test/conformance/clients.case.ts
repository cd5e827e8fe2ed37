import { answers, encoded, finds, refuses, sortedBy } from './finders.ts';
import { collection, rowsOf } from './oracle.ts';
import type { Case } from './suite.ts';

const isDubois = ({ LAST_NM }: { LAST_NM: string }): boolean => LAST_NM === 'Dubois';

/** What clients of the protocol family send with reads (DECISIONS, "URLs and encodings", "Answers"). */
export const reads: readonly Case[] = [
  ...(
    [
      ['lastName = \\u0022Dubois\\u0022', isDubois],
      ['lastName = \\\\u0027Dubois\\\\u0027', isDubois],
      ['lastName != \\u0022Dubois\\u0022', (row) => !isDubois(row)],
      ['lastName begin\\u0027Dub\\u0027 and ID = 1', ({ EMP_NO }) => EMP_NO === 1],
      [
        'lastName in [\\u0022Dubois\\u0022, \\u0027O\\u0027Reilly\\u0027]',
        ({ LAST_NM }) => ['Dubois', "O'Reilly"].includes(LAST_NM),
      ],
      ['lastName = "\\u0022Dubois\\u0022"', () => false],
      ['lastName = "O\\u0027Reilly"', ({ LAST_NM }) => LAST_NM === "O'Reilly"],
    ] as readonly (readonly [string, Parameters<typeof answers<'Employee'>>[3]])[]
  ).map(([filter, test]) =>
    answers(
      `§4.3 codes of quotes are quotes: ${filter}`,
      'Employee',
      `$filter="${encoded(filter)}"`,
      test,
    ),
  ),
  ...(
    [
      ['date = 14!7!2024', (date) => date === '2024-07-14'],
      ['date=14!07!2024', (date) => date === '2024-07-14'],
      ['(date >= 14!7!2024) and date != 14!7!2024', (date) => date > '2024-07-14'],
      ["date < '14!7!2024'", (date) => date < '2024-07-14'],
      ['date in [14!7!2024, 15!10!1582]', (date) => ['2024-07-14', '1582-10-15'].includes(date)],
      ['date = !!2024-07-14!!', (date) => date === '2024-07-14'],
      ['date=!!2024-07-14!!', (date) => date === '2024-07-14'],
      ['date = 0!0!0', () => false],
      ['date != 0!0!0', () => true],
    ] as readonly (readonly [string, (date: string) => boolean])[]
  ).map(([filter, test]) =>
    answers(
      `§4.3 dates as clients write them: ${filter}`,
      'Holiday',
      `$filter="${encoded(filter)}"`,
      ({ HOL_DT }) => test(HOL_DT),
    ),
  ),
  ...(
    [
      ['birthDate = 0!0!0', ''],
      ["birthDate = '0!0!0'", ''],
      ['birthDate = :1', '["0!0!0"]'],
      ['birthDate in :1', '[["0!0!0"]]'],
      ['birthDate in [0!0!0]', ''],
      ['birthDate <= 00!00!00', ''],
      ['not(birthDate > !!0000-00-00!!)', ''],
      ['birthDate = null and birthDate >= 0!0!0000', ''],
      ['birthDate = null or birthDate < 0!0!0', ''],
    ] as const
  ).map(([filter, params]) =>
    answers(
      `§4.3 0!0!0 is not a date: ${filter} ${params}`,
      'Employee',
      `$filter="${encoded(filter)}"${params === '' ? '' : `&$params='${encoded(params)}'`}`,
      ({ BIRTH_DT }) => BIRTH_DT === null,
    ),
  ),
  ...(
    [
      ['Holiday', 'date = :1', '["2024-07-13T22:00:00Z,14!7!2024"]'],
      ['Holiday', 'date in :1', '[["2024-07-13T22:00:00.000Z,14!7!2024","1582-10-15"]]'],
    ] as const
  ).map(([dataclass, filter, params], index) =>
    finds(
      `§4.3 a day sent along with its instant: ${filter} ${params}`,
      dataclass,
      filter,
      ({ HOL_DT }) => HOL_DT === '2024-07-14' || (index === 1 && HOL_DT === '1582-10-15'),
      params,
    ),
  ),
  ...(['>=', '<'] as const).map((comparator) =>
    finds(
      `§4.3 an instant sent along with its day: placedAt ${comparator} :1`,
      'Order',
      `placedAt ${comparator} :1 and ID <= 900`,
      ({ ORD_TS, ORD_NO }) => ORD_NO <= 900 && ORD_TS >= '2022-06' === (comparator === '>='),
      '["2022-06-01T00:00:00Z,31!5!2022"]',
    ),
  ),
  answers(
    '§4.3 0!0!0 is text where text is compared',
    'Employee',
    `$filter="lastName = 0!0!0"`,
    () => false,
  ),
  ...(
    [
      ['__KEY = 5', ({ EMP_NO }) => EMP_NO === 5],
      ['__KEY in ["5","7"]', ({ EMP_NO }) => EMP_NO === 5 || EMP_NO === 7],
      ['manager.__KEY = "1"', ({ MGR_NO }) => MGR_NO === 1],
      ['__STAMP = 3', ({ REC_VER }) => REC_VER === 3],
      ['__STAMP > 2 and ID <= 200', ({ REC_VER, EMP_NO }) => REC_VER > 2 && EMP_NO <= 200],
      ['__STAMP in [1, 4]', ({ REC_VER }) => REC_VER === 1 || REC_VER === 4],
      ['__STAMP < 99999999999999', () => true],
      ['__TIMESTAMP >= 2024-03-01T00:00:00Z', ({ MOD_DT }) => MOD_DT >= '2024-03-01'],
    ] as readonly (readonly [string, Parameters<typeof finds<'Employee'>>[3]])[]
  ).map(([filter, test]) =>
    finds(`§4.3 fields of the protocol in $filter: ${filter}`, 'Employee', filter, test),
  ),
  finds(
    '§4.3 fields of the protocol in $filter: a key of text',
    'Country',
    '__KEY begin F',
    ({ CTRY_CD }) => CTRY_CD.startsWith('F'),
  ),
  {
    title: '§4.2 rule 3 fields of the protocol in $orderby',
    url: '/rest/Employee?$orderby="__STAMP desc, __KEY desc"&$attributes=ID&$top=20',
    body: collection('Employee', sortedBy(rowsOf('Employee').toReversed(), 'REC_VER', 'desc'), {
      attributes: 'ID',
      top: 20,
    }),
  },
  {
    title: '§4.2 rule 3 __TIMESTAMP in $orderby',
    url: '/rest/Employee?$orderby=__TIMESTAMP,ID&$attributes=ID&$top=20',
    body: collection('Employee', sortedBy(rowsOf('Employee'), 'MOD_DT', 'asc'), {
      attributes: 'ID',
      top: 20,
    }),
  },
  ...(
    [
      ['OrderLine', '__KEY = 1', /OrderLine/, /orderNo and line/, /position 1 of/],
      ['LogEntry', '__KEY = 1', /LogEntry has no key/],
      ['ExchangeRate', '__STAMP = 1', /ExchangeRate/, /hash/],
      ['Assignment', '__STAMP > 1', /Assignment/, /xmin|hash/],
      ['Employee', '__GlobalStamp > 5', /Employee/, /__GlobalStamp/, /rowversion/],
      ['ExchangeRate', '__TIMESTAMP > 2024-01-01', /ExchangeRate has no __TIMESTAMP/],
    ] as const
  ).map(([dataclass, filter, ...says]) =>
    refuses(
      `§4.3 a field of the protocol that ${dataclass} does not have: ${filter}`,
      dataclass,
      filter,
      1813,
      ...says,
    ),
  ),
  refuses('§7 1500 __STAMPS', 'Employee', '__STAMPS = 1', 1500, /__STAMPS/),
  {
    title: '§4.2 hints of clients that change no answer',
    url: '/rest/Employee?$top=2&$attributes=ID&$metadata=true&$progressinfo=x&$progress4Dinfo=y',
    body: collection('Employee', rowsOf('Employee'), { attributes: 'ID', top: 2 }),
  },
];
