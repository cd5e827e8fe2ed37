import type { WriteClient } from './write-client.ts';
import { newRow } from './write-oracle.ts';
import { category, employee } from './write-samples.ts';
import type { WriteCase } from './write-suite.ts';

const ok = { ok: true };

/** What clients of the protocol family send with writes (DECISIONS, "URLs and encodings", "Updates"). */
export const clientWriteCases: readonly WriteCase[] = [
  ...(['POST', 'DELETE'] as const).map((method) => ({
    title: `§4.6 delete: {} as the body is no body, ${method}`,
    run: async (rest: WriteClient) => {
      const one = await rest.create('Category', category(rest));
      const query = method === 'POST' ? '?$method=delete' : '';
      const url = `Category(${encodeURIComponent(`"${one.key}"`)})${query}`;
      await rest.answers({ method, url, body: {} }, ok);
      await rest.gone(one);
      const two = await rest.create('Category', category(rest));
      const filter = encodeURIComponent(`code = "${two.key}"`);
      await rest.answers(
        { method, url: `Category?$filter='${filter}'${query.replace('?', '&')}`, body: '{}' },
        ok,
      );
      await rest.gone(two);
    },
  })),
  {
    title: '§4.6 delete: {} names nothing',
    run: (rest: WriteClient) =>
      rest.refuses(
        { url: 'Category?$method=delete', body: {} },
        400,
        1813,
        'Nothing says which entities of Category to delete: name them by key, by $filter, or in the body.',
      ),
  },
  {
    title: '§4.3 delete: what codes of quotes say is kept',
    run: async (rest: WriteClient) => {
      const one = await rest.create('Category', category(rest));
      const two = await rest.create('Category', category(rest, 'a'));
      const filter = `code begin \\u0022${one.key}\\u0022 and code != \\u0022${two.key}\\u0022`;
      await rest.answers(
        { url: `Category?$filter="${encodeURIComponent(filter)}"&$method=delete` },
        ok,
      );
      await rest.gone(one);
      await rest.reads(two);
    },
  },
  ...['__ISNEW', '__ENTITYSET', '__NEWFIELD', '__proto__', '__defineGetter__'].map((name) => ({
    title: `§1 names of the protocol that mean nothing in a body: ${name}`,
    run: async (rest: WriteClient) => {
      const given = category(rest);
      const body = `{"${name}":{"position":2},${JSON.stringify(given).slice(1)}`;
      rest.made('Category', await rest.send({ url: 'Category', body }), newRow('Category', given));
    },
  })),
  {
    title: '§4.2 hints of clients that change no answer to a save',
    run: async (rest: WriteClient) => {
      const given = category(rest);
      const url = 'Category?$method=update&$metadata=1&$progressinfo=1&$progress4Dinfo=1';
      rest.made('Category', await rest.send({ url, body: given }), newRow('Category', given));
    },
  },
  ...['12!1!2001', '12!01!2001', '!!2001-01-12!!', '2001-01-12T00:00:00.000Z'].map((date) => ({
    title: `§4.6 a date as clients write it is kept, and cleared by 0!0!0: ${date}`,
    run: async (rest: WriteClient) => {
      const one = await rest.create(
        'Employee',
        { ...employee(rest), birthDate: date },
        { BIRTH_DT: '2001-01-12' },
      );
      await rest.reads(await rest.update(one, { birthDate: '0!0!0' }, { BIRTH_DT: null }));
    },
  })),
  ...[
    ['anything', 'anything'],
    ['Employee', 'Employee'],
    ['Employee,Company', 'Employee,Company'],
    ['anything?$params=%5B%5D', 'anything'],
  ].map(([path = '', name = '']) => ({
    title: `§4.1 POST $catalog/${path} is a function call`,
    run: (rest: WriteClient) =>
      rest.refuses(
        { url: `$catalog/${path}`, body: [] },
        404,
        1827,
        `There is no function ${name}: this version of the gateway has none.`,
      ),
  })),
  ...(
    [
      ['POST', '$catalog'],
      ['PUT', '$catalog/anything'],
      ['DELETE', '$catalog/anything'],
    ] as const
  ).map(([method, url]) => ({
    title: `§4.1 ${method} ${url} is no function call`,
    run: (rest: WriteClient) =>
      rest.refuses(
        { method, url },
        405,
        9004,
        `${method} does not apply to /rest/$catalog: it is read by GET.`,
      ),
  })),
];
