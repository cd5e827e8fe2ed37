import { exact } from '../targets/gateway.ts';
import type { Value } from '../fixtures/legacy/data.ts';
import { columnOf, type Row } from './oracle.ts';
import { facts, type DataclassName } from './dataclasses.ts';
import {
  company,
  country,
  department,
  employee,
  order,
  product,
  project,
} from './write-samples.ts';
import type { Letter } from './write-samples.ts';
import type { WriteClient } from './write-client.ts';
import { jsonText, saved, type Given } from './write-oracle.ts';
import { type WriteCase, writing } from './write-suite.ts';

const samples = {
  Company: company,
  Country: country,
  Department: department,
  Employee: employee,
  Order: order,
  Product: product,
  Project: project,
} as const satisfies Partial<Record<DataclassName, (rest: WriteClient, letter: Letter) => Given>>;

type Sampled = keyof typeof samples;

/** A value that is sent; as the sample would write it where that is something else. */
type Sent = readonly [
  dataclass: Sampled,
  attribute: string,
  sent: unknown,
  stored?: Value,
  name?: string,
];

const numbers: readonly Sent[] = [
  ['Employee', 'badgeNo', exact('9007199254740993')],
  ['Employee', 'badgeNo', exact('9223372036854775807')],
  ['Employee', 'badgeNo', exact('-9223372036854775808')],
  ['Employee', 'badgeNo', '9007199254740993', '9007199254740993', 'in quotes'],
  ['Employee', 'badgeNo', 0],
  ['Employee', 'badgeNo', exact('1.5e3'), '1500', 'with an exponent'],
  ['Employee', 'badgeNo', exact('12.0'), '12', 'with a fraction of zeros'],
  ['Employee', 'badgeNo', exact('-0'), '0', 'minus zero'],
  ['Employee', 'grade', 255],
  ['Country', 'population', exact('9007199254740995')],
  ['Product', 'minimumStock', -32_768],
  ['Product', 'stock', 2_147_483_647],
  ['Department', 'budget', exact('1234567890123456789012345678.0123456789')],
  ['Department', 'budget', exact('-9999999999999999999999999999.9999999999')],
  ['Department', 'budget', '0.0000000001', '0.0000000001', 'in quotes'],
  ['Department', 'budget', exact('1e-10'), '0.0000000001', 'with an exponent'],
  ['Company', 'creditLimit', exact('922337203685477.5807')],
  ['Company', 'creditLimit', exact('-922337203685477.5808')],
  ['Company', 'creditLimit', 0.1],
  ['Company', 'latitude', 0.1 + 0.2],
  ['Company', 'latitude', -89.999_999],
  ['Company', 'longitude', 1.797_693_134_862_315_7e308],
  ['Company', 'longitude', 2.5e-300],
  ['Company', 'longitude', '1e3', 1000, 'in quotes'],
  ['Product', 'weight', 0.1],
  ['Product', 'weight', 16_777_216],
  ['Project', 'progress', 99.9],
];

const flags: readonly Sent[] = [
  ['Employee', 'active', false],
  ['Product', 'discontinued', true],
  ['Product', 'discontinued', false],
  ['Product', 'discontinued', 'true', true, 'in quotes'],
  ['Product', 'discontinued', 1, true, 'as a number'],
  ['Product', 'discontinued', 0, false, 'as a number'],
];

const dates: readonly Sent[] = [
  ['Employee', 'birthDate', '1999-12-31'],
  ['Employee', 'birthDate', '2000-02-29'],
  ['Employee', 'birthDate', '0001-01-01'],
  ['Employee', 'birthDate', '9999-12-31'],
  ['Employee', 'birthDate', '!!1999-12-31!!', '1999-12-31'],
  ['Employee', 'birthDate', '31!12!1999', '1999-12-31'],
  ['Employee', 'birthDate', '1!2!2003', '2003-02-01'],
  ['Employee', 'birthDate', '1999-12-31T00:00:00Z', '1999-12-31'],
  ['Employee', 'birthDate', '1999-12-31T00:00:00.000Z', '1999-12-31'],
  ['Order', 'placedAt', '2024-05-06T07:08:09.123Z'],
  ['Order', 'placedAt', '2024-05-06T07:08:09', '2024-05-06T07:08:09.000Z'],
  ['Order', 'placedAt', '2024-05-06 07:08', '2024-05-06T07:08:00.000Z'],
  ['Order', 'placedAt', '2024-05-06T00:08:09.5+02:00', '2024-05-05T22:08:09.500Z'],
  ['Order', 'placedAt', '2024-05-06T23:30:00-0530', '2024-05-07T05:00:00.000Z'],
  ['Order', 'placedAt', '2024-05-06', '2024-05-06T00:00:00.000Z'],
  ['Order', 'placedAt', '6!5!2024', '2024-05-06T00:00:00.000Z'],
  ['Order', 'placedAt', '!!2024-05-06!!', '2024-05-06T00:00:00.000Z'],
  ['Employee', 'shiftStart', '08:05:09'],
  ['Employee', 'shiftStart', '8:05', '08:05:00'],
  ['Employee', 'shiftStart', '23:59:59.999'],
  ['Employee', 'shiftStart', '08:05:09.5', '08:05:09.500'],
  ['Employee', 'shiftStart', '00:00:00'],
];

const texts: readonly Sent[] = [
  ['Employee', 'note', '', '', 'empty'],
  ['Employee', 'note', ' blanks at both ends ', ' blanks at both ends ', 'blanks'],
  [
    'Employee',
    'note',
    '👩‍🚀 𝒳 日本 Ελλάδα naïve Łódź',
    '👩‍🚀 𝒳 日本 Ελλάδα naïve Łódź',
    'beyond ASCII',
  ],
  ['Employee', 'note', 'a@b * 100% _x_ [y]; --', 'a@b * 100% _x_ [y]; --', 'signs'],
  ['Employee', 'note', "it's, O''Hara's", "it's, O''Hara's", 'apostrophes'],
  ['Employee', 'note', 'null', 'null', 'the word null'],
  ['Employee', 'note', 'x'.repeat(400), 'x'.repeat(400), 'as long as may be'],
  ['Employee', 'note', '🎉'.repeat(200), '🎉'.repeat(200), 'as long as may be in surrogates'],
  ['Employee', 'note', 'say "hi"\\\t\r\n\u0001', 'say "hi"\\\t\r\n\u0001', 'quotes and controls'],
  ['Employee', 'firstName', 'Zoë   ', 'Zoë', 'padded by CHAR'],
  ['Department', 'name', 'R&D <b>', 'R&D <b>', 'markup'],
];

const objects: readonly Sent[] = [
  ['Employee', 'extra', { level: 2, address: { city: 'Lyon', zip: null }, skills: ['a', 1, true] }],
  ['Employee', 'extra', { serial: exact('9007199254740993'), rate: exact('1.234567890123456789') }],
  ['Employee', 'extra', { 'größe in cm': 168, '': 1, 'a.b': 2, text: 'say "hi" \\ 🎉' }],
  ['Employee', 'extra', []],
  ['Employee', 'extra', {}],
  ['Employee', 'extra', 5],
  ['Project', 'tags', ['x', { y: [null, exact('9007199254740993')] }]],
  ['Product', 'spec', { __KEY: 'its own', __proto: { constructor: 1 } }],
];

function kept(section: string, [dataclass, attribute, sent, stored, name]: Sent): WriteCase {
  return writing(
    `§4.6 ${section}: ${dataclass}.${attribute} ${name ?? jsonText(sent)}`,
    async (rest) => {
      const column = facts(dataclass).attributes[attribute] ?? '';
      const columns: Row = stored === undefined ? {} : { [column]: stored };
      const given = { ...samples[dataclass](rest, ''), [attribute]: sent };
      const made = await rest.create(dataclass, given, columns);
      await rest.reads(made);
      const other = await rest.create(dataclass, samples[dataclass](rest, 'a'));
      const held = other.row[column];
      const isSame = held === (stored ?? sent);
      const changed = isSame ? other : await rest.update(other, { [attribute]: sent }, columns);
      await rest.reads(changed);
      // The same once more changes nothing.
      await rest.answers(
        { url: dataclass, body: { __KEY: changed.key, __STAMP: changed.stamp, [attribute]: sent } },
        { ...saved(dataclass, changed.row), __STAMP: changed.stamp },
      );
      if (columnOf(dataclass, attribute).nullable) {
        await rest.reads(await rest.update(changed, { [attribute]: null }));
      }
    },
  );
}

export const writes: readonly WriteCase[] = [
  ...numbers.map((sent) => kept('a number is kept', sent)),
  ...flags.map((sent) => kept('a boolean is kept', sent)),
  ...dates.map((sent) => kept('a date or time is kept', sent)),
  ...texts.map((sent) => kept('text is kept', sent)),
  ...objects.map((sent) => kept('an object is kept', sent)),
];
