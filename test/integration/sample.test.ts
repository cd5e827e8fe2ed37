import { writeFileSync } from 'node:fs';
import { format } from 'prettier';
import { expect, test } from 'vitest';
import type { Document } from '../conformance/contract.ts';
import { serving } from './shapes/engines.ts';
import { sample } from './shapes/sample.ts';
import { readSnapshot, snapshots } from '../fixtures/legacy/model.ts';

type Entity = Readonly<Record<string, string | number>>;

const served = serving('pglite', { ...sample, isDocumented: true });

/** Values of parameters, by their components' names. */
const TRIED: Readonly<Record<string, string>> = { top: '10', attributes: '*', orderby: '' };

async function firstEntity(dataclass: string): Promise<Entity> {
  const { text } = await served.gateway.get(`/rest/${dataclass}?$top=1`);
  return (JSON.parse(text) as { __ENTITIES?: Entity[] }).__ENTITIES?.[0] ?? {};
}

/** The URLs that a document describes, with the values of an entity: each path alone, and with each parameter that is tried. */
async function describedUrls({ paths }: Document): Promise<string[]> {
  const urls: string[] = [];
  const entities = new Map<string, Entity>();
  for (const [template, operations] of Object.entries(paths)) {
    const { parameters = [], get } = operations;
    // A stream does not end.
    if (get === undefined || template.endsWith('/stream')) continue;
    const [, dataclass = '', attribute = ''] = /^\/rest\/(\w+)(?::(\w+))?/.exec(template) ?? [];
    const entity =
      entities.get(dataclass) ?? (dataclass === '' ? {} : await firstEntity(dataclass));
    entities.set(dataclass, entity);
    const values: Readonly<Record<string, string | number | undefined>> = {
      key: entity['__KEY'] ?? 1,
      keys: entity['__KEY'] ?? 1,
      value: typeof entity[attribute] === 'string' ? `"${entity[attribute]}"` : entity[attribute],
      id: '0'.repeat(46),
      path: Object.keys(entity).find((name) => !name.startsWith('__')),
      dataclasses: 'Company',
    };
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(values[name] ?? 1)),
    );
    const described = template.includes('{path}') ? [] : [...parameters, ...(get.parameters ?? [])];
    const queries = described.flatMap(($) => {
      const name = $.$ref?.split('/').at(-1) ?? '';
      return TRIED[name] === undefined ? [] : [`${path}?$${name}=${TRIED[name]}`];
    });
    urls.push(path, ...queries);
  }
  return urls;
}

test('the sample answers the requests of the document, or has no such entity', async () => {
  const document = JSON.parse((await served.gateway.get('/rest/$openapi')).text) as Document;
  const answered: Record<number, number> = {};
  const refused: string[] = [];
  for (const url of await describedUrls(document)) {
    const { status, text } = await served.gateway.get(url);
    answered[status] = (answered[status] ?? 0) + 1;
    if (status !== 200 && !/"errCode":(?:1543|1802)/.test(text)) {
      refused.push(`${url} ${status} ${text.slice(0, 200)}`);
    }
  }
  expect(refused).toEqual([]);
  expect(answered[200]).toBeGreaterThan(300);
});

test('the schema snapshot is what introspection finds (UPDATE_GOLDEN=1 rewrites it)', async () => {
  const found = await served.gateway.database.introspect();
  if (process.env['UPDATE_GOLDEN'] === '1') {
    const text = await format(JSON.stringify(found), { parser: 'json', printWidth: 100 });
    writeFileSync(snapshots.postgres, text);
  }
  expect(readSnapshot('postgres')).toEqual(found);
});
