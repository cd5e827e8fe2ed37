import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDatabase } from '../../../../src/app.ts';
import type { Config } from '../../../../src/config/config.ts';
import { openPostgresDatabase } from '../../../targets/postgres.ts';
import { openSqlServerDatabase } from '../../../targets/sqlserver.ts';
import type { OpenTarget } from '../../../targets/target.ts';

/** What is measured on. */
export type Engine = Config['database']['engine'];

/** How many rows each table has; those of `orderLine` are three for each employee. */
export const ROWS = {
  company: 500,
  employee: 20_000,
  wide: 20_000,
  orderLine: 60_000,
  article: 3500,
} as const;

/** Grades and sites come round: each has every fortieth employee. */
export const GRADES = 40;
const SITES = 40;

/**
 * A table: its columns with their types, `{…}` where the dialects differ, and what each holds in row `n`. Decimals end in a digit that is not 0, so
 * that a number of JavaScript is printed as the database prints it.
 */
interface Table {
  readonly rows: number;
  readonly columns: readonly (readonly [name: string, type: string, value: string])[];
  readonly constraints: readonly string[];
}

/** The wide table's types take turns, so that a row is 38 values of all kinds between its key and its version. */
const wideKinds: readonly (readonly [type: string, value: string])[] = [
  ['int', '(n * 7) % 100000'],
  ['varchar(40)', "CONCAT('Some text of row ', n)"],
  ['decimal(12,2)', '(n % 90000) + 0.01'],
  ['{bool}', '{(n % 3)}'],
  ['date', '{day}'],
  ['varchar(20)', "CASE WHEN n % 4 = 0 THEN NULL ELSE CONCAT('C-', n % 1000) END"],
];

const wideColumns = Array.from({ length: 38 }, (_, index) => {
  const [type, value] = wideKinds[index % wideKinds.length] ?? ['int', 'n'];
  return [`c${String(index + 1).padStart(2, '0')}`, type, value] as const;
});

const lineColumns = [
  ['id', 'int NOT NULL PRIMARY KEY', 'n'],
  ['employee_id', 'int NOT NULL', '(n - 1) / 3 + 1'],
  ['product', 'varchar(40) NOT NULL', "CONCAT('Product ', n % 700)"],
  ['quantity', 'int NOT NULL', 'n % 20 + 1'],
  ['price', 'decimal(12,2)', '(n % 500) + 0.75'],
  ['ver', 'int NOT NULL', '1'],
] as const;

const tables: Readonly<Record<string, Table>> = {
  company: {
    rows: ROWS.company,
    columns: [
      ['id', 'int NOT NULL PRIMARY KEY', 'n'],
      ['name', 'varchar(60) NOT NULL', "CONCAT('Company \"', n, '\" & Sons')"],
      ['city', 'varchar(40) NOT NULL', `CONCAT('City ', n % 10)`],
      ['credit', 'decimal(12,2)', 'CASE WHEN n % 7 = 0 THEN NULL ELSE n + 0.25 END'],
      ['founded', 'date', '{day}'],
      ['ver', 'int NOT NULL', '1'],
    ],
    constraints: [],
  },
  employee: {
    rows: ROWS.employee,
    columns: [
      ['id', 'int NOT NULL PRIMARY KEY', 'n'],
      ['first_name', 'varchar(40) NOT NULL', "CONCAT('First', n % 300)"],
      ['last_name', 'varchar(40) NOT NULL', "CONCAT('Last', n % 2000)"],
      ['grade', 'int', `n % ${GRADES}`],
      ['salary', 'decimal(12,2)', '(n % 9000) + 1000.25'],
      ['hired', 'date', '{day}'],
      ['active', '{bool} NOT NULL', '{(n % 3)}'],
      ['site', 'varchar(20) NOT NULL', `CONCAT('Site ', n % ${SITES})`],
      ['company_id', 'int NOT NULL', `n % ${ROWS.company} + 1`],
      ['ver', 'int NOT NULL', '1'],
    ],
    constraints: [
      'CONSTRAINT fk_employee_company FOREIGN KEY (company_id) REFERENCES app.company (id)',
    ],
  },
  order_line: {
    rows: ROWS.orderLine,
    columns: lineColumns,
    constraints: [
      'CONSTRAINT fk_line_employee FOREIGN KEY (employee_id) REFERENCES app.employee (id)',
    ],
  },
  // What is inserted while it is measured.
  entry: {
    rows: 0,
    columns: lineColumns,
    constraints: [
      'CONSTRAINT fk_entry_employee FOREIGN KEY (employee_id) REFERENCES app.employee (id)',
    ],
  },
  // As legacy tables are: no version, and the names of what it refers to elsewhere.
  article: {
    rows: ROWS.article,
    columns: [
      ['id', 'int NOT NULL PRIMARY KEY', 'n'],
      ['code', 'varchar(20) NOT NULL', "CONCAT('A-', n)"],
      ['title', 'varchar(80)', "CASE WHEN n % 9 = 0 THEN NULL ELSE CONCAT('Article ', n) END"],
      ['price', 'decimal(12,2)', '(n % 900) + 0.25'],
      ['listed', 'date', '{day}'],
      ['active', '{bool} NOT NULL', '{(n % 3)}'],
      ['maker_id', 'int NOT NULL', `n % ${ROWS.company} + 1`],
      ['seller_id', 'int NOT NULL', `n % 7 + 1`],
      ['buyer_id', 'int NOT NULL', `n % ${ROWS.employee} + 1`],
    ],
    constraints: [
      'CONSTRAINT fk_article_maker FOREIGN KEY (maker_id) REFERENCES app.company (id)',
      'CONSTRAINT fk_article_seller FOREIGN KEY (seller_id) REFERENCES app.company (id)',
      'CONSTRAINT fk_article_buyer FOREIGN KEY (buyer_id) REFERENCES app.employee (id)',
    ],
  },
  wide: {
    rows: ROWS.wide,
    columns: [
      ['id', 'int NOT NULL PRIMARY KEY', 'n'],
      ...wideColumns,
      ['ver', 'int NOT NULL', '1'],
    ],
    constraints: [],
  },
};

/** What the dialects write differently. */
interface Dialect {
  readonly bool: string;
  /** Whether a number is not 0. */
  readonly isTrue: (value: string) => string;
  /** One of 9,000 days from 2000 on. */
  readonly day: string;
  /** A relation `x` with the numbers `n` from 1 on. */
  readonly numbers: (count: number) => string;
}

const postgres: Dialect = {
  bool: 'boolean',
  isTrue: (value) => `(${value} <> 0)`,
  day: "DATE '2000-01-01' + CAST(n % 9000 AS int)",
  numbers: (count) => `generate_series(1, ${count}) AS x(n)`,
};

const digits = [1, 10, 100, 1000, 10_000];

const sqlServer: Dialect = {
  bool: 'bit',
  isTrue: (value) => `CASE WHEN ${value} <> 0 THEN 1 ELSE 0 END`,
  day: "DATEADD(day, n % 9000, CAST('20000101' AS date))",
  numbers: (count) => {
    const ten = `(VALUES ${Array.from({ length: 10 }, (_, digit) => `(${digit})`).join(', ')})`;
    const sum = digits.map((weight, index) => `d${index}.d * ${weight}`).join(' + ');
    const from = digits.map((_, index) => `${ten} AS d${index}(d)`).join(' CROSS JOIN ');
    return `(SELECT 1 + ${sum} AS n FROM ${from}) AS x WHERE x.n <= ${count}`;
  },
};

function batches(dialect: Dialect): string[] {
  const said = (text: string): string =>
    text
      .replace('{bool}', dialect.bool)
      .replace('{day}', dialect.day)
      .replace(/\{(\(.*\))\}/, (_, value: string) => dialect.isTrue(value));
  const made = Object.entries(tables).flatMap(([name, { rows, columns, constraints }]) => {
    const columnList = columns.map(([column, type]) => `${column} ${said(type)}`);
    const values = columns.map(([column, , value]) => `${said(value)} AS ${column}`);
    return [
      `CREATE TABLE app.${name} (${[...columnList, ...constraints].join(', ')})`,
      `INSERT INTO app.${name} SELECT ${values.join(', ')} FROM ${dialect.numbers(rows)}`,
    ];
  });
  const indexes = [
    'CREATE INDEX ix_employee_company ON app.employee (company_id)',
    'CREATE INDEX ix_employee_name ON app.employee (last_name)',
    'CREATE INDEX ix_employee_site ON app.employee (site)',
    'CREATE INDEX ix_line_employee ON app.order_line (employee_id)',
  ];
  return ['CREATE SCHEMA app', ...made, ...indexes];
}

/** The script for PostgreSQL and PGlite. */
const postgresScript = `${[...batches(postgres), 'ANALYZE'].join(';\n')};\n`;

/** The batches for SQL Server. */
const sqlServerBatches: readonly string[] = batches(sqlServer);

/** A database that says what it is: its name and number. */
export type VersionedTarget = OpenTarget & { readonly version: string };

/**
 * Makes a database of its own on a server, which is dropped by `close`; of PGlite the script that each process fills its own one by.
 * @param folder for the script
 */
export async function openData(engine: Engine, folder: string): Promise<VersionedTarget> {
  switch (engine) {
    case 'postgres':
      return versioned(await openPostgresDatabase(postgresScript));
    case 'sqlserver':
      return versioned(await openSqlServerDatabase(() => sqlServerBatches));
    case 'pglite': {
      const seed = join(folder, 'seed.sql');
      await writeFile(seed, postgresScript);
      const directory = join(folder, 'data');
      const database = { engine, statementTimeoutSeconds: 30, directory, seed };
      return { database, close: () => Promise.resolve(), version: 'PGlite' };
    }
  }
}

async function versioned(opened: OpenTarget): Promise<VersionedTarget> {
  const { database } = opened;
  const asked = { database, timeZone: 'UTC', bigNumbersAsStrings: false } as Config;
  const open = await openDatabase(asked);
  const [version = open.version] = /^\S+(?: \S+)? [\d.]+/.exec(open.version) ?? [];
  await open.close();
  return { ...opened, version };
}
