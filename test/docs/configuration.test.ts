import { expect, it } from 'vitest';
import { z } from 'zod';
import { configSchema } from '../../src/config/config.ts';
import { plain, read, tableRows } from './markdown.ts';

/** The parts of a JSON Schema that settings are read from. */
interface Node {
  readonly properties?: Readonly<Record<string, Node>>;
  readonly oneOf?: readonly Node[];
  readonly required?: readonly string[];
  readonly const?: string;
  readonly default?: string | number | boolean | object;
}

/** `engine: postgres | database.poolSize` with its default: settings of one engine stand below a heading of its own. */
function settings(node: Node, path = '', engine = ''): [string, string][] {
  return Object.entries(node.properties ?? {}).flatMap(([name, inner]): [string, string][] => {
    const key = path === '' ? name : `${path}.${name}`;
    if (inner.oneOf !== undefined) {
      return inner.oneOf.flatMap((branch) =>
        settings(branch, key, branch.properties?.['engine']?.const),
      );
    }
    if (inner.properties !== undefined) return settings(inner, key, engine);
    return [[engine === '' ? key : `engine: ${engine} | ${key}`, shownDefault(node, name, inner)]];
  });
}

function shownDefault(parent: Node, name: string, { default: value, const: only }: Node): string {
  if (typeof value !== 'object' && value !== undefined) return String(value);
  if (only === 'pglite') return only;
  return parent.required?.includes(name) === true ? 'required' : '–';
}

it('docs/reference/configuration.md has every setting with its default, and no other', () => {
  const documented = tableRows(read('docs/reference/configuration.md'))
    .filter(({ heading }) => heading === 'Settings' || heading.startsWith('`engine: '))
    .filter(({ cells }) => cells.length === 4 && cells[0] !== 'setting')
    .map(({ heading, cells: [setting = '', , value = ''] }): [string, string] => {
      const section = heading === 'Settings' ? '' : `${plain(heading)} | `;
      return [section + plain(setting), plain(value)];
    });
  const schema = z.toJSONSchema(configSchema, { io: 'input' }) as Node;
  expect(Object.fromEntries(documented)).toEqual(Object.fromEntries(settings(schema)));
  expect(documented).toHaveLength(settings(schema).length);
});

it('docs/reference/configuration.md has every environment variable', () => {
  const source = read('src/config/load.ts') + read('src/cli/serve.ts') + read('src/main.ts');
  const variables = new Set(source.match(/\bENTITYGATE_[A-Z_]+/g));
  const documented = tableRows(read('docs/reference/configuration.md'))
    .filter(({ heading }) => heading === 'Environment')
    .map(({ cells: [name = ''] }) => plain(name))
    .filter((name) => name !== 'variable');
  expect(new Set(documented)).toEqual(variables);
});
