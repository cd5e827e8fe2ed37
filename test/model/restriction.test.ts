import { describe, expect, test } from 'vitest';
import { checkRestriction } from '../../src/run/convert/bind.ts';
import { model, problems, table } from './physical.ts';
import { rows } from '../rows.ts';

const tables = [
  table('T', {
    columns: { ID: 'int', NAME: 'text', GONE: 'int?', AT: 'date', DOC: 'json', PIC: 'binary' },
    primaryKey: ['ID'],
  }),
  table('U', { columns: { ID: 'int', T_ID: 'int' }, primaryKey: ['ID'] }),
];

const related = 'relations: { us: { inverse: U.t } }';

const u =
  'dataclass: U\ntable: S.U\nattributes: { id: ID, tId: T_ID }\nrelations: { t: { to: T, columns: { T_ID: ID } } }';

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

  test.each(rows`
    gon = 0         | T has no attribute gon. Did you mean gone? (at position 1 of where)
    at = 1          | T has no attribute at. Known: id, name, gone, us. (at position 1 of where)
    other.name = x  | T has no attribute other. Known: id, name, gone, us. (at position 1 of where)
    us.nam = 1      | U has no attribute nam. Known: id, tId, t. (at position 1 of where)
    us = 1          | T.us is a relation; compare one of its attributes, such as us.id (at position 1 of where)
    name.length = 1 | T.name is of type string: it has no properties, and length is none (at position 1 of where)
    gone in [1, no] | "no" is not a value for T.gone: expected a whole number from -2147483648 to 2147483647 (at position 13 of where)
    gone begin 1    | The comparator begin is not for T.gone of type long: it is for text (at position 1 of where)
    name            | T.name is of type string; only a boolean attribute can stand alone: expected a comparator (at position 1 of where)
  `)('%s is refused', async (where, message) => {
    const files = {
      t: `dataclass: T\ntable: S.T\nwhere: ${JSON.stringify(where)}\n${listed}\n${related}`,
      u,
    };
    expect(await problems(tables, files, checkRestriction)).toEqual([`t.yaml:3:8: ${message}`]);
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
      'u.yaml:3:7: S.U has no column NO. Known: ID, T_ID.',
      't.yaml:2:8: T has no attribute gon. Did you mean gone? (at position 1 of where)',
      't.yaml:2:8: T has no attribute nam. Did you mean name? (at position 13 of where)',
      'u.yaml:2:8: "x" is not a value for U.tId: expected a whole number from -2147483648 to 2147483647 (at position 7 of where)',
    ]);
  });

  test('goes over relations and aliases, but not in a circle', async () => {
    const files = (where: string, ofU: string): Record<string, string> => ({
      t: `dataclass: T\ntable: S.T\nwhere: ${where}\n${listed}\n${related}`,
      u: `${u.replace('tId: T_ID', 'tId: T_ID, name: t.name')}\nwhere: ${ofU}`,
    });
    expect(await problems(tables, files('gone = 0', 'name = x'), checkRestriction)).toBeNull();
    const circle = files('us is not null', 'name = x');
    expect(await problems(tables, circle, checkRestriction)).toEqual([
      't.yaml:3:8: the way over U, T leads back to T, whose where would need itself',
      'u.yaml:5:8: the way over T, U leads back to U, whose where would need itself',
    ]);
    expect(await problems(tables, files('us.t.id = 1', 'id = 1'), checkRestriction)).toEqual([
      't.yaml:3:8: the way over T leads back to T, whose where would need itself',
    ]);
  });

  test('has no more comparisons than one statement takes', async () => {
    const where = Array.from({ length: 401 }, (_, index) => `id = ${index}`).join(' or ');
    expect(await problems(tables, { t: `table: S.T\nwhere: ${where}` })).toEqual([
      't.yaml:2:8: all files together may have 400 comparisons in their where; this one goes beyond',
    ]);
  });
});
