import { rolesSetting } from '../../../src/config/settings/roles.ts';
import type { Shape } from './engines.ts';

const tables = [
  'CREATE TABLE app.country (id int NOT NULL PRIMARY KEY, code varchar(2) NOT NULL UNIQUE, status varchar(10) NULL)',
  'CREATE TABLE app.person (id int NOT NULL PRIMARY KEY, email varchar(20) NOT NULL UNIQUE, name varchar(20) NULL,' +
    ' country_id int NULL REFERENCES app.country (id), boss_id int NULL, gone FLAG_TYPE NOT NULL)',
  'CREATE TABLE app.task (id int NOT NULL PRIMARY KEY, title varchar(20) NULL, owner_id int NULL REFERENCES app.person (id))',
  'CREATE TABLE app.member (person_id int NOT NULL REFERENCES app.person (id), task_id int NOT NULL REFERENCES app.task (id),' +
    ' gone FLAG_TYPE NOT NULL, PRIMARY KEY (person_id, task_id))',
  'CREATE TABLE app.note (id int NOT NULL PRIMARY KEY, person_id int NULL, valid_to int NULL)',
  "INSERT INTO app.country VALUES (1, 'FR', 'live'), (2, 'SU', 'gone'), (3, 'XX', NULL)",
  "INSERT INTO app.person VALUES (1, 'ann@x', 'Ann', 1, NULL, NO_VALUE), (2, 'ben@x', 'Ben', 1, NULL, YES_VALUE)," +
    " (3, 'cal@x', 'Cal', 2, 2, NO_VALUE), (4, 'dee@x', 'Dee', NULL, 1, NO_VALUE)",
  "INSERT INTO app.task VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', NULL)",
  'INSERT INTO app.member VALUES (1, 1, NO_VALUE), (2, 1, NO_VALUE), (3, 1, YES_VALUE), (4, 1, NO_VALUE),' +
    ' (1, 2, YES_VALUE), (4, 2, NO_VALUE)',
  'INSERT INTO app.note VALUES (1, 1, NULL), (2, 1, 2020), (3, 1, 9999), (4, 2, NULL), (5, 2, 2020), (6, 3, 2020)',
];

function typed(types: Readonly<Record<string, string>>, statements = tables): string[] {
  return statements.map((table) =>
    table.replace(/[A-Z]+_(?:TYPE|VALUE)/g, (name) => types[name] ?? name),
  );
}

/** Tables that keep deleted rows, each with a flag of its own that tells them. */
export const shape: Shape = {
  postgres: `CREATE SCHEMA app; ${typed({ FLAG_TYPE: 'boolean', NO_VALUE: 'false', YES_VALUE: 'true' }).join(';\n')};`,
  sqlserver: ['CREATE SCHEMA app', ...typed({ FLAG_TYPE: 'bit', NO_VALUE: '0', YES_VALUE: '1' })],
  mappings: {
    country: `
dataclass: Country
table: app.country
stamp: hash
where: status = live
attributes: { id: id, code: code, status: { column: status, exposed: false } }
relations: { people: { inverse: Person.country } }
`,
    person: `
dataclass: Person
table: app.person
stamp: hash
where: gone = false
attributes:
  id: id
  email: email
  name: name
  gone: { column: gone, exposed: false }
relations:
  country: { to: Country, columns: { country_id: id } }
  boss: { to: Person, columns: { boss_id: id } }
  reports: { inverse: boss }
  memberships: { inverse: Member.person }
  tasks: { through: [memberships, task] }
`,
    task: `
dataclass: Task
table: app.task
stamp: hash
attributes: { id: id, title: title, ownerId: owner_id }
relations:
  owner: { to: Person, columns: { owner_id: id } }
  members: { inverse: Member.task }
  people: { through: [members, person] }
`,
    member: `
dataclass: Member
table: app.member
stamp: hash
where: not gone
attributes: { personId: person_id, taskId: task_id, gone: { column: gone, exposed: false } }
relations:
  person: { to: Person, columns: { person_id: id } }
  task: { to: Task, columns: { task_id: id } }
`,
    note: `
dataclass: Note
table: app.note
stamp: hash
where: validTo is null or validTo >= 9999
attributes: { id: id, validTo: valid_to }
relations:
  person: { to: Person, columns: { person_id: id } }
`,
  },
};

const WHERE = /^where: (.*)\n/m;

/** A shape whose rows are left out by the role of whoever asks, who sees nothing of its other dataclasses. */
function ofRole(mappings: Readonly<Record<string, string>>): Pick<Shape, 'mappings' | 'settings'> {
  return {
    mappings: Object.fromEntries(
      Object.entries(mappings).map(([file, text]) => [file, text.replace(WHERE, '')]),
    ),
    settings: {
      authentication: { anonymous: ['anybody'] },
      roles: rolesSetting.parse({
        anybody: {
          dataclasses: Object.fromEntries(
            Object.values(mappings).map((text) => {
              const [, name = ''] = /^dataclass: (.*)$/m.exec(text) ?? [];
              const [, where] = WHERE.exec(text) ?? [];
              const grant = { read: true, create: true, update: true, delete: true };
              return [name, where === undefined ? grant : { ...grant, where }];
            }),
          ),
        },
      }),
    },
  };
}

/** The same rows, left out by the role of whoever asks. */
export const byRole: Shape = { ...shape, ...ofRole(shape.mappings) };

const decidingTables = [
  'CREATE TABLE app.mark (gone FLAG_TYPE NOT NULL PRIMARY KEY, name varchar(10) NULL)',
  "INSERT INTO app.mark VALUES (NO_VALUE, 'kept'), (YES_VALUE, 'gone')",
  'CREATE TABLE app.standing (code varchar(10) NOT NULL PRIMARY KEY)',
  "INSERT INTO app.standing VALUES ('live'), ('gone')",
  'CREATE TABLE app.sight (id int NOT NULL PRIMARY KEY, code varchar(10) NOT NULL REFERENCES app.standing (code), who varchar(10) NULL)',
  "INSERT INTO app.sight VALUES (1, 'live', 'all'), (2, 'live', NULL), (3, 'gone', NULL)",
  'CREATE TABLE app.period (year int NOT NULL PRIMARY KEY, is_open int NOT NULL)',
  'INSERT INTO app.period VALUES (2020, 0), (2021, 0), (9999, 1)',
];

/** The columns that tell rows to be left out, as relations to one to what decides, and what that is to be. */
const DECIDED = {
  country: ['standing: { to: Standing, columns: { status: code } }', 'standing.sights.who = all'],
  person: ['mark: { to: Mark, columns: { gone: gone } }', 'mark.name = kept'],
  member: ['mark: { to: Mark, columns: { gone: gone } }', 'not (mark.name = gone)'],
  note: [
    'period: { to: Period, columns: { valid_to: year } }',
    'period is null or not (period.isOpen != 1 and period is not null)',
  ],
} as const;

const decidedMappings = Object.fromEntries(
  Object.entries(shape.mappings).map(([file, text]) => {
    if (!(file in DECIDED)) return [file, text];
    const [relation, where] = DECIDED[file as keyof typeof DECIDED];
    const decided = text
      .replace(WHERE, `where: ${where}\n`)
      .replace(/^relations: \{ (.*) \}$/m, 'relations:\n  $1')
      .replace(/^relations:$/m, `relations:\n  ${relation}`);
    return [file, decided];
  }),
);

const decidingMappings = {
  mark: 'dataclass: Mark\ntable: app.mark\nattributes: { gone: gone, name: name }\nrelations: {}\n',
  standing:
    'dataclass: Standing\ntable: app.standing\nattributes: { code: code }\nrelations: { sights: { inverse: Sight.standing } }\n',
  sight:
    'dataclass: Sight\ntable: app.sight\nattributes: { id: id, who: { column: who, exposed: false } }\nrelations: { standing: { to: Standing, columns: { code: code } } }\n',
  period:
    'dataclass: Period\ntable: app.period\nattributes: { year: year, isOpen: is_open }\nrelations: {}\n',
};

/** The same rows once more, left out by what other tables say of them. */
export const overRelations: Shape = {
  postgres: `CREATE SCHEMA app; ${typed({ FLAG_TYPE: 'boolean', NO_VALUE: 'false', YES_VALUE: 'true' }, [...tables, ...decidingTables]).join(';\n')};`,
  sqlserver: [
    'CREATE SCHEMA app',
    ...typed({ FLAG_TYPE: 'bit', NO_VALUE: '0', YES_VALUE: '1' }, [...tables, ...decidingTables]),
  ],
  mappings: { ...decidedMappings, ...decidingMappings },
};

const decidedByRole = ofRole(decidedMappings);

/** The same by a role that sees nothing of the other tables. */
export const byRoleOverRelations: Shape = {
  ...overRelations,
  ...decidedByRole,
  mappings: { ...decidedByRole.mappings, ...decidingMappings },
};
