import type { DataclassName } from './dataclasses.ts';
import { facts } from './dataclasses.ts';
import { finds } from './finders.ts';
import { columnOf, reach, rowAt, type Row } from './oracle.ts';
import type { Case } from './suite.ts';

/** What a comparator says of the order of two values. */
const comparators: Readonly<Record<string, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '!=': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

const aliases: readonly (readonly [string, string])[] = [
  ['==', '='],
  ['===', '='],
  ['IS', '='],
  ['is', '='],
  ['like', '='],
  ['#', '!='],
  ['!==', '!='],
  ['IS NOT', '!='],
  ['is  not', '!='],
];

/** Numbers as whole multiples of a unit that is small enough for all of them. */
function scaled(digits: string): bigint {
  const [whole = '', fraction = ''] = digits.split('.');
  return BigInt(whole + fraction.padEnd(20, '0'));
}

function compared(one: string | number | boolean, other: string, isNumber: boolean): number {
  const [left, right] = isNumber ? [scaled(String(one)), scaled(other)] : [String(one), other];
  return left < right ? -1 : left > right ? 1 : 0;
}

const exactTypes = ['int', 'smallint', 'tinyint', 'bigint', 'money', 'decimal', 'real', 'double'];

/** A comparison of an attribute with a value, worked out in plain JavaScript; nulls match nothing. */
function compares(
  dataclass: DataclassName,
  attribute: string,
  comparator: string,
  written: string,
  plain = written.replaceAll(/["']/g, ''),
  meaning = comparator,
): Case {
  const column = facts(dataclass).attributes[attribute] ?? '';
  const isNumber = exactTypes.includes(columnOf(dataclass, attribute).type);
  const filter = `${attribute} ${comparator} ${written}`;
  return finds(`§4.3 ${dataclass}: ${filter}`, dataclass, filter, (row) => {
    const value = (row as Row)[column] ?? null;
    if (value === null || value instanceof Uint8Array) return false;
    return comparators[meaning]?.(compared(value, plain, isNumber)) === true;
  });
}

const order = rowAt('Order', 900);
const entry = rowAt('LogEntry');

/** One attribute of each type, a value as it is written in a filter, and the value in the oracle's spelling. */
const ordered: readonly (readonly [DataclassName, string, string, string?])[] = [
  ['Employee', 'grade', '5'],
  ['Company', 'registrationNo', '9007199254740993'],
  ['Company', 'creditLimit', '1500.5'],
  ['Project', 'budget', '1234567890123456789012345678.0123456789'],
  ['Product', 'weight', '1.75'],
  ['Company', 'latitude', '47.3769'],
  ['Employee', 'birthDate', '1980-02-29'],
  ['Order', 'placedAt', `"${order.ORD_TS}"`, order.ORD_TS],
  ['LogEntry', 'time', entry.EVT_DT, entry.EVT_DT],
  ['Employee', 'shiftStart', '"14:00:00.5"', '14:00:00.500'],
];

/** Spellings of one value. */
const spellings: readonly (readonly [DataclassName, string, string, string, string])[] = [
  ['Employee', 'ID', '=', '+7', '7'],
  ['Employee', 'ID', '=', '7.0', '7'],
  ['Employee', 'ID', '=', '"7"', '7'],
  ['Employee', 'badgeNo', '<', '-41', '-41'],
  ['Employee', 'badgeNo', '=', '9223372036854775807', '9223372036854775807'],
  ['Company', 'registrationNo', '=', '9007199254740992', '9007199254740992'],
  ['Company', 'registrationNo', '=', "'-9223372036854775808'", '-9223372036854775808'],
  ['Company', 'creditLimit', '=', '1.5005e3', '1500.5'],
  ['Company', 'creditLimit', '=', '922337203685477.5807', '922337203685477.5807'],
  ['Company', 'creditLimit', '<', '0', '0'],
  ['Project', 'budget', '=', '0.0000000001', '0.0000000001'],
  ['Project', 'budget', '=', '1e-10', '0.0000000001'],
  ['Product', 'weight', '=', '0.1', '0.1'],
  ['Company', 'latitude', '=', '45.764', '45.764'],
  ['Employee', 'hireDate', '=', "'2001-09-03'", '2001-09-03'],
  ['Employee', 'hireDate', '=', '"2001-09-03T00:00:00.000Z"', '2001-09-03'],
  ['Holiday', 'date', '>=', '9999-12-30', '9999-12-30'],
  ['Order', 'placedAt', '<', '2022-01-05', '2022-01-05T00:00:00.000Z'],
  ['Order', 'placedAt', '>=', '"2024-12-14T23:30:00+02:00"', '2024-12-14T21:30:00.000Z'],
  ['Order', 'placedAt', '>=', '2024-12-14T23:30', '2024-12-14T23:30:00.000Z'],
  ['Employee', 'shiftStart', '=', '8:30', '08:30:00.000'],
  ['Employee', 'shiftStart', '=', '23:59:59.999', '23:59:59.999'],
];

const guid = 'c0ffee00-0000-4000-8000-000000000006';

const lists: readonly Case[] = [
  finds('§4.3 IN [numbers]', 'Employee', 'grade IN [1, 2,3]', ({ GRADE_CD }) =>
    [1, 2, 3].includes(GRADE_CD ?? -1),
  ),
  finds('§4.3 IN (numbers), in lower case', 'Employee', 'ID in (5,4,5)', ({ EMP_NO }) =>
    [4, 5].includes(EMP_NO),
  ),
  finds('§4.3 IN of exact numbers', 'Company', 'registrationNo IN [9007199254740992, 1]', (row) =>
    ['9007199254740992', '1'].includes(row.REG_NO),
  ),
  finds(
    '§4.3 IN of text, both quotes and none, case folded',
    'Employee',
    `lastName IN ["O'REILLY", 'dubois', Smith]`,
    ({ LAST_NM }) => ["O'Reilly", 'Dubois', 'Smith'].includes(LAST_NM),
  ),
  finds('§4.3 IN of padded text', 'Country', 'code IN ["FR", "GB-SC", XX]', ({ CTRY_CD }) =>
    ['FR', 'GB-SC'].includes(CTRY_CD),
  ),
  finds(
    '§4.3 IN of padded text with its padding',
    'Employee',
    'department.code IN ["DIR   "]',
    ({ DEPT_CD }) => DEPT_CD === 'DIR',
  ),
  finds('§4.3 IN of dates', 'Holiday', 'date IN ["2024-07-14", 2025-12-25]', ({ HOL_DT }) =>
    ['2024-07-14', '2025-12-25'].includes(HOL_DT),
  ),
  finds('§4.3 IN of GUIDs', 'Document', `ID IN ["${guid}"]`, ({ DOC_ID }) => DOC_ID === guid),
  finds('§4.3 IN with a null in the list', 'Employee', 'grade IN [9, null]', ({ GRADE_CD }) =>
    [9, null].includes(GRADE_CD),
  ),
  finds('§4.3 IN of nothing finds nothing', 'Employee', 'grade IN []', () => false),
  finds('§4.3 NOT IN of nothing finds nulls too', 'Company', 'NOT(latitude IN [])', () => true),
  finds('§4.3 IN of times', 'Employee', 'shiftStart IN ["06:00", "22:00:00"]', ({ SHIFT_TM }) =>
    ['06:00:00.000', '22:00:00.000'].includes(SHIFT_TM ?? ''),
  ),
];

/** Numbers that no value of the attribute's type reaches: on which side of all values they are. */
const outOfRange: readonly (readonly [DataclassName, string, string, 'above' | 'below'])[] = [
  ['Country', 'isoNumber', '100000', 'above'],
  ['Country', 'isoNumber', '-32769', 'below'],
  ['Employee', 'grade', '"70000"', 'above'],
  ['Employee', 'grade', '-70000.5', 'below'],
  ['Employee', 'ID', '2147483648', 'above'],
  ['Employee', 'badgeNo', '9223372036854775808', 'above'],
  ['Employee', 'badgeNo', '-1e30', 'below'],
  ['Company', 'creditLimit', '1e18', 'above'],
  ['Company', 'creditLimit', '-922337203685477.5809', 'below'],
  ['Product', 'weight', '1e39', 'above'],
  ['Company', 'latitude', '-1e309', 'below'],
];

/** A comparison with a number of {@link outOfRange}: all values pass it, or none; nulls never do. */
function beyond(
  dataclass: DataclassName,
  attribute: string,
  written: string,
  side: 'above' | 'below',
): readonly Case[] {
  const column = facts(dataclass).attributes[attribute] ?? '';
  const passed = side === 'above' ? ['!=', '<', '<='] : ['!=', '>', '>='];
  const isNull = (row: Row): boolean => (row[column] ?? null) === null;
  const compared = Object.keys(comparators).map((comparator) => `${comparator} ${written}`);
  return [...compared, `IN [${written}]`].flatMap((comparison) => {
    const all = passed.some((comparator) => comparison.startsWith(`${comparator} `));
    const filter = `${attribute} ${comparison}`;
    return [
      finds(`§4.3 ${dataclass}: ${filter}`, dataclass, filter, (row) => all && !isNull(row as Row)),
      finds(`§4.3 ${dataclass}: NOT(${filter})`, dataclass, `NOT(${filter})`, (row) => {
        return !all && !isNull(row);
      }),
    ];
  });
}

const others: readonly Case[] = [
  finds('§4.3 IN with numbers out of range', 'Employee', 'grade IN [1, 70000, -1e9]', (row) => {
    return row.GRADE_CD === 1;
  }),
  finds('§4.3 IN of nothing but numbers out of range', 'Employee', 'ID IN [1e10]', () => false),
  ...['1, 70000', 'null, 70000', '1.5, 70000', '1e200000'].map((list) =>
    finds(
      `§4.3 NOT of IN with numbers out of range: ${list}`,
      'Employee',
      `NOT(grade IN [${list}])`,
      ({ GRADE_CD }) => GRADE_CD !== null && (GRADE_CD !== 1 || !list.startsWith('1,')),
    ),
  ),
  finds(
    '§4.3 NOT of IN with a date-time that is not a date',
    'Employee',
    'NOT(birthDate IN ["2024-01-01T12:00:00Z"])',
    ({ BIRTH_DT }) => BIRTH_DT !== null,
  ),
  finds(
    '§4.3 NOT of IN with numbers out of range over relations',
    'Employee',
    'NOT(manager.grade IN [70000, 1.5])',
    (row) => (reach('Employee', row, 'manager')[0]?.['GRADE_CD'] ?? null) !== null,
  ),
  finds(
    '§4.3 NOT of IN with many numbers out of range',
    'Employee',
    `NOT(grade IN [${Array.from({ length: 60 }, (_, index) => 70_000 + index).join(',')}])`,
    ({ GRADE_CD }) => GRADE_CD !== null,
  ),
  finds('§4.3 a number out of range behind a relation', 'Employee', 'employer.ID < 1e10', (row) => {
    return row.COMP_ID !== null;
  }),
  finds('§4.3 a GUID', 'Document', `ID = ${guid}`, ({ DOC_ID }) => DOC_ID === guid),
  finds('§4.3 a GUID in capitals', 'Document', `ID = "${guid.toUpperCase()}"`, ({ DOC_ID }) => {
    return DOC_ID === guid;
  }),
  finds('§4.3 another GUID', 'Document', `ID != '${guid}'`, ({ DOC_ID }) => DOC_ID !== guid),
  finds('§4.3 a boolean that is true', 'Employee', 'active = true', ({ ACTIVE_FL }) => ACTIVE_FL),
  finds('§4.3 a boolean in capitals', 'Employee', 'active = FALSE', ({ ACTIVE_FL }) => !ACTIVE_FL),
  finds('§4.3 a boolean that is not', 'Employee', 'active != true', ({ ACTIVE_FL }) => !ACTIVE_FL),
  finds('§4.3 a quoted boolean', 'Employee', 'active = "true"', ({ ACTIVE_FL }) => ACTIVE_FL),
  finds('§4.3 a bare boolean is true', 'Employee', 'active', ({ ACTIVE_FL }) => ACTIVE_FL),
  finds('§4.3 a bare boolean with nulls', 'Product', 'discontinued', ({ DISC_FL }) => {
    return DISC_FL === true;
  }),
  finds('§4.3 a boolean with nulls that is false', 'Product', 'discontinued = false', (row) => {
    return row.DISC_FL === false;
  }),
  ...['=', '==', '===', 'IS', 'is'].map((sign) =>
    finds(`§4.3 ${sign} null`, 'Employee', `grade ${sign} null`, ({ GRADE_CD }) => {
      return GRADE_CD === null;
    }),
  ),
  ...['!=', '#', '!==', 'IS NOT', 'is not'].map((sign) =>
    finds(`§4.3 ${sign} null`, 'Employee', `grade ${sign} NULL`, ({ GRADE_CD }) => {
      return GRADE_CD !== null;
    }),
  ),
  finds('§4.3 an image that is not there', 'Company', 'logo = null', ({ LOGO_IMG }) => {
    return LOGO_IMG === null;
  }),
  finds('§4.3 a BLOB that is there, if empty', 'Document', 'content IS NOT null', (row) => {
    return row.DOC_BLOB !== null;
  }),
  finds('§4.3 an object that is not there', 'Employee', 'extra = null', ({ EXTRA_JSON }) => {
    return EXTRA_JSON === null;
  }),
  finds('§4.3 blanks around do not count', 'Employee', '   ID   =   7   ', ({ EMP_NO }) => {
    return EMP_NO === 7;
  }),
  finds('§4.3 no blanks are needed', 'Employee', 'ID>=7', ({ EMP_NO }) => EMP_NO >= 7),
  finds('§4.3 a computed attribute', 'OrderLine', 'amount > 100000', ({ LINE_AMT }) => {
    return scaled(LINE_AMT) > scaled('100000');
  }),
  finds('§4.3 an attribute whose column has a bracket', 'OrderLine', 'discount = 100', (row) => {
    return row['DISC]PCT'] === '100.00';
  }),
  finds('§4.3 a reserved word of SQL', 'User', 'group = admin', ({ GROUP }) => GROUP === 'admin'),
];

/** §4.3: every comparator with every type. */
export const reads: readonly Case[] = [
  ...ordered.flatMap(([dataclass, attribute, written, plain]) =>
    Object.keys(comparators).map((comparator) =>
      compares(dataclass, attribute, comparator, written, plain),
    ),
  ),
  ...aliases.map(([alias, meaning]) => compares('Employee', 'grade', alias, '7', '7', meaning)),
  ...spellings.map(([dataclass, attribute, comparator, written, plain]) =>
    compares(dataclass, attribute, comparator, written, plain),
  ),
  ...outOfRange.flatMap((row) => beyond(...row)),
  ...lists,
  ...others,
];
