import { expect, test } from 'vitest';
import { readPostgresSchema } from '../../../src/schema/postgres/introspect.ts';
import { translateSchema } from '../../../src/schema/translate.ts';
import type { PhysicalSchema } from '../../../src/schema/types.ts';

/** A table with one numeric column, as the statement tells of it. */
function numericColumn(modifier: number): PhysicalSchema {
  const column = {
    ...{ name: 'n', position: 1, type: 'numeric', typtype: 'b', labels: null, items: null },
    ...{ modifier, nullable: true, identity: '', generated: '', default: null, derived: false },
    description: null,
  };
  const table = {
    ...{ schema: 'public', name: 't', relkind: 'r', filled: true, versioned: true, lockable: true },
    ...{
      description: null,
      columns: [column],
      indexes: [],
      foreignKeys: [],
      checks: [],
      triggers: [],
      rules: [],
    },
  };
  return readPostgresSchema(JSON.stringify([table]));
}

// Modifiers as PostgreSQL 15 makes them: https://github.com/postgres/postgres/blob/master/src/backend/utils/adt/numeric.c
test.each([
  [655_366, 'numeric(10,2)', 10, 2, 'decimal(10,2)'],
  [133_121, 'numeric(2,-3)', 2, -3, 'decimal(5,0)'],
  [196_617, 'numeric(3,5)', 3, 5, 'decimal(5,5)'],
  [65_536_004, 'numeric(1000,0)', 1000, 0, null],
  [66_588, 'numeric(1,-1000)', 1, -1000, null],
  [66_540, 'numeric(1,1000)', 1, 1000, null],
  [-1, 'numeric', null, null, 'decimal(38,10)'],
])('the modifier %d is %s', (modifier, _, precision, scale, translated) => {
  const schema = numericColumn(modifier);
  expect(schema.tables[0]?.columns[0]?.type).toEqual({
    ...{ kind: 'decimal', precision, scale, native: 'numeric' },
  });
  if (translated === null) return;
  expect(translateSchema(schema, 'tsql').tables[0]?.columns[0]?.type.native).toBe(translated);
});
