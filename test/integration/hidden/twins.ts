import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mapped, type Shape } from '../shapes/engines.ts';
import { inBothLanguages } from '../shapes/languages.ts';
import { settingsIn, withKeys } from '../shapes/sample.ts';

const { apiKeys, users } = withKeys({
  admin: { roles: ['admin'] },
  clerk: { roles: ['clerk'], claims: { tenant: '1' } },
});
/** The headers of who sees everything, and of who has the role from which much is hidden. */
export const { admin = {}, clerk = {} } = users;

const tables = [
  `CREATE TABLE app.country (id int NOT NULL PRIMARY KEY, code varchar(4) NOT NULL CONSTRAINT uq_country UNIQUE, name varchar(20) NULL,
    tenant int DEFAULT 1 NOT NULL, ver int DEFAULT 1 NOT NULL)`,
  `CREATE TABLE app.person (id int NOT NULL PRIMARY KEY, email varchar(20) NOT NULL CONSTRAINT uq_email UNIQUE, name varchar(20) NULL, grade int NULL,
    salary int NULL, secret varchar(20) NULL, photo BYTES_TYPE NULL, details JSON_TYPE NULL, country_id int NULL, boss_id int NULL, deputy_id int NULL, mentor_id int NULL,
    tenant int DEFAULT 1 NOT NULL, ver int DEFAULT 1 NOT NULL, CONSTRAINT ck_grade CHECK (grade < 100),
    CONSTRAINT ck_salary CHECK (grade <> 77 OR salary < 500))`,
  `CREATE TABLE app.task (id int NOT NULL PRIMARY KEY, title varchar(20) NULL, owner_id int NULL CONSTRAINT fk_task_owner REFERENCES app.person (id),
    land varchar(4) NULL, ver int DEFAULT 1 NOT NULL)`,
  `CREATE TABLE app.member (person_id int NOT NULL, task_id int NOT NULL, duty varchar(10) NULL,
    tenant int DEFAULT 1 NOT NULL, PRIMARY KEY (person_id, task_id))`,
  'CREATE TABLE app.note (id int NOT NULL PRIMARY KEY, words varchar(20) NULL, picture BYTES_TYPE NULL, person_id int NULL, tenant int DEFAULT 1 NOT NULL)',
  `CREATE TABLE app.ledger (id int NOT NULL PRIMARY KEY, person_id int NOT NULL CONSTRAINT fk_ledger_person REFERENCES app.person (id),
    amount int NOT NULL)`,
  'CREATE TABLE app.tenant (id int NOT NULL PRIMARY KEY, kind varchar(10) NULL)',
  'CREATE TABLE app.draft (id int NOT NULL PRIMARY KEY, words varchar(20) NULL, person_id int NULL)',
  'CREATE TABLE app.tenancy (id int NOT NULL PRIMARY KEY, tenant int NOT NULL, still int NULL)',
  "INSERT INTO app.tenant VALUES (1, 'own'), (2, NULL)",
  'INSERT INTO app.tenancy VALUES (1, 1, 1), (2, 1, NULL), (3, 2, NULL)',
];

/** The rows that the role sees. Between what it sees of them stand cells that it does not: there the twins differ. */
function seenRows(isTwin: boolean): Readonly<Record<'country' | 'person' | 'others', string[]>> {
  const cell = (own: number | string | null, twins: number | string | null): string => {
    const value = isTwin ? twins : own;
    return typeof value === 'string' ? `'${value}'` : String(value);
  };
  const person = (seen: string, ...cells: readonly string[]): string =>
    `INSERT INTO app.person (id, email, name, grade, mentor_id, country_id, salary, secret, boss_id, deputy_id, details) VALUES (${[seen, ...cells, cell(4, 1), cell('{"a":1}', null)].join(', ')})`;
  return {
    country: [
      "INSERT INTO app.country (id, code, name) VALUES (1, 'FR', 'France'), (3, 'XX', NULL), (6, 'IT', 'Italy')",
    ],
    // A foreign key whose number nobody sees is null where there is nothing that it leads to.
    person: [
      person("1, 'ann@x', 'Ann', 3, NULL", '1', cell(900, 10), cell('a', null), cell(null, 4)),
      person("3, 'cal@x', 'Cal', 1, 2", cell(2, null), cell(10, 900), cell('b', 'z'), cell(2, 1)),
      person("4, 'dee@x', 'Dee', NULL, 1", '3', cell(null, 55), cell('c', 'a'), cell(1, null)),
      person("6, 'eve@x', 'Eve', 7, 5", '6', cell(70, null), cell(null, 'b'), cell(5, 3)),
      person("8, 'ned@x', 'Ned', 7, 3", '1', cell(80, 80), cell('d', 'd'), cell(3, 3)),
    ],
    others: [
      `INSERT INTO app.task (id, title, owner_id, land) VALUES (1, 'a', 1, 'FR'), (2, 'b', ${cell(2, null)}, 'SU'), (3, 'c', NULL, NULL),` +
        ` (4, 'd', ${cell(5, null)}, 'XX'), (5, NULL, 4, 'ZZ')`,
      "INSERT INTO app.member (person_id, task_id, duty) VALUES (1, 1, 'x'), (2, 1, 'y'), (4, 1, NULL), (4, 2, 'x'), (5, 2, 'z'), (6, 4, 'y')",
      "INSERT INTO app.note (id, words, person_id) VALUES (1, 'one', 1), (3, 'three', 2), (4, NULL, 1), (7, 'seven', 6), (9, 'nine', NULL)",
    ],
  };
}

/** What the twin does not have. */
const hiddenRows = {
  country: [
    "INSERT INTO app.country (id, code, name, tenant) VALUES (2, 'SU', 'Union', 2), (5, 'ZZ', 'Zed', 2)",
  ],
  person: [
    `INSERT INTO app.person (id, email, name, grade, salary, secret, country_id, boss_id, mentor_id, tenant) VALUES
    (2, 'ben@x', 'Ben', 2, 1, 'h', 1, 1, 1, 2), (5, 'bob@x', 'Bob', 5, 2, 'i', 2, 2, 3, 2), (7, 'zed@x', 'Zed', 9, 3, 'j', 5, 6, 2, 2)`,
  ],
  others: [
    "INSERT INTO app.member (person_id, task_id, duty, tenant) VALUES (3, 1, 'q', 2), (1, 2, 'x', 2), (2, 3, 'x', 2), (6, 3, 'r', 2)",
    "INSERT INTO app.note (id, words, person_id, tenant) VALUES (2, 'two', 1, 2), (5, 'five', 3, 2), (6, 'one', 1, 2), (8, 'away', 4, 2)",
    'INSERT INTO app.ledger VALUES (1, 2, 10), (2, 5, 20), (3, 7, 30)',
    "INSERT INTO app.draft VALUES (1, 'one', 1), (2, NULL, 2)",
  ],
};

/** The rows of both that nobody sees who has the role, as SQL. */
export const unseen: Readonly<Record<string, string>> = {
  country: 'SELECT id, code, name, ver FROM app.country WHERE tenant = 2 ORDER BY id',
  person:
    'SELECT id, email, name, grade, salary, secret, country_id, boss_id, mentor_id, ver FROM app.person WHERE tenant = 2 ORDER BY id',
  member:
    'SELECT person_id, task_id, duty FROM app.member WHERE tenant = 2 ORDER BY person_id, task_id',
  note: 'SELECT id, words, person_id FROM app.note WHERE tenant = 2 ORDER BY id',
  ledger: 'SELECT id, person_id, amount FROM app.ledger ORDER BY id',
  draft: 'SELECT id, words, person_id FROM app.draft ORDER BY id',
};

const mappings = {
  country: `{ dataclass: Country, table: app.country, stamp: { counter: ver }, attributes: { id: id, code: code, name: name, tenant: { column: tenant } },
  relations: { people: { inverse: Person.country }, tasks: { inverse: Task.place }, tenantOf: { to: Tenant, columns: { tenant: id } } } }`,
  person: `
dataclass: Person
description: People.
table: app.person
stamp: { counter: ver }
attributes:
  id: id
  email: email
  name: name
  grade: { column: grade, description: From 1 to 9. }
  mentorId: mentor_id
  double: { sql: grade * 2, type: long }
  share: { sql: 100 / (grade - 9), type: long }
  countryCode: country.code
  mentorName: mentor.name
  salary: { column: salary }
  secret: { column: secret, description: A secret word. }
  photo: { column: photo }
  details: { column: details, type: object }
  bossId: { column: boss_id }
  tenant: { column: tenant }
  yearly: { sql: salary * 12, type: long, description: The salary of a year. }
  bossName: boss.name
  deputyName: deputy.name
relations:
  country: { to: Country, columns: { country_id: id } }
  mentor: { to: Person, columns: { mentor_id: id } }
  mentored: { inverse: mentor }
  boss: { to: Person, columns: { boss_id: id }, description: The boss. }
  reports: { inverse: boss }
  deputy: { to: Person, columns: { deputy_id: id } }
  deputed: { inverse: deputy }
  owned: { inverse: Task.owner }
  memberships: { inverse: Member.person }
  tasks: { through: [memberships, task] }
  notes: { inverse: Note.person }
  ledgers: { inverse: Ledger.person }
  debtors: { through: [ledgers, person] }
  drafts: { inverse: Draft.person }
`,
  task: `{ dataclass: Task, table: app.task, stamp: { counter: ver },
  attributes: { id: id, title: title, land: land, ownerName: owner.name, ownerCountry: owner.country.code },
  relations: { owner: { to: Person, columns: { owner_id: id } }, place: { to: Country, columns: { land: code } }, members: { inverse: Member.task },
    people: { through: [members, person] } } }`,
  member: `{ dataclass: Member, table: app.member, stamp: hash,
  attributes: { personId: person_id, taskId: task_id, duty: duty, tenant: { column: tenant } },
  relations: { person: { to: Person, columns: { person_id: id } }, task: { to: Task, columns: { task_id: id } },
    tenantOf: { to: Tenant, columns: { tenant: id } } } }`,
  note: `{ dataclass: Note, table: app.note, stamp: hash, attributes: { id: id, words: words, picture: picture, tenant: { column: tenant } },
  relations: { person: { to: Person, columns: { person_id: id } } } }`,
  draft: `{ dataclass: Draft, table: app.draft, stamp: hash, attributes: { id: id, words: words },
  relations: { person: { to: Person, columns: { person_id: id } } } }`,
  tenant: `{ dataclass: Tenant, table: app.tenant, attributes: { id: id, kind: { column: kind, exposed: false } },
  relations: { tenancies: { inverse: Tenancy.tenantOf } } }`,
  tenancy: `{ dataclass: Tenancy, table: app.tenancy, attributes: { id: id, still: still },
  relations: { tenantOf: { to: Tenant, columns: { tenant: id } } } }`,
  ledger: `{ dataclass: Ledger, description: The ledger., table: app.ledger, stamp: hash, attributes: { id: id, amount: amount },
  relations: { person: { to: Person, columns: { person_id: id } } } }`,
};

const HIDDEN = ['tenant', 'salary', 'secret', 'photo', 'details', 'bossId'];

/** The mapping files as they are where what is hidden is not there. */
function withoutHidden(text: string): string {
  return text
    .replace(/^ {2}(?:yearly|bossName|boss|reports|deput\w+|ledgers|debtors): .*\n/gm, '')
    .replace(
      new RegExp(`\\b(${HIDDEN.join('|')}): \\{ column: (\\w+)[^}]* \\}`, 'g'),
      '$1: { column: $2, exposed: false }',
    );
}

function settingsOf(isTwin: boolean): NonNullable<Shape['settings']> {
  const hide = (...names: string[]): object =>
    isTwin ? {} : { attributes: Object.fromEntries(names.map((name) => [name, 'hidden'])) };
  const all = { read: true, create: true, update: true, delete: true };
  const settings = settingsIn({
    mcp: { enabled: true, maxAnswerBytes: 1_048_576, write: true },
    authentication: { apiKeys },
    roles: {
      clerk: {
        mcp: 'write',
        dataclasses: {
          // Over dataclasses that the role does not see.
          Country: { ...all, where: 'tenantOf.tenancies.still = 1', ...hide('tenant') },
          Person: {
            ...all,
            update: 'grade = null or grade < 90',
            delete: 'name != Ann',
            // Dearer than what requests ask for, which engines may then look at first.
            where: 'tenant = $claims.tenant or tenant > 100 or (tenant = 50 and email = @q@)',
            ...hide(...HIDDEN, 'deputy'),
          },
          Task: all,
          Member: {
            ...all,
            where: 'not (tenantOf.kind != own or tenantOf.kind is null)',
            ...hide('tenant'),
          },
          Note: {
            ...all,
            where: 'tenant = 1 and (words = null or words != away)',
            ...hide('tenant'),
          },
          // Without its claim, a filter finds nothing at once.
          Draft: {
            ...all,
            where: 'person.name IN $claims.nowhere or not (person.id = $claims.nobody)',
          },
        },
      },
    },
  });
  return {
    ...settings,
    stampSecret: 'the same for both of them, and long enough',
    requireStamp: false,
  };
}

/** Report files by name: of what the role sees, and of what is hidden. */
const reports = mapped(`
seen-countries: {title: It, dataclass: Person, groupby: countryCode, aggregate: count(owned)}
seen-grades: {title: It, dataclass: Person, groupby: grade, filter: country.name = "France"}
ledger: {title: It, dataclass: Ledger}
by-boss: {title: It, dataclass: Person, groupby: boss.name}
amounts: {title: It, dataclass: Person, aggregate: count(ledgers)}
secrets: {title: It, dataclass: Person, groupby: grade, having: distinct(secret) > 1}
salaries: {title: It, dataclass: Person, groupby: grade, orderby: max(salary)}
yearly: {title: It, dataclass: Person, filter: yearly != null}
`);

function shapeOf(isTwin: boolean): Shape {
  const seen = seenRows(isTwin);
  const rows = (['country', 'person', 'others'] as const).flatMap((group) =>
    isTwin ? seen[group] : [...seen[group], ...hiddenRows[group]],
  );
  const { ledger, ...others } = mappings;
  const held = isTwin ? others : { ...others, ledger };
  return {
    ...inBothLanguages([...tables, ...rows], {
      BYTES_TYPE: ['bytea', 'varbinary(max)'],
    }),
    mappings: Object.fromEntries(
      Object.entries(held).map(([file, text]) => [file, isTwin ? withoutHidden(text) : text]),
    ),
    prepare: async (folder) => {
      const path = join(folder, 'reports');
      await mkdir(path);
      for (const [name, text] of Object.entries(reports)) {
        if (!isTwin || name.startsWith('seen')) await writeFile(join(path, `${name}.yaml`), text);
      }
      return { ...settingsOf(isTwin), reports: path };
    },
  };
}

/** A database with what the role may not see. */
export const holding = shapeOf(false);

/** Its twin, which does not have it: rows and dataclasses are missing, cells hold other values, and the mapping and report files lack attributes and relations. */
export const lacking = shapeOf(true);
