import { describe, expect, test } from 'vitest';
import { readSnapshotText, sameSchema, snapshotText } from '../../src/schema/snapshot.ts';
import type { PhysicalSchema } from '../../src/schema/types.ts';
import { translateSchema } from '../../src/schema/translate.ts';
import { readSnapshot } from '../fixtures/legacy/model.ts';

const found = readSnapshot('postgres');
const schema: PhysicalSchema = {
  ...found,
  tables: found.tables.map((table) => ({
    ...table,
    instead: ['insert', 'delete'],
    checks: [
      { name: 'CK_A', columns: ['A', 'B'] },
      { name: 'CK_B', columns: [] },
    ],
  })),
};
const shuffled = {
  ...schema,
  tables: schema.tables.toReversed().map((table) => ({
    ...table,
    indexes: table.indexes.toReversed(),
    foreignKeys: table.foreignKeys.toReversed(),
    checks: (table.checks ?? []).toReversed(),
  })),
};

describe('a snapshot', () => {
  test('reads back as what was written', () => {
    const snapshot = { dialect: 'postgres', version: 'PostgreSQL 17.2', schema } as const;
    const read = readSnapshotText(snapshotText(snapshot), 'schema.json');
    expect(read.dialect).toBe('postgres');
    expect(read.version).toBe('PostgreSQL 17.2');
    expect(sameSchema(read.schema, schema)).toBe(true);
  });

  /** A snapshot of one table of one column, which may say more of each. */
  const of = (ofTable: string, ofColumn = ''): string =>
    `{"tables":[{"schema":"a","name":"b","kind":"table","columns":[{"name":"c","position":1,"nullable":true,"identity":false,` +
    `"computed":false,"hasDefault":false,"type":{"kind":"json","asText":false,"native":"_date"}${ofColumn}}],` +
    `"primaryKey":[],"indexes":[],"foreignKeys":[],"rowVersion":null${ofTable}}]}`;
  const dates = (kind: string): string =>
    `,"type":{"kind":"json","asText":false,"native":"_date","items":{"kind":"${kind}","native":"date"}}`;

  test('keeps the type of the items of an array', () => {
    const [column] = readSnapshotText(of('', dates('date')), 'x').schema.tables[0]?.columns ?? [];
    expect(column?.type).toMatchObject({ items: { kind: 'date', native: 'date' } });
  });

  test('is the same text whatever the order in which things were found', () => {
    const text = (found: typeof schema): string =>
      snapshotText({ dialect: 'postgres', version: 'x', schema: found });
    expect(text(shuffled)).toBe(text(schema));
    expect(text(schema).split('\n').length).toBeGreaterThan(200);
  });

  const foreignKey =
    '{"name":"f","columns":["c","d"],"targetSchema":"a","targetTable":"b","targetColumns":["c"]}';

  test.each([
    ['{', 'schema.json: is not JSON: expected what "entitygate schema" prints'],
    ['[]', 'schema.json: is not a snapshot of a schema (see "tables"): expected'],
    ['null', 'schema.json: is not a snapshot of a schema (see "tables"): expected'],
    ['{"tables":[{"schema":"a"}]}', '(see "tables", entry 1, "name")'],
    [of(',"checks":1'), '(see "tables", entry 1, "checks")'],
    [of(',"columns":[[]]'), '(see "tables", entry 1, "columns", entry 1)'],
    [of('', dates('day')), '"type", "items", "kind"'],
    [of(',"primaryKey":[7]'), '(see "tables", entry 1, "primaryKey", entry 1)'],
    [
      of(`,"foreignKeys":[${foreignKey}]`),
      '(see "tables", entry 1, "foreignKeys", entry 1, "targetColumns")',
    ],
    [
      '{"__proto__":{"tables":[]},"constructor":1}',
      'not a snapshot of a schema (see "tables"): expected',
    ],
  ])('%s is none', (text, message) => {
    expect(() => readSnapshotText(text, 'schema.json')).toThrow(message);
  });

  test.each([
    [
      'brackets',
      `{"tables":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
      ' (see "tables", entry 1)',
    ],
    [
      'types',
      `{"tables":[{"schema":"a","name":"b","kind":"table","columns":[{"type":${'{"kind":"json","native":"a","asText":true,"items":'.repeat(20_000)}1${'}'.repeat(20_000)}}]}]}`,
      '',
    ],
  ])('what stands in each other in 20,000 levels of %s is none', (_, text, place) => {
    expect(() => readSnapshotText(text, 'schema.json')).toThrow(
      `schema.json: is not a snapshot of a schema${place}: expected`,
    );
  });
});

test('a schema as the other engine would have it', () => {
  const types = (dialect: 'postgres' | 'tsql'): Record<string, string> =>
    Object.fromEntries(
      translateSchema(schema, dialect)
        .tables.flatMap(({ columns }) => columns)
        .map(({ name, type }) => [name, type.native]),
    );
  expect(types('tsql')).toMatchObject({
    EMP_NO: 'int',
    FIRST_NM: 'nchar(20)',
    LAST_NM: 'nvarchar(60)',
    SAL: 'decimal(19,4)',
    ACTIVE_FL: 'bit',
    MOD_DT: 'datetime2(7)',
    TAGS_JSON: 'nvarchar(max)',
    DOC_ID: 'uniqueidentifier',
  });
  const back = translateSchema(translateSchema(schema, 'tsql'), 'postgres');
  expect(back.tables.map(({ columns }) => columns)).toEqual(
    schema.tables.map(({ columns }) => columns),
  );
});
