import { collection, keyOf, type Row } from './oracle.ts';
import { addressOf, type Made, type WriteClient } from './write-client.ts';
import { errors, failed } from './write-oracle.ts';
import { category, department, employee, keyKinds, line, order, product } from './write-samples.ts';
import { type WriteCase, writing } from './write-suite.ts';

const ok = { ok: true };

function pair(rest: WriteClient): Promise<[Made, Made]> {
  return Promise.all([
    rest.create('Category', category(rest, 'a')),
    rest.create('Category', category(rest, 'b')),
  ]);
}

export const writes: readonly WriteCase[] = [
  ...keyKinds.flatMap(([what, make]) => [
    writing(`§4.6 delete: $method=delete by a key that is ${what}`, async (rest) => {
      const made = await make(rest);
      const url = `${addressOf(made.dataclass, made.row)}?$method=delete`;
      await rest.answers({ url }, ok);
      await rest.gone(made);
    }),
    writing(`§4.6 delete: the verb DELETE by a key that is ${what}`, async (rest) => {
      const made = await make(rest);
      await rest.answers({ method: 'DELETE', url: addressOf(made.dataclass, made.row) }, ok);
      await rest.gone(made);
    }),
    writing(`§4.6 delete: an object with its key, ${what}, and its stamp`, async (rest) => {
      const made = await make(rest);
      const { dataclass, key, stamp } = made;
      await rest.answers(
        { url: `${dataclass}?$method=delete`, body: { __KEY: key, __STAMP: stamp } },
        ok,
      );
      await rest.gone(made);
    }),
  ]),
  writing('§4.6 delete: $refresh=true is a dry run, whatever names the entities', async (rest) => {
    const [one, two] = await pair(rest);
    const named = { __KEY: one.key, __STAMP: one.stamp };
    const url = 'Category?$method=delete&$refresh=true';
    await rest.answers({ url, body: named }, ok);
    await rest.answers(
      { url: `${url}&$atomic=true`, body: [named] },
      { ok: true, __ENTITIES: [{ __STATUS: { success: true }, __KEY: one.key }] },
    );
    await rest.answers({ method: 'DELETE', url: `Category("${one.key}")?$refresh=true` }, ok);
    const filter = `$filter="code in ['${one.key}','${two.key}']"`;
    await rest.deletes({ url: `${url}&${filter}` }, 2);
    const set = await rest.send({ method: 'GET', url: `Category?${filter}&$method=entityset` });
    const { __ENTITYSET: uri } = set.body as { __ENTITYSET: string };
    const ofSet = `${uri.replace('/rest/', '')}?$method=delete&$refresh=true`;
    await rest.deletes({ url: ofSet }, 2);
    await rest.reads(one);
    await rest.reads(two);
    await rest.answers({ url: 'Category?$method=delete', body: named }, ok);
  }),
  writing('§4.6 delete: $refresh=true says what would be refused', async (rest) => {
    const one = await rest.create('Category', category(rest));
    const url = 'Category?$method=delete&$refresh=true';
    await rest.answers(
      { url, body: { __KEY: 'Nothing', __STAMP: 1 } },
      errors([[1542, 'There is no entity Category(Nothing).']]),
      404,
    );
    const body = [{ __KEY: 'Nothing' }, { __KEY: one.key, __STAMP: one.stamp }];
    await rest.answers(
      { url, body },
      {
        ok: false,
        __ENTITIES: [
          failed('Nothing', [1542, 'There is no entity Category(Nothing).']),
          { __STATUS: { success: true }, __KEY: one.key },
        ],
      },
    );
    await rest.reads(one);
  }),
  writing('§4.6 delete: by a unique attribute', async (rest) => {
    const made = await rest.create('Employee', employee(rest));
    const url = `Employee:email(ada${rest.number}@case.example)`;
    await rest.answers({ method: 'DELETE', url }, ok);
    await rest.gone(made);
  }),
  writing('§4.6 delete: by a unique attribute in another case, as it is read', async (rest) => {
    const made = await rest.create('Employee', employee(rest));
    const url = `Employee:email(Ada${rest.number}@CASE.example)`;
    await rest.answers({ method: 'DELETE', url }, ok);
    await rest.gone(made);
  }),
  writing('§4.6 delete: a list of keys, all of them or none', async (rest) => {
    const [one, two] = await pair(rest);
    await rest.answers(
      { method: 'DELETE', url: `Category("${one.key}",Nothing,"${two.key}")` },
      errors([
        [1542, 'There is no entity Category(Nothing).'],
        [1518, 'Nothing of the request was deleted.'],
      ]),
      404,
    );
    await rest.reads(one);
    await rest.answers({ method: 'DELETE', url: `Category("${one.key}","${two.key}")` }, ok);
    await rest.gone(one);
    await rest.gone(two);
  }),
  writing('§4.6 delete: what $filter finds', async (rest) => {
    const [one, two] = await pair(rest);
    const filter = encodeURIComponent(`code begin 'Case ${rest.number}a'`);
    await rest.deletes({ url: `Category?$filter="${filter}"&$method=delete` }, 1);
    await rest.gone(one);
    await rest.reads(two);
    await rest.deletes({ url: `Category?$filter="${filter}"&$method=delete` }, 0);
  }),
  writing('§4.6 delete: what $filter with $params finds', async (rest) => {
    const [one, two] = await pair(rest);
    const params = encodeURIComponent(JSON.stringify([one.key]));
    const url = `Category?$filter="code = :1"&$params='${params}'`;
    await rest.deletes({ method: 'DELETE', url }, 1);
    await rest.gone(one);
    await rest.reads(two);
  }),
  writing('§4.6 delete: a $filter refuses wildcards, but by like', async (rest) => {
    const code = `ann${rest.number}@x.de`;
    const one = await rest.create('Category', { ...category(rest), code });
    const other = await rest.create('Category', {
      ...category(rest),
      code: `ann${rest.number} mx.de`,
    });
    const set = await rest.send({ method: 'GET', url: 'Category?$method=entityset' });
    const { __ENTITYSET: uri } = set.body as { __ENTITYSET: string };
    const value = encodeURIComponent(JSON.stringify([code]));
    const exact = 'write === to compare with this very text, or like for a pattern';
    const another =
      'write !== to compare with this very text, or NOT (attribute like value) for a pattern';
    for (const [condition, comparator, advice] of [
      [`code = ${code}`, '=', exact],
      [`code == '${code}'`, '=', exact],
      [`position = 500 and code = ann${rest.number}*`, '=', exact],
      [`code != ${code}`, '!=', another],
      ['code # :1', '!=', another],
      ['code = :1', '=', exact],
    ] as const) {
      const query = `$filter="${encodeURIComponent(condition)}"&$params='${value}'`;
      const at = condition.search(/(?<=[=#] )[^=]*$/) + 1;
      const message = `A delete does not take the wildcards @ and * with ${comparator}: ${advice}. (at position ${at} of $filter)`;
      for (const request of [
        { url: `Category?${query}&$method=delete` },
        { method: 'DELETE', url: `Category?${query}` },
        { url: `${uri.replace('/rest/', '')}?${query}&$method=delete` },
      ]) {
        await rest.refuses(request, 400, 1107, message);
      }
    }
    await rest.deletes(
      { url: `Category?$filter="code === :1"&$params=${value}&$method=delete` },
      1,
    );
    await rest.gone(one);
    await rest.reads(other);
    const like = encodeURIComponent(`code like ann${rest.number}@x.de`);
    await rest.deletes({ url: `Category?$filter="${like}"&$method=delete` }, 1);
  }),
  writing('§4.6 delete: $filter over a relation to one', async (rest) => {
    const { key: code } = await rest.create('Category', category(rest));
    const one = await rest.create('Product', { ...product(rest), category: code });
    const other = await rest.create('Product', product(rest, 'a'));
    const filter = encodeURIComponent(`category.code = "${code}"`);
    await rest.deletes({ url: `Product?$filter='${filter}'&$method=delete` }, 1);
    await rest.gone(one);
    await rest.reads(other);
  }),
  writing('§4.6 delete: $filter over a relation to many, and what cascades', async (rest) => {
    const one = await rest.create('Order', order());
    const other = await rest.create('Order', order());
    const lines = await Promise.all([
      rest.create('OrderLine', { ...line(one.row['ORD_NO'], 1), remark: `case ${rest.number}` }),
      rest.create('OrderLine', line(one.row['ORD_NO'], 2)),
    ]);
    const filter = encodeURIComponent(`lines.remark = "case ${rest.number}"`);
    await rest.deletes({ url: `Order?$filter='${filter}'&$method=delete` }, 1);
    await rest.gone(one);
    await rest.gone(lines[0]);
    await rest.gone(lines[1]);
    await rest.reads(other);
  }),
  writing('§4.6 delete: $filter of a dataclass without a key', async (rest) => {
    const source = `case ${rest.number}`;
    const body = { time: '2024-01-02T03:04:05.123456Z', severity: 1, source };
    await rest.answers(
      { url: 'LogEntry', body },
      { __STATUS: { success: true }, __entityModel: 'LogEntry', __DATACLASS: 'LogEntry' },
    );
    const url = `LogEntry?$filter="${encodeURIComponent(`source='${source}'`)}"`;
    const row: Row = {
      EVT_DT: '2024-01-02T03:04:05.123456',
      SEV_CD: 1,
      SRC_NM: source,
      EMP_NO: null,
      MSG_TX: null,
    };
    await rest.answers({ method: 'GET', url }, collection('LogEntry', [row]));
    await rest.deletes({ method: 'DELETE', url }, 1);
    await rest.answers({ method: 'GET', url }, collection('LogEntry', []));
  }),
  writing('§4.6 delete: an array, each element on its own', async (rest) => {
    const [one, two] = await pair(rest);
    const parent = await rest.create('Department', department(rest));
    const child = await rest.create('Department', {
      ...department(rest, 'a'),
      parent: parent.key,
    });
    await rest.answers(
      {
        url: 'Category?$method=delete',
        body: [{ __KEY: one.key }, { __KEY: 'Nothing' }, {}, { __KEY: two.key }],
      },
      {
        ok: false,
        __ENTITIES: [
          { __STATUS: { success: true }, __KEY: one.key },
          failed('Nothing', [1542, 'There is no entity Category(Nothing).']),
          failed(null, [1546, 'There is no __KEY: it says which entity to delete.']),
          { __STATUS: { success: true }, __KEY: two.key },
        ],
      },
    );
    await rest.gone(one);
    await rest.gone(two);
    await rest.answers(
      { url: 'Department?$method=delete', body: [{ __KEY: parent.key }] },
      {
        ok: false,
        __ENTITIES: [
          failed(
            keyOf('Department', parent.row),
            [1120, 'The entity of Department is still referred to by Department.parent.'],
            [1518, `Department(${parent.key}) was not deleted.`],
          ),
        ],
      },
    );
    await rest.reads(child);
  }),
];
