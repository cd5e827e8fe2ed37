import { expect, it } from 'vitest';
import { plain, read, tableRows } from './markdown.ts';

it('docs/reference/configuration.md has every environment variable', () => {
  const source = read('src/config/load.ts') + read('src/cli/serve.ts') + read('src/main.ts');
  const variables = new Set(source.match(/\bENTITYGATE_[A-Z_]+/g));
  const documented = tableRows(read('docs/reference/configuration.md'))
    .filter(({ heading }) => heading === 'Environment')
    .map(({ cells: [name = ''] }) => plain(name))
    .filter((name) => name !== 'variable');
  expect(new Set(documented)).toEqual(variables);
});
