import { describe, expect, test } from 'vitest';
import { fitted } from '../../../src/server/mcp/cut.ts';
import { describedIn } from '../../../src/server/mcp/model-text.ts';
import { model, table } from '../../model/physical.ts';

test('attributes are described with the values that an enum or a check allows', async () => {
  const columns = { ID: 'int', STATE: 'text?', GRADE: 'int', MOOD: 'calm?', NOTE: 'text' } as const;
  const check = (column: string, values: readonly string[]) => ({
    ...{ name: `CK_${column}`, columns: [column], values },
  });
  const checks = [check('STATE', ['new', 'done']), check('GRADE', ['1', '2'])];
  const order = { columns: ['ORDER_ID'], targetTable: 'ORDERS', targetColumns: ['ID'] };
  const built = await model(
    [
      table('ORDERS', { columns, primaryKey: ['ID'], checks }),
      table('LINES', {
        ...{ columns: { ID: 'int', ORDER_ID: 'int' }, primaryKey: ['ID'] },
        foreignKeys: [{ name: 'FK', ...order }],
      }),
    ],
    {
      order: 'dataclass: Order\ntable: S.ORDERS\n',
      line: 'dataclass: Line\ntable: S.LINES\nattributes: { state: order.state }\nrelations: { order: { to: Order, foreignKey: FK } }\n',
    },
  );
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

const page = (entities: readonly unknown[], count: number): string =>
  `{"__DATACLASS":"A","__entityModel":"A","__GlobalStamp":7,"__COUNT":${count},"__FIRST":0,"__ENTITIES":${JSON.stringify(entities)},"__SENT":${entities.length}}`;

const window = { skip: 10, top: 3 };
const more = 'Sent 3; there may be more. Go on with skip: 13.';

test.each([
  ['a page with more behind it', page([1, 2, 3], 40), 'Sent 3 of 40. Go on with skip: 13.'],
  ['the last page', page([1, 2, 3], 13), null],
  ['a page of none', page([], 40), null],
  ['a list of as many as were asked for', '[1,[2,{"a":"]"}],3]', more],
  ['a list of fewer', '["a","b,c]"]', null],
  ['an empty list', '[]', null],
  ['an entity', '{"__KEY":"1","__ENTITIES":2}', null],
  ['a value', '"[1,2"', null],
])('what fits is complete: %s', (_what, text, note) => {
  expect(fitted(text, { maxBytes: 10_000, window })).toEqual({ data: text, note });
});

describe('what does not fit', () => {
  const rows = Array.from({ length: 30 }, (_, at) => ({ __KEY: String(at), text: '"}],é\\' }));
  const fewer = 'Ask for fewer attributes and relations';

  test.each([120, 333, 334, 335, 336, 700])('is cut behind a whole item: %i bytes', (maxBytes) => {
    const { data, note } = fitted(page(rows, 90), { maxBytes, window });
    const { __ENTITIES: sent } = JSON.parse(data) as { __ENTITIES: unknown[] };
    const { length } = sent;
    expect(JSON.parse(data)).toEqual({
      ...(JSON.parse(page(rows, 90)) as object),
      ...{ __ENTITIES: rows.slice(0, length), __SENT: length },
    });
    const size = Buffer.byteLength(JSON.stringify(sent));
    expect([size < maxBytes + 40, size > maxBytes - 80]).toEqual([true, true]);
    const next = `${fewer}, or go on with skip: ${10 + length}.`;
    expect(note).toBe(
      `Cut: sent ${length} of 90, since an answer has at most ${maxBytes} bytes. ${next}`,
    );
  });

  test('of the rows of a function as well, which have no parts to go on with', () => {
    const values = Array.from({ length: 100 }, (_, at) => `value ${at}`);
    const result = fitted(JSON.stringify({ result: values }), { maxBytes: 200, window: null });
    expect([JSON.parse(result.data), result.note]).toEqual([
      { result: values.slice(0, 19) },
      `Cut: sent 19, since an answer has at most 200 bytes. ${fewer}.`,
    ]);
  });

  test('where one item is too large, there is none', () => {
    const { data, note } = fitted(page([{ text: 'x'.repeat(500) }], 5), { maxBytes: 300, window });
    expect([JSON.parse(data), note]).toMatchObject([
      { __COUNT: 5, __ENTITIES: [], __SENT: 0 },
      `Cut: the first item alone is larger than 300 bytes. ${fewer}.`,
    ]);
  });

  const note = `Cut: the answer has more than 300 bytes. data is a text: the beginning of the answer, which ends in the middle. ${fewer}.`;

  test.each([
    ...['x', '"\\', '😀', '\ud83d'].map((letter) => JSON.stringify({ a: letter.repeat(500) })),
    JSON.stringify({ __KEY: '1', __STAMP: 1, a: '', lines: { __ENTITIES: rows } }),
  ])('and is no list of its own is a text: %.20s', (text) => {
    const fit = fitted(text, { maxBytes: 300, window: null });
    const part = JSON.parse(fit.data) as string;
    expect([fit.note, part.length, Buffer.byteLength(fit.data) <= 302]).toEqual([note, 100, true]);
    expect(text.toWellFormed().startsWith(part.slice(0, -1))).toBe(true);
  });
});
