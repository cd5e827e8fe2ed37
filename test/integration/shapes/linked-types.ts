import { rows } from '../../rows.ts';
import { mapped, type Shape } from './engines.ts';
import { inBothLanguages } from './languages.ts';

/** Keys, and columns that refer to them by a type in which one value is written differently; a value that both have, and one that the key's type alone has. */
const pairs = rows`
  A | decimal(8, 2)    | int           | 1.00   | 2.50
  B | int              | decimal(8, 2) | 1      | 2000000
  D | decimal(10, 4)   | decimal(6, 2) | 1.5000 | 2.5050
  F | double precision | decimal(6, 2) | 1.5    | 2.505
  G | char(8)          | varchar(4)    | 'AB'
  H | varchar(8)       | char(4)       | 'AB'
`;

const statements = pairs.flatMap(([name = '', key, reference, held, beyond = held]) => [
  `CREATE TABLE app.key_${name.toLowerCase()} (id ${key} NOT NULL PRIMARY KEY, name varchar(20) NULL)`,
  `CREATE TABLE app.ref_${name.toLowerCase()} (id int NOT NULL PRIMARY KEY, ref ${reference} NULL)`,
  `INSERT INTO app.key_${name.toLowerCase()} (id) VALUES (${held})${beyond === held ? '' : `, (${beyond})`}`,
  `INSERT INTO app.ref_${name.toLowerCase()} VALUES (1, ${held}), (2, NULL)`,
]);

const files = pairs.map(
  ([name = '']) => `
key${name}: {dataclass: Key${name}, table: app.key_${name.toLowerCase()}, stamp: hash, attributes: {ID: id, name: name},
  relations: {refs: {inverse: Ref${name}.to}}}
ref${name}: {dataclass: Ref${name}, table: app.ref_${name.toLowerCase()}, stamp: hash, attributes: {ID: id, ref: ref},
  relations: {to: {to: Key${name}, columns: {ref: id}}}}`,
);

export const shape: Shape = {
  ...inBothLanguages(statements),
  mappings: mapped(files.join('')),
};
