import { expect, test } from 'vitest';
import { z } from 'zod';
import { proxySetting } from '../../src/config/settings/proxy.ts';
import { read } from './markdown.ts';

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
