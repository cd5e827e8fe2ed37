import { notOnBabelfish, numbers, type TypeSpec } from './spec.ts';

const NINES = '9'.repeat(38);
const ALL = ['key', 'equal', 'less'] as const;

/** Numbers at their type's ends. */
export const numberTypes: readonly TypeSpec[] = [
  {
    name: 'Bit',
    type: 'bit',
    values: [
      { sql: '0', json: 'false', url: 'false' },
      { sql: '1', json: 'true', url: 'true' },
    ],
    can: ['key', 'equal'],
    filters: [
      ['V', [2]],
      ['NOT (V)', [1]],
      ['V != 1', [1]],
    ],
    refused: ['2', 'yes', '""'],
  },
  {
    name: 'Tinyint',
    type: 'tinyint',
    values: numbers('0', '255'),
    can: ALL,
    filters: [['V >= 254', [2]]],
    refused: ['-1', '256', '1.5'],
  },
  {
    name: 'Smallint',
    type: 'smallint',
    values: numbers('-32768', '0', '32767'),
    can: ALL,
    refused: ['-32769', '32768'],
  },
  {
    name: 'Int',
    type: 'int',
    values: numbers('-2147483648', '-1', '2147483647'),
    can: ALL,
    refused: ['-2147483649', '2147483648', 'x'],
  },
  {
    name: 'Bigint',
    type: 'bigint',
    values: numbers('-9223372036854775808', '9007199254740993', '9223372036854775807'),
    can: ALL,
    filters: [['V > 9007199254740992', [2, 3]]],
    refused: ['-9223372036854775809', '9223372036854775808'],
  },
  {
    name: 'WholeDecimal',
    type: 'decimal(38, 0)',
    values: numbers(`-${NINES}`, '-1', '0', '2', NINES),
    can: ALL,
    filters: [
      ['V = 1.5', []],
      ['V != 1.5', [1, 2, 3, 4, 5]],
      ['NOT (V = 1.5)', [1, 2, 3, 4, 5]],
      ['V < 1.5', [1, 2, 3]],
      ['V <= 1.5', [1, 2, 3]],
      ['V > 1.5', [4, 5]],
      ['V >= 1.5', [4, 5]],
      ['V > -0.5', [3, 4, 5]],
      ['V < -0.5', [1, 2]],
      ['V IN [1.5, 1.6, 2.0]', [4]],
    ],
    refused: ['1' + '0'.repeat(38), `${NINES}.5`],
  },
  {
    name: 'Fraction',
    type: 'decimal(38, 38)',
    values: numbers(`-0.${NINES}`, `0.${'0'.repeat(37)}1`, `0.${NINES}`),
    can: ALL,
    refused: ['1', '-1'],
  },
  {
    name: 'Numeric',
    type: 'numeric(5, 2)',
    values: numbers('-999.99', '0.10', '999.99'),
    can: ALL,
    filters: [
      ['V = 0.1', [2]],
      ['V = 0.101', []],
      ['V < 0.1000000000000000000000000000000000001', [1, 2]],
      ['V <= 0.0999999999999999999999999999999999999', [1]],
      ['V != 0.1000000000000000000000000000000000001', [1, 2, 3]],
    ],
    refused: ['1000', 'x'],
  },
  {
    name: 'Money',
    type: 'money',
    values: numbers('-922337203685477.5808', '0.0001', '922337203685477.5807'),
    can: ALL,
    filters: [
      ['V = 0.00010', [2]],
      ['V = 0.00011', []],
      ['V >= 0.00011', [3]],
    ],
    refused: ['1000000000000000'],
  },
  {
    name: 'Smallmoney',
    type: 'smallmoney',
    values: numbers('-214748.3648', '12.3400', '214748.3647'),
    can: ALL,
    refused: ['1000000'],
  },
  {
    name: 'Float',
    type: 'float',
    values: [
      {
        sql: '-1.7976931348623157E308',
        json: '-1.7976931348623157e+308',
        url: '-1.7976931348623157e308',
      },
      { sql: '0E0', json: '0', url: '0' },
      {
        sql: '2.2250738585072014E-308',
        json: '2.2250738585072014e-308',
        url: '2.2250738585072014e-308',
      },
      { sql: '1E-1', json: '0.1', url: '0.1' },
      {
        sql: '1.7976931348623157E308',
        json: '1.7976931348623157e+308',
        url: '1.7976931348623157e308',
      },
    ],
    can: ALL,
    filters: [['V = 0.1000000000000000055', [4]]],
    refused: ['1e400', 'NaN', 'Infinity'],
  },
  {
    name: 'Real',
    type: 'real',
    values: [
      { sql: '-3.4028235E38', json: '-3.4028235e+38', url: '-3.4028235e38' },
      { sql: '0E0', json: '0', url: '0' },
      { sql: '1.1754944E-38', json: '1.1754944e-38', url: '1.1754944e-38' },
      { sql: '1E-1', json: '0.1', url: '0.1' },
      { sql: '16777216', json: '16777216', url: '16777216' },
      { sql: '3.4028235E38', json: '3.4028235e+38', url: '3.4028235e38' },
    ],
    can: ALL,
    refused: ['3.5e38'],
  },
  {
    name: 'TooSmall',
    type: 'float',
    values: [{ sql: '0E0', json: '0', url: '5e-324' }],
    can: ['equal'],
    lacking: notOnBabelfish(
      'it has the numbers below 2.2e-308 that SQL Server documents as none of float',
    ),
  },
];
