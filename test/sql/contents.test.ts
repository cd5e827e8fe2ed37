import { expect, test } from 'vitest';
import type { ColumnRef } from '../../src/sql/ir/ir.ts';
import { postgresDialect } from '../../src/sql/postgres/dialect.ts';
import { tsqlDialect } from '../../src/sql/tsql/dialect.ts';

const settings = { timeZone: 'UTC', bigNumbersAsStrings: false };

test.each([
  [
    tsqlDialect(settings),
    'varbinary(max)',
    `SELECT SUBSTRING(t0."B", @p1 + 1, @p2), HASHBYTES('SHA2_256', t0."B") FROM "S"."T" t0`,
    Buffer.from([0, 255]),
  ],
  [
    tsqlDialect(settings),
    'image',
    `SELECT SUBSTRING(CONVERT(varbinary(max), t0."B"), @p1 + 1, @p2), HASHBYTES('SHA2_256', CONVERT(varbinary(max), t0."B")) FROM "S"."T" t0`,
    Buffer.from([0, 255]),
  ],
  [
    postgresDialect(settings, { version: 17 }),
    'bytea',
    `SELECT substr(t0."B", $1::int4 + 1, $2::int4), encode(sha256(t0."B"), 'hex') FROM "S"."T" t0`,
    '00ff',
  ],
])('slices and digests of $1', (dialect, native, text, digest) => {
  const operand: ColumnRef = {
    kind: 'column',
    alias: 't0',
    name: 'B',
    type: { kind: 'binary', native },
    nullable: true,
  };
  const statement = dialect.print({
    kind: 'select',
    outputs: [
      { kind: 'slice', operand },
      { kind: 'digest', operand },
    ],
    from: { schema: 'S', name: 'T', alias: 't0' },
    joins: [],
    where: null,
    orderBy: [],
    window: null,
  });
  expect(statement.text).toBe(text);
  expect(statement.readers[1]?.text(digest)).toBe('00ff');
});
