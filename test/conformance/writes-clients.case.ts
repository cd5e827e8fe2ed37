import { expect } from 'vitest';
import { changedRow, dryRun, failed, newRow } from './write-oracle.ts';
import { oneEntity } from './oracle.ts';
import { category, employee, holiday, product, rate } from './write-samples.ts';
import { type WriteCase, writing } from './write-suite.ts';

const ok = { ok: true };

/** What clients of the protocol family send with writes (DECISIONS, "URLs and encodings", "Updates"). */
export const writes: readonly WriteCase[] = [
  ...(['POST', 'DELETE'] as const).map((method) =>
    writing(`§4.6 delete: {} as the body is not a body, ${method}`, async (rest) => {
      const one = await rest.create('Category', category(rest));
      const query = method === 'POST' ? '?$method=delete' : '';
      const url = `Category(${encodeURIComponent(`"${one.key}"`)})${query}`;
      await rest.answers({ method, url, body: {} }, ok);
      await rest.gone(one);
      const two = await rest.create('Category', category(rest));
      const filter = encodeURIComponent(`code = "${two.key}"`);
      await rest.deletes(
        { method, url: `Category?$filter='${filter}'${query.replace('?', '&')}`, body: '{}' },
        1,
      );
      await rest.gone(two);
    }),
  ),
  writing('§4.3 delete: what codes of quotes say is kept', async (rest) => {
    const one = await rest.create('Category', category(rest));
    const two = await rest.create('Category', category(rest, 'a'));
    const filter = `code begin \\u0022${one.key}\\u0022 and code != \\u0022${two.key}\\u0022`;
    await rest.deletes(
      { url: `Category?$filter="${encodeURIComponent(filter)}"&$method=delete` },
      1,
    );
    await rest.gone(one);
    await rest.reads(two);
  }),
  ...['__ISNEW', '__ENTITYSET', '__NEWFIELD', '__proto__', '__defineGetter__'].map((name) =>
    writing(`§1 names of the protocol that mean nothing in a body: ${name}`, async (rest) => {
      const given = category(rest);
      const body = `{"${name}":{"position":2},${JSON.stringify(given).slice(1)}`;
      rest.made('Category', await rest.send({ url: 'Category', body }), newRow('Category', given));
    }),
  ),
  writing('§4.2 hints of clients that change no answer to a save', async (rest) => {
    const given = category(rest);
    const url = 'Category?$method=update&$metadata=1&$progressinfo=1&$progress4Dinfo=1';
    rest.made('Category', await rest.send({ url, body: given }), newRow('Category', given));
  }),
  ...[
    (n: number) => `Case ${n};2`,
    (n: number) => `Case ${n};`,
    (n: number) => `{"case":${n}}`,
    (n: number) => `{case ${n}, x}`,
    (n: number) => `{"case":${n}} and {`,
    (n: number) => `  case ${n}`,
    (n: number) => `case ${n} {x};"y"`,
    (n: number) => `case ${n} (a) {`,
  ].map((key) =>
    writing(`§4.2 a text key pasted as it is: ${key(0)}`, async (rest) => {
      const code = key(rest.number);
      const one = await rest.create('Category', { ...category(rest), code });
      await rest.answers(
        { method: 'GET', url: `Category(${encodeURIComponent(code)})` },
        oneEntity('Category', one.row),
      );
      const url = `Category(${encodeURIComponent(code)})?$method=delete`;
      await rest.answers({ url }, ok);
      await rest.gone(one);
    }),
  ),
  ...['12!1!2001', '12!01!2001', '!!2001-01-12!!', '2001-01-12T00:00:00.000Z'].map((date) =>
    writing(
      `§4.6 a date as clients write it is kept, and cleared by 0!0!0: ${date}`,
      async (rest) => {
        const one = await rest.create(
          'Employee',
          { ...employee(rest), birthDate: date },
          { BIRTH_DT: '2001-01-12' },
        );
        await rest.reads(await rest.update(one, { birthDate: '0!0!0' }, { BIRTH_DT: null }));
      },
    ),
  ),
  writing('§4.6 $asArray=true answers a save by a bare array', async (rest) => {
    const one = employee(rest);
    const url = 'Employee?$method=update&$asArray=true&$expand=lastName,employer.name';
    const shown = (key: unknown): object => ({
      __STATUS: { success: true },
      __entityModel: 'Employee',
      __DATACLASS: 'Employee',
      __KEY: key,
      __STAMP: 1,
      uri: `/rest/Employee(${String(key)})`,
      lastName: 'Byron',
      employer: { __KEY: 1, __STAMP: 3, name: 'Acme Freight & Co.' },
    });
    const answer = await rest.send({ url, body: { ...one, employer: 1 } });
    const [{ __KEY: key }] = answer.body as [{ __KEY: number }];
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 200,
      body: [shown(key)],
    });
    await rest.answers(
      {
        url,
        body: [
          { __KEY: key, __STAMP: 1 },
          { __KEY: 99999, __STAMP: 1 },
        ],
      },
      [shown(key), failed('99999', [1542, 'There is no entity Employee(99999).'])],
    );
  }),
  ...['', '&$atomic=true'].map((atomic) =>
    writing(`§4.6 $refresh=true is a dry run${atomic}`, async (rest) => {
      const one = await rest.create('Category', category(rest));
      const given = category(rest, 'a');
      const url = `Category?$method=update&$refresh=true${atomic}`;
      const changed = { __KEY: one.key, __STAMP: one.stamp, position: 501 };
      const position = changedRow('Category', one.row, { position: 501 });
      const update = dryRun('Category', position, one.row);
      const create = dryRun('Category', newRow('Category', given), null);
      await rest.answers({ url, body: changed }, update);
      await rest.answers({ url, body: given }, create);
      await rest.answers({ url, body: [changed, given] }, { __ENTITIES: [update, create] });
      await rest.reads(one);
      await rest.create('Category', given);
    }),
  ),
  ...(
    [
      ['Category', category, { position: 502 }],
      ['Product', product, { name: 'Another name' }],
      ['ExchangeRate', rate, { rate: 1.75 }],
      ['Holiday', holiday, { name: 'Another day' }],
    ] as const
  ).map(([dataclass, given, change]) =>
    writing(
      `§4.6 $refresh=true tells the stamp that ${dataclass} has, and the save that follows takes it`,
      async (rest) => {
        const one = await rest.create(dataclass, given(rest));
        const url = `${dataclass}?$method=update&$refresh=true`;
        const body = { __KEY: one.key, __STAMP: one.stamp, ...change };
        const tried = await rest.send({ url, body });
        rest.same(tried, dryRun(dataclass, changedRow(dataclass, one.row, change), one.row));
        const { __STAMP: told } = tried.body as { __STAMP: unknown };
        expect(told).toEqual(one.stamp);
        const array = await rest.send({ url: `${url}&$asArray=true`, body });
        expect(array.body).toMatchObject([{ __STAMP: one.stamp, ...change }]);
        await rest.update({ ...one, stamp: told }, change);
      },
    ),
  ),
  writing('§4.6 $refresh=true says of each element whether it would be saved', async (rest) => {
    const given = category(rest);
    const created = dryRun('Category', newRow('Category', given), null);
    const other = category(rest, 'a');
    await rest.answers(
      {
        url: 'Category?$method=update&$refresh=true',
        body: [given, { ...given, position: 2 }, { __KEY: 'Nothing', __STAMP: 1 }, other],
      },
      {
        __ENTITIES: [
          created,
          failed(
            null,
            [1115, 'There is an entity of Category with this key already.'],
            [1534, 'The new entity of Category was not saved.'],
          ),
          failed('Nothing', [1542, 'There is no entity Category(Nothing).']),
          dryRun('Category', newRow('Category', other), null),
        ],
      },
    );
    await rest.create('Category', given);
  }),
  writing('§4.13 $refresh=true with $atomic fails as the save would', async (rest) => {
    const given = category(rest);
    const answer = await rest.send({
      url: 'Category?$method=update&$refresh=true&$atomic=true',
      body: [given, given],
    });
    expect(answer.status).toBe(409);
    expect(answer.body).toMatchObject({ __ERROR: [{ errCode: 1115 }, {}, { errCode: 1046 }] });
    await rest.create('Category', given);
  }),
];
