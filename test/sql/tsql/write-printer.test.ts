import { describe, expect, test } from 'vitest';
import type { InsertQuery, WriteQuery } from '../../../src/sql/ir/ir.ts';
import type { DialectSettings } from '../../../src/sql/dialect.ts';
import type { Statement } from '../../../src/sql/ir/statement.ts';
import { tsqlDialect } from '../../../src/sql/tsql/dialect.ts';
import { GoldenFile, packed } from '../../fixtures/golden-file.ts';
import { unencodableColumns, tsqlTypes, writeQueries } from './write-queries.ts';

const settings: DialectSettings = { timeZone: 'Europe/Paris', bigNumbersAsStrings: false };
const tsql = tsqlDialect(settings);

const goldens = new GoldenFile(new URL('writes.golden', import.meta.url));

const unencodable: WriteQuery = { kind: 'unencodable', columns: unencodableColumns };

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

test.each(Object.entries({ ...writeQueries(), unencodable }))('%s', (title, query) => {
  const statement = tsql.printWrite(query);
  goldens.expect(title, 'tsql', statement === null ? null : golden(statement));
});

describe('what cannot be lost or known', () => {
  test('columns that lose nothing are not asked for', () => {
    expect(
      tsql.printWrite({ kind: 'unencodable', columns: unencodableColumns.slice(1, 4) }),
    ).toBeNull();
  });

  test('keys that are not numbers', () => {
    const insert = writeQueries()['insert-one'] as InsertQuery;
    const returning = insert.returning.map((column) => ({ ...column, type: tsqlTypes.uuid }));
    expect(() => tsql.printWrite({ ...insert, returning, rows: 'many' })).toThrow(
      /only an identity/,
    );
    // What a trigger makes of them is not known.
    expect(tsql.printWrite({ ...insert, returning, instead: true })?.text).toMatch(
      /; SELECT k\."k0" FROM \(SELECT CONVERT\(uniqueidentifier, NULL\) AS "k0"\) k$/,
    );
  });

  test('a view behind a trigger whose rows have no key', () => {
    const query = writeQueries()['delete-joined-instead'];
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

test('a change of rows that tells what they hold then, where the lock of one is looked at', () => {
  const { 'update-one': update } = writeQueries();
  if (update?.kind !== 'update') throw new Error('there is no update of one row');
  const { table, match, assignments } = update;
  const [label] = assignments;
  if (label === undefined) throw new Error('it changes nothing');
  for (const [title, rows, unlocked] of [
    ['update-directly', 'one', true],
    ['update-directly-unasked', 'one', false],
    ['update-directly-many', 'many', false],
  ] as const) {
    const isOne = rows === 'one';
    const statement = tsql.printDirectUpdate({
      ...{ kind: 'directUpdate', rows, table, match, unlocked },
      assignments: assignments.filter(({ value }) => value.kind !== 'bytes'),
      outputs: [{ kind: 'value', operand: label.column }],
      uncontended: isOne ? [2, 5] : null,
    });
    const together = statement?.together?.() ?? null;
    const printed = [statement, together]
      .map((one) => (one === null ? '' : golden(one)))
      .join('\n');
    goldens.expect(title, 'tsql', printed);
    expect(statement?.commitsItself).toBe(isOne ? 'batch' : undefined);
  }
});
