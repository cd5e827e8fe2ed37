import { describe, expect, test } from 'vitest';
import { model, table, type TableSketch } from './physical.ts';

const T: TableSketch = {
  columns: { ID: 'int', NAME: 'text', U_ID: 'int?', V: 'int' },
  primaryKey: ['ID'],
  foreignKeys: [{ name: 'FK', columns: ['U_ID'], targetTable: 'U', targetColumns: ['ID'] }],
};
const U: TableSketch = { columns: { ID: 'int', CODE: 'text' }, primaryKey: ['ID'] };
const MAPPING = 'table: S.T\nattributes: { id: ID, name: NAME }\n';
const OTHER = 'table: S.U\n';

/** The definitions of T and U. */
async function definitions(t = MAPPING, u = OTHER, tables = [T, U]): Promise<[string, string]> {
  const [first = T, second = U] = tables;
  const built = await model([table('T', first), table('U', second)], { t, u });
  const of = (name: string): string => {
    const found = built.dataclasses.get(name);
    if (found === undefined) throw new Error(`no dataclass ${name}`);
    return found.definition();
  };
  return [of('T'), of('U')];
}

test('two models of the same files and schema have equal definitions', async () => {
  expect(await definitions()).toEqual(await definitions());
});

test('the layout of a file, its comments and the order of its settings are no part of it', async () => {
  const text = '# T\nattributes:\n  id: ID\n\n  name: NAME\ntable: S.T\n';
  expect(await definitions(text)).toEqual(await definitions());
});

describe('another definition, of this dataclass alone, follows from', () => {
  test.each<[what: string, mapping: string, tables?: TableSketch[]]>([
    ['an attribute more', MAPPING.replace('name: NAME', 'name: NAME, v: V')],
    ['an attribute less', MAPPING.replace(', name: NAME', '')],
    ['another name of an attribute', MAPPING.replace('name: NAME', 'title: NAME')],
    ['another column of an attribute', MAPPING.replace('name: NAME', 'name: V')],
    ['readOnly', `${MAPPING}readOnly: true\n`],
    ['requireStamp', `${MAPPING}requireStamp: false\n`],
    ['a restriction', `${MAPPING}where: "id > 1"\n`],
    ['a stamp', `${MAPPING}stamp: { counter: V }\n`],
    ['another type of a column', MAPPING, [{ ...T, columns: { ...T.columns, NAME: 'char' } }, U]],
    [
      'a column that may be null now',
      MAPPING,
      [{ ...T, columns: { ...T.columns, NAME: 'text?' } }, U],
    ],
  ])('%s', async (_what, mapping, tables) => {
    const [t, u] = await definitions();
    const [changedT, sameU] = await definitions(mapping, OTHER, tables);
    expect([changedT === t, sameU]).toEqual([false, u]);
  });
});

test('restrictions that differ in a value alone are told apart', async () => {
  const all = await Promise.all(
    [MAPPING, `${MAPPING}where: "id > 1"\n`, `${MAPPING}where: "id > 2"\n`].map(
      async (mapping) => (await definitions(mapping))[0],
    ),
  );
  expect(new Set(all).size).toBe(3);
});

test('a changed attribute of the dataclass that a relation leads to leaves it as it is', async () => {
  const [t, u] = await definitions();
  const [sameT, changedU] = await definitions(MAPPING, 'table: S.U\nattributes: { code: CODE }\n');
  expect([sameT, changedU === u]).toEqual([t, false]);
});
