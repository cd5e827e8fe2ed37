import { rolesSetting } from '../../../src/config/settings/roles.ts';
import type { Shape } from './engines.ts';

/** The id of an employee and of a company whom the role and the mapping files hide. */
export const HIDDEN = { employee: 77, company: 28 } as const;

/** What the expressions of {@link raisingShape} are made of, in a row of which all of them raise, and in rows of which none does. */
export const CELLS = {
  raising: "rating = 0, amount = 2000000000, code = 'x'",
  harmless: "rating = 3, amount = 4, code = '5'",
  other: "rating = 5, amount = 1, code = '-2'",
} as const;

const tables = [
  'CREATE TABLE app.region (id int NOT NULL PRIMARY KEY, name varchar(10) NOT NULL)',
  `CREATE TABLE app.company (id int NOT NULL PRIMARY KEY, region_id int NOT NULL REFERENCES app.region (id), name varchar(20) NOT NULL,
    rating int NOT NULL, amount int NOT NULL, code varchar(10) NOT NULL)`,
  `CREATE TABLE app.employee (id int NOT NULL PRIMARY KEY, company_id int NULL REFERENCES app.company (id), boss_id int NULL, last_name varchar(20) NOT NULL,
    rating int NOT NULL, amount int NOT NULL, code varchar(10) NOT NULL)`,
  'CREATE INDEX ix_company_region ON app.company (region_id)',
  'CREATE INDEX ix_employee_company ON app.employee (company_id)',
  'CREATE INDEX ix_employee_boss ON app.employee (boss_id)',
  'CREATE INDEX ix_employee_name ON app.employee (last_name)',
  "INSERT INTO app.region VALUES (1, 'North'), (2, 'South')",
];

/** The cells of a row by its number, or by the name of one: companies with an even id are in the South. */
const company = (id: string): string =>
  `${id}, 2 - ${id} % 2, 'C', ${id} % 9 + 1, ${id} % 9, CASE ${id} % 2 WHEN 0 THEN '4' ELSE '7' END`;
const employee = (id: string, companies: number): string =>
  `${id}, ${id} % ${companies} + 1, CASE ${id} % 10 WHEN 0 THEN ${HIDDEN.employee} WHEN 2 THEN 2 END, CASE ${id} WHEN ${HIDDEN.employee} THEN 'Zorro' ELSE 'Abel' END,` +
  ` ${id} % 9 + 1, ${id} % 9, '12'`;

const numbered = (count: number, cells: (id: string) => string): string =>
  Array.from({ length: count }, (_, at) => `SELECT ${cells(String(at + 1))}`).join(' UNION ALL ');
const generated = (count: number, cells: (id: string) => string): string =>
  `SELECT ${cells('g')} FROM generate_series(1, ${count}) g`;

const rows = (list: typeof numbered, companies: number, employees: number): string[] => [
  `INSERT INTO app.company ${list(companies, company)}`,
  `INSERT INTO app.employee ${list(employees, (id) => employee(id, companies))}`,
];
const smallRows = rows(numbered, 50, 150);
const largeRows = rows(generated, 20_000, 100_000);

const computed =
  'inv: {sql: 100 / rating, type: long}, big: {sql: amount * 1000000, type: long64}, num: {sql: CAST(code AS int), type: long}';

/** @param where that of the mapping files */
const mappings = (where: readonly [company: string, employee: string]): Shape['mappings'] => ({
  region: `{dataclass: Region, table: app.region, attributes: {id: id, name: name}, relations: {companies: {inverse: Company.region}}}`,
  company: `{dataclass: Company, table: app.company, ${where[0]} attributes: {id: id, name: name, ${computed}},
  relations: {region: {to: Region, columns: {region_id: id}}, employees: {inverse: Employee.company}}}`,
  employee: `{dataclass: Employee, table: app.employee, ${where[1]} attributes: {id: id, lastName: last_name, rating: rating, ${computed},
  companyInv: company.inv}, relations: {company: {to: Company, columns: {company_id: id}}, boss: {to: Employee, columns: {boss_id: id}},
  reports: {inverse: boss}, colleagues: {through: [company, employees]}}}`,
});

const NORTH = { company: 'region.name = North', employee: 'company.region.name = North' } as const;

const postgres = (inserts: readonly string[]): string =>
  `CREATE SCHEMA app; ${[...tables, ...inserts, 'ANALYZE'].join(';\n')};`;

/** How {@link raisingShape} hides rows. */
export type HiddenBy = 'role' | 'mapping' | 'both' | 'what leads there';

/**
 * Rows of which expressions raise, hidden over relations: by a role, by mapping files, or by both, of which the role's filters compare what raises;
 * or rows that the role does not hide, but all that leads to them.
 */
export function raisingShape(by: HiddenBy, size: 'small' | 'large'): Shape {
  const all = { read: true, update: true, delete: true };
  const filters: Readonly<Record<HiddenBy, Readonly<Record<string, string>>>> = {
    role: NORTH,
    mapping: {},
    both: { company: 'inv > 0 and big >= 0', employee: 'inv > 0 and big >= 0' },
    'what leads there': { region: 'name = North', employee: NORTH.employee },
  };
  const where = (of: string): object => {
    const filter = filters[by][of];
    return filter === undefined ? {} : { where: filter };
  };
  return {
    postgres: postgres(size === 'small' ? smallRows : largeRows),
    sqlserver: size === 'small' ? ['CREATE SCHEMA app', ...tables, ...smallRows] : [],
    mappings: mappings(
      by === 'role' || by === 'what leads there'
        ? ['', '']
        : [`where: ${NORTH.company},`, `where: ${NORTH.employee},`],
    ),
    settings: {
      requireStamp: false,
      roles: rolesSetting.parse({
        clerk: {
          dataclasses: {
            Region: { read: true, ...where('region') },
            Company: { ...all, ...where('company') },
            Employee: { ...all, ...where('employee') },
          },
        },
      }),
      authentication: { anonymous: ['clerk'] },
    },
  };
}

/** Few rows, hidden by a role. */
export const smallByRole = raisingShape('role', 'small');
