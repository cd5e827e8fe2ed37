import { expect, test, describe } from 'vitest';
import { describedIn } from '../../../src/server/mcp/model-text.ts';
import { model, table } from '../../model/physical.ts';
import { findDataclass } from '../../../src/model/lookup.ts';
import type { JsonValue } from '../../../src/protocol/body/json.ts';
import { fitted } from '../../../src/server/mcp/cut.ts';
import { entityPath } from '../../../src/server/mcp/rest-call.ts';
import { readSnapshot, sampleModel } from '../../fixtures/legacy/model.ts';

test('attributes are described with the values that an enum or a check allows', async () => {
  const order = table('ORDERS', {
    columns: { ID: 'int', STATE: 'text?', GRADE: 'int', MOOD: 'calm?', NOTE: 'text' },
    primaryKey: ['ID'],
    checks: [
      { name: 'CK_STATE', columns: ['STATE'], values: ['new', 'done'] },
      { name: 'CK_GRADE', columns: ['GRADE'], values: ['1', '2'] },
    ],
  });
  const line = table('LINES', {
    columns: { ID: 'int', ORDER_ID: 'int' },
    primaryKey: ['ID'],
    foreignKeys: [
      { name: 'FK', columns: ['ORDER_ID'], targetTable: 'ORDERS', targetColumns: ['ID'] },
    ],
  });
  const built = await model([order, line], {
    order: 'dataclass: Order\ntable: S.ORDERS\n',
    line: `dataclass: Line
table: S.LINES
attributes: { id: ID, state: order.state }
relations: { order: { to: Order, foreignKey: FK } }
`,
  });
  const [told, ofLine] = describedIn(built, ['Order', 'Line'], []) as {
    readonly attributes: readonly object[];
  }[];
  expect(told?.attributes.slice(1)).toEqual([
    { name: 'state', type: 'string', values: ['new', 'done'], nullable: true },
    { name: 'grade', type: 'long', values: [1, 2] },
    { name: 'mood', type: 'string', values: ['calm', 'cross'], nullable: true },
    { name: 'note', type: 'string', maxLength: 40 },
  ]);
  expect(ofLine?.attributes).toContainEqual(
    expect.objectContaining({ name: 'state', path: 'order.state', values: ['new', 'done'] }),
  );
});

const sample = await sampleModel(readSnapshot('postgres'));

function path(name: string, key: JsonValue): string {
  return entityPath(findDataclass(sample, name), key);
}

test('a key is one key, by its text, its value or its parts', () => {
  expect(path('Employee', '7')).toBe('/rest/Employee(7)');
  expect(path('Employee', { ID: '7' })).toBe('/rest/Employee(7)');
  expect(path('Country', { code: 'FR' })).toBe('/rest/Country(FR)');
  expect(path('Category', 'a,b')).toBe('/rest/Category(%22a%2Cb%22)');
  expect(path('OrderLine', '{"orderNo":7,"line":2}')).toBe(
    '/rest/OrderLine(%7B%22orderNo%22%3A7%2C%22line%22%3A2%7D)',
  );
  expect(path('OrderLine', '7;2')).toBe('/rest/OrderLine(7%3B2)');
});

test.each([
  ['Employee', '1,2', '1,2 is not one key of Employee.'],
  ['OrderLine', '7;1,7;2', '7;1,7;2 is not one key of OrderLine.'],
  ['Category', '\ud800', 'A text holds half a surrogate pair.'],
])('of %s, %j is none', (name, key, message) => {
  expect(() => path(name, key)).toThrow(message);
});

const page = (entities: readonly unknown[], count: number): string =>
  `{"__DATACLASS":"A","__entityModel":"A","__GlobalStamp":7,"__COUNT":${count},"__FIRST":0,"__ENTITIES":${JSON.stringify(entities)},"__SENT":${entities.length}}`;

const window = { skip: 10, top: 3 };
const all = 10_000;

test.each([
  ['a page with more behind it', page([1, 2, 3], 40), 'Sent 3 of 40. Go on with skip: 13.'],
  ['the last page', page([1, 2, 3], 13), null],
  ['a page of none', page([], 40), null],
  [
    'a list of as many as were asked for',
    '[1,[2,{"a":"]"}],3]',
    'Sent 3; there may be more. Go on with skip: 13.',
  ],
  ['a list of fewer', '["a","b,c]"]', null],
  ['an empty list', '[]', null],
  ['an entity', '{"__KEY":"1","__ENTITIES":2}', null],
  ['a value', '"[1,2"', null],
])('what fits is complete: %s', (_what, text, note) => {
  expect(fitted(text, { maxBytes: all, window })).toEqual({ data: text, note });
});

test('the rows of a function have no parts to go on with', () => {
  expect(fitted('{"result":[1,2,3]}', { maxBytes: all, window: null }).note).toBeNull();
});

describe('what does not fit', () => {
  const rows = Array.from({ length: 30 }, (_, at) => ({ __KEY: String(at), text: '"}],é\\' }));
  const bytes = 40;

  test.each([120, 200, 333, 334, 335, 336, 700])(
    'is cut behind a whole item: %i bytes',
    (maxBytes) => {
      const { data, note } = fitted(page(rows, 90), { maxBytes, window });
      const cut = JSON.parse(data) as { __ENTITIES: unknown[]; __SENT: number };
      const sent = cut.__ENTITIES.length;
      expect(cut).toEqual({
        ...(JSON.parse(page(rows, 90)) as object),
        __ENTITIES: rows.slice(0, sent),
        __SENT: sent,
      });
      const size = Buffer.byteLength(JSON.stringify(cut.__ENTITIES));
      expect(size).toBeLessThan(maxBytes + bytes);
      expect(size).toBeGreaterThan(maxBytes - 2 * bytes);
      expect(note).toBe(
        `Cut: sent ${sent} of 90, since an answer has at most ${maxBytes} bytes. Ask for fewer attributes and relations, or go on with skip: ${10 + sent}.`,
      );
    },
  );

  test('of a list of values as well, and of rows', () => {
    const values = Array.from({ length: 100 }, (_, at) => `value ${at}`);
    const list = fitted(JSON.stringify(values), { maxBytes: 200, window });
    const sent = (JSON.parse(list.data) as unknown[]).length;
    expect([JSON.parse(list.data), list.note]).toEqual([
      values.slice(0, sent),
      `Cut: sent ${sent}, since an answer has at most 200 bytes. Ask for fewer attributes and relations, or go on with skip: ${10 + sent}.`,
    ]);
    const result = fitted(JSON.stringify({ result: values }), { maxBytes: 200, window: null });
    expect([JSON.parse(result.data), result.note]).toEqual([
      { result: values.slice(0, sent) },
      `Cut: sent ${sent}, since an answer has at most 200 bytes. Ask for fewer attributes and relations.`,
    ]);
  });

  test('where one item is too large, there is none', () => {
    const { data, note } = fitted(page([{ text: 'x'.repeat(500) }], 5), { maxBytes: 300, window });
    expect([JSON.parse(data), note]).toMatchObject([
      { __COUNT: 5, __ENTITIES: [], __SENT: 0 },
      'Cut: the first item alone is larger than 300 bytes. Ask for fewer attributes and relations.',
    ]);
  });

  test.each(['x', '"\\', '😀', '\ud83d'])('and anything else is a text: %j', (letter) => {
    const text = JSON.stringify({ a: letter.repeat(500) });
    const { data, note } = fitted(text, { maxBytes: 300, window: null });
    const part = JSON.parse(data) as string;
    expect(Buffer.byteLength(data)).toBeLessThanOrEqual(302);
    expect(part.length).toBe(100);
    expect(text.toWellFormed().startsWith(part.slice(0, -1))).toBe(true);
    expect(note).toBe(
      'Cut: the answer has more than 300 bytes. data is a text: the beginning of the answer, which ends in the middle. Ask for fewer attributes and relations.',
    );
  });

  test('a list within an entity is not its own', () => {
    const text = JSON.stringify({ __KEY: '1', __STAMP: 1, a: '', lines: { __ENTITIES: rows } });
    expect(typeof JSON.parse(fitted(text, { maxBytes: 300, window: null }).data)).toBe('string');
  });
});
