import { expect, test } from 'vitest';
import { changesAdvice } from '../../src/model/changes.ts';
import { readSnapshot, sampleModel } from '../fixtures/legacy/model.ts';
import { parsed, rows } from '../rows.ts';
import { model, problems, table, type TableSketch } from './physical.ts';

const XMIN = { rowVersion: { kind: 'xmin' } } as const;
const columns = { ID: 'int', NAME: 'text?', AT: 'timestamp?', VER: 'int' } as const;

test.each(rows`
  ${''} | {rowVersion: {kind: xmin}} | {source: {kind: xmin}, deleted: null}
  ${''} | {rowVersion: {kind: column, name: VER}} | {source: {kind: rowversion, column: {name: VER}}}
  changes: { timestamp: AT } | {rowVersion: null} | {source: {kind: timestamp, column: {name: AT}, marginSeconds: 60}}
  changes: { timestamp: AT, marginSeconds: 5 } | {rowVersion: {kind: xmin}} | {source: {kind: timestamp, column: {name: AT}, marginSeconds: 5}}
  ${''} | {rowVersion: null} | its table does not record which rows have changed
  changes: false | {rowVersion: {kind: xmin}} | the gateway does not offer them
  ${''} | {rowVersion: {kind: xmin}, primaryKey: []} | it has no key
  ${''} | {rowVersion: {kind: xmin}, primaryKey: [AT], columns: {AT: timestamp}}
    | its key at has a type by which entities cannot be read page by page
`)(
  'changes are known by %j of a table with %j, or not and why',
  async (mapping, given, expected) => {
    const sketch = { columns, primaryKey: ['ID'], ...parsed<Partial<TableSketch>>(given) };
    const built = await model([table('T', sketch)], { t: `table: S.T\n${mapping}` });
    const changes = built.dataclasses.get('T')?.changes;
    const wanted = parsed<object | string>(expected);
    if (typeof wanted === 'string') expect(changes).toBe(wanted);
    else expect(changes).toMatchObject(wanted);
  },
);

test('nor where other rows decide which entities there are', async () => {
  const tables = [
    table('T', { columns: { ID: 'int', OF: 'int?' }, primaryKey: ['ID'], ...XMIN }),
    table('GONE', { columns, primaryKey: ['ID'], ...XMIN }),
  ];
  const others =
    'related entities decide which of its entities there are, and their changes are not reported';
  const of = 'relations: { link: { to: Gone, columns: { OF: ID } } }\nwhere: link.name = x';
  const gone = 'table: S.GONE\nattributes: { name: NAME }';
  const built = await model(tables, { t: `table: S.T\n${of}`, gone });
  expect(built.dataclasses.get('T')?.changes).toBe(others);
  expect(
    await problems(tables, { t: `table: S.T\nchanges: { deleted: Gone }\n${of}`, gone }),
  ).toEqual([`t.yaml:2:1: ${others}`]);
  const back = 'relations: { t: { to: T, columns: { ID: ID } } }\nwhere: t.of = 1';
  expect(
    await problems(tables, {
      t: 'table: S.T\nchanges: { deleted: Gone }',
      gone: `${gone}\n${back}`,
    }),
  ).toEqual([`t.yaml:2:21: new entities of Gone cannot be known: ${others}`]);
});

test('what a mapping file says of them has to be there, and to fit', async () => {
  const tables = [
    table('T', { columns, primaryKey: ['ID'], ...XMIN }),
    table('GONE', { columns: { ID: 'int' }, primaryKey: ['ID'], ...XMIN }),
    table('NAMES', { columns: { NAME: 'text' }, primaryKey: ['NAME'], ...XMIN }),
    table('PLAIN', { columns: { ID: 'int' }, primaryKey: ['ID'] }),
    table('TIMED', { columns: { ID: 'int', AT: 'timestamp' }, primaryKey: ['ID'] }),
  ];
  const others = {
    gone: 'table: S.GONE',
    names: 'table: S.NAMES',
    plain: 'table: S.PLAIN',
    timed: 'table: S.TIMED\nchanges: { timestamp: AT }',
  };
  const wrong = {
    '{ deleted: Gone, keptDays: 30 }': null,
    '{ timestamp: NAME }': '23: column NAME holds no times',
    '{ timestamp: WHEN }': '23: S.T has no column WHEN. Known: ID, NAME, AT, VER.',
    '{ deleted: Gon }': '21: there is no dataclass Gon. Did you mean Gone?',
    '{ deleted: Names }': '21: the key of Names (text) is not that of T (integer)',
    '{ deleted: Plain }':
      '21: new entities of Plain cannot be known: its table does not record which rows have changed',
    '{ deleted: Timed }': '21: Timed tells its changes by timestamp, and T by xmin',
  };
  for (const [changes, message] of Object.entries(wrong)) {
    const found = await problems(tables, { ...others, t: `table: S.T\nchanges: ${changes}` });
    expect([changes, found]).toEqual([changes, message === null ? null : [`t.yaml:2:${message}`]]);
  }
  const plain = await problems(tables, { plain: 'table: S.PLAIN\nchanges: { deleted: Plain }' });
  expect(plain).toEqual([
    'plain.yaml:2:1: its table has no rowversion column, xmin or change tracking, and changes names no timestamp',
  ]);
});

test('the advice names the tables that lack what tells changes, and columns without an index', async () => {
  const advice = async (engine: 'sqlserver' | 'postgres' | 'pglite'): Promise<string[]> => {
    const { dataclasses } = await sampleModel(
      readSnapshot(engine === 'sqlserver' ? 'tsql' : 'postgres'),
    );
    return changesAdvice(dataclasses.values(), engine);
  };
  expect(await advice('sqlserver')).toEqual([
    '$changes cannot tell what has changed in HR.EMP_PRJ, SALES.CAT_REF, SALES.CMP_MST and 10 more: ' +
      'ALTER TABLE HR.EMP_PRJ ADD ROW_VER rowversion or ENABLE CHANGE_TRACKING, or name a time column (changes.timestamp in the mapping file).',
    '$changes of SALES.PRD_MST wants an index on ROW_VER: it reads the whole table.',
  ]);
  expect(await advice('pglite')).toEqual([]);
  expect(await advice('postgres')).toEqual([
    '$changes reads the whole table each time, by xmin, of HR.EMP_PRJ, SALES.CAT_REF, SALES.CMP_MST and 11 more. A large one does better with a column ' +
      'of type timestamptz that a trigger sets to clock_timestamp() with each change, and an index on it: name it as changes.timestamp in the mapping file.',
  ]);
});
