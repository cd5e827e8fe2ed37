import { answers, encoded, finds } from './finders.ts';
import { type RowOf } from './oracle.ts';
import type { Case } from './suite.ts';
import { textCases, textLike } from './text.ts';
import { refusal } from './values.ts';

type Employee = RowOf<'Employee'>;

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

const refused: readonly (readonly [string, string | null, number, RegExp])[] = [
  ['grade=:1', null, 1280, /:1.*position 7 of \$filter/],
  ['grade=:1', '[]', 1280, /:1.*position 7 of \$filter/],
  ['grade=:1 OR ID=:3', '[1, 2]', 1280, /:3.*2.*position 16 of \$filter/],
  ['grade=:0', '[1]', 1279, /":0".*position 7 of \$filter/],
  ['grade=:one', '[1]', 1279, /":.*position 7 of \$filter/],
  ['grade=:1', '{"1": 9}', 1279, /array.*\$params/],
  ['grade=:1', '[9', 1279, /JSON.*\$params/],
  ['grade=:1', '[nine]', 1279, /JSON.*\$params/],
  ['grade=:1', '[{"a":1}]', 1279, /object.*\$params/],
  ['grade=:1', JSON.stringify(Array(129).fill(1)), 1279, /129.*128/],
  ['grade=:1', '["nine"]', 1508, /"nine".*Employee\.grade.*\$params/],
  ['grade=:1', '[[1, 2]]', 1162, /IN/],
];

export const reads: readonly Case[] = [
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
  ...refused.map(([filter, params, code, says]) => ({
    title: `§7 placeholders: ${filter} with ${params?.slice(0, 40) ?? 'no $params'}`,
    url: `/rest/Employee?$filter="${encoded(filter)}"${params === null ? '' : `&$params='${encoded(params)}'`}`,
    status: 400,
    body: refusal(code, says),
  })),
];
