import type { Request } from './client.ts';
import type { WriteClient } from './write-client.ts';
import { errors, failed } from './write-oracle.ts';
import { category } from './write-samples.ts';
import type { WriteCase } from './write-suite.ts';

const expectedOne = 'expected an object with the attributes of an entity.';
const expected = expectedOne.replace(/\.$/, ', or an array of such objects.');

/** Bodies that cannot be read: what is said of them. */
const unreadable: readonly (readonly [body: string, said: string])[] = [
  ['', `The body is empty; ${expected}`],
  [' \n\t', `The body is empty; ${expected}`],
  ['{', broken("quoted object key or end of object '}' expected but reached end of input", 2)],
  ['{"code":"a",}', broken("quoted object key expected but got '}'", 13)],
  ['{"code":"a"} x', broken("expected end of input but got 'x'", 14)],
  ["{'code':1}", broken("quoted object key expected but got '''", 2)],
  ['{"code":01}', broken("comma ',' expected after value but got '1'", 10)],
  ['{"code":NaN}', broken("object value expected after ':'", 9)],
  ['[{"code":1},]', broken("array item expected but got ']'", 13)],
  ['code=1', broken("JSON value expected but got 'c'", 1)],
  ['{"code":"a","code":"b"}', broken("duplicate key 'code' encountered", 14)],
  ['"x"', `The body is of type string; ${expected}`],
  ['5', `The body is of type number; ${expected}`],
  ['null', `The body is of type null; ${expected}`],
  ['true', `The body is of type boolean; ${expected}`],
  ['[1]', `Element 0 of the body is of type number; ${expectedOne}`],
  ['[{},"x"]', `Element 1 of the body is of type string; ${expectedOne}`],
  ['[{},null]', `Element 1 of the body is of type null; ${expectedOne}`],
  ['[[]]', `Element 0 of the body is of type array; ${expectedOne}`],
  ['{"__ENTITIES":5}', `__ENTITIES is of type number; ${expected}`],
  ['{"__ENTITIES":{}}', `__ENTITIES is of type object; ${expected}`],
  ['{"__ENTITIES":[5]}', `Element 0 of the body is of type number; ${expectedOne}`],
];

function broken(why: string, position: number): string {
  return `The body is not valid JSON: ${why} (at position ${position} of the body)`;
}

const refused: readonly (readonly [
  request: Request,
  status: number,
  errCode: number,
  message: string,
])[] = [
  ...['update', 'insert', 'delete'].map(
    (method) =>
      [
        { method: 'GET', url: `Category?$method=${method}` },
        405,
        9004,
        `$method=${method} changes data: use POST. (at position 16 of the URL)`,
      ] as const,
  ),
  [
    { method: 'PROPFIND', url: 'Employee(1)', body: {} },
    405,
    9004,
    'PROPFIND does not apply to /rest/Employee(1).',
  ],
  [
    { url: '$catalog', body: {} },
    405,
    9004,
    'POST does not apply to /rest/$catalog: it is read by GET.',
  ],
  [
    { method: 'DELETE', url: '$catalog' },
    405,
    9004,
    'DELETE does not apply to /rest/$catalog: it is read by GET.',
  ],
  [
    { url: 'Employee?$method=updat', body: {} },
    400,
    1812,
    'There is no method "updat". Did you mean update? (at position 16 of the URL)',
  ],
  [
    { url: 'Employee?$method=Update', body: {} },
    400,
    1812,
    'There is no method "Update". Did you mean update? (at position 16 of the URL)',
  ],
  [
    { url: 'Employee?$method=', body: {} },
    400,
    1812,
    'There is no method "". Known: update, insert, delete, entityset, subentityset, release. (at position 16 of the URL)',
  ],
  [
    { url: 'Employee?$method=update&$method=insert', body: {} },
    400,
    1806,
    '$method is given twice. (at position 31 of the URL)',
  ],
  [
    { url: 'Employee?$atomic=true&$atOnce=true', body: {} },
    400,
    1806,
    '$atomic and $atOnce mean the same: give one of them. (at position 29 of the URL)',
  ],
  [
    { url: 'Employee?$atomic=maybe', body: {} },
    400,
    1806,
    'The value of $atomic is "maybe"; expected true or false. (at position 1 of $atomic)',
  ],
  ...['$top', '$skip', '$format'].map(
    (keyword) =>
      [
        { url: `Employee?${keyword}=1`, body: {} },
        400,
        1813,
        `${keyword} does not apply to $method=update. (at position 16 of the URL)`,
      ] as const,
  ),
  [
    { url: 'Employee?$foo=1', body: {} },
    400,
    1811,
    'There is no parameter $foo. (at position 16 of the URL)',
  ],
  [
    { method: 'GET', url: 'Employee?$atomic=true' },
    400,
    1813,
    '$atomic does not apply to a read. (at position 16 of the URL)',
  ],
  ...[
    'application/xml',
    'multipart/form-data; boundary=x',
    'application/json; charset=latin1',
    'garbage',
  ].map(
    (type) =>
      [
        { url: 'Category', type, body: '{}' },
        415,
        9006,
        `The body’s content type is "${type}"; expected JSON in UTF-8: application/json.`,
      ] as const,
  ),
  [
    { url: 'Category', body: Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d) },
    400,
    9016,
    'The body is not in UTF-8.',
  ],
  [
    { url: 'Category', body: `{"description":"${'x'.repeat(17 * 2 ** 20)}"}` },
    413,
    9005,
    'The body is larger than 16777216 bytes (16 MB), the most that is accepted. Send less at once.',
  ],
];

export const writes: readonly WriteCase[] = [
  ...unreadable.map(([body, said]) => ({
    title: `§4.6 a body that cannot be read: ${JSON.stringify(body)}`,
    run: (rest: WriteClient) => rest.refuses({ url: 'Category', body }, 400, 9016, said),
  })),
  ...refused.map(([request, status, errCode, message]) => ({
    title: `§7 ${errCode} ${request.method ?? 'POST'} ${request.url}${status === 413 ? ', a large body' : ''}${request.body instanceof Uint8Array ? ', not in UTF-8' : ''}${typeof request.type === 'string' ? `, ${request.type}` : ''}`,
    run: (rest: WriteClient) => rest.refuses(request, status, errCode, message),
  })),
  ...['constructor', 'hasOwnProperty'].map((name) => ({
    title: `§4.6 a body with a member ${name} has no such attribute`,
    run: async (rest: WriteClient) => {
      const body = `{"code":"Case ${rest.number}","position":1,"${name}":{"position":2}}`;
      const said = `Dataclass Category has no attribute ${name}. Known: code, position, description, products.`;
      await rest.answers({ url: 'Category', body }, failed(null, [1500, said]), 404);
      await rest.create('Category', category(rest));
    },
  })),
  {
    title: '§4.6 a body that is nested deeply',
    run: async (rest) => {
      const deep = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;
      await rest.answers(
        { url: 'Category', body: `{"position":${deep(500)}}` },
        failed(
          null,
          [
            1508,
            `${'['.repeat(60)}… is not a value for Category.position: expected one value, not an array.`,
          ],
          [1116, 'Category.code is mandatory: it needs a value.'],
        ),
        400,
      );
      await rest.answers(
        { url: 'Category', body: `{"position":${deep(200_000)}}` },
        errors([[9016, broken('it is nested too deeply', 1)]]),
        400,
      );
    },
  },
];
