import { openDatabase } from '../../../../src/app.ts';
import type { Config } from '../../../../src/config/config.ts';
import { inBothLanguages } from '../../../integration/shapes/languages.ts';
import { rows } from '../../../rows.ts';
import { openSchema } from '../../../targets/schema.ts';
import type { OpenTarget } from '../../../targets/target.ts';

/** What is measured on. */
export type Engine = Config['database']['engine'];

/** How many rows tables have that are written; there are three lines for each employee. */
export const ROWS = { employee: 20_000, orderLine: 60_000 } as const;

/** Grades and sites come round: each has every fortieth employee. */
export const GRADES = 40;

const LINE = rows`
  id          | int NOT NULL PRIMARY KEY | n
  employee_id | int NOT NULL             | (n - 1) / 3 + 1
  product     | varchar(40) NOT NULL     | CONCAT('Product ', n % 700)
  quantity    | int NOT NULL             | n % 20 + 1
  price       | decimal(12,2)            | (n % 500) + 0.75
  ver         | int NOT NULL             | 1
`;

/** The wide table's types take turns, so that a row is 38 values of all kinds between its key and its version. */
const WIDE = rows`
  int           | (n * 7) % 100000
  varchar(40)   | CONCAT('Some text of row ', n)
  decimal(12,2) | (n % 90000) + 0.01
  FLAG_TYPE     | SOME_FLAG
  date          | SOME_DAY
  varchar(20)   | CASE WHEN n % 4 = 0 THEN NULL ELSE CONCAT('C-', n % 1000) END
`;

/**
 * The tables: how many rows each has, its columns with their types and what each holds in row `n`, and what its columns refer to. Decimals end in a digit that
 * is not 0, so that a number of JavaScript is printed as the database prints it.
 */
const TABLES: Readonly<
  Record<string, readonly [count: number, columns: readonly string[][], ...keys: string[]]>
> = {
  company: [
    500,
    rows`
      id      | int NOT NULL PRIMARY KEY | n
      name    | varchar(60) NOT NULL     | CONCAT('Company "', n, '" & Sons')
      city    | varchar(40) NOT NULL     | CONCAT('City ', n % 10)
      credit  | decimal(12,2)            | CASE WHEN n % 7 = 0 THEN NULL ELSE n + 0.25 END
      founded | date                     | SOME_DAY
      ver     | int NOT NULL             | 1
    `,
  ],
  employee: [
    ROWS.employee,
    rows`
      id         | int NOT NULL PRIMARY KEY | n
      first_name | varchar(40) NOT NULL     | CONCAT('First', n % 300)
      last_name  | varchar(40) NOT NULL     | CONCAT('Last', n % 2000)
      grade      | int                      | n % ${String(GRADES)}
      salary     | decimal(12,2)            | (n % 9000) + 1000.25
      hired      | date                     | SOME_DAY
      active     | FLAG_TYPE NOT NULL       | SOME_FLAG
      site       | varchar(20) NOT NULL     | CONCAT('Site ', n % 40)
      company_id | int NOT NULL             | n % 500 + 1
      ver        | int NOT NULL             | 1
    `,
    'company_id company',
  ],
  order_line: [ROWS.orderLine, LINE, 'employee_id employee'],
  // What is inserted while it is measured.
  entry: [0, LINE, 'employee_id employee'],
  // As legacy tables are: no version, and the names of what it refers to elsewhere.
  article: [
    3500,
    rows`
      id        | int NOT NULL PRIMARY KEY | n
      code      | varchar(20) NOT NULL     | CONCAT('A-', n)
      title     | varchar(80)              | CASE WHEN n % 9 = 0 THEN NULL ELSE CONCAT('Article ', n) END
      price     | decimal(12,2)            | (n % 900) + 0.25
      listed    | date                     | SOME_DAY
      active    | FLAG_TYPE NOT NULL       | SOME_FLAG
      maker_id  | int NOT NULL             | n % 500 + 1
      seller_id | int NOT NULL             | n % 7 + 1
      buyer_id  | int NOT NULL             | n % 20000 + 1
    `,
    ...['maker_id company', 'seller_id company', 'buyer_id employee'],
  ],
  wide: [
    20_000,
    [
      ['id', 'int NOT NULL PRIMARY KEY', 'n'],
      ...Array.from({ length: 38 }, (_, at) => [
        `c${String(at + 1).padStart(2, '0')}`,
        ...(WIDE[at % WIDE.length] ?? []),
      ]),
      ['ver', 'int NOT NULL', '1'],
    ],
  ],
};

const statements = Object.entries(TABLES).flatMap(([name, [count, columns, ...keys]]) => [
  `CREATE TABLE app.${name} (${[
    ...columns.map(([column, type]) => `${column} ${type}`),
    ...keys.map((key) => {
      const [column, to] = key.split(' ');
      return `CONSTRAINT ${name}_${column} FOREIGN KEY (${column}) REFERENCES app.${to} (id)`;
    }),
  ].join(', ')})`,
  `INSERT INTO app.${name} SELECT ${columns.map(([column, , value]) => `${value} AS ${column}`).join(', ')} FROM ALL_NUMBERS WHERE n <= ${count}`,
]);

const indexes = ['employee company_id', 'employee last_name', 'employee site'].concat(
  'order_line employee_id',
);

const digits = [1, 10, 100, 1000, 10_000].map((weight) => ({ weight, name: `d${weight}` }));
const ten = `(VALUES ${Array.from({ length: 10 }, (_, digit) => `(${digit})`).join(', ')})`;
const sum = digits.map(({ weight, name }) => `${name}.d * ${weight}`).join(' + ');
const product = digits.map(({ name }) => `${ten} AS ${name}(d)`).join(' CROSS JOIN ');

/** Numbers `n` from 1 to 100,000, and of each one of 9,000 days from 2000 on, and whether it is no multiple of three. */
const schema = inBothLanguages(
  [
    ...statements,
    ...indexes.map((index) => {
      const [name, column] = index.split(' ');
      return `CREATE INDEX ix_${name}_${column} ON app.${name} (${column})`;
    }),
  ],
  {
    ALL_NUMBERS: [
      'generate_series(1, 100000) AS x(n)',
      `(SELECT 1 + ${sum} AS n FROM ${product}) AS x`,
    ],
    SOME_FLAG: ['(n % 3 <> 0)', 'CASE WHEN n % 3 <> 0 THEN 1 ELSE 0 END'],
    SOME_DAY: [
      "DATE '2000-01-01' + CAST(n % 9000 AS int)",
      "DATEADD(day, n % 9000, CAST('20000101' AS date))",
    ],
  },
);

/** A database that says what it is: its name and number. */
export type VersionedTarget = OpenTarget & { readonly version: string };

/**
 * Makes a database of its own on a server, which is dropped by `close`; of PGlite the script that each process fills its own one by.
 * @param folder for the script
 */
export async function openData(engine: Engine, folder: string): Promise<VersionedTarget> {
  const postgres = `${schema.postgres};\nANALYZE;\n`;
  const opened = await openSchema(engine, { ...schema, postgres }, folder);
  if (engine === 'pglite') return { ...opened, version: 'PGlite' };
  const { database } = opened;
  const asked = { database, timeZone: 'UTC', bigNumbersAsStrings: false } as Config;
  const open = await openDatabase(asked);
  const [version = open.version] = /^\S+(?: \S+)? [\d.]+/.exec(open.version) ?? [];
  await open.close();
  return { ...opened, version };
}
