import { expect, it } from 'vitest';
import { plain, read, tableRows } from './markdown.ts';

const manifest = JSON.parse(read('package.json')) as Record<
  'dependencies' | 'devDependencies' | 'overrides',
  Readonly<Record<string, string>>
>;
const rows = tableRows(read('docs/reference/dependencies.md')).filter(
  ({ cells: [name] }) => name !== 'package',
);

it.each([
  ['dependencies', 'At run time'],
  ['devDependencies', 'For development'],
  ['overrides', 'Overrides'],
] as const)(
  'docs/reference/dependencies.md says why of all %s, and of nothing else',
  (part, section) => {
    const documented = rows.filter(({ heading }) => heading === section);
    expect(documented.map(({ cells: [name = ''] }) => plain(name))).toEqual(
      Object.keys(manifest[part]).toSorted(),
    );
    for (const { cells } of documented) expect(cells[1], cells[0]).not.toBe('');
  },
);
