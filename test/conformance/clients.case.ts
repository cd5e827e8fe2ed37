import { answers, encoded } from './finders.ts';
import { collection, rowsOf } from './oracle.ts';
import type { Case } from './suite.ts';

const isDubois = ({ LAST_NM }: { LAST_NM: string }): boolean => LAST_NM === 'Dubois';

/** What clients of the protocol family send with reads (DECISIONS, "URLs and encodings", "Answers"). */
export const clientCases: readonly Case[] = [
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
    ] as const
  ).map(([filter, params]) =>
    answers(
      `§4.3 0!0!0 is no date: ${filter} ${params}`,
      'Employee',
      `$filter="${encoded(filter)}"${params === '' ? '' : `&$params='${encoded(params)}'`}`,
      ({ BIRTH_DT }) => BIRTH_DT === null,
    ),
  ),
  answers(
    '§4.3 0!0!0 is text where text is compared',
    'Employee',
    `$filter="lastName = 0!0!0"`,
    () => false,
  ),
  {
    title: '§4.2 hints of clients that change no answer',
    url: '/rest/Employee?$top=2&$attributes=ID&$metadata=true&$progressinfo=x&$progress4Dinfo=y',
    body: collection('Employee', rowsOf('Employee'), { attributes: 'ID', top: 2 }),
  },
];
