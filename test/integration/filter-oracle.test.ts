import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { Printer } from '../property/filter-text.ts';
import { seed } from '../property/seed.ts';
import { change } from '../targets/sql.ts';
import { facts } from '../conformance/dataclasses.ts';
import { cellOf, leavesOf, puttingNotNumbers, rowsOf } from './oracle/entities.ts';
import { evaluate, isText, type Filter } from './oracle/evaluate.ts';
import { comparatorsOf, filters, treeOf } from './oracle/filters.ts';
import { serving } from './shapes/engines.ts';
import { sample } from './shapes/sample.ts';

const RUNS = 100;

const served = serving('pglite', sample);

beforeAll(async () => {
  for (const statement of puttingNotNumbers) await change(served.gateway.database, statement);
});

/** How a filter is spelled, as numbers that choose. */
type Spelling = readonly [choices: readonly number[], quotes: boolean];

function urlOf(dataclass: string, filter: Filter, [choices, quotes]: Spelling): string {
  const printer = new Printer(choices);
  const text = encodeURIComponent(printer.print(treeOf(filter, quotes)));
  const params = encodeURIComponent(`[${printer.params.join(',')}]`);
  return `/rest/${dataclass}?$filter="${text}"&$params='${params}'&$asArray=true&$attributes=${facts(dataclass).key.join()}&$top=10000`;
}

/** The keys of the entities that a filter finds, by the oracle. */
function expected(dataclass: string, filter: Filter): unknown[][] {
  return rowsOf(dataclass)
    .filter((row) => evaluate(filter, dataclass, row) === true)
    .map((row) => facts(dataclass).key.map((name) => cellOf(name, dataclass, row)));
}

/** Asserts that the gateway finds by a filter what the oracle finds. @returns how many entities these are */
async function compare(dataclass: string, filter: Filter, spelling: Spelling): Promise<number> {
  const url = urlOf(dataclass, filter, spelling);
  const keys = expected(dataclass, filter);
  const { status, body } = await served.gateway.get(url);
  const found = Array.isArray(body)
    ? body.map((entity: Readonly<Record<string, unknown>>) =>
        facts(dataclass).key.map((name) => entity[name]),
      )
    : body;
  const asked = decodeURIComponent(url);
  expect({ asked, status, found }).toEqual({ asked, status: 200, found: keys });
  return keys.length;
}

test('what is not a number stands in no list, and so is outside of an empty one alone', async () => {
  for (const value of [[], ['1.5'], ['1e400']]) {
    const filter: Filter = {
      is: 'not',
      operand: {
        is: 'comparison',
        relations: [],
        leaf: 'longitude',
        kind: 'double',
        comparator: 'in',
        value,
      },
    };
    await compare('Company', filter, [[0], false]);
  }
});

describe('a random filter finds what an evaluation of the same rows in memory finds', () => {
  test.each(['Employee', 'Order', 'Product', 'Company'])('of %s', async (dataclass) => {
    let between = 0;
    await fc.assert(
      fc.asyncProperty(
        filters(dataclass),
        fc.tuple(fc.array(fc.nat({ max: 59 }), { minLength: 1, maxLength: 30 }), fc.boolean()),
        async (filter, spelling) => {
          const count = await compare(dataclass, filter, spelling);
          if (count > 0 && count < rowsOf(dataclass).length) between += 1;
        },
      ),
      { seed, numRuns: RUNS },
    );
    // Filters that find nothing or everything prove little: a good part of them has to tell rows apart.
    expect(between).toBeGreaterThan(RUNS / 4);
  });
});

describe('each comparator, and its opposite, finds what an evaluation of the rows finds', () => {
  test.each(['Employee', 'Order', 'Product', 'Company', 'Project'])(
    'of each attribute of %s',
    async (dataclass) => {
      for (const { name: leaf, kind } of leavesOf(dataclass)) {
        const cells = rowsOf(dataclass).map((row) => cellOf(leaf, dataclass, row));
        const held = [...new Set(cells.filter((cell) => cell !== null).map(String))].sort();
        const value = held[held.length >> 1] ?? (isText(kind) ? 'none' : '0');
        for (const comparator of new Set(comparatorsOf(kind))) {
          const operand = {
            ...({ is: 'comparison', relations: [], leaf, kind, comparator } as const),
            value: comparator === 'in' ? [value, null] : value,
          };
          await compare(dataclass, operand, [[0], false]);
          await compare(dataclass, { is: 'not', operand }, [[1], true]);
        }
      }
    },
  );
});
