import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mappingSchema } from '../../../src/config/mapping.ts';
import type { PhysicalSchema } from '../../../src/schema/types.ts';
import { parse } from 'yaml';
import { planned, schemaOf, table } from './tables.ts';

const folder = new URL('public-schemas/', import.meta.url);

/** Reads tables out of lines `Order Details(OrderID*>Orders, UnitPrice)`: a star marks the key, an arrow what a column refers to. */
function schemaFrom(text: string): PhysicalSchema {
  const tables = [...text.matchAll(/^(.+)\((.+)\)$/gm)].map(([, name = '', columns = '']) => ({
    name,
    columns: columns.split(', ').map((column) => {
      const [, label = '', star, target] = /^([^*>]+)(\*)?(?:>(.+))?$/.exec(column) ?? [];
      return { label, isKey: star !== undefined, target };
    }),
  }));
  const keyOf = (name: string): string | undefined =>
    tables.find((other) => other.name === name)?.columns.find(({ isKey }) => isKey)?.label;
  return schemaOf(
    ...tables.map(({ name, columns }) =>
      table(
        `dbo.${name}`,
        columns.flatMap(({ label, target }) => [
          `${label} int`,
          ...(target === undefined
            ? []
            : [`FK_${label}: ${label} -> dbo.${target}(${keyOf(target)})`]),
        ]),
        { primaryKey: columns.filter(({ isKey }) => isKey).map(({ label }) => label) },
      ),
    ),
  );
}

/** Prints the names that `init` gives: `Order: orderId, …; customer → Customer, details ← OrderDetail.order`. */
async function namesOf(schema: PhysicalSchema): Promise<string> {
  const { writes } = await planned({ schema });
  const lines = writes.map(({ text }) => {
    const { dataclass = '', attributes = {}, relations = {} } = mappingSchema.parse(parse(text));
    const shown = Object.entries(relations).map(([name, relation]) => {
      if ('to' in relation) return `${name} → ${relation.to}`;
      return 'inverse' in relation
        ? `${name} ← ${relation.inverse}`
        : `${name} over ${relation.through.join('.')}`;
    });
    return `${dataclass}: ${Object.keys(attributes).join(', ')}\n${shown
      .toSorted()
      .map((line) => `  ${line}\n`)
      .join('')}`;
  });
  return lines.toSorted().join('');
}

describe.each(['northwind', 'pubs', 'chinook', 'adventureworks'])('%s', (name) => {
  const text = readFileSync(new URL(`${name}.txt`, folder), 'utf8');

  test('gets names that one would keep', async () => {
    await expect(await namesOf(schemaFrom(text))).toMatchFileSnapshot(
      `public-schemas/${name}.names.txt`,
    );
  });

  test('gets the same names but for capitals where all is written in small letters, as on PostgreSQL', async () => {
    const names = async (schema: PhysicalSchema): Promise<string[]> =>
      (await namesOf(schema)).toLowerCase().split('\n').toSorted();
    expect(await names(schemaFrom(text.toLowerCase()))).toEqual(await names(schemaFrom(text)));
  });
});
