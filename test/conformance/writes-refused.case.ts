import { exact } from '../targets/gateway.ts';
import type { DataclassName } from './dataclasses.ts';
import type { Made, WriteClient } from './write-client.ts';
import { failed, type Given } from './write-oracle.ts';
import {
  category,
  company,
  department,
  document,
  employee,
  line,
  order,
  product,
  rate,
} from './write-samples.ts';
import type { WriteCase } from './write-suite.ts';

const makers = {
  Category: (rest) => rest.create('Category', category(rest)),
  Company: (rest) => rest.create('Company', company(rest)),
  Department: (rest) => rest.create('Department', department(rest)),
  Document: (rest) => rest.create('Document', document()),
  Employee: (rest) => rest.create('Employee', employee(rest)),
  ExchangeRate: (rest) => rest.create('ExchangeRate', rate(rest)),
  Order: (rest) => rest.create('Order', order()),
  Product: (rest) => rest.create('Product', product(rest)),
} as const satisfies Partial<Record<DataclassName, (rest: WriteClient) => Promise<Made>>>;

/** A value that its attribute cannot hold: what is said of it. */
type Unfit = readonly [
  attribute: `${keyof typeof makers}.${string}`,
  value: unknown,
  status: number,
  errCode: number,
  said: string,
];

const smallint = 'a whole number from -32768 to 32767';
const int = 'a whole number from -2147483648 to 2147483647';
const bigint = 'a whole number from -9223372036854775808 to 9223372036854775807';
const date = 'a date such as 2024-12-31';
const content = 'base64, or {"ID": …} of an upload';

const unfit: readonly Unfit[] = [
  ['Category.position', 32_768, 422, 1569, `32768 … ${smallint}`],
  ['Category.position', -32_769, 422, 1568, `-32769 … ${smallint}`],
  ['Category.position', 1.5, 400, 1508, `1.5 … ${smallint}`],
  ['Category.position', 'x', 400, 1508, `"x" … ${smallint}`],
  ['Category.position', '', 400, 1508, `"" … ${smallint}`],
  ['Category.position', true, 400, 1508, 'true … a number'],
  ['Category.position', [1], 400, 1508, '[1] … one value, not an array'],
  ['Category.position', { a: 1 }, 400, 1508, '{"a":1} … a value, not an object'],
  ['Product.stock', exact('2147483648'), 422, 1569, `2147483648 … ${int}`],
  ['Employee.badgeNo', exact('9223372036854775808'), 422, 1569, `9223372036854775808 … ${bigint}`],
  [
    'Employee.badgeNo',
    exact('-9223372036854775809'),
    422,
    1568,
    `-9223372036854775809 … ${bigint}`,
  ],
  ['Employee.badgeNo', exact('1e400'), 422, 1569, `1e400 … ${bigint}`],
  [
    'ExchangeRate.rate',
    12_345_678_901.5,
    422,
    1569,
    '12345678901.5 … a number of at most 10 digits before its point',
  ],
  [
    'ExchangeRate.rate',
    -12_345_678_901.5,
    422,
    1568,
    '-12345678901.5 … a number of at most 10 digits before its point',
  ],
  ['ExchangeRate.rate', 1.123456789, 422, 1591, '1.123456789 … a number of at most 8 decimals'],
  ['ExchangeRate.rate', 'one', 400, 1508, '"one" … a number'],
  ['Company.creditLimit', 1.23456, 422, 1591, '1.23456 … a number of at most 4 decimals'],
  ['Company.latitude', exact('1e309'), 422, 1569, '1e309 … a number of at most 1.79e308'],
  ['Company.latitude', 'NaN', 400, 1508, '"NaN" … a number'],
  ['Product.weight', 3.5e38, 422, 1569, '3.5e+38 … a number of at most 3.4e38'],
  ['Employee.active', 'yes', 400, 1508, '"yes" … true or false'],
  ['Employee.active', 2, 400, 1508, '2 … true or false'],
  ['Employee.birthDate', '2024-02-30', 400, 1508, `"2024-02-30" … ${date}`],
  ['Employee.birthDate', '31!12!99', 400, 1508, `"31!12!99" … ${date}`],
  ['Employee.birthDate', 20_240_101, 400, 1508, `20240101 … ${date}`],
  ['Employee.birthDate', '2024-01-01T12:00:00Z', 400, 1508, `"2024-01-01T12:00:00Z" … ${date}`],
  ['Employee.birthDate', '', 400, 1508, `"" … ${date}`],
  ['Employee.birthDate', true, 400, 1508, 'true … text in quotes'],
  ['Employee.shiftStart', '25:00:00', 400, 1508, '"25:00:00" … a time such as 23:59:59'],
  ['Employee.shiftStart', 5, 400, 1508, '5 … a time such as 23:59:59'],
  [
    'Order.placedAt',
    'yesterday',
    400,
    1508,
    `"yesterday" … ${date} or a date-time such as 2024-12-31T23:59:59.999Z`,
  ],
  ['Category.description', 5, 400, 1508, '5 … text in quotes'],
  ['Category.description', false, 400, 1508, 'false … text in quotes'],
  [
    'Category.description',
    'x'.repeat(201),
    422,
    1591,
    `"${'x'.repeat(60)}…" … text of at most 200 characters, and this has 201`,
  ],
  [
    'Employee.firstName',
    '123456789012345678901',
    422,
    1591,
    '"123456789012345678901" … text of at most 20 characters, and this has 21',
  ],
  ['Category.description', 'a\u0000b', 400, 1508, '"a\u0000b" … text without the character U+0000'],
  ['Employee.note', 'a\ud83db', 400, 1508, '"a\ud83db" … text without half a surrogate pair'],
  ['Employee.photo', '@@@', 400, 1508, `"@@@" … ${content}`],
  ['Employee.photo', 'abcde', 400, 1508, `"abcde" … ${content}`],
  ['Employee.photo', 5, 400, 1508, `5 … ${content}`],
  ['Employee.photo', { name: 'x' }, 400, 1508, `{"name":"x"} … ${content}`],
];

/** Attributes that an update may not name, or not so. */
const refused: readonly (readonly [
  attribute: string,
  value: unknown,
  status: number,
  errCode: number,
  message: string,
])[] = [
  [
    'fullName',
    'Somebody Else',
    422,
    1516,
    'Employee.fullName is read-only: the database computes it.',
  ],
  [
    'ID',
    1,
    422,
    1516,
    'Employee.ID is read-only: it is part of the key, and the key of an entity does not change.',
  ],
  [
    'directReports',
    ['2'],
    400,
    9016,
    'directReports[0] is of type string; expected an object with the attributes of an entity.',
  ],
  [
    'directReports',
    [{ __KEY: '2' }],
    400,
    1263,
    'directReports[0]: Employee(2) cannot be updated without its __STAMP: send the __STAMP that it was read with.',
  ],
  [
    'directReports',
    '2',
    422,
    1516,
    'Employee.directReports leads to many entities: expected a list of those to save along with this one.',
  ],
  [
    'lastNam',
    'x',
    404,
    1500,
    'Dataclass Employee has no attribute lastNam. Did you mean lastName?',
  ],
  ['salary', 5, 404, 1500, 'Dataclass Employee has no attribute salary.'],
  ['SAL', 5, 404, 1500, 'Dataclass Employee has no attribute SAL.'],
  ['constructor', 5, 404, 1500, 'Dataclass Employee has no attribute constructor.'],
  ['toString', 5, 404, 1500, 'Dataclass Employee has no attribute toString.'],
  ['lastName', null, 422, 1116, 'Employee.lastName is mandatory: it needs a value.'],
  ['active', null, 422, 1116, 'Employee.active is mandatory: it needs a value.'],
  [
    'email',
    'marie.dubois@acme.example',
    409,
    1115,
    'Employee.email has to be unique, and another entity has this value already.',
  ],
  [
    'photo',
    { ID: 'NOSUCHID' },
    404,
    9018,
    'There is no upload NOSUCHID: it was never made, or was kept for its time and is gone.',
  ],
  [
    '__DATACLASS',
    'Company',
    400,
    1813,
    'The entity says that it is of dataclass Company, but the URL names Employee.',
  ],
];

async function keeps(
  rest: WriteClient,
  entity: Made,
  given: Given,
  status: number,
  errCode: number,
  message: string,
): Promise<void> {
  const { dataclass, key, stamp } = entity;
  const came = status === 409 ? [[1517, `${dataclass}(${key}) was not saved.`] as const] : [];
  await rest.answers(
    { url: dataclass, body: { __KEY: key, __STAMP: stamp, ...given } },
    failed(key, [errCode, message], ...came),
    status,
  );
  await rest.reads(entity);
}

export const writes: readonly WriteCase[] = [
  ...unfit.map(([path, value, status, errCode, said]) => {
    const [dataclass = '', attribute = ''] = path.split('.');
    const [shown = '', expected = ''] = said.split(' … ');
    return {
      title: `§7 ${errCode} ${path} ${shown}`,
      run: async (rest: WriteClient) => {
        const entity = await makers[dataclass as keyof typeof makers](rest);
        const message = `${shown} is not a value for ${path}: expected ${expected}.`;
        await keeps(rest, entity, { [attribute]: value }, status, errCode, message);
      },
    };
  }),
  ...refused.map(([attribute, value, status, errCode, message]) => ({
    title: `§7 ${errCode} update of Employee.${attribute}: ${JSON.stringify(value)}`,
    run: async (rest: WriteClient) => {
      const entity = await makers.Employee(rest);
      const given = { note: 'x', [attribute]: value };
      await keeps(rest, entity, given, status, errCode, message);
    },
  })),
  {
    title: '§7 a check of the database: quantity > 0',
    run: async (rest) => {
      const { row } = await rest.create('Order', order());
      const entity = await rest.create('OrderLine', line(row['ORD_NO']));
      const rule = 'An order line has at least one piece.';
      await rest.answers(
        { url: 'OrderLine', body: { __KEY: entity.key, __STAMP: 1, quantity: 0 } },
        failed(
          entity.key,
          [9015, rule],
          [1517, `OrderLine(${String(row['ORD_NO'])};1) was not saved.`],
        ),
        409,
      );
      await rest.reads(entity);
    },
  },
];
