import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type Gateway } from '../targets/gateway.ts';

const schema = `
CREATE TYPE mood AS ENUM ('calm', 'cross');
CREATE TABLE parent (
  id int PRIMARY KEY, code varchar(10) NOT NULL UNIQUE, mood mood, tags text[], span interval, address inet, json_tx text
);
CREATE TABLE child (
  id int PRIMARY KEY, parent_id int REFERENCES parent (id), parent_code varchar(10) REFERENCES parent (code)
);
CREATE TABLE link (
  id int PRIMARY KEY, from_id int REFERENCES parent (id), to_id int REFERENCES parent (id)
);
CREATE TABLE "odd "" one" ("a b" int NOT NULL, "c]d" int NOT NULL, "q""q" text, PRIMARY KEY ("a b", "c]d"));
CREATE TABLE mood_note (mood mood PRIMARY KEY, note text);
CREATE TABLE mood_log (mood mood REFERENCES mood_note (mood), content bytea);
CREATE TABLE empty (id int PRIMARY KEY, parent_id int REFERENCES parent (id));
INSERT INTO parent VALUES
  (1, 'one', 'calm', '{a,"b c"}', '1 day 02:03:04', '10.0.0.1', '{"n": 1}'),
  (2, 'two', 'cross', NULL, NULL, NULL, 'no json'),
  (3, 'three', NULL, '{}', NULL, NULL, NULL);
INSERT INTO child SELECT n, 1, 'two' FROM generate_series(1, 150) n;
INSERT INTO child VALUES (151, 2, NULL);
INSERT INTO link VALUES (1, 1, 2), (2, 1, 2), (3, 1, 3), (4, 2, 2);
INSERT INTO mood_note VALUES ('calm', 'a'), ('cross', 'b');
INSERT INTO mood_log VALUES ('cross', '\\x00'), ('cross', '\\x01');
INSERT INTO "odd "" one" VALUES (1, 2, 'x'), (1, 3, NULL);
`;

const mappings: Readonly<Record<string, string>> = {
  parent: `
dataclass: Parent
table: public.parent
stamp: hash
attributes:
  ID: id
  code: code
  mood: mood
  tags: tags
  span: span
  address: address
  data: { column: json_tx, type: object }
relations:
  children: { inverse: Child.parent }
  byCode: { inverse: Child.parentByCode }
  links: { inverse: Link.from }
  others: { through: [links, to] }
`,
  child: `
dataclass: Child
table: public.child
stamp: hash
attributes: { ID: id }
relations:
  parent: { to: Parent, foreignKey: child_parent_id_fkey }
  parentByCode: { to: Parent, foreignKey: child_parent_code_fkey }
`,
  link: `
dataclass: Link
table: public.link
stamp: hash
attributes: { ID: id }
relations:
  from: { to: Parent, foreignKey: link_from_id_fkey }
  to: { to: Parent, foreignKey: link_to_id_fkey }
`,
  odd: `table: { schema: public, name: 'odd " one' }\n`,
  empty: `table: public.empty\n`,
  mood_note: `
dataclass: MoodNote
table: public.mood_note
attributes: { mood: mood, note: note }
relations: { logs: { inverse: MoodLog.noted } }
`,
  mood_log: `
dataclass: MoodLog
table: public.mood_log
attributes: { content: content }
relations: { noted: { to: MoodNote, foreignKey: mood_log_mood_fkey } }
`,
};

interface Nested {
  readonly __COUNT: number;
  readonly __SENT: number;
  readonly __ENTITIES: readonly { readonly ID: number }[];
}

/** Shapes that the sample database does not have. */
describe('a schema of odd shapes', () => {
  let folder: string;
  let gateway: Gateway;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'entitygate-shapes-'));
    await mkdir(join(folder, 'mappings'));
    await writeFile(join(folder, 'seed.sql'), schema);
    for (const [name, text] of Object.entries(mappings)) {
      await writeFile(join(folder, 'mappings', `${name}.yaml`), text);
    }
    gateway = await startGateway(
      {
        engine: 'pglite',
        statementTimeoutSeconds: 30,
        directory: 'memory:',
        seed: join(folder, 'seed.sql'),
      },
      { mappings: join(folder, 'mappings') },
    );
  });
  afterAll(async () => {
    await gateway.close();
    await rm(folder, { recursive: true });
  });

  async function body(url: string): Promise<unknown> {
    const answer = await gateway.get(url);
    expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.any(String)]);
    return answer.body;
  }

  test('of an expanded relation the first 100 are answered, in key order, and all are counted', async () => {
    const { children } = (await body('/rest/Parent(1)?$attributes=children.ID')) as {
      children: Nested;
    };
    expect([children.__COUNT, children.__SENT]).toEqual([150, 100]);
    expect(children.__ENTITIES.map(({ ID }) => ID)).toEqual(
      Array.from({ length: 100 }, (_, index) => index + 1),
    );
  });

  test('each parent has its own hundred', async () => {
    const { __ENTITIES: parents } = (await body('/rest/Parent?$attributes=children.ID')) as {
      __ENTITIES: readonly { readonly children: Nested }[];
    };
    expect(parents.map(({ children }) => [children.__COUNT, children.__SENT])).toEqual([
      [150, 100],
      [1, 1],
      [0, 0],
    ]);
  });

  test('a foreign key to a unique column that is not a key leads both ways', async () => {
    expect(await body('/rest/Child(7)?$attributes=parentByCode')).toMatchObject({
      parentByCode: { __deferred: { uri: '/rest/Parent(2)', __KEY: '2' } },
    });
    expect(await body('/rest/Child(7)?$attributes=parent.code,parentByCode.code')).toMatchObject({
      parent: { __KEY: '1', code: 'one' },
      parentByCode: { __KEY: '2', code: 'two' },
    });
    expect(await body('/rest/Parent(2)/byCode?$top=0')).toMatchObject({ __COUNT: 150 });
    expect(await body('/rest/Child(151)/parentByCode')).toBeNull();
  });

  test('an entity that several links lead to is related once', async () => {
    const expected = [{ code: 'two' }, { code: 'three' }];
    expect(await body('/rest/Parent(1)?$attributes=others.code')).toMatchObject({
      others: { __COUNT: 2, __SENT: 2, __ENTITIES: expected },
    });
    expect(await body('/rest/Parent(1)/others')).toMatchObject({
      __COUNT: 2,
      __ENTITIES: expected,
    });
  });

  test('types that JSON has no word for are text, and can be compared as text', async () => {
    expect(await body('/rest/Parent(1)?$attributes=mood,tags,span,address,data')).toMatchObject({
      mood: 'calm',
      tags: ['a', 'b c'],
      span: 'P1DT2H3M4S',
      address: '10.0.0.1',
      data: { n: 1 },
    });
    expect(await body('/rest/Parent?$filter=mood=cross&$attributes=ID')).toMatchObject({
      __COUNT: 1,
      __ENTITIES: [{ ID: 2 }],
    });
  });

  test('text that is not JSON fails neither the answer nor a filter', async () => {
    expect(await body('/rest/Parent(2)?$attributes=data')).toMatchObject({ data: 'no json' });
    expect(await body('/rest/Parent?$filter=data.n=1&$attributes=ID')).toMatchObject({
      __COUNT: 1,
      __ENTITIES: [{ ID: 1 }],
    });
  });

  test('derived names and keys serve names with quotes, blanks and brackets', async () => {
    expect(await body('/rest/OddOne(1;3)')).toMatchObject({
      __KEY: '{"aB":1,"cD":3}',
      aB: 1,
      cD: 3,
      qQ: null,
    });
  });

  test('a key of a type that is text to clients leads to what refers to it, ordered or not', async () => {
    expect(await body('/rest/MoodNote?$attributes=note,logs.content')).toMatchObject({
      __ENTITIES: [
        { __KEY: 'calm', note: 'a', logs: { __COUNT: 0 } },
        { __KEY: 'cross', note: 'b', logs: { __COUNT: 2, __SENT: 2 } },
      ],
    });
  });

  test('an empty table is an empty collection', async () => {
    expect(await body('/rest/Empty')).toEqual({
      __DATACLASS: 'Empty',
      __entityModel: 'Empty',
      __GlobalStamp: expect.any(Number),
      __COUNT: 0,
      __FIRST: 0,
      __ENTITIES: [],
      __SENT: 0,
    });
  });
});
