import type { Target } from '../targets/target.ts';
import { answers, encoded, finds } from './finders.ts';
import { oneEntity, reach, type Row, rowAt, type RowOf } from './oracle.ts';
import type { Case } from './suite.ts';
import { refusal } from './values.ts';

type Employee = RowOf<'Employee'>;

/** How an engine compares text that a column holds; null is like nothing. */
interface TextLike {
  readonly is: (text: string) => (value: string | null) => boolean;
  readonly begins: (part: string) => (value: string | null) => boolean;
  readonly contains: (part: string) => (value: string | null) => boolean;
  readonly matches: (pattern: RegExp) => (value: string | null) => boolean;
}

/** @param ignoresCase whether by the gateway's setting or the column's collation `A` is `a` */
function textLike(ignoresCase: boolean): TextLike {
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
function textCases(prefix: string, ignoresCase: boolean): readonly Case[] {
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

const reilly = ({ LAST_NM }: Employee): boolean => LAST_NM === "O'Reilly";

const { is, matches } = textLike(true);

/** DECISIONS, "URLs and encodings": one name in every form that clients send it. */
const reillys: readonly string[] = [
  `$filter="lastName=O'Reilly"`,
  `$filter="lastName='O'Reilly'"`,
  `$filter="lastName="O'Reilly""`,
  `$filter='lastName="O'Reilly"'`,
  `$filter='lastName=O'Reilly'`,
  `$filter=lastName=O'Reilly`,
  `$filter=lastName="O'Reilly"`,
  `$filter=lastName='O'Reilly'`,
  `$filter=lastName%3DO%27Reilly`,
  `$filter=%22lastName=O%27Reilly%22`,
  `$filter=%22lastName%20=%20%27O%27Reilly%27%22`,
  `$filter=%27lastName=%22O%27Reilly%22%27`,
  `$filter="lastName+=+'O'Reilly'"`,
  `$filter=lastName+%3D+O%27Reilly`,
  `$filter="lastName=O\\u0027Reilly"`,
  `$filter="lastName='O\\u0027Reilly'"`,
  `$filter="lastName=:1"&$params='["O'Reilly"]'`,
  `$filter="lastName=:1"&$params='["O\\u0027Reilly"]'`,
  `$filter="lastName=:1"&$params='["O\\\\u0027Reilly"]'`,
  `$filter="lastName=:1"&$params=["O'Reilly"]`,
  `$filter="lastName=:1"&$params='["O%27Reilly"]'`,
  `$filter="lastName=:1"&$params=%27%5B%22O%27Reilly%22%5D%27`,
  `$filter="lastName=:1"&$params=${encoded('["O\'Reilly"]')}`,
  `$params='["O'Reilly"]'&$filter="lastName=:1"`,
  `$filter=lastName=:1&$params=["O'Reilly"]`,
];

const grade = ({ GRADE_CD }: Employee): number => GRADE_CD ?? -1;

/** `$filter`, `$params` and the employees that they find. */
const placeholders: readonly (readonly [string, string, (row: Employee) => boolean])[] = [
  ['grade=:1', '[9]', (row) => grade(row) === 9],
  ['grade>=:1 AND active=:2', '[8, false]', (row) => grade(row) >= 8 && !row.ACTIVE_FL],
  ['active=:2 AND grade>=:1', '[8, false]', (row) => grade(row) >= 8 && !row.ACTIVE_FL],
  ['grade=:1 OR ID=:1', '[7]', (row) => grade(row) === 7 || row.EMP_NO === 7],
  ['grade=:1', '[null]', (row) => row.GRADE_CD === null],
  ['grade IS NOT :1', '[null]', (row) => row.GRADE_CD !== null],
  ['lastName=:1', '["sm@"]', ({ LAST_NM }) => matches(/^sm/)(LAST_NM)],
  ['note===:1', '["@home on Fridays"]', ({ NOTE_TX }) => is('@home on Fridays')(NOTE_TX)],
  ['lastName begin :1', '["o\\u0027"]', ({ LAST_NM }) => matches(/^o'/)(LAST_NM)],
  ['note % :1', '["\\\\u0022"]', ({ NOTE_TX }) => matches(/"/)(NOTE_TX)],
  ['note = :1', '["both \' and \\""]', ({ NOTE_TX }) => is(`both ' and "`)(NOTE_TX)],
  ['note = :1', '["C:\\\\Users\\\\public"]', ({ NOTE_TX }) => is('C:\\Users\\public')(NOTE_TX)],
  ['note = :1', '["a=1&b=2?c#d"]', ({ NOTE_TX }) => is('a=1&b=2?c#d')(NOTE_TX)],
  ['note = :1', '["null"]', ({ NOTE_TX }) => is('null')(NOTE_TX)],
  ['birthDate=:1', '["1980-02-29"]', ({ BIRTH_DT }) => BIRTH_DT === '1980-02-29'],
  ['badgeNo=:1', '[9007199254740993]', ({ BADGE_NO }) => BADGE_NO === '9007199254740993'],
  ['badgeNo=:1', '["9007199254740992"]', ({ BADGE_NO }) => BADGE_NO === '9007199254740992'],
  ['grade IN :1', '[[7, 9]]', (row) => [7, 9].includes(grade(row))],
  ['grade IN :1', '[[7, null]]', (row) => [7, null].includes(row.GRADE_CD)],
  ['grade IN :1', '[[]]', () => false],
  ['grade IN :1', '[7]', (row) => grade(row) === 7],
  ['grade IN [:1, :2]', '[7, 9]', (row) => [7, 9].includes(grade(row))],
  [
    'lastName IN :2 AND grade>:1',
    '[3, ["SMITH", "O\'Reilly"]]',
    (row) => grade(row) > 3 && ['Smith', "O'Reilly"].includes(row.LAST_NM),
  ],
  ['extra.level = :1', '[2.5]', ({ EXTRA_JSON }) => /"level":2.5\b/.test(EXTRA_JSON ?? '')],
  ['extra.remote = :1', '[true]', ({ EXTRA_JSON }) => (EXTRA_JSON ?? '').includes('"remote":true')],
  ['ID=3', '[]', ({ EMP_NO }) => EMP_NO === 3],
  ['ID=:1', '[ 3 , "not asked for" ]', ({ EMP_NO }) => EMP_NO === 3],
  [
    'ID=:128',
    JSON.stringify(Array.from({ length: 128 }, (_, index) => index + 1)),
    ({ EMP_NO }) => EMP_NO === 128,
  ],
];

const ignoringCase: readonly Case[] = [
  ...reillys.map((query) => answers(`§4.3 O'Reilly as ${query}`, 'Employee', query, reilly)),
  answers(
    '§4.3 a double quote inside apostrophes',
    'Product',
    `$filter='category.code="Cables 1/2""'`,
    (row) => row.CAT_CD === 'Cables 1/2"',
  ),
  answers(
    '§4.3 a double quote as its code',
    'Product',
    `$filter="category.code=:1"&$params='["Cables 1/2\\\\u0022"]'`,
    (row) => row.CAT_CD === 'Cables 1/2"',
  ),
  answers(
    '§4.3 & = / ? inside outer quotes are text',
    'Company',
    `$filter="website = 'https://acme.example/?lang=fr&from=erp'"`,
    (row) => row.CMP_ID === 1,
  ),
  answers(
    '§4.3 an ampersand in a value',
    'Company',
    '$filter="name=\'Acme Freight %26 Co.\'"',
    (row) => row.CMP_ID === 1,
  ),
  answers(
    '§4.3 an unescaped ampersand in a value',
    'Company',
    '$filter="name=\'Acme Freight & Co.\'"',
    (row) => row.CMP_ID === 1,
  ),
  answers(
    '§4.3 a lone percent sign does not fail',
    'Employee',
    `$filter="note='100% reliable'"`,
    ({ NOTE_TX }) => NOTE_TX === '100% reliable',
  ),
  answers(
    '§4.3 && in an unquoted filter',
    'Employee',
    '$filter=grade>5&&active=true',
    (row) => grade(row) > 5 && row.ACTIVE_FL,
  ),
  answers(
    '§4.3 && in a quoted filter',
    'Employee',
    '$filter="grade>5&&active=true"',
    (row) => grade(row) > 5 && row.ACTIVE_FL,
  ),
  answers(
    '§4.3 & in a quoted filter',
    'Employee',
    '$filter="grade>5 & active=true"',
    (row) => grade(row) > 5 && row.ACTIVE_FL,
  ),
  answers('§4.3 an empty filter finds all', 'Employee', '$filter=', () => true),
  ...textCases('§4.3', true),
  ...placeholders.map(([filter, params, test]) =>
    finds(
      `§4.3 placeholders: ${filter} with ${params.slice(0, 40)}`,
      'Employee',
      filter,
      test,
      params,
    ),
  ),
];

/**
 * Comparisons of text with `ignoreCase: false`, the default that users have: the columns' collations decide.
 * On a target whose collations hold `A` for `a`, they say the same with either setting.
 */
function exactCases({ ignoresCase }: Target): readonly Case[] {
  const { is } = textLike(ignoresCase);
  const prefix = '§4.3 with ignoreCase: false,';
  const property = (row: Row): string | null => {
    const extra = JSON.parse(String(row['EXTRA_JSON'])) as { nick?: string | null } | null;
    return extra?.nick ?? null;
  };
  const cases: readonly Case[] = [
    ...textCases(prefix, ignoresCase),
    ...['IT', 'it'].map((code) =>
      finds(`${prefix} padded text: ${code}`, 'Employee', `department.code = ${code}`, (row) =>
        is(code)(row.DEPT_CD),
      ),
    ),
    ...['["Smith","DUBOIS"]', '["SMITH",null]'].map((list) =>
      finds(`${prefix} one of: ${list}`, 'Employee', `lastName IN ${list}`, ({ LAST_NM }) =>
        (JSON.parse(list) as (string | null)[]).some((item) => item !== null && is(item)(LAST_NM)),
      ),
    ),
    ...['Smith', 'smith'].map((name) =>
      finds(`${prefix} to many: ${name}`, 'Company', `employees.lastName = ${name}`, (row) =>
        reach('Company', row, 'employees').some((employee) =>
          is(name)(String(employee['LAST_NM'])),
        ),
      ),
    ),
    {
      title: `${prefix} a unique attribute`,
      url: '/rest/Employee:email(MARIE.dubois@acme.example)?$attributes=ID',
      ...(ignoresCase
        ? { body: oneEntity('Employee', rowAt('Employee', 1), { attributes: 'ID' }) }
        : { status: 404, body: refusal(1543, /MARIE\.dubois/) }),
    },
    ...['Bob', 'bob'].map((nick) =>
      finds(`${prefix} a property: ${nick}`, 'Employee', `extra.nick = ${nick}`, (row) =>
        is(nick)(property(row)),
      ),
    ),
  ];
  return cases.map((row) => ({ ...row, ignoreCase: false }));
}

export function reads(target: Target): readonly Case[] {
  return [...ignoringCase, ...exactCases(target)];
}
