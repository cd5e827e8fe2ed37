import { mapped, type Shape } from './engines.ts';

/** A table of the present, a table of the past that inherits from it and has its keys again, and a table that refers to the present. */
export const shape: Shape = {
  postgres: `
CREATE SCHEMA kin;
SET search_path TO kin;
CREATE TABLE tot (id int PRIMARY KEY, v text, n int CHECK (n < 100));
CREATE TABLE tot_old (closed date) INHERITS (tot);
CREATE TABLE tot_older () INHERITS (tot_old);
CREATE TABLE line (id int PRIMARY KEY, tot_id int REFERENCES tot);
INSERT INTO tot VALUES (1, 'one', 1), (5, 'now', 5), (6, 'six', 6);
INSERT INTO tot_old VALUES (5, 'old', 5, '2020-01-01'), (7, 'old', 7, NULL);
INSERT INTO tot_older VALUES (5, 'older', 5, NULL);
INSERT INTO line VALUES (1, 5), (2, 5), (3, 1);
`,
  sqlserver: [],
  mappings: mapped(`
tot: {dataclass: Tot, table: kin.tot, stamp: hash, requireStamp: false, attributes: {ID: id, v: v, n: n}, relations: {lines: {inverse: Line.tot}}}
line: {dataclass: Line, table: kin.line, stamp: hash, attributes: {ID: id}, relations: {tot: {to: Tot, foreignKey: line_tot_id_fkey}}}
old: {dataclass: Old, table: kin.tot_old, children: true, attributes: {ID: id, v: v, n: n}, relations: {}}
all: {dataclass: All, table: kin.tot, children: true, attributes: {ID: id, v: v, n: n}, relations: {}}
`),
};
