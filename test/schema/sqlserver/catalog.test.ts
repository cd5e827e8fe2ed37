import { describe, expect, test } from 'vitest';
import { ProtocolError, StartupError, type ErrorName } from '../../../src/base/errors.ts';
import type { ReadRows } from '../../../src/schema/refused-statement.ts';
import { readSqlServerCatalog } from '../../../src/schema/sqlserver/catalog.ts';
import { sqlServerSchemaQueries } from '../../../src/schema/sqlserver/rows.ts';
import { readSqlServerSchema } from '../../../src/schema/sqlserver/introspect.ts';
import type { PhysicalSchema } from '../../../src/schema/types.ts';
import { parsed } from '../../rows.ts';

type QueryName = keyof typeof sqlServerSchemaQueries;

const plain = [null, false, false, null];

/** Two tables and a view, with all that a catalog tells of them. */
const answers: Partial<Record<QueryName, readonly (readonly unknown[])[]>> = {
  schemas: [[1, 'dbo']],
  tables: parsed("[[100, 1, part, 'U '], [101, 1, order, 'U '], [102, 1, everything, 'V ']]"),
  types: parsed('[[56, 56, int], [36, 36, uniqueidentifier], [260, 36, PartId]]'),
  columns: [
    [100, 1, 'id', 56, 4, 10, 0, null, false, false, false, 0, 0, ...plain],
    [100, 2, 'guid', 260, 16, 0, 0, null, false, false, false, 900, 0, ...plain],
    [101, 1, 'id', 56, 4, 10, 0, null, false, false, false, 0, 0, ...plain],
    [101, 2, 'guid', 36, 16, 0, 0, null, false, false, false, 901, 0, ...plain],
    [102, 1, 'id', 56, 4, 10, 0, null, false, false, false, 0, 0, ...plain],
  ],
  unmask: [[1]],
  indexes: [[100, 1, 'PK', true, true, false]],
  indexColumns: [[100, 1, 1, 1]],
  ignoreCase: [[1]],
};

const needed: readonly QueryName[] = [
  ...(['schemas', 'tables', 'types', 'columns', 'indexes', 'indexColumns'] as const),
  ...(['foreignKeys', 'foreignKeyColumns', 'ignoreCase'] as const),
];

function refusal(errorName: ErrorName = 'refusedByDatabase'): ProtocolError {
  const cause = new Error('no such view');
  return new ProtocolError(errorName, 'The database refused.', undefined, cause);
}

/** A catalog whose statements about some object fail. @param asked is told each statement */
function catalog(fails: (text: string) => Error | null, asked: string[] = []): ReadRows {
  const names = new Map(Object.entries(sqlServerSchemaQueries).map(([name, text]) => [text, name]));
  return (text) => {
    asked.push(text);
    const error = fails(text);
    if (error !== null) return Promise.reject(error);
    return Promise.resolve(answers[names.get(text as never) as QueryName] ?? []);
  };
}

async function schemaOf(read: ReadRows): Promise<PhysicalSchema & { notes: readonly string[] }> {
  const { rows, notes } = await readSqlServerCatalog(read);
  return { ...readSqlServerSchema(rows), notes };
}

/** Whether a statement asks for what another one asks for, as a whole or for one object. */
function isAbout(name: QueryName): (text: string) => boolean {
  return (text) => text.startsWith(sqlServerSchemaQueries[name]);
}

describe('what the database refuses to tell of the schema', () => {
  test.each(Object.keys(sqlServerSchemaQueries) as QueryName[])(
    '%s: all tables are served, or the message says which statement it was',
    async (name) => {
      const isRefused = isAbout(name);
      const schema = schemaOf(catalog((text) => (isRefused(text) ? refusal() : null)));
      if (needed.includes(name)) {
        const statement = sqlServerSchemaQueries[name].trim().replaceAll(/\s+/g, ' ');
        const message = `the database refused a statement that the gateway needs: ${statement}. Cause: no such view`;
        await expect(schema).rejects.toEqual(new StartupError([{ where: 'database', message }]));
        return;
      }
      const { tables, notes } = await schema;
      const names = tables.map((table) => [table.name, table.columns.length, table.primaryKey]);
      expect(names).toEqual([
        ['everything', 1, []],
        ['order', 2, []],
        ['part', 2, ['id']],
      ]);
      expect(notes).toEqual([
        expect.stringMatching(/^The database does not tell wh.*\. Cause: no such view$/),
      ]);
    },
  );

  test('is asked for one by one, and the warning names what is refused then', async () => {
    const asked: string[] = [];
    const isDefault = isAbout('sequentialDefaults');
    const read = catalog(
      (text) => (isDefault(text) && !text.includes('object_id = 901') ? refusal() : null),
      asked,
    );
    expect((await schemaOf(read)).notes).toEqual([
      'The database does not tell which defaults make GUIDs in order (dbo.part.guid). Cause: no such view',
    ]);
    expect(asked.filter(isDefault)).toHaveLength(3);
  });

  test('a check whose text is refused keeps its name', async () => {
    const { checks } = sqlServerSchemaQueries;
    const read: ReadRows = async (text) => {
      if (text.startsWith(checks)) throw refusal();
      if (!text.includes('sys.check_constraints')) return catalog(() => null)(text);
      return text.endsWith('= 100') ? [[100, 2, 'ck_guid', null]] : [];
    };
    const { tables, notes } = await schemaOf(read);
    expect(notes).toEqual([
      'The database does not tell which columns check constraints look at (dbo.part, dbo.order). Cause: no such view',
    ]);
    expect(tables.map((table) => table.checks)).toEqual([
      undefined,
      undefined,
      [{ name: 'ck_guid', columns: ['guid'] }],
    ]);
  });

  test('is asked for once more only where that cannot take long', async () => {
    const asked: string[] = [];
    const isCompound = isAbout('compound');
    const late = catalog((text) => (isCompound(text) ? refusal('statementTimeout') : null), asked);
    expect((await schemaOf(late)).notes).toHaveLength(1);
    expect(asked.filter(isCompound)).toHaveLength(1);
  });

  test('stands for the safe side: each table may have triggers, and a view be a union', async () => {
    const refused = [isAbout('triggers'), isAbout('compound')];
    const read = catalog((text) => (refused.some((is) => is(text)) ? refusal() : null));
    const union: ReadRows = async (text) => (text === 'SELECT 102, 1' ? [[102, 1]] : read(text));
    const { tables } = await schemaOf(union);
    expect(tables.map(({ instead, updatesMore }) => [instead, updatesMore])).toEqual([
      [['insert', 'update', 'delete'], true],
      [undefined, true],
      [undefined, true],
    ]);
  });

  test('a database that is away has refused nothing', async () => {
    const away = refusal('databaseUnavailable');
    const isCheck = isAbout('checks');
    const read = catalog((text) => (isCheck(text) ? away : null));
    await expect(readSqlServerCatalog(read)).rejects.toBe(away);
  });
});
