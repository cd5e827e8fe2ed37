import { parse } from 'yaml';
import { rolesSetting } from '../../../src/config/settings/roles.ts';
import { mapped, type Shape } from './engines.ts';
import { inBothLanguages } from './languages.ts';

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

interface Mapping {
  readonly dataclass: string;
  readonly where?: string | undefined;
  readonly relations: object;
}

type Mappings = Readonly<Record<string, Mapping>>;

const mappings = parse(`
country: {dataclass: Country, table: app.country, stamp: hash, where: status = live, attributes: {id: id, code: code,
  status: {column: status, exposed: false}}, relations: {people: {inverse: Person.country}}}
person: {dataclass: Person, table: app.person, stamp: hash, where: gone = false, attributes: {id: id, email: email, name: name,
  gone: {column: gone, exposed: false}}, relations: {country: {to: Country, columns: {country_id: id}}, boss: {to: Person, columns: {boss_id: id}},
  reports: {inverse: boss}, memberships: {inverse: Member.person}, tasks: {through: [memberships, task]}}}
task: {dataclass: Task, table: app.task, stamp: hash, attributes: {id: id, title: title, ownerId: owner_id},
  relations: {owner: {to: Person, columns: {owner_id: id}}, members: {inverse: Member.task}, people: {through: [members, person]}}}
member: {dataclass: Member, table: app.member, stamp: hash, where: not gone, attributes: {personId: person_id, taskId: task_id,
  gone: {column: gone, exposed: false}}, relations: {person: {to: Person, columns: {person_id: id}}, task: {to: Task, columns: {task_id: id}}}}
note: {dataclass: Note, table: app.note, stamp: hash, where: validTo is null or validTo >= 9999, attributes: {id: id, validTo: valid_to},
  relations: {person: {to: Person, columns: {person_id: id}}}}
`) as Mappings;

/** Tables that keep deleted rows, each with a flag of its own that tells them. */
export const shape: Shape = { ...inBothLanguages(tables), mappings: mapped(mappings) };

/**
 * Mapping files whose rows are left out by the role of whoever asks, who sees nothing of other dataclasses.
 * @param more files that stay as they are
 */
function ofRole(files: Mappings, more: object = {}): Pick<Shape, 'mappings' | 'settings'> {
  const all = { read: true, create: true, update: true, delete: true };
  const grants = Object.values(files).map(({ dataclass, where }) => [
    dataclass,
    where === undefined ? all : { ...all, where },
  ]);
  const whole = Object.fromEntries(
    Object.entries(files).map(([file, mapping]) => [file, { ...mapping, where: undefined }]),
  );
  return {
    mappings: mapped({ ...whole, ...more }),
    settings: {
      authentication: { anonymous: ['anybody'] },
      roles: rolesSetting.parse({ anybody: { dataclasses: Object.fromEntries(grants) } }),
    },
  };
}

/** The same rows, left out by the role of whoever asks. */
export const byRole: Shape = { ...shape, ...ofRole(mappings) };

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

/** What decides which rows are left out, as a relation to one by the column that tells them, and what that is to be. */
const decisions = parse(`
country: {where: standing.sights.who = all, relations: {standing: {to: Standing, columns: {status: code}}}}
person: {where: mark.name = kept, relations: {mark: {to: Mark, columns: {gone: gone}}}}
member: {where: not (mark.name = gone), relations: {mark: {to: Mark, columns: {gone: gone}}}}
note: {where: period is null or not (period.isOpen != 1 and period is not null), relations: {period: {to: Period, columns: {valid_to: year}}}}
`) as Readonly<Record<string, Pick<Mapping, 'where' | 'relations'>>>;

const decided: Mappings = Object.fromEntries(
  Object.entries(mappings).map(([file, mapping]) => {
    const { where = mapping.where, relations = {} } = decisions[file] ?? {};
    return [file, { ...mapping, where, relations: { ...relations, ...mapping.relations } }];
  }),
);

const deciding = parse(`
mark: {dataclass: Mark, table: app.mark, attributes: {gone: gone, name: name}, relations: {}}
standing: {dataclass: Standing, table: app.standing, attributes: {code: code}, relations: {sights: {inverse: Sight.standing}}}
sight: {dataclass: Sight, table: app.sight, attributes: {id: id, who: {column: who, exposed: false}},
  relations: {standing: {to: Standing, columns: {code: code}}}}
period: {dataclass: Period, table: app.period, attributes: {year: year, isOpen: is_open}, relations: {}}
`) as Mappings;

/** The same rows once more, left out by what other tables say of them. */
export const overRelations: Shape = {
  ...inBothLanguages([...tables, ...decidingTables]),
  mappings: mapped({ ...decided, ...deciding }),
};

/** The same by a role that sees nothing of the other tables. */
export const byRoleOverRelations: Shape = { ...overRelations, ...ofRole(decided, deciding) };
