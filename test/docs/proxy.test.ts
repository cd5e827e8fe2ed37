import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/config/load.ts';
import { proxySetting } from '../../src/config/settings/proxy.ts';
import { testFolder, type TestFolder } from '../config/files.ts';
import { read } from './markdown.ts';

let folder: TestFolder;
beforeAll(async () => {
  folder = await testFolder();
});
afterAll(() => folder.remove());

const page = read('docs/how-to/proxy.md');

test('the page has every setting of an entry with its default, and no other', () => {
  const { items } = z.toJSONSchema(proxySetting, { io: 'input' }) as {
    items: {
      properties: Record<string, { default?: string | number | boolean | object }>;
      required: string[];
    };
  };
  const known = Object.entries(items.properties).map(([name, { default: value }]) => {
    const shown = typeof value === 'object' ? JSON.stringify(value) : String(value ?? '–');
    return [name, items.required.includes(name) ? 'required' : shown];
  });
  const [section = ''] = /^## Settings of an entry$[^]*?(?=^## )/m.exec(page) ?? [];
  const documented = [
    ...section.matchAll(/^- `(\w+)`: .*?(?:; (?:default `(.+)`|(required)))?\.$/gm),
  ].map(([, name, value, required]) => [name, value ?? required ?? '–']);
  expect(documented).toEqual(known);
});

test('what the page shows is what the gateway reads', async () => {
  const examples = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text);
  expect(examples).toHaveLength(2);
  for (const text of examples) {
    const path = await folder.write('example.yaml', text);
    await expect(loadConfig(path, { REPORTS_SECRET: 'x' })).resolves.toBeDefined();
  }
});
