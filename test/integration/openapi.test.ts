import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Document, withContract } from '../conformance/contract.ts';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import type { OpenTarget } from '../targets/target.ts';

interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly example?: string | number;
}

interface Item {
  readonly parameters?: readonly Parameter[];
  readonly get?: { readonly parameters?: readonly Parameter[] };
}

type WholeDocument = Document & {
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
};

let opened: OpenTarget;
let gateway: Gateway;
beforeAll(async () => {
  opened = await pgliteTarget.open();
  gateway = await withContract(await startGateway(opened.database));
});
afterAll(async () => {
  await gateway.close();
  await opened.close();
});

/** Parameters that are for several entities: where a path has a key, it has two then. */
const OF_SEVERAL = ['$filter', '$orderby'];

const TRIED = [...OF_SEVERAL, '$attributes', '$expand', '$top'];

/** The URLs that the examples of a document make: each path alone, and with each parameter of its own that has an example. */
function exampleUrls({ paths, components }: WholeDocument): string[] {
  return Object.entries(paths).flatMap(([template, operations]) => {
    const { parameters = [], get } = operations as Item;
    // A stream does not end.
    if (get === undefined || template.endsWith('/stream')) return [];
    const pathOf = (keys: number): string =>
      parameters.reduce((text, { name, example = '' }) => {
        const values: string[] = Array.from({ length: name === 'key' ? keys : 1 }, () =>
          encodeURIComponent(example),
        );
        return text.replace(`{${name}}`, values.join(','));
      }, template);
    if (template.includes('{path}')) return [pathOf(1)];
    const isKeyed = template.endsWith('({key})');
    const queries = (get.parameters ?? []).flatMap((parameter) => {
      const named = parameter.$ref?.split('/').at(-1) ?? '';
      const { name, example } = components.parameters[named] ?? parameter;
      if (example === undefined || !TRIED.includes(name)) return [];
      const path = pathOf(isKeyed && OF_SEVERAL.includes(name) ? 2 : 1);
      return [`${path}?${name}=${encodeURIComponent(example)}`];
    });
    return [pathOf(1), ...queries];
  });
}

test('the examples of the document are requests that the sample answers, or has no such entity', async () => {
  const document = JSON.parse((await gateway.get('/rest/$openapi')).text) as WholeDocument;
  const urls = exampleUrls(document);
  const answered: Record<number, number> = {};
  const refused: string[] = [];
  for (const url of urls) {
    const { status, text } = await gateway.get(url);
    answered[status] = (answered[status] ?? 0) + 1;
    if (status !== 200 && !/"errCode":(?:1543|1802)/.test(text)) {
      refused.push(`${url} ${status} ${text.slice(0, 200)}`);
    }
  }
  expect(refused).toEqual([]);
  expect(answered[200]).toBeGreaterThan(300);
});
