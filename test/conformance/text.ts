import { finds } from './finders.ts';
import { type RowOf } from './oracle.ts';
import type { Case } from './suite.ts';

type Employee = RowOf<'Employee'>;

/** How an engine compares text that a column holds; null is like nothing. */
export interface TextLike {
  readonly is: (text: string) => (value: string | null) => boolean;
  readonly begins: (part: string) => (value: string | null) => boolean;
  readonly contains: (part: string) => (value: string | null) => boolean;
  readonly matches: (pattern: RegExp) => (value: string | null) => boolean;
}

/** @param ignoresCase whether by the gateway's setting or the column's collation `A` is `a` */
export function textLike(ignoresCase: boolean): TextLike {
  const folded = (text: string): string => (ignoresCase ? text.toLowerCase() : text);
  return {
    is: (text) => (value) => value !== null && folded(value) === folded(text),
    begins: (part) => (value) => value !== null && folded(value).startsWith(folded(part)),
    contains: (part) => (value) => value !== null && folded(value).includes(folded(part)),
    matches: ({ source }) => {
      const pattern = new RegExp(source, ignoresCase ? 'iu' : 'u');
      return (value) => value !== null && pattern.test(value);
    },
  };
}

/** Filters and the employees that they find. */
type Table = (like: TextLike) => readonly (readonly [string, (row: Employee) => boolean])[];

/** Values that hold what means something in URLs, LIKE patterns, quotes and JSON. */
const texts: readonly string[] = [
  '100% reliable',
  '50%_off until Friday',
  'snake_case_name',
  'five *stars*',
  'C:\\Users\\public',
  '[draft] do not send',
  '[a-z]^ is a pattern',
  '  two leading blanks',
  "it's late",
  '"quoted"',
  `both ' and "`,
  'a;b,c (d) {e}',
  'naïve café, déjà vu',
  '日本語のメモ',
  '👩‍👩‍👧 family day',
  'null',
  'true',
  "'; DROP TABLE x; --",
  '{"looks": "like JSON"}',
  '<b>bold</b> & more',
  'a=1&b=2?c#d',
  '%41 stays %41',
  'e\u0301 is two characters',
  'line one\nline two',
];

/** The parts of those texts that a pattern would take for more than they are. */
const parts: readonly (readonly ['begin' | '%', string])[] = [
  ['begin', '100%'],
  ['begin', '50%_o'],
  ['begin', 'snake_'],
  ['begin', 'snake%'],
  ['begin', '[draft]'],
  ['begin', '[a-z]'],
  ['begin', 'C:\\'],
  ['begin', 'five *'],
  ['begin', '@home'],
  ['begin', "'; DROP"],
  ['%', '%'],
  ['%', '_'],
  ['%', '\\'],
  ['%', '[a-z]'],
  ['%', '*'],
  ['%', '@'],
  ['%', "'"],
  ['%', '"'],
  ['%', 'É'],
];

const wildcards: Table = ({ is, matches }) => [
  ['lastName = "du@"', ({ LAST_NM }) => matches(/^du/)(LAST_NM)],
  ['lastName == "@son"', ({ LAST_NM }) => matches(/son$/)(LAST_NM)],
  ['lastName like "@er@"', ({ LAST_NM }) => matches(/er/)(LAST_NM)],
  ['lastName = s@h', ({ LAST_NM }) => matches(/^s.*h$/)(LAST_NM)],
  ['lastName = "@"', () => true],
  ['note = "@"', ({ NOTE_TX }) => NOTE_TX !== null],
  ['lastName = du*', ({ LAST_NM }) => matches(/^du/)(LAST_NM)],
  ['lastName = "Garc*"', ({ LAST_NM }) => matches(/^Garc/)(LAST_NM)],
  ['note = "five *@"', ({ NOTE_TX }) => matches(/^five \*/)(NOTE_TX)],
  ['note = "@*stars*"', ({ NOTE_TX }) => matches(/\*stars/)(NOTE_TX)],
  ['note = "100%@"', ({ NOTE_TX }) => matches(/^100%/)(NOTE_TX)],
  ['note = "snake_@"', ({ NOTE_TX }) => matches(/^snake_/)(NOTE_TX)],
  ['lastName != "@e@"', ({ LAST_NM }) => !matches(/e/)(LAST_NM)],
  ['note # "@e@"', ({ NOTE_TX }) => NOTE_TX !== null && !matches(/e/)(NOTE_TX)],
  ['email === "@acme.example"', () => false],
  ['note === "@home on Fridays"', ({ NOTE_TX }) => is('@home on Fridays')(NOTE_TX)],
  ['note IS "ends with a star*"', ({ NOTE_TX }) => is('ends with a star*')(NOTE_TX)],
  ['note !== "@"', ({ NOTE_TX }) => NOTE_TX !== null],
  [
    'email = marie.dubois@acme.example',
    ({ EMAIL }) => matches(/^marie\.dubois.*acme\.example$/)(EMAIL),
  ],
  ['email IN ["marie.dubois@acme.example"]', ({ EMAIL }) => is('marie.dubois@acme.example')(EMAIL)],
];

const folding: Table = ({ is, begins, contains, matches }) => [
  ['lastName = DUBOIS', ({ LAST_NM }) => is('DUBOIS')(LAST_NM)],
  ['lastName = "MÜLLER"', ({ LAST_NM }) => is('MÜLLER')(LAST_NM)],
  ['lastName = "øztürk"', ({ LAST_NM }) => is('øztürk')(LAST_NM)],
  ['lastName = "öztürk"', ({ LAST_NM }) => is('öztürk')(LAST_NM)],
  ['lastName begin "DE LA"', ({ LAST_NM }) => begins('DE LA')(LAST_NM)],
  ['lastName % "ÁND"', ({ LAST_NM }) => contains('ÁND')(LAST_NM)],
  ['lastName != "SMITH"', ({ LAST_NM }) => !is('SMITH')(LAST_NM)],
  ['firstName = "łUKASZ"', ({ FIRST_NM }) => is('łUKASZ')(FIRST_NM)],
  ['firstName = Marie', ({ FIRST_NM }) => is('Marie')(FIRST_NM)],
  ['firstName = "mary ANN"', ({ FIRST_NM }) => is('mary ANN')(FIRST_NM)],
  ['firstName begin "Mary "', ({ FIRST_NM }) => begins('Mary ')(FIRST_NM)],
  ['firstName % "n"', ({ FIRST_NM }) => contains('n')(FIRST_NM)],
  ['firstName = "@e"', ({ FIRST_NM }) => matches(/e$/)(FIRST_NM)],
  [
    'fullName = "josé garcía lópez"',
    (row) => is('josé garcía lópez')(`${row.FIRST_NM} ${row.LAST_NM}`),
  ],
  ['note = ""', ({ NOTE_TX }) => NOTE_TX === ''],
  ['note = null', ({ NOTE_TX }) => NOTE_TX === null],
  ['note = "null"', ({ NOTE_TX }) => is('null')(NOTE_TX)],
  ['lastName = De la Cruz', ({ LAST_NM }) => is('De la Cruz')(LAST_NM)],
  [
    'lastName = De la Cruz OR lastName = smith',
    ({ LAST_NM }) => is('De la Cruz')(LAST_NM) || is('smith')(LAST_NM),
  ],
];

/**
 * Filters over text, in the case that the sample has and in others.
 * @param prefix what the titles begin with: the section of the specification
 * @param ignoresCase as {@link textLike}
 */
export function textCases(prefix: string, ignoresCase: boolean): readonly Case[] {
  const like = textLike(ignoresCase);
  const table = (name: string, rows: ReturnType<Table>): readonly Case[] =>
    rows.map(([filter, test]) => finds(`${prefix} ${name}: ${filter}`, 'Employee', filter, test));
  return [
    ...texts.map((text) =>
      finds(
        `${prefix} equal text: ${JSON.stringify(text)}`,
        'Employee',
        'note === :1',
        ({ NOTE_TX }) => like.is(text)(NOTE_TX),
        JSON.stringify([text]),
      ),
    ),
    ...table(
      'literal',
      parts.map(([how, part]) => {
        const has = (how === 'begin' ? like.begins : like.contains)(part);
        return [`note ${how} "${part}"`, ({ NOTE_TX }) => has(NOTE_TX)];
      }),
    ),
    ...table('wildcards', wildcards(like)),
    ...table('text', folding(like)),
  ];
}
