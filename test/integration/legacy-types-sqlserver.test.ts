import { describe, expect, test } from 'vitest';
import { errors, onEngines, type Shape } from './shapes/engines.ts';
import { lackingOn } from './shapes/server-version.ts';
import { types, type TypeSpec } from './types.ts';

/** Row n has the n-th value, and the last one null; a table `…Key` has the values as its keys. */
function tables({ name, type, values, before, can }: TypeSpec): string[] {
  const rows = [...values.map(({ sql }) => sql), 'NULL'].map((sql, at) => `(${at + 1}, ${sql})`);
  const keys = can.includes('key') ? values.map(({ sql }) => `(${sql})`) : [];
  return [
    ...(before === null ? [] : [before]),
    `CREATE TABLE legacy."${name}" (ID int NOT NULL PRIMARY KEY, V ${type} NULL)`,
    ...rows.map((row) => `INSERT INTO legacy."${name}" VALUES ${row}`),
    ...(keys.length === 0
      ? []
      : [`CREATE TABLE legacy."${name}Key" (V ${type} NOT NULL PRIMARY KEY)`]),
    ...keys.map((key) => `INSERT INTO legacy."${name}Key" VALUES ${key}`),
  ];
}

const lackingOf = ({ lacking }: TypeSpec): string | null =>
  lacking === null ? null : lackingOn(/Babelfish/, lacking);

const there = types.filter((spec) => lackingOf(spec) === null);

const shape: Shape = {
  postgres: '',
  sqlserver: ['CREATE SCHEMA legacy', ...there.flatMap(tables)],
  mappings: Object.fromEntries(
    there.flatMap(({ name, can }) => {
      const mapping = (of: string, attributes: string): [string, string] => [
        of,
        `dataclass: ${of}\ntable: legacy.${of}\nstamp: hash\nattributes: { ${attributes} }\n`,
      ];
      return [
        mapping(name, 'ID: ID, V: V'),
        ...(can.includes('key') ? [mapping(`${name}Key`, 'V: V')] : []),
      ];
    }),
  ),
};

/** The status and the whole text of a collection of rows of a type's table, without stamps, which are the engine's own. */
function collection({ name, values }: TypeSpec, ids: readonly number[]): string {
  const entities = ids.map((id) => {
    const json = (values[id - 1]?.json ?? 'null').replace(
      /^\{bytes of (\d+)\}$/,
      `{"__KEY":"$1","__STAMP":0,"uri":"/rest/${name}($1)/V?$$binary=true&$$expand=V",` +
        `"__deferred":{"uri":"/rest/${name}($1)/V?$$binary=true&$$expand=V"}}`,
    );
    return `{"__KEY":"${id}","__STAMP":0,"ID":${id},"V":${json}}`;
  });
  return (
    `200 {"__DATACLASS":"${name}","__entityModel":"${name}","__GlobalStamp":0,"__COUNT":${ids.length},` +
    `"__FIRST":0,"__ENTITIES":[${entities.join(',')}],"__SENT":${ids.length}}`
  );
}

onEngines('types', shape, (served) => {
  const ask = async (path: string): Promise<string> => {
    const { status, text } = await served.gateway.get(`/rest/${path}`);
    return `${status} ${text.replace(/"(__STAMP|__GlobalStamp)":\d+/g, '"$1":0')}`;
  };

  describe.each(types)('$name ($type)', (spec) => {
    const { name, type, values, can, filters, beyond, refused, unlisted } = spec;
    const ids = values.map((_, index) => index + 1);
    const nullId = values.length + 1;
    const why = lackingOf(spec);
    const check = (
      title: string,
      is: boolean,
      body: (skip: (reason: string) => void) => Promise<void>,
    ): void => {
      if (!is) return;
      test(title, async ({ skip }) => {
        if (why !== null) skip(why);
        await body(skip);
      });
    };
    const filtered = (text: string): Promise<string> =>
      ask(`${name}?$filter='${encodeURIComponent(text)}'`);
    const expectFilter = async (filter: string, found: readonly number[]): Promise<void> => {
      expect([filter, await filtered(filter)]).toEqual([filter, collection(spec, found)]);
    };

    check('values and null, as they are', true, async () => {
      expect(await ask(name)).toBe(collection(spec, [...ids, nullId]));
    });

    check('each value finds its row', can.includes('equal'), async () => {
      for (const [index, { url }] of values.entries()) {
        await expectFilter(`V === ${url}`, [index + 1]);
      }
      await expectFilter('V = null', [nullId]);
    });

    check('each value is found by a list', can.includes('equal'), async (skip) => {
      if (unlisted !== null && served.isBabelfish) skip(unlisted);
      const list = values.map(({ url }) => url).join(', ');
      await expectFilter(`V IN [${list}, null]`, [...ids, nullId]);
    });

    check('values have their order', can.includes('less'), async () => {
      for (const [index, { url }] of values.entries()) {
        await expectFilter(`V < ${url}`, ids.slice(0, index));
        await expectFilter(`V >= ${url}`, ids.slice(index));
      }
      const order = [...ids.toReversed(), nullId];
      expect(await ask(`${name}?$orderby='V desc'`)).toBe(collection(spec, order));
    });

    check('each value is a key', can.includes('key'), async () => {
      for (const { url, json } of values) {
        const text = json.startsWith('"') ? (JSON.parse(json) as string) : json;
        const key = JSON.stringify(/^n?char/.test(type) ? text.trimEnd() : text);
        const found = await ask(`${name}Key(${encodeURIComponent(url)})`);
        const about = `"__entityModel":"${name}Key","__DATACLASS":"${name}Key"`;
        const entity = `{${about},"__KEY":${key},"__STAMP":0,"V":${json}}`;
        expect([url, found]).toEqual([url, `200 ${entity}`]);
      }
    });

    check('filters find exactly what they mean', filters.length > 0, async () => {
      for (const [filter, found] of filters) await expectFilter(filter, found);
    });

    check('a number that the type cannot hold equals nothing', beyond.length > 0, async () => {
      for (const value of beyond) {
        await expectFilter(`V = ${value}`, []);
        await expectFilter(`NOT (V IN [${value}])`, ids);
        await expectFilter(`NOT (V IN [${value}, null])`, ids);
      }
    });

    check('what else the type cannot hold is error 1508', refused.length > 0, async () => {
      for (const value of refused) {
        const [status, body] = await served.get(
          `${name}?$filter='${encodeURIComponent(`V = ${value}`)}'`,
        );
        const message = expect.stringContaining(
          `is not a value for ${name}.V: expected `,
        ) as string;
        expect([value, status, body]).toEqual([value, 400, errors([1508, message])]);
      }
    });
  });
});
