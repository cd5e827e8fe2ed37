import { expect } from 'vitest';
import { facts, type DataclassName } from './dataclasses.ts';
import type { Row } from './oracle.ts';
import { addressOf, type Made, type WriteClient } from './write-client.ts';
import {
  changedRow,
  conflict,
  dryRun,
  errors,
  failed,
  newRow,
  saved,
  type Given,
  type Refusals,
} from './write-oracle.ts';
import {
  company,
  country,
  department,
  employee,
  line,
  order,
  product,
  type Letter,
} from './write-samples.ts';
import type { WriteCase } from './write-suite.ts';

function omit(given: object, ...names: readonly string[]): Given {
  return Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)));
}

/** A line without what its order gives it. */
function part(number: number, more: Given = {}): Given {
  return { ...omit(line(0, number), 'orderNo'), ...more };
}

/** A saved order with its lines in their places. */
function withLines(row: Row, lines: readonly object[]): object {
  return { ...saved('Order', row), lines: { __ENTITIES: lines } };
}

function lineKey(orderNo: unknown, number: number): string {
  return `${String(orderNo)};${number}`;
}

/** A saved entity of which a client wants some attributes, or none: key, stamp and address are told all the same. */
function only(dataclass: DataclassName, row: Row, ...attributes: readonly string[]): object {
  const [key = ''] = facts(dataclass).key;
  const whole = saved(dataclass, row, { attributes: [key, ...attributes].join(',') });
  return attributes.includes(key) ? whole : omit(whole, key);
}

/** The number of the order that an answer has made. */
function numberOf(body: unknown): number {
  return Number((body as { __KEY: string }).__KEY);
}

async function orderWithLines(
  rest: WriteClient,
  ...numbers: readonly number[]
): Promise<{ readonly made: Made; readonly lines: readonly Made[] }> {
  const made = await rest.create('Order', order());
  const lines: Made[] = [];
  for (const number of numbers) {
    lines.push(await rest.create('OrderLine', line(Number(made.key), number)));
  }
  return { made, lines };
}

async function keepsAll(
  rest: WriteClient,
  { made, lines }: Awaited<ReturnType<typeof orderWithLines>>,
): Promise<void> {
  await rest.reads(made);
  for (const one of lines) await rest.reads(one);
  await rest.answers(
    { method: 'GET', url: `Order(${made.key})/lines?$attributes=line&$asArray=true` },
    lines.map(({ row, key }) => ({ __KEY: key, __STAMP: row['REC_VER'], line: row['LINE_NO'] })),
  );
}

/** Changes of an order with line 1 that fail with something within it; `#` stands for the number of the order. */
function refuses(
  title: string,
  given: (orderNo: number) => Given,
  status: number,
  ...refusals: Refusals
): WriteCase[] {
  const said = (key: string): Refusals =>
    refusals.map(([code, text]) => [code, text.replaceAll('#', key)] as const);
  return [
    {
      title: `§4.6 an order and its lines: ${title}`,
      run: async (rest) => {
        const there = await orderWithLines(rest, 1);
        const { key } = there.made;
        const body = { __KEY: key, __STAMP: 1, note: 'x', ...given(Number(key)) };
        await rest.answers({ url: 'Order', body }, failed(key, ...said(key)), status);
        await keepsAll(rest, there);
      },
    },
    {
      title: `§4.13 an order and its lines, $atomic: ${title}`,
      run: async (rest) => {
        const there = await orderWithLines(rest, 1);
        const { key } = there.made;
        const [[code, text], ...more] = said(key) as [Refusals[number], ...Refusals];
        await rest.answers(
          {
            url: 'Order?$atomic=true',
            body: [
              { __KEY: key, __STAMP: 1, note: 'y' },
              { __KEY: key, __STAMP: 2, note: 'x', ...given(Number(key)) },
            ],
          },
          errors([
            [code, `Element 1 of the body, Order(${key}): ${text}`],
            ...more.filter(([, message]) => message !== `Order(${key}) was not saved.`),
            [1046, 'Nothing of the request was saved.'],
          ]),
          status,
        );
        await keepsAll(rest, there);
      },
    },
  ];
}

const notSaved = [1517, 'Order(#) was not saved.'] as const;

/** Entities that are saved along with others. */
export const writes: readonly WriteCase[] = [
  {
    title: '§4.6 an order and its lines: all new, in one request',
    run: async (rest) => {
      const given = [part(1), part(2, { product: 2, quantity: 3 }), part(3)];
      const answer = await rest.send({ url: 'Order', body: { ...order(), lines: given } });
      const ORD_NO = numberOf(answer.body);
      const row = newRow('Order', { ...order(), ID: ORD_NO });
      const rows = given.map((one) => newRow('OrderLine', { orderNo: ORD_NO, ...one }));
      rest.same(
        answer,
        withLines(
          row,
          rows.map((one) => saved('OrderLine', one)),
        ),
      );
      await keepsAll(rest, {
        made: { dataclass: 'Order', row, key: String(ORD_NO), stamp: 1 },
        lines: rows.map((one) => rest.known('OrderLine', one)),
      });
    },
  },
  {
    title:
      '§4.6 an order and its lines: what is listed is added or changed, and nothing is removed',
    run: async (rest) => {
      const { made, lines } = await orderWithLines(rest, 1, 2);
      const [first, second] = lines as [Made, Made];
      const changed = changedRow('OrderLine', first.row, { quantity: 9 });
      const added = newRow('OrderLine', line(Number(made.key), 7));
      const head = changedRow('Order', made.row, {});
      await rest.answers(
        {
          url: addressOf('Order', made.row),
          body: {
            __STAMP: 1,
            lines: [{ __KEY: lineKey(made.key, 1), __STAMP: 1, quantity: 9 }, part(7)],
          },
        },
        withLines(head, [saved('OrderLine', changed), saved('OrderLine', added)]),
      );
      await keepsAll(rest, {
        made: rest.known('Order', head),
        lines: [rest.known('OrderLine', changed), second, rest.known('OrderLine', added)],
      });
    },
  },
  {
    title:
      '§4.6 an order and its lines: $replace deletes what is not listed, before the list is saved',
    run: async (rest) => {
      const { made, lines } = await orderWithLines(rest, 1, 2, 3);
      const [, second] = lines as [Made, Made, Made];
      const anew = newRow('OrderLine', { ...line(Number(made.key), 1), quantity: 4 });
      const head = changedRow('Order', made.row, {});
      await rest.answers(
        {
          url: `${addressOf('Order', made.row)}?$replace=lines`,
          body: {
            __STAMP: 1,
            lines: { __ENTITIES: [part(1, { quantity: 4 }), { __KEY: second.key, __STAMP: 1 }] },
          },
        },
        withLines(head, [saved('OrderLine', anew), saved('OrderLine', second.row)]),
      );
      await keepsAll(rest, {
        made: rest.known('Order', head),
        lines: [rest.known('OrderLine', anew), second],
      });
      // Whoever read the order before has not seen its lines.
      const emptied = { __KEY: made.key, lines: [] };
      await rest.answers(
        { url: 'Order?$replace=lines', body: { ...emptied, __STAMP: 1 } },
        conflict('Order', head),
        409,
      );
      const empty = changedRow('Order', head, {});
      await rest.answers(
        { url: 'Order?$replace=lines', body: { ...emptied, __STAMP: 2 } },
        withLines(empty, []),
      );
      await keepsAll(rest, { made: rest.known('Order', empty), lines: [] });
    },
  },
  {
    title:
      '§4.6 an order and its lines: $replace passes over entities without a list, and their own',
    run: async (rest) => {
      const there = await orderWithLines(rest, 1);
      const { made } = there;
      await rest.answers(
        { url: 'Order?$replace=lines', body: { __KEY: made.key, __STAMP: 1 } },
        saved('Order', made.row),
      );
      await keepsAll(rest, there);
    },
  },
  {
    title: '§4.6 relation to one: an object without key is a new entity, saved first',
    run: async (rest) => {
      const land = country(rest);
      const firm = { ...company(rest), country: land };
      const answer = await rest.send({
        url: 'Order?$attributes=ID,billTo.name,billTo.country.code',
        body: { ...order(), billTo: firm, lines: [{ ...part(1), product: product(rest) }] },
      });
      const { billTo, lines } = answer.body as {
        billTo: { __KEY: string };
        lines: { __ENTITIES: [{ product: { __KEY: string } }] };
      };
      const ORD_NO = numberOf(answer.body);
      const number = Number(billTo.__KEY);
      const item = Number(lines.__ENTITIES[0].product.__KEY);
      const row = newRow('Order', { ...order(), ID: ORD_NO, billTo: number });
      const billed = newRow('Company', { ...company(rest), ID: number, country: land['code'] });
      const landed = newRow('Country', land);
      rest.same(answer, {
        ...only('Order', row, 'ID'),
        billTo: { ...only('Company', billed, 'name'), country: only('Country', landed, 'code') },
        lines: {
          __ENTITIES: [
            {
              ...only('OrderLine', newRow('OrderLine', { ...line(ORD_NO), product: item })),
              product: only('Product', newRow('Product', { ...product(rest), ID: item })),
            },
          ],
        },
      });
      await rest.reads(rest.known('Order', row));
      await rest.reads(rest.known('Company', billed));
      await rest.reads(rest.known('Country', landed));
      await rest.reads(rest.known('Product', newRow('Product', { ...product(rest), ID: item })));
    },
  },
  {
    title: '§4.6 relation to many: one that belongs elsewhere is moved, as its own relation would',
    run: async (rest) => {
      const firm = await rest.create('Company', company(rest));
      const made = await rest.create('Employee', { ...employee(rest), employer: 1 });
      const moved = changedRow('Employee', made.row, { employer: Number(firm.key) });
      await rest.answers(
        {
          url: `${addressOf('Company', firm.row)}?$attributes=ID,employees.*`,
          body: { __STAMP: firm.stamp, employees: [{ __KEY: made.key, __STAMP: 1 }] },
        },
        {
          ...saved('Company', changedRow('Company', firm.row, {}), { attributes: 'ID' }),
          employees: { __ENTITIES: [saved('Employee', moved)] },
        },
      );
      await rest.reads(rest.known('Employee', moved));
    },
  },
  {
    title: '§4.6 relation to many: $replace deletes nothing that the body names elsewhere',
    run: async (rest) => {
      const make = (letter: Letter, more: Given = {}): Promise<Made> =>
        rest.create('Department', { ...department(rest, letter), ...more });
      const top = await make('');
      const kept = await make('a', { parent: top.key });
      const moved = await make('b', { parent: top.key });
      const below = await make('c', { parent: top.key });
      const gone = await make('d', { parent: top.key });
      const other = { code: `E${rest.number}`, name: 'Other', costCenter: 1 };
      const listed = ({ key, stamp }: Made): object => ({ __KEY: key, __STAMP: stamp });
      const answer = await rest.send({
        url: 'Department?$replace=subDepartments,subDepartments.subDepartments&$atomic=true',
        body: [
          {
            ...listed(top),
            subDepartments: [{ ...listed(kept), subDepartments: [listed(below)] }],
          },
          { ...other, subDepartments: [listed(moved)] },
        ],
      });
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      await rest.reads(
        rest.known('Department', changedRow('Department', below.row, { parent: kept.key })),
      );
      await rest.reads(
        rest.known('Department', changedRow('Department', moved.row, { parent: other.code })),
      );
      await rest.gone(gone);
    },
  },
  {
    title:
      '§4.6 relation to many: $replace deletes neither what is saved itself nor what it leads to',
    run: async (rest) => {
      const made = await rest.create('Employee', employee(rest));
      const own = await rest.update(made, { manager: Number(made.key) });
      const second = await rest.create('Employee', {
        ...employee(rest, 'a'),
        manager: Number(made.key),
      });
      const gone = await rest.create('Employee', {
        ...employee(rest, 'b'),
        manager: Number(made.key),
      });
      await rest.answers(
        {
          url: 'Employee?$replace=directReports&$attributes=ID',
          body: [
            { __KEY: own.key, __STAMP: own.stamp, note: 'x', directReports: [] },
            { __KEY: second.key, __STAMP: second.stamp, note: 'y' },
          ],
        },
        {
          __ENTITIES: [
            {
              ...only('Employee', changedRow('Employee', own.row, {}), 'ID'),
              directReports: { __ENTITIES: [] },
            },
            only('Employee', changedRow('Employee', second.row, {}), 'ID'),
          ],
        },
      );
      await rest.reads(rest.known('Employee', changedRow('Employee', own.row, { note: 'x' })));
      await rest.reads(rest.known('Employee', changedRow('Employee', second.row, { note: 'y' })));
      await rest.gone(gone);
      const place = await rest.create('Department', department(rest));
      const head = await rest.create('Employee', {
        ...employee(rest, 'c'),
        department: place.key,
      });
      await rest.answers(
        {
          url: 'Department?$replace=employees&$attributes=code,employees.ID',
          body: {
            __KEY: place.key,
            __STAMP: place.stamp,
            head: Number(head.key),
            employees: [{ __KEY: second.key, __STAMP: Number(second.stamp) + 1 }],
          },
        },
        {
          ...only('Department', changedRow('Department', place.row, {}), 'code'),
          employees: {
            __ENTITIES: [
              only(
                'Employee',
                changedRow('Employee', changedRow('Employee', second.row, {}), {}),
                'ID',
              ),
            ],
          },
        },
      );
      await rest.reads(head);
    },
  },
  {
    title: '§4.6 relation to many: what is expanded is answered with all of its attributes',
    run: async (rest) => {
      const { made, lines } = await orderWithLines(rest, 1);
      const [first] = lines as [Made];
      const changed = changedRow('OrderLine', first.row, { quantity: 3 });
      await rest.answers(
        {
          url: 'Order?$expand=lines&$attributes=ID,lines.amount',
          body: {
            __KEY: made.key,
            __STAMP: 1,
            lines: [{ __KEY: first.key, __STAMP: 1, quantity: 3 }],
          },
        },
        {
          ...only('Order', changedRow('Order', made.row, {}), 'ID'),
          lines: { __ENTITIES: [saved('OrderLine', changed)] },
        },
      );
    },
  },
  {
    title: '§4.6 an order and its lines: as they were read, with a change, and a part of them',
    run: async (rest) => {
      const { made, lines } = await orderWithLines(rest, 1, 2);
      const [first, second] = lines as [Made, Made];
      const url = addressOf('Order', made.row);
      const { body } = await rest.send({ method: 'GET', url: `${url}?$expand=lines` });
      const read = body as { lines: { __ENTITIES: object[] } };
      const [one, two] = read.lines.__ENTITIES;
      const part = { ...read, lines: { ...read.lines, __ENTITIES: [{ ...one, quantity: 5 }] } };
      await rest.answers(
        { url: `${url}?$replace=lines`, body: part },
        failed(made.key, [
          1813,
          'Order.lines is a part of what was read, as its __COUNT tells: a list that replaces all has to hold all.',
        ]),
        400,
      );
      const head = changedRow('Order', made.row, {});
      const changed = changedRow('OrderLine', first.row, { quantity: 5 });
      await rest.answers({ url, body: part }, withLines(head, [saved('OrderLine', changed)]));
      await keepsAll(rest, {
        made: rest.known('Order', head),
        lines: [rest.known('OrderLine', changed), second],
      });
      const stale = { ...read, __STAMP: 2, lines: { __ENTITIES: [two, { ...one, quantity: 5 }] } };
      await rest.answers(
        { url, body: stale },
        failed(
          made.key,
          [1263, `lines[1]: OrderLine(${lineKey(made.key, 1)}) has changed since it was read.`],
          [1517, `OrderLine(${lineKey(made.key, 1)}) was not saved.`],
          [1517, `Order(${made.key}) was not saved.`],
        ),
        409,
      );
    },
  },
  {
    title: '§4.6 an order and its lines: of several orders each stands or falls with its lines',
    run: async (rest) => {
      const answer = await rest.send({
        url: 'Order?$attributes=ID',
        body: [
          { ...order(), lines: [part(1), part(2)] },
          { ...order(), lines: [part(1), part(2, { product: 99_999 }), part(3)] },
          order(),
          { ...order(), lines: [part(1)] },
        ],
      });
      const { __ENTITIES: made } = answer.body as { __ENTITIES: { ID: unknown }[] };
      const rows = made.map(({ ID }) => newRow('Order', { ...order(), ID: Number(ID) }));
      const lines = (at: number, ...numbers: readonly number[]): object => ({
        __ENTITIES: numbers.map((number) =>
          only('OrderLine', newRow('OrderLine', line(made[at]?.ID, number))),
        ),
      });
      rest.same(answer, {
        __ENTITIES: [
          { ...only('Order', rows[0] ?? {}, 'ID'), lines: lines(0, 1, 2) },
          failed(
            null,
            [1120, 'lines[1].product: OrderLine.product refers to an entity that does not exist.'],
            [1534, 'The new entity of OrderLine was not saved.'],
            [1534, 'The new entity of Order was not saved.'],
          ),
          only('Order', rows[2] ?? {}, 'ID'),
          { ...only('Order', rows[3] ?? {}, 'ID'), lines: lines(3, 1) },
        ],
      });
    },
  },
  {
    title: '§4.6 an order and its lines: a dry run keeps nothing',
    run: async (rest) => {
      const there = await orderWithLines(rest, 1, 2);
      const { made } = there;
      const row = changedRow('Order', made.row, { note: 'dry' });
      const added = newRow('OrderLine', line(Number(made.key), 5));
      await rest.answers(
        {
          url: 'Order?$method=update&$refresh=true&$replace=lines',
          body: [{ __KEY: made.key, __STAMP: 1, note: 'dry', lines: [part(5)] }],
        },
        {
          __ENTITIES: [
            {
              ...dryRun('Order', row, made.row),
              lines: { __ENTITIES: [dryRun('OrderLine', added, null)] },
            },
          ],
        },
      );
      await keepsAll(rest, there);
      const [kept] = there.lines;
      if (kept === undefined) throw new Error('the order has no lines');
      const changed = changedRow('OrderLine', kept.row, { quantity: 9 });
      await rest.answers(
        {
          url: 'Order?$method=update&$refresh=true',
          body: {
            __KEY: made.key,
            __STAMP: 1,
            lines: [{ __KEY: kept.key, __STAMP: 1, quantity: 9 }],
          },
        },
        {
          ...dryRun('Order', changedRow('Order', made.row, {}), made.row),
          lines: { __ENTITIES: [dryRun('OrderLine', changed, kept.row)] },
        },
      );
      await keepsAll(rest, there);
      await rest.answers(
        {
          url: 'Order?$method=update&$refresh=true',
          body: { __KEY: made.key, __STAMP: 1, lines: [part(5), part(1), part(6)] },
        },
        failed(
          made.key,
          [1115, 'lines[1]: There is an entity of OrderLine with this key already.'],
          [1534, 'The new entity of OrderLine was not saved.'],
          [1517, `Order(${made.key}) was not saved.`],
        ),
        409,
      );
      await keepsAll(rest, there);
    },
  },
  {
    title: '§4.6 an order that has changed takes no lines and no new company',
    run: async (rest) => {
      const there = await orderWithLines(rest, 1);
      const { made } = there;
      const body = { __KEY: made.key, __STAMP: 7, billTo: company(rest), lines: [part(2)] };
      await rest.answers({ url: 'Order', body }, conflict('Order', made.row), 409);
      await keepsAll(rest, there);
      const filter = encodeURIComponent(`name = "${String(company(rest)['name'])}"`);
      await rest.answers(
        { method: 'GET', url: `Company?$filter="${filter}"&$attributes=ID&$asArray=true` },
        [],
      );
    },
  },
  ...refuses(
    'the stamp of a line',
    (orderNo) => ({ lines: [part(2), { __KEY: lineKey(orderNo, 1), __STAMP: 8, quantity: 2 }] }),
    409,
    [1263, 'lines[1]: OrderLine(#;1) has changed since it was read.'],
    [1517, 'OrderLine(#;1) was not saved.'],
    notSaved,
  ),
  ...refuses(
    'a line that is not there',
    (orderNo) => ({ lines: [part(2), { __KEY: lineKey(orderNo, 9), __STAMP: 1, quantity: 2 }] }),
    404,
    [1542, 'lines[1]: There is no entity OrderLine(#;9).'],
    notSaved,
  ),
  ...refuses(
    'a key that is there, found by the database among others',
    () => ({ lines: [part(2), part(1), part(3)] }),
    409,
    [1115, 'lines[1]: There is an entity of OrderLine with this key already.'],
    [1534, 'The new entity of OrderLine was not saved.'],
    notSaved,
  ),
  ...refuses(
    'a rule of the database',
    () => ({ lines: [part(2), part(3, { product: 99_999 })] }),
    409,
    [1120, 'lines[1].product: OrderLine.product refers to an entity that does not exist.'],
    [1534, 'The new entity of OrderLine was not saved.'],
    notSaved,
  ),
  ...refuses(
    'a mandatory value, two relations deep',
    (orderNo) => ({
      lines: [part(2), { __KEY: lineKey(orderNo, 1), __STAMP: 1, product: { name: 'x' } }],
    }),
    422,
    [1116, 'lines[1].product.sku: Product.sku is mandatory: it needs a value.'],
    [1116, 'lines[1].product.listPrice: Product.listPrice is mandatory: it needs a value.'],
    [1116, 'lines[1].product.barcode: Product.barcode is mandatory: it needs a value.'],
    [1116, 'lines[1].product.category: Product.category is mandatory: it needs a value.'],
  ),
  ...refuses(
    'a new order in the line',
    () => ({ lines: [part(2, { order: order() })] }),
    400,
    [
      1541,
      'lines[0].order: OrderLine.order and Order.lines say different things of the same value: send one of them.',
    ],
    notSaved,
  ),
  ...refuses(
    'another order in the line than that which holds it',
    () => ({ lines: [part(2, { orderNo: 1 })] }),
    400,
    [
      1541,
      'lines[0].orderNo: OrderLine.orderNo and Order.lines say different things of the same value: send one of them.',
    ],
    notSaved,
  ),
  {
    title: '§4.6 an order and its lines: all that is wrong with what was sent is told at once',
    run: async (rest) => {
      const { made } = await orderWithLines(rest, 1);
      await rest.answers(
        {
          url: 'Order',
          body: {
            __KEY: made.key,
            __STAMP: 1,
            billTo: { name: 'x', nope: 1 },
            lines: [
              part(2, { quantity: 'many' }),
              5,
              { __KEY: lineKey(made.key, 1), quantity: 2 },
              { __STAMP: 1, quantity: 2 },
              part(3, { product: { name: 'x', listPrice: 'y' } }),
            ],
          },
        },
        failed(
          made.key,
          [1500, 'billTo: Dataclass Company has no attribute nope.'],
          [1116, 'billTo.registrationNo: Company.registrationNo is mandatory: it needs a value.'],
          [1116, 'billTo.country: Company.country is mandatory: it needs a value.'],
          [
            1508,
            'lines[0].quantity: "many" is not a value for OrderLine.quantity: expected a whole number from -2147483648 to 2147483647.',
          ],
          [
            9016,
            'lines[1] is of type number; expected an object with the attributes of an entity.',
          ],
          [
            1263,
            `lines[2]: OrderLine(${lineKey(made.key, 1)}) cannot be updated without its __STAMP: send the __STAMP that it was read with.`,
          ],
          [
            1546,
            'lines[3]: There is a __STAMP without a __KEY: send both to update an entity of OrderLine, none to create one.',
          ],
          [
            1508,
            'lines[4].product.listPrice: "y" is not a value for Product.listPrice: expected a number.',
          ],
          [1116, 'lines[4].product.sku: Product.sku is mandatory: it needs a value.'],
          [1116, 'lines[4].product.barcode: Product.barcode is mandatory: it needs a value.'],
          [1116, 'lines[4].product.category: Product.category is mandatory: it needs a value.'],
        ),
        404,
      );
    },
  },
];
