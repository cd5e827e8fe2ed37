import { expect, test } from 'vitest';
import { mapped, type Served, type Shape } from './engines.ts';

/** What the sample database does not have: foreign keys to no key, links, types of PostgreSQL's own, and names with quotes. */
export const shape: Shape = {
  postgres: `
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
CREATE VIEW numbered AS SELECT id, code::text::int AS number FROM parent;
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
`,
  sqlserver: [],
  mappings: mapped(`
parent: {dataclass: Parent, table: public.parent, stamp: hash, attributes: {ID: id, code: code, mood: mood, tags: tags, span: span,
  address: address, data: {column: json_tx, type: object}}, relations: {children: {inverse: Child.parent}, byCode: {inverse: Child.parentByCode},
  links: {inverse: Link.from}, others: {through: [links, to]}}}
child: {dataclass: Child, table: public.child, stamp: hash, attributes: {ID: id}, relations: {parent: {to: Parent,
  foreignKey: child_parent_id_fkey}, parentByCode: {to: Parent, foreignKey: child_parent_code_fkey}}}
link: {dataclass: Link, table: public.link, stamp: hash, attributes: {ID: id}, relations: {from: {to: Parent, foreignKey: link_from_id_fkey},
  to: {to: Parent, foreignKey: link_to_id_fkey}}}
odd: {table: {schema: public, name: odd " one}}
empty: {table: public.empty}
numbered: {dataclass: Numbered, view: public.numbered, key: [id]}
mood_note: {dataclass: MoodNote, table: public.mood_note, attributes: {mood: mood, note: note}, relations: {logs: {inverse: MoodLog.noted}}}
mood_log: {dataclass: MoodLog, table: public.mood_log, attributes: {content: content}, relations: {noted: {to: MoodNote,
  foreignKey: mood_log_mood_fkey}}}
`),
};

/** How much of a long list an expanded relation has. */
export function expandedRelation(served: Served): void {
  test('an expanded relation has the first 100, in key order, and all are counted', async () => {
    const first = Array.from({ length: 100 }, (_, index) => ({ ID: index + 1 }));
    expect(await served.get('Parent(1)?$attributes=children.ID')).toMatchObject([
      200,
      { children: { __COUNT: 150, __SENT: 100, __ENTITIES: first } },
    ]);
  });
}
