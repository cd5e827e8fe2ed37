import { describe, expect, test } from 'vitest';
import type { ColumnRef, InsertQuery, WriteQuery } from '../../src/sql/ir/ir.ts';
import type { Dialect, DialectSettings } from '../../src/sql/dialect.ts';
import type { Statement } from '../../src/sql/ir/statement.ts';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';
import { GoldenFile, packed } from '../fixtures/golden-file.ts';
import { unencodableColumns, postgresTypes, tsqlTypes, writeQueries } from './write-queries.ts';

const settings: DialectSettings = { timeZone: 'Europe/Paris', bigNumbersAsStrings: false };
const postgres = postgresDialect(settings, { version: 17 });
const tsql = tsqlDialect(settings);

const goldens = new GoldenFile(new URL('writes.golden', import.meta.url));

const unencodable: WriteQuery = { kind: 'unencodable', columns: unencodableColumns };

function keyOf(query: WriteQuery | undefined): readonly ColumnRef[] {
  return query?.kind === 'update' ? query.match.key : [];
}

/** A statement, and what its parameters are. */
function golden({ text, parameters, readers }: Statement): string {
  const lines = text.replace(
    /(?<=;) |(?<!LEFT|DEFAULT|ctid) (?=(?:FROM|LEFT JOIN|JOIN|WHERE|ORDER BY|OUTPUT|RETURNING|SELECT|VALUES) )/g,
    '\n',
  );
  const said = parameters.map((parameter) => {
    switch (parameter.kind) {
      case 'rows': {
        const parts = parameter.types.map(({ native }) => `, ${native}`).join('');
        return `rows [ordinal${parts}]`;
      }
      case 'rowField':
        return `part ${parameter.index}, ${parameter.type.native}`;
      case 'bytes':
        return `bytes ${parameter.index}`;
      case 'parameter':
      case 'listItem':
      case 'offset':
      case 'constant':
      case 'keys':
      case 'keyList':
      case 'slice':
        return parameter.kind;
    }
  });
  const given = said.map((text, index) => `${index + 1}: ${text}; `);
  return `${packed(lines)};\n-- ${given.join('')}${readers.length} columns\n`;
}

describe.each<{ name: string; dialect: Dialect; queries: Readonly<Record<string, WriteQuery>> }>([
  { name: 'postgres', dialect: postgres, queries: writeQueries(postgresTypes) },
  { name: 'tsql', dialect: tsql, queries: { ...writeQueries(tsqlTypes), unencodable } },
])('writes in $name', ({ name, dialect, queries }) => {
  test.each(Object.entries(queries))('%s', (title, query) => {
    const statement = dialect.printWrite(query);
    goldens.expect(title, name, statement === null ? null : golden(statement));
  });

  test('a statement is the same each time', () => {
    for (const query of Object.values(queries)) {
      expect(dialect.printWrite(query)?.text).toBe(dialect.printWrite(query)?.text);
    }
  });
});

test('PostgreSQL: local times that lead to related rows are instants, turned into local time', () => {
  const [, at] = keyOf(writeQueries(postgresTypes)['update-named-like-rows']);
  if (at === undefined) throw new Error('no local time');
  const { text } = postgres.print({
    kind: 'related',
    keyColumns: [at],
    via: [],
    outputs: [],
    from: { schema: 'S', name: 'T', alias: 't0' },
    joins: [],
    where: null,
    orderBy: [{ operand: at, descending: false }],
    perKey: 1,
  });
  expect(text).toContain(`ELSE (e->>1)::timestamptz AT TIME ZONE 'Europe/Paris' END) AS k0`);
});

describe('what cannot be lost or known', () => {
  test('text of PostgreSQL loses nothing', () => {
    expect(postgres.printWrite(unencodable)).toBeNull();
  });

  test('columns that lose nothing are not asked for', () => {
    expect(
      tsql.printWrite({ kind: 'unencodable', columns: unencodableColumns.slice(1, 4) }),
    ).toBeNull();
  });

  test('T-SQL: keys that are not numbers', () => {
    const insert = writeQueries(tsqlTypes)['insert-one'] as InsertQuery;
    const returning = insert.returning.map((column) => ({ ...column, type: tsqlTypes.uuid }));
    expect(() => tsql.printWrite({ ...insert, returning, rows: 'many' })).toThrow(
      /only an identity/,
    );
    // What a trigger makes of them is not known.
    expect(tsql.printWrite({ ...insert, returning, instead: true })?.text).toMatch(
      /; SELECT k\."k0" FROM \(SELECT CONVERT\(uniqueidentifier, NULL\) AS "k0"\) k$/,
    );
  });

  test('T-SQL: a view behind a trigger whose rows have no key', () => {
    const query = writeQueries(tsqlTypes)['delete-joined-instead'];
    if (query?.kind !== 'deleteWhere') throw new Error('no such query');
    expect(() => tsql.printWrite({ ...query, key: [] })).toThrow(/no key/);
  });

  test('a counter that is not an integer', () => {
    const [column] = unencodableColumns;
    if (column === undefined) throw new Error('no column');
    const query: WriteQuery = {
      kind: 'update',
      rows: 'many',
      table: { schema: 'S', name: 'T', alias: 't0' },
      match: { key: [column], stamp: null, where: null },
      assignments: [{ column, value: { kind: 'nextStamp', bits: 53 } }],
      instead: false,
    };
    expect(() => tsql.printWrite(query)).toThrow(/cannot count/);
  });
});

test.each([
  ['postgres', postgres, postgresTypes],
  ['tsql', tsql, tsqlTypes],
] as const)(
  'a change of rows that tells what they hold then, where the lock of one is looked at: %s',
  (engine, dialect, types) => {
    const { 'update-one': update } = writeQueries(types);
    if (update?.kind !== 'update') throw new Error('there is no update of one row');
    const { table, match, assignments } = update;
    const [label] = assignments;
    if (label === undefined) throw new Error('it changes nothing');
    const told = { kind: 'value', operand: label.column } as const;
    for (const [title, rows, unlocked] of [
      ['update-directly', 'one', true],
      ['update-directly-unasked', 'one', false],
      ['update-directly-many', 'many', false],
    ] as const) {
      const isOne = rows === 'one';
      const statement = dialect.printDirectUpdate({
        kind: 'directUpdate',
        rows,
        table,
        match,
        assignments: assignments.filter(({ value }) => value.kind !== 'bytes'),
        outputs: [told],
        unlocked,
        uncontended: isOne ? [2, 5] : null,
      });
      const together = statement?.together?.() ?? null;
      const printed = [statement, together]
        .map((one) => (one === null ? '' : golden(one)))
        .join('\n');
      goldens.expect(title, engine, printed);
      const itself = engine === 'tsql' ? 'batch' : 'statement';
      expect(statement?.commitsItself).toBe(isOne ? itself : undefined);
    }
  },
);
