import { notOnBabelfish, quoted, type TypeSpec, type TypeValue } from './spec.ts';

const ALL = ['key', 'equal', 'less'] as const;

/** Values that T-SQL writes by an expression. */
function expressions(...pairs: readonly (readonly [sql: string, text: string])[]): TypeValue[] {
  return pairs.map(([sql, text]) => ({ sql, json: JSON.stringify(text), url: `"${text}"` }));
}

/** Types that JSON has no word for. */
export const otherTypes: readonly TypeSpec[] = [
  {
    name: 'Guid',
    type: 'uniqueidentifier',
    values: [
      '00000000-0000-0000-0000-000000000000',
      'c0ffee00-0000-4000-8000-00000000000a',
      'ffffffff-ffff-ffff-ffff-ffffffffffff',
    ].map((guid) => ({ sql: `'${guid.toUpperCase()}'`, json: `"${guid}"`, url: guid })),
    can: ALL,
    filters: [['V = "{C0FFEE00-0000-4000-8000-00000000000A}"', [2]]],
    refused: ['c0ffee00', 'x'],
  },
  {
    name: 'Xml',
    type: 'xml',
    values: quoted(['<a/>', '<a/>'], ['<b>x &amp; y</b>', '<b>x &amp; y</b>']),
    can: ['equal', 'less'],
    filters: [['V % "x &amp; y"', [2]]],
  },
  {
    name: 'Variant',
    type: 'sql_variant',
    values: expressions(
      ['CONVERT(bigint, 9007199254740993)', '9007199254740993'],
      [
        "CONVERT(decimal(38, 2), '123456789012345678901234567890.10')",
        '123456789012345678901234567890.10',
      ],
      ["CONVERT(nvarchar(20), N'text 🚀')", 'text 🚀'],
      ["CONVERT(money, '1.2345')", '1.2345'],
      ["CONVERT(date, '2024-02-29')", '2024-02-29'],
      ['CONVERT(bit, 1)', '1'],
    ),
    can: ['equal'],
    filters: [['V = "text @"', [3]]],
  },
  {
    name: 'ExactVariant',
    type: 'sql_variant',
    values: expressions(
      ["CONVERT(datetime, '2024-02-29T12:00:00.003')", '2024-02-29T12:00:00.003'],
      ["CONVERT(datetime2(7), '2024-02-29T12:00:00.1234567')", '2024-02-29T12:00:00.1234567'],
      [
        "CONVERT(datetimeoffset(7), '2024-02-29T12:00:00.1234567+02:00')",
        '2024-02-29T12:00:00.1234567+02:00',
      ],
      ["CONVERT(time(7), '12:00:00.1234567')", '12:00:00.1234567'],
      ['1E-1', '1.0000000000000001e-001'],
      ['0x01FF', '0x01FF'],
    ),
    can: ['equal'],
    lacking: notOnBabelfish(
      'it writes dates, floats and bytes of a sql_variant in forms of its own, whatever the style',
    ),
  },
  {
    name: 'Hierarchyid',
    type: 'hierarchyid',
    values: expressions(
      ["hierarchyid::Parse('/1/')", '/1/'],
      ["hierarchyid::Parse('/1/2.5/')", '/1/2.5/'],
    ),
    can: ['key', 'equal'],
    lacking: notOnBabelfish('it has no hierarchyid'),
  },
  {
    name: 'Geometry',
    type: 'geometry',
    values: expressions(
      ["geometry::STGeomFromText('POINT (1 2 3 4)', 0)", 'POINT (1 2 3 4)'],
      ["geometry::STGeomFromText('LINESTRING (0 0, 1 1)', 0)", 'LINESTRING (0 0, 1 1)'],
    ),
    can: ['equal'],
    filters: [['V begin POINT', [1]]],
    lacking: notOnBabelfish('it is built without geometry'),
  },
  {
    name: 'Geography',
    type: 'geography',
    values: expressions([
      "geography::STGeomFromText('POINT (-122.5 47.25)', 4326)",
      'POINT (-122.5 47.25)',
    ]),
    can: ['equal'],
    lacking: notOnBabelfish('it is built without geography'),
  },
  ...['binary(4)', 'varbinary(8)', 'varbinary(max)', 'image'].map((type): TypeSpec => ({
    name: `Bytes${type.replace(/\W/g, '')}`,
    type,
    values: [{ sql: '0x00FF1020', json: '{bytes of 1}', url: '' }],
    can: [],
    filters: [
      ['V = null', [2]],
      ['V != null', [1]],
    ],
  })),
];
