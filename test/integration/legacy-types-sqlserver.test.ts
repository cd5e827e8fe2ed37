import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { testFolder, type TestFolder } from '../config/files.ts';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import { openSqlServerDatabase, sqlServerTarget } from '../targets/sqlserver.ts';
import type { OpenTarget } from '../targets/target.ts';
import { errors } from './shapes/engines.ts';
import { types, type TypeSpec } from './types.ts';

const missing = await sqlServerTarget.unavailable();

/** Row n has the n-th value, and the last one null; a table `…Key` has the values as its keys. */
function tables(spec: TypeSpec): string[] {
  const { name, type, values, before, can } = spec;
  const rows = [...values.map(({ sql }) => sql), 'NULL'].map((sql, i) => `(${i + 1}, ${sql})`);
  const table = `legacy."${name}"`;
  const inserts = (target: string, items: readonly string[]): string[] =>
    items.map((item) => `INSERT INTO ${target} VALUES ${item}`);
  return [
    ...(before === null ? [] : [before]),
    `CREATE TABLE ${table} (ID int NOT NULL PRIMARY KEY, V ${type} NULL)`,
    ...inserts(table, rows),
    ...(can.includes('key')
      ? [
          `CREATE TABLE legacy."${name}Key" (V ${type} NOT NULL PRIMARY KEY)`,
          ...inserts(
            `legacy."${name}Key"`,
            values.map(({ sql }) => `(${sql})`),
          ),
        ]
      : []),
  ];
}

function isLacking({ lacking }: TypeSpec, version: string): boolean {
  return lacking !== null && version.includes('Babelfish');
}

async function writeMappings(folder: TestFolder, served: readonly TypeSpec[]): Promise<void> {
  for (const { name, can } of served) {
    const mapping = (of: string, attributes: string): Promise<string> =>
      folder.write(
        `${of}.yaml`,
        `dataclass: ${of}\ntable: legacy.${of}\nstamp: hash\nattributes: { ${attributes} }\n`,
      );
    await mapping(name, 'ID: ID, V: V');
    if (can.includes('key')) await mapping(`${name}Key`, 'V: V');
  }
}

/** The text of an answer without its stamps, which are the engine's own. */
function withoutStamps(text: string): string {
  return text.replace(/"(__STAMP|__GlobalStamp)":\d+/g, '"$1":0');
}

/** The whole text of a collection of rows of a spec's table. */
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
    `{"__DATACLASS":"${name}","__entityModel":"${name}","__GlobalStamp":0,"__COUNT":${ids.length},` +
    `"__FIRST":0,"__ENTITIES":[${entities.join(',')}],"__SENT":${ids.length}}`
  );
}

describe.skipIf(missing !== null)('SQL Server types', () => {
  let opened: OpenTarget;
  let gateway: Gateway;
  let folder: TestFolder;
  beforeAll(async () => {
    folder = await testFolder();
    let version = '';
    opened = await openSqlServerDatabase((found) => {
      version = found;
      const served = types.filter((spec) => !isLacking(spec, found));
      return ['CREATE SCHEMA legacy', ...served.flatMap(tables)];
    });
    await writeMappings(
      folder,
      types.filter((spec) => !isLacking(spec, version)),
    );
    gateway = await startGateway(opened.database, { mappings: folder.path, ignoreCase: false });
  });
  afterAll(async () => {
    await gateway.close();
    await opened.close();
    await folder.remove();
  });

  async function ask(path: string): Promise<string> {
    const { status, text } = await gateway.get(path);
    return `${status} ${withoutStamps(text)}`;
  }

  async function expectFilter(
    spec: TypeSpec,
    filter: string,
    ids: readonly number[],
  ): Promise<void> {
    const found = await ask(`/rest/${spec.name}?$filter='${encodeURIComponent(filter)}'`);
    expect([filter, found]).toEqual([filter, `200 ${collection(spec, ids)}`]);
  }

  describe.each(types)('$name ($type)', (spec) => {
    const { name, type, values, can, filters, beyond, refused, lacking, unlisted } = spec;
    const ids = values.map((_, index) => index + 1);
    const nullId = values.length + 1;
    function check(
      title: string,
      is: boolean,
      body: (skip: (reason: string) => void) => Promise<void>,
    ): void {
      if (!is) return;
      test(title, async ({ skip }) => {
        if (isLacking(spec, gateway.database.version)) skip(lacking ?? '');
        await body(skip);
      });
    }

    check('values and null, as they are', true, async () => {
      expect(await ask(`/rest/${name}`)).toBe(`200 ${collection(spec, [...ids, nullId])}`);
    });

    check('each value finds its row', can.includes('equal'), async () => {
      for (const [index, { url }] of values.entries()) {
        await expectFilter(spec, `V === ${url}`, [index + 1]);
      }
      await expectFilter(spec, 'V = null', [nullId]);
    });

    check('each value is found by a list', can.includes('equal'), async (skip) => {
      if (unlisted !== null && gateway.database.version.includes('Babelfish')) skip(unlisted);
      await expectFilter(spec, `V IN [${values.map(({ url }) => url).join(', ')}, null]`, [
        ...ids,
        nullId,
      ]);
    });

    check('values have their order', can.includes('less'), async () => {
      for (const [index, { url }] of values.entries()) {
        await expectFilter(spec, `V < ${url}`, ids.slice(0, index));
        await expectFilter(spec, `V >= ${url}`, ids.slice(index));
      }
      const order = [...ids.toReversed(), nullId];
      expect(await ask(`/rest/${name}?$orderby='V desc'`)).toBe(`200 ${collection(spec, order)}`);
    });

    check('each value is a key', can.includes('key'), async () => {
      for (const { url, json } of values) {
        const text = json.startsWith('"') ? (JSON.parse(json) as string) : json;
        const key = JSON.stringify(/^n?char/.test(type) ? text.trimEnd() : text);
        const entity = `{"__KEY":${key},"__STAMP":0,"V":${json}}`;
        const found = await ask(`/rest/${name}Key(${encodeURIComponent(url)})`);
        expect([url, found]).toEqual([
          url,
          `200 {"__entityModel":"${name}Key","__DATACLASS":"${name}Key",${entity.slice(1)}`,
        ]);
      }
    });

    check('filters find exactly what they mean', filters.length > 0, async () => {
      for (const [filter, found] of filters) await expectFilter(spec, filter, found);
    });

    check('a number that the type cannot hold equals nothing', beyond.length > 0, async () => {
      for (const value of beyond) {
        const filter = encodeURIComponent(`"V = ${value}"`);
        const answer = await gateway.get(`/rest/${name}?$top=0&$filter=${filter}`);
        expect([value, answer.status, answer.body]).toMatchObject([value, 200, { __COUNT: 0 }]);
        await expectFilter(spec, `NOT (V IN [${value}])`, ids);
        await expectFilter(spec, `NOT (V IN [${value}, null])`, ids);
      }
    });

    check('what else the type cannot hold is error 1508', refused.length > 0, async () => {
      for (const value of refused) {
        const answer = await gateway.get(
          `/rest/${name}?$filter='${encodeURIComponent(`V = ${value}`)}'`,
        );
        const message = expect.stringContaining(
          `is not a value for ${name}.V: expected `,
        ) as string;
        expect([value, answer.status, answer.body]).toEqual([value, 400, errors([1508, message])]);
      }
    });
  });
});

if (missing !== null) test.skip(`SQL Server types: ${missing}`, () => undefined);
