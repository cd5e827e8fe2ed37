import fc from 'fast-check';
import { expect, test } from 'vitest';
import { existingMappings, writeFiles } from '../../../src/cli/init/files.ts';
import type { InitPlan } from '../../../src/cli/init/plan.ts';
import { rulesSchema, type Rules } from '../../../src/cli/init/rules.ts';
import { buildModel } from '../../../src/model/build.ts';
import { inStableOrder } from '../../../src/schema/snapshot.ts';
import type { ForeignKey, PhysicalSchema, Table } from '../../../src/schema/types.ts';
import { testFolder } from '../../config/files.ts';
import { seed } from '../../property/seed.ts';
import { planned, SETTINGS, table } from './tables.ts';

const someName = fc.oneof(
  fc.constantFrom(...'ID id Id ORDER orders Order_Id select true null NO ~'.split(' ')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }).filter((name) => !name.includes('\0')),
  fc.string({
    unit: fc.constantFrom(...`aB_ .]"':#1é`.split('')),
    minLength: 1,
    maxLength: 5,
  }),
);
const kind = fc.constantFrom('int', 'text', 'char', 'date', 'timestamp', 'binary');

/** A table with columns of any names; foreign keys are drawn afterwards, between columns that may or may not fit. */
const someTable = fc
  .record({
    schema: fc.constantFrom('dbo', 'public', 'HR', 'a.b'),
    name: someName,
    columns: fc.uniqueArray(fc.tuple(someName, kind), { selector: ([name]) => name, maxLength: 6 }),
    hasKey: fc.boolean(),
    isView: fc.boolean(),
  })
  .map(({ schema, name, columns, hasKey, isView }): Table => {
    const base = table(
      'x.y',
      columns.map(([, type]) => `c ${type}`),
    );
    const named = base.columns.map((column, index) => ({
      ...column,
      name: columns[index]?.[0] ?? '',
    }));
    return {
      ...base,
      schema,
      name,
      kind: isView ? 'view' : 'table',
      columns: named,
      primaryKey: hasKey ? named.slice(0, 1).map((column) => column.name) : [],
    };
  });

const someSchema = fc
  .uniqueArray(someTable, {
    selector: (found) => `${found.schema}\n${found.name}`,
    minLength: 1,
    maxLength: 6,
  })
  .chain((tables) =>
    fc
      .array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat()), { maxLength: 8 })
      .map((links): PhysicalSchema => ({
        tables: tables.map((owner, index) => ({
          ...owner,
          foreignKeys: links.flatMap(([from, to, column, target], number): ForeignKey[] => {
            const other = tables[to % tables.length];
            const here = owner.columns[column % Math.max(owner.columns.length, 1)];
            const there = other?.columns[target % Math.max(other.columns.length, 1)];
            if (from % tables.length !== index || other === undefined) return [];
            if (here === undefined || there === undefined) return [];
            return [
              {
                name: `FK ${number}`,
                columns: [here.name],
                targetSchema: other.schema,
                targetTable: other.name,
                targetColumns: [there.name],
              },
            ];
          }),
        })),
      })),
  );

const someRules = fc
  .record({
    case: fc.constantFrom('camel', 'pascal', 'snake', 'keep'),
    strip: fc.constantFrom([], ['O', '_ID']),
    words: fc.constantFrom({}, { id: '', order: 'ID' }),
    plurals: fc.constantFrom(false, {}),
    singular: fc.boolean(),
    splitWords: fc.boolean(),
  })
  .map((rules) => rulesSchema.parse(rules));

test('whatever the schema and the rules: the files make a model, and a second run has nothing to write', async () => {
  await fc.assert(
    fc.asyncProperty(someSchema, someRules, async (schema, rules) => {
      const { path: folder, remove } = await testFolder();
      try {
        const first = await runInit(folder, schema, null, rules);
        expect(first.gone).toEqual([]);
        await writeFiles(first.writes);
        const { dataclasses: files } = await existingMappings(folder);
        expect(files).toHaveLength(
          inStableOrder(schema).tables.filter(({ columns }) => columns.length > 0).length,
        );
        if (files.length > 0) buildModel(files, schema, SETTINGS);
        const second = await runInit(folder, schema, first.seen, rules);
        expect([second.writes, second.gone]).toEqual([[], []]);
      } finally {
        await remove();
      }
    }),
    { numRuns: 150, seed },
  );
});

async function runInit(
  folder: string,
  schema: PhysicalSchema,
  prior: PhysicalSchema | null,
  rules: Rules,
): Promise<InitPlan> {
  const { dataclasses: files } = await existingMappings(folder);
  return planned({ schema, files, prior, rules }, folder);
}
