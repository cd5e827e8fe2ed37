import type { Row } from './oracle.ts';
import type { Made, WriteClient } from './write-client.ts';
import { changedRow, errors, newRow, saved, type Refusals } from './write-oracle.ts';
import { category, employee } from './write-samples.ts';
import type { WriteCase } from './write-suite.ts';

const nothing = [1046, 'Nothing of the request was saved.'] as const;

/** Last elements that make a request fail: what is said of the element, which is the third. */
const failing: readonly (readonly [
  title: string,
  element: (made: Made) => object,
  status: number,
  named: string,
  first: Refusals[number],
  ...more: Refusals,
])[] = [
  [
    'an unknown key',
    () => ({ __KEY: 'Nothing', position: 1 }),
    404,
    'Category(Nothing)',
    [1542, 'There is no entity Category(Nothing).'],
  ],
  [
    'an unknown attribute',
    () => ({ __KEY: 'Tools', positio: 1 }),
    404,
    'Category(Tools)',
    [1500, 'Dataclass Category has no attribute positio. Did you mean position?'],
  ],
  [
    'an unknown attribute of a new entity',
    () => ({ positio: 1 }),
    404,
    'a new Category',
    [1500, 'Dataclass Category has no attribute positio. Did you mean position?'],
    [1116, 'Category.code is mandatory: it needs a value.'],
    [1116, 'Category.position is mandatory: it needs a value.'],
  ],
  [
    'a value of the wrong type',
    () => ({ __KEY: 'Tools', position: 'x' }),
    400,
    'Category(Tools)',
    [
      1508,
      '"x" is not a value for Category.position: expected a whole number from -32768 to 32767.',
    ],
  ],
  [
    'a mandatory value missing',
    () => ({ code: 'No position' }),
    422,
    'a new Category',
    [1116, 'Category.position is mandatory: it needs a value.'],
  ],
  [
    'a key that is there',
    () => ({ code: 'Tools', position: 1 }),
    409,
    'a new Category',
    [1115, 'There is an entity of Category with this key already.'],
    [1534, 'The new entity of Category was not saved.'],
  ],
  [
    'a stamp that has changed',
    () => ({ __KEY: 'Tools', __STAMP: 999, position: 1 }),
    409,
    'Category(Tools)',
    [1263, 'Category(Tools) has changed since it was read.'],
    [1517, 'Category(Tools) was not saved.'],
  ],
  [
    'a key attribute changed',
    () => ({ __KEY: 'Tools', code: 'Toolz' }),
    422,
    'Category(Tools)',
    [
      1516,
      'Category.code is read-only: it is part of the key, and the key of an entity does not change.',
    ],
  ],
];

export const writes: readonly WriteCase[] = [
  ...(['$atomic=true', '$atOnce=true', '$method=update&$atomic=true'] as const).map((query) => ({
    title: `§4.13 ${query}: creates and updates, stamps left out or given`,
    run: async (rest: WriteClient) => {
      const one = await rest.create('Category', category(rest, 'a'));
      const two = await rest.create('Category', category(rest, 'b'));
      const three = category(rest, 'c');
      const rows = [
        changedRow('Category', one.row, { position: 7 }),
        changedRow('Category', two.row, { description: 'x' }),
        newRow('Category', three),
      ];
      await rest.answers(
        {
          url: `Category?${query}`,
          body: [
            { __KEY: one.key, position: 7 },
            { __KEY: two.key, __STAMP: 1, description: 'x' },
            three,
          ],
        },
        { __ENTITIES: rows.map((row) => saved('Category', row)) },
      );
      for (const row of rows) await rest.reads({ ...one, row });
    },
  })),
  ...failing.map(([title, element, status, named, [errCode, message], ...more]) => ({
    title: `§4.13 nothing is saved: ${title}`,
    run: async (rest: WriteClient) => {
      const made = await rest.create('Category', category(rest, 'a'));
      const fresh = category(rest, 'b');
      await rest.answers(
        {
          url: 'Category?$atomic=true',
          body: [{ __KEY: made.key, position: 7 }, fresh, element(made)],
        },
        errors([[errCode, `Element 2 of the body, ${named}: ${message}`], ...more, nothing]),
        status,
      );
      await rest.reads(made);
      await rest.gone({ ...made, row: newRow('Category', fresh) });
    },
  })),
  {
    title: '§4.13 $method=insert&$atOnce=true creates all',
    run: async (rest) => {
      const given = [category(rest, 'a'), category(rest, 'b')];
      await rest.answers(
        { url: 'Category?$method=insert&$atOnce=true', body: given },
        { __ENTITIES: given.map((one) => saved('Category', newRow('Category', one))) },
      );
    },
  },
  {
    title: '§4.13 $method=insert&$atOnce=true creates none: two of one key',
    run: async (rest) => {
      const given = category(rest);
      await rest.answers(
        { url: 'Category?$method=insert&$atOnce=true', body: [given, given] },
        errors([
          [
            1115,
            'Element 1 of the body, a new Category: There is an entity of Category with this key already.',
          ],
          [1534, 'The new entity of Category was not saved.'],
          nothing,
        ]),
        409,
      );
      await rest.create('Category', given);
    },
  },
  {
    title: '§4.13 one object is answered by one object',
    run: async (rest) => {
      const { key, row } = await rest.create('Category', category(rest));
      await rest.answers(
        { url: 'Category?$atomic=true', body: { __KEY: key, position: 9 } },
        saved('Category', changedRow('Category', row, { position: 9 })),
      );
    },
  },
  {
    title: '§4.13 an entity twice is saved twice, and answered as it is in the end',
    run: async (rest) => {
      const { key, row } = await rest.create('Category', category(rest));
      const first = changedRow('Category', row, { position: 1 });
      const last = saved('Category', changedRow('Category', first, { position: 2 }));
      await rest.answers(
        {
          url: 'Category?$atomic=true',
          body: [
            { __KEY: key, position: 1 },
            { __KEY: key, position: 2 },
          ],
        },
        { __ENTITIES: [last, last] },
      );
    },
  },
  {
    title: '§4.13 with $filter and $orderby: what is answered, and in which order',
    run: async (rest) => {
      const given = (['a', 'b', 'c'] as const).map((letter, index) => ({
        ...category(rest, letter),
        position: index,
      }));
      const [, second, third] = given.map((one) => saved('Category', newRow('Category', one)));
      await rest.answers(
        {
          url: `Category?$atomic=true&$filter="position>0"&$orderby="position desc"`,
          body: given,
        },
        { __ENTITIES: [third, second] },
      );
    },
  },
  ...['$atomic=true', '$atOnce=true'].map((query) => ({
    title: `§4.13 $method=delete&${query}: all or none`,
    run: async (rest: WriteClient) => {
      const one = await rest.create('Category', category(rest, 'a'));
      const two = await rest.create('Category', category(rest, 'b'));
      const url = `Category?$method=delete&${query}`;
      const none = [1518, 'Nothing of the request was deleted.'] as const;
      const both = [{ __KEY: one.key }, { __KEY: two.key, __STAMP: 1 }];
      await rest.answers(
        { url, body: [...both, { __KEY: 'Nothing' }] },
        errors([
          [1542, 'Element 2 of the body, Category(Nothing): There is no entity Category(Nothing).'],
          none,
        ]),
        404,
      );
      await rest.answers(
        { url, body: [...both, { __KEY: 'Tools' }] },
        errors([
          [
            1120,
            'Element 2 of the body, Category(Tools): The entity of Category is still referred to by Product.category.',
          ],
          [1518, 'Category(Tools) was not deleted.'],
          none,
        ]),
        409,
      );
      await rest.reads(one);
      await rest.reads(two);
      const deleted = [one, two].map(({ key }) => ({ __STATUS: { success: true }, __KEY: key }));
      await rest.answers({ url, body: both }, { ok: true, __ENTITIES: deleted });
      await rest.gone(one);
      await rest.gone(two);
    },
  })),
  {
    title: '§4.13 identities of several new entities are those of their elements',
    run: async (rest) => {
      const given = (['a', 'b', 'c'] as const).map((letter) => ({
        ...employee(rest, letter),
        note: letter,
      }));
      const { body } = await rest.send({ url: 'Employee?$atomic=true', body: given });
      const { __ENTITIES: got } = body as { __ENTITIES: { ID: number; note: string }[] };
      for (const [index, one] of given.entries()) {
        const row: Row = newRow('Employee', one, { EMP_NO: got[index]?.ID ?? 0 });
        await rest.reads({ dataclass: 'Employee', row, key: '', stamp: 1 });
      }
    },
  },
];
