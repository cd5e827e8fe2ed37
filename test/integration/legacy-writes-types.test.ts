import { expect, test } from 'vitest';
import { query } from '../targets/sql.ts';
import { notCreated, onEngines, refused, saved, type Shape } from './shapes/engines.ts';

/** Types, what a body says of a value of theirs, and what is answered of it. */
const itemTypes = [
  ['long', 'int', '1.0', '1'],
  ['big', 'bigint', '"9007199254740993"', '"9007199254740993"'],
  ['sum', 'numeric(12,2)', '"1.5"', '1.50'],
  ['flag', 'boolean', '"TRUE"', 'true'],
  ['ratio', 'real', '0.10', '0.1'],
  ['label', 'varchar(3)', '"a,}"', '"a,}"'],
  ['pad', 'char(3)', '"a"', '"a  "'],
  ['day', 'date', '"31!12!2024"', '"31!12!2024"'],
  ['local', 'timestamp(3)', '"2024-07-01T12:00:00.9999"', '"2024-07-01T10:00:00.999Z"'],
  ['instant', 'timestamptz', '"2024-12-31T23:59:59.9999999Z"', '"2024-12-31T23:59:59.999999Z"'],
  ['hour', 'time(0)', '"23:59:59.9"', '"23:59:59"'],
  ['zoned', 'timetz', '"23:59:59.9999999+02:00"', '"23:59:59.999999+02"'],
  [
    'guid',
    'uuid',
    '"{C0FFEE0000004000800000000000000A}"',
    '"c0ffee00-0000-4000-8000-00000000000a"',
  ],
  ['mood', 'app.mood', '"calm"', '"calm"'],
  ['short', 'app.short', '"\\"\\\\"', '"\\"\\\\"'],
  ['net', 'inet', '"10.0.0.1/32"', '"10.0.0.1"'],
  ['box', 'box', '"(1,1),(0,0)"', '"(1,1),(0,0)"'],
] as const;

/** Types that the sample database does not have. */
const postgresTypes: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TYPE app.mood AS ENUM ('calm', 'cross');
CREATE DOMAIN app.short AS varchar(3) CHECK (VALUE <> 'bad');
CREATE TABLE app.every (id int PRIMARY KEY, mood app.mood, tags text[], span int4range, address inet, period interval,
  doc jsonb, text_doc text, short app.short, amount money, small real, big float8, at time(0), raw bytea);
CREATE TABLE app.net (address inet PRIMARY KEY, note text);
`,
  sqlserver: [],
  mappings: {
    every:
      'dataclass: Every\ntable: app.every\nstamp: hash\nattributes: { id: id, mood: mood, tags: tags, span: span, ' +
      'address: address, period: period, doc: doc, textDoc: { column: text_doc, type: object }, short: short, ' +
      'amount: amount, small: small, big: big, at: at, raw: raw }\n',
    net: 'dataclass: Net\ntable: app.net\nstamp: hash\n',
  },
};

/** Arrays: a column of the items' type stands beside each, where what is read and written of it is compared with them. */
const arrays: Shape = {
  postgres: `
CREATE SCHEMA app;
CREATE TYPE app.mood AS ENUM ('calm', 'cross');
CREATE DOMAIN app.short AS varchar(3);
CREATE TABLE app.list (id int PRIMARY KEY, ${itemTypes
    .map(([name, type]) => `${name} ${type}, ${name}_list ${type}[]`)
    .join(', ')}, raw_list bytea[], doc_list jsonb[], money_list money[]);
`,
  sqlserver: [],
  mappings: { list: 'dataclass: List\ntable: app.list\nstamp: hash\n' },
  settings: { timeZone: 'Europe/Berlin', bigNumbersAsStrings: true, simpleDates: true },
};

/** Types of SQL Server's own. */
const sqlServerTypes: Shape = {
  postgres: '',
  sqlserver: [
    'CREATE SCHEMA app',
    `CREATE TABLE app.every (id int NOT NULL PRIMARY KEY, doc xml NULL, variant sql_variant NULL, long text NULL,
      wide ntext NULL, amount money NULL, small smallmoney NULL, minute smalldatetime NULL, tick datetime NULL,
      real_no real NULL, float_no float NULL, at time(0) NULL, raw varbinary(8) NULL, narrow varchar(5) NULL)`,
  ],
  mappings: { every: 'dataclass: Every\ntable: app.every\nstamp: hash\n' },
};

onEngines('types of PostgreSQL', postgresTypes, (served) => {
  const values = {
    mood: 'calm',
    tags: ['a', 'b c', null],
    span: '[1,5)',
    address: '10.0.0.1',
    period: 'P1DT2H3M4S',
    doc: { a: [1, 2.5], b: null },
    textDoc: { n: 1 },
    short: 'abc',
    amount: 12.34,
    small: 0.1,
    big: 1e-300,
    at: '12:30:01',
  };

  test('what is read can be written', async () => {
    const [status, body] = await served.post('Every', {
      id: 1,
      ...values,
      raw: Buffer.from('bytes').toString('base64'),
    });
    expect([status, body]).toMatchObject([200, { __STATUS: { success: true }, ...values }]);
    const [, read] = await served.get('Every(1)');
    expect(await served.post('Every', read)).toMatchObject([
      200,
      { __STAMP: (read as { __STAMP: number }).__STAMP, ...values },
    ]);
  });

  test.each([
    ['mood', '"angry"', 'one of calm, cross'],
    ['span', '"[5,1)"', 'an int4range'],
    ['address', '"here"', 'an inet'],
    ['period', '"soon"', 'an interval'],
  ])('%s does not take %s', async (name, value, expected) => {
    expect(await served.post('Every', `{"id":2,"${name}":${value}}`)).toEqual([
      400,
      notCreated(
        'Every',
        1508,
        `Every.${name} is not of the kind that the database holds there. Expected ${expected}.`,
      ),
    ]);
    expect(await served.post('Every(1)?$atomic=true', `{"${name}":${value}}`)).toMatchObject([
      400,
      {
        __ERROR: [
          {
            errCode: 1508,
            message: `Element 0 of the body, Every(1): Every.${name} is not of the kind that the database holds there. Expected ${expected}.`,
          },
          { errCode: 1517 },
          { errCode: 1046 },
        ],
      },
    ]);
  });

  test('of several values that may be meant, the one is named', async () => {
    expect(await served.post('Every', { id: 2, mood: 'calm', span: 'x', big: 1 })).toEqual([
      400,
      notCreated(
        'Every',
        1508,
        'Every.span is not of the kind that the database holds there. Expected an int4range.',
      ),
    ]);
  });

  test('the rule of a domain', async () => {
    expect(await served.post('Every', { id: 2, short: 'bad' })).toEqual([
      409,
      notCreated('Every', 9015, 'The entity of Every breaks a rule of the database.'),
    ]);
  });

  test.each([
    ['amount', '1e20', 422, 1569, 'expected a number of at most 17 digits before its point.'],
    ['amount', '1.234', 422, 1591, 'expected a number of at most 2 decimals.'],
    ['small', '1e39', 422, 1569, 'expected a number of at most 3.4e38.'],
    ['at', '"25:00"', 400, 1508, 'expected a time such as 23:59:59.'],
  ])('%s does not take %s, which the gateway knows by itself', async (name, value, ...said) => {
    const [status, code, expected] = said;
    const [got, body] = await served.post('Every', `{"id":2,"${name}":${value}}`);
    const { __ERROR: items } = body as { __ERROR: readonly { message: string; errCode: number }[] };
    expect([got, items.map(({ errCode }) => errCode)]).toEqual([status, [code]]);
    expect(items[0]?.message).toContain(`is not a value for Every.${name}: ${expected}`);
  });

  test('a key that the database writes in a form of its own', async () => {
    expect(await served.post('Net', { address: '10.0.0.1/32', note: 'n' })).toMatchObject([
      200,
      { __KEY: '10.0.0.1', address: '10.0.0.1', note: 'n' },
    ]);
  });
});

onEngines('types of SQL Server', sqlServerTypes, (served) => {
  const values = {
    doc: '<a><b>1</b></a>',
    long: 'long text',
    wide: 'дом',
    amount: 1234.5678,
    small: 1.25,
    minute: '2024-02-29T12:31:00.000Z',
    tick: '2024-02-29T12:00:00.007Z',
    realNo: 0.1,
    floatNo: 1e-300,
    at: '12:30:01',
    narrow: 'abc',
  };

  test('what is read can be written', async () => {
    const raw = Buffer.from('bytes').toString('base64');
    const entity = {
      id: 1,
      ...values,
      variant: null,
      raw: {
        __KEY: '1',
        __STAMP: expect.any(Number) as unknown,
        uri: '/rest/Every(1)/raw?$binary=true&$expand=raw',
        __deferred: { uri: '/rest/Every(1)/raw?$binary=true&$expand=raw' },
      },
    };
    expect(await served.post('Every', { id: 1, ...values, raw })).toEqual([
      200,
      saved('Every', '1', entity),
    ]);
    const [, read] = await served.get('Every(1)');
    const { __STAMP } = read as { __STAMP: number };
    expect(await served.post('Every', read)).toEqual([200, saved('Every', '1', entity, __STAMP)]);
  });

  test.each([
    ['minute', '2024-02-29T12:31:40Z', '2024-02-29T12:31:00.000Z'],
    ['tick', '2024-02-29T12:00:00.999Z', '2024-02-29T12:00:00.997Z'],
    ['at', '12:30:01.6', '12:30:01'],
  ])('%s cuts %s', async (name, value, rounded) => {
    await served.run('DELETE FROM app.every WHERE id = 2');
    expect(await served.post('Every', { id: 2, [name]: value })).toMatchObject([
      200,
      { __STATUS: { success: true }, [name]: rounded },
    ]);
  });

  test.each([
    ['amount', 1e15, 422, 1569, 'a number of at most 15 digits before its point'],
    ['amount', 1.23456, 422, 1591, 'a number of at most 4 decimals'],
    ['small', 300000, 422, 1569, 'a number from -214748.3648 to 214748.3647'],
    ['minute', '2079-06-07', 400, 1508, 'to 2079-06-06T23:59:00Z'],
    ['tick', '1752-12-31', 400, 1508, 'from 1753-01-01T00:00:00Z'],
    ['realNo', 1e39, 422, 1569, 'a number of at most 3.4e38'],
    ['narrow', 'abcdef', 422, 1591, 'text of at most 5 characters, and this has 6'],
  ])('%s does not take %s', async (name, value, status, code, expected) => {
    const [got, body] = await served.post('Every', { id: 3, [name]: value });
    const { __ERROR: items } = body as { __ERROR: readonly { message: string; errCode: number }[] };
    expect([got, items.map(({ errCode }) => errCode)]).toEqual([status, [code]]);
    expect(items[0]?.message).toContain(`is not a value for Every.${name}: expected`);
    expect(items[0]?.message).toContain(expected);
  });

  test('what only the database can tell is refused by its name', async ({ skip }) => {
    skip(
      served.isBabelfish,
      'Babelfish stores XML that is none, and has no number for bytes that are too many',
    );
    expect(await served.post('Every', { id: 3, doc: '<a>' })).toEqual([
      400,
      notCreated(
        'Every',
        1508,
        'Every.doc is not of the kind that the database holds there. Expected an xml.',
      ),
    ]);
    expect(await served.post('Every', { id: 3, raw: 'AAAAAAAAAAAAAAAAAAAA' })).toEqual([
      422,
      notCreated('Every', 1591, 'Every.raw is longer than the database can hold.'),
    ]);
  });

  test('characters that the code page lacks are refused', async ({ skip }) => {
    skip(
      served.isBabelfish,
      'Babelfish keeps what it converts in UTF-8, whatever the collation says',
    );
    expect(await served.post('Every', { id: 3, narrow: 'дом' })).toEqual([
      400,
      refused(null, [
        1508,
        'Every.narrow holds characters that its column cannot store: they are not in its code page.',
      ]),
    ]);
  });
});

onEngines('arrays', arrays, (served) => {
  const write = async (body: string): Promise<string> =>
    (await served.gateway.get('/rest/List', { method: 'POST', body })).text;
  const read = async (id: number): Promise<string> =>
    (await served.gateway.get(`/rest/List(${id})`)).text;

  test.each(itemTypes.map((item, index) => [...item, index + 1] as const))(
    'items of %s, %s, are what a column of the type is: %s',
    async (name, _type, sent, answered, id) => {
      const list = `${name}List`;
      const shape = (one: string): string => `[[${one},null],[null,${one}]]`;
      const told = await write(`{"id":${id},"${name}":${sent},"${list}":${shape(sent)}}`);
      expect(told).toContain(`"${name}":${answered},"${list}":${shape(answered)}`);
      const before = await read(id);
      expect(before).toContain(`"${name}":${answered},"${list}":${shape(answered)}`);
      served.gateway.takeChanges();
      await write(before);
      expect(served.gateway.takeChanges()).toEqual([]);
      const column = list.replace('L', '_l');
      expect(
        await query(
          served.gateway.database,
          `SELECT ${column}[1][1]::text = ${name}::text, ${column}[1][2] IS NULL, array_length(${column}, 2) FROM app.list WHERE id = ${id}`,
        ),
      ).toEqual([['t', 't', '2']]);
    },
  );

  test('bytes are Base64, JSON is JSON, and money is not text of its locale', async () => {
    const sent =
      '"rawList":["3q2+7w==",null,""],"docList":[[1,[2.50]],{"a":null},null,"x"],"moneyList":[1.50,null]';
    const answered = sent.replace('[1,[2.50]],{"a":null}', '[1, [2.50]],{"a": null}');
    expect(await write(`{"id":100,${sent}}`)).toContain(answered);
    expect(
      await query(
        served.gateway.database,
        "SELECT raw_list[1] = '\\xdeadbeef', doc_list[1] = '[1,[2.5]]', money_list[1] = 1.5::money FROM app.list WHERE id = 100",
      ),
    ).toEqual([['t', 't', 't']]);
    const before = await read(100);
    served.gateway.takeChanges();
    await write(before);
    expect(served.gateway.takeChanges()).toEqual([]);
  });

  test.each([
    ['longList', '"{1,2}"', 1508, 'an array'],
    ['longList', '[[1],[2,3]]', 1508, 'an array whose inner arrays have one length'],
    ['longList', '[[1],2]', 1508, 'an array whose inner arrays have one length'],
    ['longList', '[[]]', 1508, 'an array whose inner arrays have one length'],
    ['longList', '[1,3e9]', 1569, 'in place of 3e9 a whole number from'],
    ['labelList', '["abc "]', 1591, 'in place of "abc " text of at most 3 characters'],
    ['shortList', '["abcd"]', 1591, 'in place of "abcd" text of at most 3 characters'],
    ['labelList', '[{"a":1}]', 1508, 'in place of {"a":1} a value, not an object'],
    ['dayList', '["now"]', 1508, 'in place of "now" a date such as 2024-12-31'],
    ['localList', '["2024-10-27T00:30:00Z"]', 1508, 'whose clocks show this hour twice'],
    ['rawList', '["äöü"]', 1508, 'in place of "äöü" base64'],
    ['rawList', '[{"ID":"A1"}]', 1508, 'in place of {"ID":"A1"} base64'],
    ['docList', '["\\u0000"]', 1508, 'JSON without the character U+0000'],
  ])('%s does not take %s', async (name, value, code, expected) => {
    const { __ERROR: items } = JSON.parse(await write(`{"id":101,"${name}":${value}}`)) as {
      __ERROR: readonly { message: string; errCode: number }[];
    };
    expect(items.map(({ errCode }) => errCode)).toEqual([code]);
    expect(items[0]?.message).toContain(`is not a value for List.${name}: expected `);
    expect(items[0]?.message).toContain(expected);
  });

  test('an item that the database refuses is told with what it may be', async () => {
    expect(JSON.parse(await write('{"id":101,"moodList":["calm","angry"]}'))).toEqual(
      notCreated(
        'List',
        1508,
        'List.moodList is not of the kind that the database holds there. Expected one of calm, cross.',
      ),
    );
  });

  test('what only PostgreSQL has is answered as single values are', async () => {
    await served.run(
      "INSERT INTO app.list (id, local_list, sum_list, day_list) VALUES (102, '{infinity,12345-01-02 03:04:05}', '{NaN}', '{0044-03-15 BC}')",
    );
    const before = await read(102);
    expect(before).toContain('"localList":["infinity","12345-01-02T02:04:05.000Z"]');
    expect(before).toContain('"sumList":[null]');
    expect(before).toContain('"dayList":["0044-03-15 BC"]');
    served.gateway.takeChanges();
    await write(before);
    expect(served.gateway.takeChanges()).toEqual([]);
  });
});
