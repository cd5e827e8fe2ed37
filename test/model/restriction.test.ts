import { describe, expect, test } from 'vitest';
import { checkRestriction } from '../../src/run/convert/bind.ts';
import { model, problems, table } from './physical.ts';

const tables = [
  table('T', {
    columns: { ID: 'int', NAME: 'text', GONE: 'int?', AT: 'date', DOC: 'json', PIC: 'binary' },
    primaryKey: ['ID'],
  }),
  table('U', { columns: { ID: 'int', T_ID: 'int' }, primaryKey: ['ID'] }),
];

const listed = 'attributes: { id: ID, name: NAME, gone: { column: GONE, exposed: false } }';

describe('a where', () => {
  test('names attributes, exposed or not', async () => {
    const built = await model(tables, {
      t: `table: S.T\nwhere: gone = 0 or gone is null\n${listed}`,
    });
    const { where, members } = built.dataclasses.get('T') ?? {};
    expect([...(members?.keys() ?? [])]).toEqual(['id', 'name']);
    expect(where).toMatchObject({
      filter: { kind: 'or', left: { comparator: '=' }, right: { comparator: '===' } },
      values: [{ value: '0', class: 'number' }, { class: 'null' }],
      nullsMatchNotEqual: false,
    });
  });

  test('names derived attributes where the file lists none', async () => {
    const built = await model(tables, { t: 'table: S.T\nwhere: "at >= \'2020-01-01\'"' });
    expect([...(built.dataclasses.get('T')?.stored.keys() ?? [])]).toEqual([
      'id',
      'name',
      'gone',
      'at',
      'doc',
      'pic',
    ]);
  });

  test.each([
    ['gon = 0', 'T has no attribute gon. Did you mean gone? (at position 1 of where)'],
    ['at = 1', 'T has no attribute at. Known: id, name, gone. (at position 1 of where)'],
    [
      'other.name = x',
      'other.name goes further than T: a where is over attributes of the dataclass itself (at position 1 of where)',
    ],
    [
      'name.length = 1',
      'T.name is of type string: it has no properties, and length is none (at position 1 of where)',
    ],
    ['gone = :1', 'placeholders have no values here'],
    ['gone =', 'Expected a value, but found the end. (at position 7 of where)'],
    [
      'gone = no',
      '"no" is not a value for T.gone: expected a whole number from -2147483648 to 2147483647 (at position 8 of where)',
    ],
    [
      'gone in [1, no]',
      '"no" is not a value for T.gone: expected a whole number from -2147483648 to 2147483647 (at position 13 of where)',
    ],
    [
      'gone begin 1',
      'The comparator begin is not for T.gone of type long: it is for text (at position 1 of where)',
    ],
    [
      'name',
      'T.name is of type string; only a boolean attribute can stand alone: expected a comparator (at position 1 of where)',
    ],
  ])('%s is refused', async (where, message) => {
    const files = { t: `table: S.T\nwhere: ${JSON.stringify(where)}\n${listed}` };
    expect(await problems(tables, files, checkRestriction)).toEqual([`t.yaml:2:8: ${message}`]);
  });

  test('tells what looks like text from what is', async () => {
    const plain = table('T', { columns: { ID: 'int', PIC: 'binary' }, primaryKey: ['ID'] });
    const columns = plain.columns.map((column) =>
      column.name === 'PIC'
        ? { ...column, type: { kind: 'hex', native: 'bytea' } as const }
        : column,
    );
    const files = { t: 'table: S.T\nwhere: "pic begin 0a"' };
    expect(await problems([{ ...plain, columns }], files, checkRestriction)).toEqual([
      't.yaml:2:8: The comparator begin is not for T.pic of type string: it is for text, and this is bytes (at position 1 of where)',
    ]);
  });

  test('is told of in all files at once, and with all that is wrong besides', async () => {
    const files = {
      t: `table: S.T\nwhere: gon = 0 and nam = x\n${listed}`,
      u: 'table: S.U\nwhere: tId = x\nkey: [NO]',
    };
    expect(await problems(tables, files, checkRestriction)).toEqual([
      't.yaml:2:8: T has no attribute gon. Did you mean gone? (at position 1 of where)',
      't.yaml:2:8: T has no attribute nam. Did you mean name? (at position 13 of where)',
      'u.yaml:3:7: S.U has no column NO. Known: ID, T_ID.',
      'u.yaml:2:8: "x" is not a value for U.tId: expected a whole number from -2147483648 to 2147483647 (at position 7 of where)',
    ]);
  });

  test('has no more comparisons than one statement takes', async () => {
    const where = Array.from({ length: 401 }, (_, index) => `id = ${index}`).join(' or ');
    expect(await problems(tables, { t: `table: S.T\nwhere: ${where}` })).toEqual([
      't.yaml:2:8: all files together may have 400 comparisons in their where; this one goes beyond',
    ]);
  });
});
