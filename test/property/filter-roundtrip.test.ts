import fc, { type Arbitrary } from 'fast-check';
import { expect, test } from 'vitest';
import type { Literal } from '../../src/protocol/ast.ts';
import { parseFilter } from '../../src/protocol/filter.ts';
import { ValueList } from '../../src/protocol/url/literals.ts';
import { parseParams } from '../../src/protocol/url/parameter-reader.ts';
import { isQuotable, Printer, quotedValue, type Tree, type Value } from './filter-text.ts';
import { seed } from './seed.ts';

/** Names, those among them that begin or end like the words of the grammar. */
const names: Arbitrary<readonly string[]> = fc.array(
  fc.constantFrom(
    ...['ID', 'lastName', 'Größe', '名前', '$x', 'a-b', 'a/b', '{c}', '0', '?text', '🚀'],
    ...['order', 'android', 'exception', 'notes', 'nothing', 'inside', 'island', 'beginDate'],
    ...['likes', 'AND', 'or', 'null', 'true', '__proto__'],
  ),
  { minLength: 1, maxLength: 4 },
);

const values: Arbitrary<Value> = fc.oneof(
  fc
    .string({ unit: 'binary', maxLength: 12 })
    // The codes of quotes are decoded wherever they stand.
    .filter((text) => !text.includes('\\u00'))
    .map(quotedValue),
  fc
    .constantFrom(
      ...["O'Reilly", 'say "hi"', "' and '", '" or "', "')", ' AND x = 1', '', ' ', '\\', "\\'"],
      ...['null', 'true', '12', ':1', 'A@', '*', 'a*b', '50%', '(', ']', ',', 'a\nb'],
    )
    .map(quotedValue),
  fc
    .constantFrom(
      'Smith',
      'New York',
      '2024-01-31',
      "O'Reilly",
      'x,y',
      'Zoë',
      'android',
      '1 2',
      '50%',
    )
    .map((text): Value => ({ text, class: 'word' })),
  fc.constantFrom('A@', 'S@n', 'five*').map((text): Value => ({ text, class: 'wild' })),
  fc
    .constantFrom('0', '-1.5e3', '007', '.5', '5.', '+3', '9007199254740993')
    .map((text): Value => ({ text, class: 'number' })),
  fc.constantFrom('true', 'FALSE').map((text): Value => ({ text, class: 'boolean' })),
  fc.constantFrom('null', 'NULL').map((text): Value => ({ text, class: 'null' })),
);

/** Unquoted text with a comma in it is two items of a list. */
const listValues = values.filter((value) => isQuotable(value) || !value.text.includes(','));

const { tree: trees } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthIdentifier: 'tree' },
    fc.oneof(
      fc.record({
        kind: fc.constant('comparison'),
        names,
        comparator: fc.constantFrom(
          ...(['=', '!=', '===', '!==', '<', '<=', '>', '>=', 'begin', 'contains'] as const),
        ),
        value: values,
      }),
      fc.record({ kind: fc.constant('in'), names, values: fc.array(listValues, { maxLength: 4 }) }),
      fc.record({ kind: fc.constant('flag'), names }),
    ),
    fc.record({
      kind: fc.constantFrom('and', 'or', 'except'),
      left: tie('tree'),
      right: tie('tree'),
    }),
    fc.record({ kind: fc.constant('not'), operand: tie('tree') }),
  ),
}));

/** The parser's tree for one of ours, without positions, and its values in the order of their parameters. */
function expected(tree: Tree): { readonly node: unknown; readonly values: readonly unknown[] } {
  const list: unknown[] = [];
  const walk = (part: Tree): unknown => {
    switch (part.kind) {
      case 'and':
      case 'or':
      case 'except': {
        const left = walk(part.left);
        return { kind: part.kind, left, right: walk(part.right) };
      }
      case 'not':
        return { kind: 'not', operand: walk(part.operand) };
      case 'flag':
        return { kind: 'flag', path: { names: part.names } };
      case 'in': {
        list.push(part.values);
        const items = [...new Set(part.values.map((value) => value.class))].sort();
        return {
          kind: 'comparison',
          path: { names: part.names },
          comparator: 'in',
          value: {
            parameter: list.length - 1,
            class: 'list',
            items,
            size: [1, 3, 10].find((size) => part.values.length <= size),
          },
        };
      }
      case 'comparison':
        list.push(part.value);
        return {
          kind: 'comparison',
          path: { names: part.names },
          comparator: part.comparator,
          value: { parameter: list.length - 1, class: part.value.class },
        };
    }
  };
  const node = walk(tree);
  return { node, values: list };
}

function plain(literal: Literal): unknown {
  return typeof literal.value === 'string'
    ? { text: literal.value, class: literal.class }
    : literal.value.map(plain);
}

/** What a parsed filter says of its spelling. */
const NOT_IN_TREES: ReadonlySet<string> = new Set(['position', 'isMixed']);

test('a filter that is printed, however it is spelled, is read as what it was', () => {
  fc.assert(
    fc.property(
      trees,
      fc.array(fc.nat({ max: 59 }), { minLength: 1, maxLength: 30 }),
      (tree, choices) => {
        const printer = new Printer(choices);
        const text = printer.print(tree);
        const list = new ValueList();
        const params = parseParams(`[${printer.params.join(',')}]`);
        const { node } = parseFilter(text, '$filter', { origin: params, values: list });
        const read: unknown = JSON.parse(
          JSON.stringify(node, (name, value: unknown) =>
            NOT_IN_TREES.has(name) ? undefined : value,
          ),
        );
        expect({ text, node: read, values: list.items.map(plain) }).toEqual({
          text,
          ...(JSON.parse(JSON.stringify(expected(tree))) as object),
        });
      },
    ),
    { seed, numRuns: 5000 },
  );
});
