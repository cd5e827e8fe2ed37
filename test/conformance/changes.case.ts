import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Client } from './client.ts';
import { rowsOf } from './oracle.ts';
import type { SequenceCase } from './suite.ts';
import { product } from './write-samples.ts';
import type { WriteCase } from './write-suite.ts';

interface Page {
  readonly __ENTITIES: readonly Readonly<Record<string, unknown>>[];
  readonly __SENT: number;
  readonly __MORE: boolean;
  readonly __TOKEN: string;
}

const PATH = 'Product/$changes?$attributes=sku&$top=7';

async function page(rest: Client, since: string | null, path = PATH): Promise<Page> {
  const url = since === null ? path : `${path}&since=${since}`;
  const { status, body } = await rest.send({ method: 'GET', url, type: null });
  expect([url, status]).toEqual([url, 200]);
  return body as Page;
}

/** All pages of a round. */
async function round(rest: Client, since: string | null, path = PATH): Promise<readonly Page[]> {
  const pages = [await page(rest, since, path)];
  for (let last = pages[0]; last?.__MORE === true; last = pages.at(-1)) {
    pages.push(await page(rest, last.__TOKEN, path));
  }
  return pages;
}

const entitiesOf = (pages: readonly Page[]): unknown[] =>
  pages.flatMap(({ __ENTITIES }) => __ENTITIES.map(({ __KEY, sku }) => [__KEY, sku]));

/** Reads rounds until one has something: transactions of others hold back what has changed. */
async function next(rest: Client, since: string): Promise<readonly Page[]> {
  for (let token = since; ;) {
    const pages = await round(rest, token);
    if (entitiesOf(pages).length > 0) return pages;
    token = pages.at(-1)?.__TOKEN ?? '';
    await sleep(20);
  }
}

/** What the protocol does not have: entities that have changed since a token. */
export const sequences: readonly SequenceCase[] = [
  {
    title:
      '§4.2 $changes without a token are all entities, page by page, in the order of their keys',
    run: async (rest) => {
      const pages = await round(rest, null);
      expect(entitiesOf(pages)).toEqual(
        rowsOf('Product').map(({ PRD_ID, SKU_CD }) => [String(PRD_ID), SKU_CD]),
      );
      expect(new Set(pages.slice(0, -1).map(({ __SENT }) => __SENT))).toEqual(new Set([7]));
    },
  },
  {
    title: '§4.2 $changes of a filter are the entities that meet it',
    run: async (rest) => {
      const pages = await round(rest, null, `${PATH}&$filter="ID < 5"`);
      expect(entitiesOf(pages).map((entity) => (entity as unknown[])[0])).toEqual([
        '1',
        '2',
        '3',
        '4',
      ]);
    },
  },
];

export const writes: readonly WriteCase[] = [
  {
    title: '§4.6 $changes since a token are what was created and updated since, once',
    run: async (rest) => {
      const before = await round(rest, null);
      const one = await rest.create('Product', product(rest));
      const created = await next(rest, before.at(-1)?.__TOKEN ?? '');
      expect(entitiesOf(created)).toEqual([[one.key, one.row['SKU_CD']]]);
      const updated = await rest.update(one, { name: 'Changed' });
      const token = created.at(-1)?.__TOKEN ?? '';
      const changed = await next(rest, token);
      expect(entitiesOf(changed)).toEqual([[one.key, one.row['SKU_CD']]]);
      expect(changed[0]?.__ENTITIES[0]?.['__STAMP']).toEqual(updated.stamp);
      const nothing = await round(rest, changed.at(-1)?.__TOKEN ?? '');
      expect([nothing.length, entitiesOf(nothing)]).toEqual([1, []]);
    },
  },
];
