import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { schemaFiles } from '../../schemas.ts';

describe('the published JSON Schemas', async () => {
  test.each([...(await schemaFiles())])(
    '%s is what `npm run schemas` writes',
    async (path, text) => {
      expect(await readFile(path, 'utf8')).toBe(text);
    },
  );

  test('the pages that list settings have short lines there', async () => {
    const pages = [...(await schemaFiles())].filter(([path]) => path.endsWith('.md'));
    const lists = pages.flatMap(
      ([, text]) => text.match(/^<!-- settings: [^]*?^<!-- end -->/gm) ?? [],
    );
    expect(lists.length).toBeGreaterThan(5);
    expect(lists.flatMap((list) => list.split('\n')).filter(({ length }) => length > 120)).toEqual(
      [],
    );
  });

  test('config.yaml and the mapping files name theirs in the first line', async () => {
    const mappings = (await readdir('mappings')).map((name) => `mappings/${name}`);
    for (const path of ['config.yaml', ...mappings]) {
      const [first] = (await readFile(path, 'utf8')).split('\n', 1);
      expect(`${path} ${first ?? ''}`).toBe(
        path === 'config.yaml'
          ? `${path} # yaml-language-server: $schema=schemas/config.schema.json`
          : `${path} # yaml-language-server: $schema=../schemas/mapping.schema.json`,
      );
    }
  });
});
