import { mapped, type Shape } from './engines.ts';

/** Names in a collation that tells neither upper from lower case nor a letter from its parts, and in one that folds ASCII alone. */
export const shape: Shape = {
  postgres: `
CREATE SCHEMA words;
SET search_path TO words;
CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE name (id int PRIMARY KEY, nm varchar(20) COLLATE loose, fixed char(8) COLLATE loose, plain text COLLATE "C");
INSERT INTO name VALUES (1, 'M\u00dcller', 'Ab', '\u00c9MILE \u03a3'), (2, E'mu\\u0308ller-L\u00fcdenscheidt', 'ABC', '\u00e9mile \u03c3'),
  (3, E'm\\u00adl\\u00fcmm', 'x', 'Emile'), (4, NULL, NULL, NULL), (5, '', '', '');
`,
  sqlserver: [],
  mappings: mapped(`
name: {dataclass: Name, table: words.name, stamp: hash, attributes: {ID: id, nm: nm, fixed: fixed, plain: {column: plain, ignoreCase: true},
  folded: {column: nm, ignoreCase: true}}, relations: {}}
`),
};
