import { mkdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { loadMappings } from '../../src/config/mapping.ts';
import { startupProblems, testFolder, sharedFolder } from './files.ts';
import { rows } from '../rows.ts';

const folder = await sharedFolder();

const forms = 'expected { to, foreignKey }, { to, columns }, { inverse } or { through }';

describe('a mapping file', () => {
  test.each(rows`
    ${''} | :1:1: names no table: expected "table: SCHEMA.NAME" or "view: SCHEMA.NAME"
    table: A.B\nview: A.C | :1:1: names a table and a view: one file maps one of them
    table: EMP | :1:8: "table": is written schema.name; use { schema: …, name: … } when a name has a dot
    table: { schema: A } | :1:1: "table": expected a text or { schema, name }, found { schema }
    table: A.B\nstamp: hsh | :2:8: "stamp": expected hash, xmin, none, { counter }, { rowversion } or { hash }, found "hsh". Did you mean hash?
    table: A.B\nstamp: { count: C } | :2:10: unknown setting "count". Did you mean counter?
    table: A.B\ndataclass: 1st Class | :2:12: "dataclass": names of the API begin with a letter and hold letters, digits and _ only
    table: A.B\nattributes:\n  "__proto__": C\nrelations:\n  __proto__: { to: X, foreignKey: F } | :3:3: "__proto__" cannot be a name: give another one
      | :5:3: "__proto__" cannot be a name: give another one
    table: A.B\nattributes:\n  first name: C | :3:3: "first name": names of the API begin with a letter and hold letters, digits and _ only
    table: A.B\nattributes:\n  uri: C | :3:3: "uri": uri is the protocol’s own name, for the address of an entity: give another one
    table: A.B\nattributes:\n  a: { colum: C }\n  b: { column: C, type: imag }\n  c: []\n  d:\n | :3:8: unknown setting "colum". Did you mean column?
      | :4:25: "attributes.b.type": expected image, blob, object, string, bool, byte, word, long, long64, number, uuid, date, datetime or duration, found "imag". Did you mean image?
      | :5:3: "attributes.c": expected a text, { column }, { sql, type } or { alias }, found an empty list
      | :6:3: "attributes.d": expected a text, { column }, { sql, type } or { alias }, found nothing
    table: A.B\nattributes:\n  a: { sql: X, type: long, scale: 2 }\n  b: { sql: X, type: long, maxLength: 2 }\n  c: { sql: {}, type: long }\n  d: { alias: x }
      | :3:35: "attributes.a.scale": is for type: number | :4:39: "attributes.b.maxLength": is for type: string | :5:8: "attributes.c.sql": holds no SQL
      | :6:15: "attributes.d.alias": is written relation.attribute
    table: A.B\nrelations:\n  a: { to: X } | :3:3: "relations.a": ${forms}, found { to }
    table: A.B\nrelations:\n  a: { inverse: b, to: X } | :3:3: "relations.a": ${forms}, found { inverse, to }
    table: A.B\nrelations:\n  a: X | :3:6: "relations.a": ${forms}, found "X"
    table: A.B\nrelations:\n  a: { to: X, columns: {} } | :3:15: "relations.a.columns": names no column
    table: A.B\nrelations:\n  a: { inverse: a.b.c } | :3:17: "relations.a.inverse": is written relation or Dataclass.relation
    functions:\n  f: { routine: A.B, key: C } | :2:22: unknown setting "key". Known: routine, parameters, returns, allowedOnHTTPGET, exposed, description, transaction.
    singletons:\n  a-b: { functions: {} } | :2:3: "a-b": names of the API begin with a letter and hold letters, digits and _ only
    table: A.B\nfunctions:\n  f: { routine: A.B, key: C, keys: D } | :3:3: "functions.f": has key and keys: a function is one of entities or of collections
  `)('%j is refused', async (text, ...expected) => {
    const files = await testFolder();
    await files.write('a.yaml', text);
    const found = await startupProblems(() => loadMappings(files.path), files);
    await files.remove();
    expect(found).toEqual(expected.map((line) => `a.yaml${line}`));
  });
});

describe('the folder of mapping files', () => {
  test('says what is wrong in all of them', async () => {
    await folder.write('many/a.yaml', 'tabel: A.B\ntable: A.B');
    await folder.write('many/b.yml', 'a: [');
    await folder.write('many/c.yaml', 'table: A.B');
    await folder.write('many/notes.txt', 'no mapping');
    expect(await startupProblems(() => loadMappings(`${folder.path}/many`), folder)).toEqual([
      'many/a.yaml:1:1: unknown setting "tabel". Did you mean table?',
      expect.stringMatching(/^many\/b\.yml:1:5: this is not valid YAML: /),
    ]);
  });

  test('that is missing, a file, or empty', async () => {
    await mkdir(`${folder.path}/empty`);
    await folder.write('file', '');
    const problems = (name: string): Promise<string[] | null> =>
      startupProblems(() => loadMappings(`${folder.path}/${name}`, 'config.yaml:9:1'), folder);
    expect([await problems('none'), await problems('file'), await problems('empty')]).toEqual([
      ['config.yaml:9:1: none: there is no such folder'],
      ['config.yaml:9:1: file: is a file, not a folder'],
      [
        'config.yaml:9:1: empty: the folder has no mapping file (*.yaml); "entitygate init" writes them',
      ],
    ]);
  });
});
