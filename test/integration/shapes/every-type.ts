import { expect, test } from 'vitest';
import { chance } from '../../fixtures/legacy/random.ts';
import { seed } from '../../property/seed.ts';
import { query } from '../../targets/sql.ts';
import { mapped, type Served, type Shape } from './engines.ts';

/** Columns of every type that the server and its extensions have, and tables of types whose refusals have states of their own. */
export const shape: Shape = {
  postgres: `
DO $$ DECLARE e text; BEGIN
  FOREACH e IN ARRAY '{hstore,ltree,cube,seg,isn,citext,intarray,lo,pg_trgm,btree_gist}'::text[] LOOP
    IF EXISTS (SELECT 1 FROM pg_available_extensions WHERE name = e) THEN EXECUTE 'CREATE EXTENSION ' || e; END IF;
  END LOOP;
END $$;
CREATE TYPE pair AS (n int, words tsvector);
CREATE DOMAIN words AS tsvector NOT NULL DEFAULT '';
CREATE TABLE every (id serial PRIMARY KEY);
DO $$ DECLARE t record; BEGIN
  FOR t IN SELECT y.oid, format_type(y.oid, NULL) AS name FROM pg_type y JOIN pg_type i ON i.oid = CASE WHEN y.typelem = 0 THEN y.oid ELSE y.typelem END
    WHERE y.typisdefined AND y.typtype <> 'p' AND i.typtype <> 'p'
      AND NOT EXISTS (SELECT 1 FROM pg_class c WHERE c.oid = i.typrelid AND c.relkind <> 'c') LOOP
    EXECUTE format('ALTER TABLE every ADD %I %s', 't' || t.oid, t.name);
  END LOOP;
END $$;
CREATE TABLE doc (id int PRIMARY KEY, place point, words tsvector, rel regclass, lists tsvector[], short words);
CREATE TABLE line (id int PRIMARY KEY, doc_id int REFERENCES doc, path jsonpath);
CREATE TABLE paired (id int PRIMARY KEY, pairs text);
DO $$ BEGIN IF to_regtype('hstore') IS NOT NULL THEN ALTER TABLE paired ALTER pairs TYPE hstore USING NULL; END IF; END $$;
CREATE TABLE numbered (id smallint GENERATED ALWAYS AS IDENTITY (START 32767) PRIMARY KEY, note text);
CREATE TABLE named (rel regclass, n int, note text, PRIMARY KEY (rel, n));
INSERT INTO named VALUES ('doc', 1), ('line', 1);
CREATE FUNCTION len(v tsvector) RETURNS int LANGUAGE sql AS 'SELECT length(v)';
CREATE PROCEDURE keep(n int, v tsvector) LANGUAGE sql AS 'SELECT v';
`,
  sqlserver: [],
  mappings: mapped(`
every: {dataclass: Every, table: public.every}
doc: {dataclass: Doc, table: public.doc, functions: {len: {routine: public.len, parameters: [v]}, keep: {routine: public.keep, parameters: [n, v]}},
  relations: {lines: {inverse: Line.doc}}}
line: {dataclass: Line, table: public.line, relations: {doc: {to: Doc, foreignKey: line_doc_id_fkey}}}
named: {dataclass: Named, table: public.named, stamp: hash}
numbered: {dataclass: Numbered, table: public.numbered}
paired: {dataclass: Paired, table: public.paired}
`),
};

/** What means something to the one or the other type. */
const pieces = [
  ...Array.from('"\'\\{}[]()<>,;:=&|!*@$%#.~^-+ _/a1é😀'),
  ...['=>', '::', 'a=>1', "'a':1A", '1.5', '1e999', '-infinity', 'NaN', 'null', '10.0.0.1/33', ''],
  ...['99999999999999999999', 'pg_class', 'pg_catalog.', 'public', 'int4(', '1 day', '2024-02-30'],
  ...['0/FFFFFFFF0', '{1,2}', '(1,2)', '[1,2)', '\\x0', '08:00:2b:', '<a>', '"a"', 'a.b'],
  'x'.repeat(3000),
];

/** How many texts each type is sent; to an array of it, one. */
const TEXTS = 3;

/** The gateway's own failure, and three ways in which the database is said to have failed. */
const FAILURES = [9000, 9011, 9020, 9022];

interface Told {
  readonly __ERROR?: readonly { readonly errCode: number; readonly message: string }[];
}

/** What clients may send to a column of each type. */
export function anyTexts(served: Served): void {
  test(`no text makes a failure of the gateway or the database (PROPERTY_SEED=${seed})`, async () => {
    const draw = chance(seed);
    const columns = await query(
      served.gateway.database,
      "SELECT attname, format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = 'every'::regclass AND attnum > 1",
    );
    const text = (): string =>
      Array.from({ length: draw.int(1, 3) }, () => draw.pick(pieces)).join('');
    const entities = columns.flatMap(([column, type]): object[] =>
      String(type).endsWith('[]')
        ? [{ [String(column)]: [text()] }]
        : Array.from({ length: TEXTS }, () => ({ [String(column)]: text() })),
    );
    const failures: unknown[] = [];
    let accepted = 0;
    for (let at = 0; at < entities.length; at += 200) {
      const sent = entities.slice(at, at + 200);
      const [status, body] = await served.post('Every?$attributes=id', sent);
      expect(status, JSON.stringify(body).slice(0, 500)).toBe(200);
      const { __ENTITIES: told } = body as { readonly __ENTITIES: readonly Told[] };
      for (const [index, { __ERROR: items = [] }] of told.entries()) {
        if (items.length === 0) accepted += 1;
        const failed = items.some(({ errCode }) => FAILURES.includes(errCode));
        if (failed) failures.push([sent[index], items]);
      }
    }
    expect(failures).toEqual([]);
    expect([columns.length > 100, accepted > 20]).toEqual([true, true]);
    expect(await served.get('Every?$top=1000')).toMatchObject([200, { __COUNT: accepted }]);
    for (const [column, type] of columns.filter(([, name]) => !String(name).endsWith('[]'))) {
      const sent = text();
      for (const comparator of ['=== :1', '<= :1', 'IN :1']) {
        const value = comparator.startsWith('IN') ? [[sent, sent]] : [sent];
        const params = encodeURIComponent(JSON.stringify(value));
        const [status, body] = await served.get(
          `Every?$attributes=id&$filter="${String(column)} ${comparator}"&$params=${params}`,
        );
        const codes = (body as Told).__ERROR?.map(({ errCode }) => errCode);
        const isFine = status === 200 || codes?.every((code) => [1508, 1112].includes(code));
        if (isFine !== true) failures.push([type, comparator, sent, codes]);
      }
    }
    expect(failures).toEqual([]);
  });
}
