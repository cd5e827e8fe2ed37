import type { Shape } from './engines.ts';

/** A key, and the type of a column that refers to it. */
export interface LinkedTypes {
  readonly name: string;
  /** The types in both languages. */
  readonly key: string;
  readonly reference: string;
  /** A value that both types have, as the key's `__KEY` and as the column holds it. */
  readonly held: readonly [key: string, value: unknown];
  /** Another such value, given to the key of a new entity. */
  readonly next: readonly [given: unknown, key: string, value: unknown];
  /** The `__KEY` of a value that the key's type alone has, what the column would have held, and the status of the refusal; null where there is none. */
  readonly beyond: readonly [key: string, expected: string, status: number] | null;
}

const INTEGER = 'a whole number from -2147483648 to 2147483647';

/** Pairs of types that one value is written in differently. */
export const linkedTypes: readonly LinkedTypes[] = [
  {
    name: 'A',
    key: 'decimal(8, 2)',
    reference: 'int',
    held: ['1.00', 1],
    next: [8, '8.00', 8],
    beyond: ['2.50', INTEGER, 400],
  },
  {
    name: 'B',
    key: 'int',
    reference: 'decimal(8, 2)',
    held: ['1', 1],
    next: [8, '8', 8],
    beyond: ['2000000', 'a number of at most 6 digits before its point', 422],
  },
  {
    name: 'C',
    key: 'bigint',
    reference: 'smallint',
    held: ['1', 1],
    next: [8, '8', 8],
    beyond: ['100000', 'a whole number from -32768 to 32767', 422],
  },
  {
    name: 'D',
    key: 'decimal(10, 4)',
    reference: 'decimal(6, 2)',
    held: ['1.5000', 1.5],
    next: [8.25, '8.2500', 8.25],
    beyond: ['2.5050', 'a number of at most 2 decimals', 422],
  },
  {
    name: 'E',
    key: 'decimal(6, 2)',
    reference: 'decimal(10, 4)',
    held: ['1.50', 1.5],
    next: [8.25, '8.25', 8.25],
    beyond: null,
  },
  {
    name: 'F',
    key: 'double precision',
    reference: 'decimal(6, 2)',
    held: ['1.5', 1.5],
    next: [8.25, '8.25', 8.25],
    beyond: ['2.505', 'a number of at most 2 decimals', 422],
  },
  {
    name: 'G',
    key: 'char(8)',
    reference: 'varchar(4)',
    held: ['AB', 'AB'],
    next: ['XY', 'XY', 'XY'],
    beyond: null,
  },
  {
    name: 'H',
    key: 'varchar(8)',
    reference: 'char(4)',
    held: ['AB', 'AB  '],
    next: ['XY', 'XY', 'XY  '],
    beyond: null,
  },
  {
    name: 'I',
    key: 'char(8)',
    reference: 'char(4)',
    held: ['AB', 'AB  '],
    next: ['XY', 'XY', 'XY  '],
    beyond: null,
  },
];

function statements({ name, key, reference, held, beyond }: LinkedTypes): string[] {
  const literal = (text: string): string => (key.includes('char') ? `'${text}'` : text);
  const keys = [held[0], ...(beyond === null ? [] : [beyond[0]])];
  return [
    `CREATE TABLE app.key_${name.toLowerCase()} (id ${key} NOT NULL PRIMARY KEY, name varchar(20) NULL)`,
    `CREATE TABLE app.ref_${name.toLowerCase()} (id int NOT NULL PRIMARY KEY, ref ${reference} NULL)`,
    `INSERT INTO app.key_${name.toLowerCase()} (id) VALUES ${keys.map((text) => `(${literal(text)})`).join(', ')}`,
    `INSERT INTO app.ref_${name.toLowerCase()} VALUES (1, ${literal(held[0])}), (2, NULL)`,
  ];
}

const all = linkedTypes.flatMap(statements);

export const shape: Shape = {
  postgres: ['CREATE SCHEMA app', ...all].join(';\n'),
  sqlserver: ['CREATE SCHEMA app', ...all],
  mappings: Object.fromEntries(
    linkedTypes.flatMap(({ name }) => {
      const table = (text: string): string => `${text}_${name.toLowerCase()}`;
      return [
        [
          `key${name}`,
          `dataclass: Key${name}\ntable: app.${table('key')}\nstamp: hash\nattributes: { ID: id, name: name }\nrelations: { refs: { inverse: Ref${name}.to } }\n`,
        ],
        [
          `ref${name}`,
          `dataclass: Ref${name}\ntable: app.${table('ref')}\nstamp: hash\nattributes: { ID: id, ref: ref }\nrelations: { to: { to: Key${name}, columns: { ref: id } } }\n`,
        ],
      ];
    }),
  ),
};
