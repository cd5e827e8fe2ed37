import { expect } from 'vitest';
import { EntitySet, clean } from './entity-set.ts';
import { encoded } from './finders.ts';
import { bareArray, type Row } from './oracle.ts';
import { addressOf, type Made, type WriteClient } from './write-client.ts';
import { errors } from './write-oracle.ts';
import { category, department, keyKinds, line, order } from './write-samples.ts';
import { type WriteCase, writing } from './write-suite.ts';
import { refusal } from './values.ts';

const ok = { ok: true };

/** Four entities, and a set of them in their order. */
interface Four {
  readonly made: readonly [Made, Made, Made, Made];
  readonly set: EntitySet;
}

const LETTERS = ['a', 'b', 'c', 'd'] as const;

/** Categories at the positions 1 to 4. */
async function four(rest: WriteClient): Promise<Four> {
  const made: Made[] = [];
  for (const [index, letter] of LETTERS.entries()) {
    made.push(await rest.create('Category', { ...category(rest, letter), position: index + 1 }));
  }
  const [a, b, c, d] = made as [Made, Made, Made, Made];
  return { made: [a, b, c, d], set: await setOf(rest, made) };
}

function setOf(rest: WriteClient, made: readonly Made[]): Promise<EntitySet> {
  const keys = made.map(({ key }) => encoded(`"${key}"`)).join(',');
  return EntitySet.make(
    rest,
    `Category(${keys})?$method=entityset`,
    'Category',
    made.map(({ row }) => row),
  );
}

function drop(rest: WriteClient, { dataclass, row }: Made): Promise<unknown> {
  return rest.answers({ method: 'DELETE', url: addressOf(dataclass, row) }, ok);
}

export const writes: readonly WriteCase[] = [
  ...keyKinds.map(([what, make]) =>
    writing(`§2.3 the slot of a deleted entity stays: a key that is ${what}`, async (rest) => {
      const made = await make(rest);
      const url = `${addressOf(made.dataclass, made.row)}?$method=entityset`;
      const set = await EntitySet.make(rest, url, made.dataclass, [made.row]);
      await drop(rest, made);
      await set.reads('', {}, [null]);
      await set.answers('?$asArray=true', [{ __STAMP: 0 }]);
      await set.reads('?$clean=true', {}, []);
    }),
  ),
  writing('§2.3 slots of deleted entities stand in their places and are counted', async (rest) => {
    const { made, set } = await four(rest);
    const [a, b, c, d] = made;
    await drop(rest, b);
    const slots = [a.row, null, c.row, d.row];
    await set.reads('', {}, slots);
    await set.reads('?$skip=1&$top=2', { skip: 1, top: 2 }, slots);
    await set.reads('?$top=0', { top: 0 }, slots);
    await set.reads('?$attributes=position', { attributes: 'position' }, slots);
    await set.reads('/position', { attributes: 'position' }, slots);
    await set.reads('?$expand=products', { expand: 'products' }, slots);
    await set.answers('?$asArray=true', bareArray('Category', slots));
    await set.answers(`?$findKey=${encoded(d.key)}`, { result: 3 });
    await drop(rest, a);
    await drop(rest, c);
    await drop(rest, d);
    await set.reads('', {}, [null, null, null, null]);
    await set.reads('?$filter="position>0"', {}, []);
    await set.reads('?$orderby=position', {}, [null, null, null, null]);
    await set.reads('?$clean=true', {}, []);
  }),
  writing(
    '§4.2 $filter on a set finds no deleted entities, $orderby puts them last',
    async (rest) => {
      const { made, set } = await four(rest);
      const [a, b, c, d] = made;
      await drop(rest, a);
      await drop(rest, c);
      await set.reads('?$filter="position>0"', {}, [b.row, d.row]);
      await set.reads('?$filter="position<3"', {}, [b.row]);
      await set.reads('?$orderby="position desc"', {}, [d.row, b.row, null, null]);
      await set.reads('?$orderby="position desc"&$skip=1&$top=2', { skip: 1, top: 2 }, [
        d.row,
        b.row,
        null,
        null,
      ]);
      await set.reads('?$filter="position>0"&$orderby="position desc"', {}, [d.row, b.row]);
      const found = await set.makes('?$filter="position>0"&$method=entityset', [b.row, d.row]);
      await found.reads();
      const sorted = await set.makes('?$orderby="position desc"&$method=entityset', [
        d.row,
        b.row,
        null,
        null,
      ]);
      await sorted.reads();
      await set.reads('', {}, [null, b.row, null, d.row]);
    },
  ),
  writing('§4.8 $clean leaves deleted entities out, and the set as it is', async (rest) => {
    const { made, set } = await four(rest);
    const [a, b, c, d] = made;
    await drop(rest, b);
    await drop(rest, d);
    const slots = [a.row, null, c.row, null];
    await set.reads('?$clean=true', {}, clean(slots));
    await set.reads('?$clean=true&$skip=1', { skip: 1 }, clean(slots));
    await set.answers('?$clean=true&$asArray=true', bareArray('Category', clean(slots)));
    const made_ = await set.makes('?$clean=true&$method=entityset', clean(slots));
    expect(made_.id).not.toBe(set.id);
    await made_.reads();
    await set.reads('', {}, slots);
    await drop(rest, a);
    await made_.reads('', {}, [null, c.row]);
  }),
  writing('§4.7 combinations of sets with deleted entities keep their slots', async (rest) => {
    const { made, set } = await four(rest);
    const [a, b, c, d] = made;
    const other = await setOf(rest, [b, c]);
    await drop(rest, b);
    const query = (operator: string): string =>
      `?$logicOperator=${operator}&$otherCollection=${other.id}`;
    await set.reads(query('AND'), {}, [null, c.row]);
    await set.reads(query('OR'), {}, [a.row, null, c.row, d.row]);
    await set.reads(query('EXCEPT'), {}, [a.row, d.row]);
    await set.makes(`${query('AND')}&$method=entityset`, [null, c.row]);
  }),
  writing('§2.3 a set shows entities as they are now', async (rest) => {
    const { made, set } = await four(rest);
    const [a, b, c, d] = made;
    const changed = await rest.update(b, { description: 'changed since' });
    await set.reads('', {}, [a.row, changed.row, c.row, d.row]);
    const moved = await rest.update(changed, { position: 9 });
    await set.reads('', {}, [a.row, moved.row, c.row, d.row]);
    await set.reads('?$orderby=position', {}, [a.row, c.row, d.row, moved.row]);
    await set.reads('?$filter="position<5"', {}, [a.row, c.row, d.row]);
  }),
  writing('§4.9 a set that comes back holds what the filter finds now', async (rest) => {
    const { made } = await four(rest);
    const [a, b, c, d] = made;
    const filter = encoded(`description = "case ${rest.number}"`);
    const described: Made[] = [];
    for (const one of [a, b, c]) {
      described.push(await rest.update(one, { description: `case ${rest.number}` }));
    }
    const set = await EntitySet.make(
      rest,
      `Category?$filter='${filter}'&$savedfilter='${filter}'&$orderby=position&$savedorderby=position&$method=entityset`,
      'Category',
      described.map(({ row }) => row),
    );
    const [, , last] = described as [Made, Made, Made];
    await drop(rest, a);
    const moved = await rest.update(last, { position: 1 });
    const added = await rest.update(d, { description: `case ${rest.number}` });
    const kept = described[1]?.row ?? null;
    await set.reads('', {}, [null, kept, moved.row]);
    await set.release();
    await set.reads(`?$savedfilter='${filter}'&$savedorderby=position`, {}, [
      moved.row,
      kept,
      added.row,
    ]);
  }),
  ...[
    ['POST', '?$method=delete'],
    ['POST', "?$method='delete'"],
    ['POST', '?$method=delete&$atomic=true'],
    ['DELETE', ''],
  ].map(([method = '', query = '']) =>
    writing(
      `§4.6 ${method} ID${query} deletes the entities of a set, and its slots stay`,
      async (rest) => {
        const { made, set } = await four(rest);
        const [a, b, c, d] = made;
        const some = await setOf(rest, [b, d]);
        await rest.deletes({ method, url: `${some.path}${query}` }, 2);
        await rest.gone(b);
        await rest.gone(d);
        await rest.reads(a);
        await some.reads('', {}, [null, null]);
        await set.reads('', {}, [a.row, null, c.row, null]);
        await rest.deletes({ method, url: `${some.path}${query}` }, 0);
        await some.reads('', {}, [null, null]);
      },
    ),
  ),
  writing('§4.6 $method=delete with $filter deletes those of a set that it finds', async (rest) => {
    const { made, set } = await four(rest);
    const [a, b, c, d] = made;
    const some = await setOf(rest, [a, b, c]);
    const url = `${some.path}?$filter="position>=2"&$method=delete`;
    await rest.deletes({ url }, 2);
    await some.reads('', {}, [a.row, null, null]);
    await set.reads('', {}, [a.row, null, null, d.row]);
    await rest.deletes(
      { url: `${some.path}?$filter="position=:1"&$params='[4]'&$method=delete` },
      0,
    );
    await rest.reads(d);
    await rest.reads(a);
  }),
  writing('§4.6 $method=delete of a set of keys of two parts, and what cascades', async (rest) => {
    const made = await rest.create('Order', order());
    const number = made.row['ORD_NO'];
    const lines = [
      await rest.create('OrderLine', line(number, 1)),
      await rest.create('OrderLine', line(number, 2)),
      await rest.create('OrderLine', line(number, 3)),
    ];
    const rows: readonly Row[] = lines.map(({ row }) => row);
    const set = await EntitySet.make(
      rest,
      `Order(${String(number)})/lines?$expand=lines&$method=subentityset`,
      'OrderLine',
      rows,
    );
    await rest.deletes({ url: `${set.path}?$filter="line=2"&$method=delete` }, 1);
    await set.reads('', {}, [rows[0] ?? null, null, rows[2] ?? null]);
    await drop(rest, made);
    await set.reads('', {}, [null, null, null]);
  }),
  writing('§4.6 $method=delete of an empty set', async (rest) => {
    const url = 'Category?$filter="position<0"&$method=entityset';
    const set = await EntitySet.make(rest, url, 'Category', []);
    await rest.deletes({ url: `${set.path}?$method=delete` }, 0);
  }),
  writing('§7 1120 $method=delete of a set deletes all or nothing', async (rest) => {
    const parent = await rest.create('Department', department(rest));
    const child = await rest.create('Department', {
      ...department(rest, 'a'),
      parent: parent.key,
    });
    const other = await rest.create('Department', department(rest, 'b'));
    const keys = [parent, other].map(({ key }) => key).join(',');
    const set = await EntitySet.make(rest, `Department(${keys})?$method=entityset`, 'Department', [
      parent.row,
      other.row,
    ]);
    await rest.answers(
      { url: `${set.path}?$method=delete` },
      errors([
        [1120, 'The entity of Department is still referred to by Department.parent.'],
        [1518, 'Nothing of the request was deleted.'],
      ]),
      409,
    );
    await set.reads();
    await rest.reads(child);
  }),
  writing(
    '§7 1802 $method=delete of a set that is not there, and 1803 of another dataclass',
    async (rest) => {
      const { made, set } = await four(rest);
      await rest.answers(
        { url: `Product/$entityset/${set.id}?$method=delete` },
        refusal(1803, /Category/, /Product/),
        400,
      );
      await set.reads();
      await set.release();
      await rest.answers(
        { url: `${set.path}?$method=delete` },
        refusal(
          1802,
          /any more: its time is over, or it was released, or its dataclass has changed\.$/,
        ),
        404,
      );
      for (const one of made) await rest.reads(one);
    },
  ),
  writing('§4.6 GET ID?$method=delete deletes nothing', async (rest) => {
    const { set } = await four(rest);
    const answer = await set.answers('?$method=delete', refusal(9004, /delete/, /POST/), 405);
    expect(answer.headers['allow']).toBe('POST, PUT, DELETE, OPTIONS');
    await set.reads();
  }),
  ...[
    ['POST', '?$method=update'],
    ['POST', ''],
    ['POST', '?$method=insert'],
  ].map(([method = '', query = '']) =>
    writing(`§7 1813 ${method} ID${query}: nothing is saved by way of a set`, async (rest) => {
      const { made, set } = await four(rest);
      const [{ key, stamp }] = made;
      const body =
        query === '?$method=insert'
          ? category(rest)
          : { __KEY: key, __STAMP: stamp, description: 'x' };
      await rest.refuses(
        { method, url: `${set.path}${query}`, body },
        400,
        1813,
        'Nothing is saved by way of an entity set: name the entities by their keys, at /rest/Category.',
      );
      await set.reads();
    }),
  ),
  writing('§7 1813 the entities of a set are deleted, or those of the body', async (rest) => {
    const { set } = await four(rest);
    await rest.refuses(
      { url: `${set.path}?$method=delete`, body: [{ __KEY: 'Tools' }] },
      400,
      1813,
      'Both the URL and the body name what to delete: send one of them.',
    );
    await set.reads();
  }),
];
