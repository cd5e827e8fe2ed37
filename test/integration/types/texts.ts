import { notOnBabelfish, quoted, type TypeSpec } from './spec.ts';

const ALL = ['key', 'equal', 'less'] as const;

/** Text of any length, with and without padding, and of the deprecated types that cannot be compared as they are. */
export const textTypes: readonly TypeSpec[] = [
  {
    name: 'Char',
    type: 'char(5)',
    values: [
      { sql: "''", json: '"     "', url: '""' },
      { sql: "'ab'", json: '"ab   "', url: 'ab' },
      { sql: "'vwxyz'", json: '"vwxyz"', url: 'vwxyz' },
    ],
    can: ALL,
    filters: [
      ['V = "ab   "', [2]],
      ['V begin a', [2]],
      ['V = @z', [3]],
      ['V = @b', [2]],
      ['V = "longer than the column"', []],
    ],
    refused: ['"a\u0000"'],
  },
  {
    name: 'Nchar',
    type: 'nchar(5)',
    values: [
      { sql: "N'ab'", json: '"ab   "', url: 'ab' },
      { sql: "N'z🚀'", json: '"z🚀  "', url: 'z🚀' },
    ],
    can: ALL,
    filters: [['V = @🚀', [2]]],
  },
  {
    name: 'Varchar',
    type: 'varchar(20)',
    values: quoted(['', ''], ["a'b", "a'b"], ['b  ', 'b  '], ['c??', 'c??'], ['é', 'é']),
    can: ALL,
    filters: [
      ['V = b', [3]],
      ['V IN ["c日本"]', []],
      ['NOT (V IN ["c日本"])', [1, 2, 3, 4, 5]],
      [
        `NOT (V IN [${Array.from({ length: 60 }, (_, index) => `"日本${index}"`).join()}])`,
        [1, 2, 3, 4, 5],
      ],
      ['V IN ["é", "b"]', [3, 5]],
      ['V = "c日本"', []],
      ['V begin c', [4]],
      ['V % ?', [4]],
    ],
  },
  {
    name: 'Nvarchar',
    type: 'nvarchar(20)',
    values: quoted(['', ''], ["a'b", "a'b"], ['b  ', 'b  '], ['z🚀\u{10ffff}', 'z🚀\u{10ffff}']),
    can: ['key', 'equal', 'less'],
    filters: [
      ['V % 🚀', [4]],
      ['V = "[a]"', []],
    ],
  },
  {
    name: 'Quotes',
    type: 'nvarchar(20)',
    values: quoted(['"', '"'], ['a"b\\c', 'a"b\\c']),
    can: ALL,
    lacking: notOnBabelfish('OPENJSON gives text with quotes in it back with its escapes'),
  },
  {
    name: 'VarcharMax',
    type: 'varchar(max)',
    values: quoted(['a', 'a'], ['b'.repeat(9000), 'b'.repeat(9000)]),
    can: ['less'],
    filters: [['V = a', [1]]],
  },
  {
    name: 'NvarcharMax',
    type: 'nvarchar(max)',
    values: quoted(['a', 'a'], ['é'.repeat(1500), 'é'.repeat(1500)]),
    can: ['equal', 'less'],
  },
  {
    name: 'Text',
    type: 'text',
    values: quoted(['', ''], ['ab', 'ab'], ['c??', 'c??']),
    can: ['equal', 'less'],
    filters: [
      ['V begin a', [2]],
      ['V % ?', [3]],
      ['V != ab', [1, 3]],
      ['V IN ["c日本"]', []],
    ],
  },
  {
    name: 'Ntext',
    type: 'ntext',
    values: quoted(['ab', 'ab'], ['z🚀', 'z🚀']),
    can: ['equal', 'less'],
    filters: [['V = z@', [2]]],
  },
  {
    name: 'Alias',
    type: 'legacy.PhoneNo',
    before: 'CREATE TYPE legacy.PhoneNo FROM varchar(20)',
    values: quoted(['+1 555', '+1 555'], ['+33 1', '+33 1']),
    can: ALL,
  },
  {
    name: 'Sysname',
    type: 'sysname',
    values: quoted(['a', 'a'], ['b', 'b']),
    can: ALL,
  },
];
