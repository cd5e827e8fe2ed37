import type { Shape } from './engines.ts';

const columns = (stamp: string): string =>
  `txt varchar(20) NULL CHECK (txt <> 'bad')${stamp === 'counter' ? ', ver int NOT NULL DEFAULT 1' : ''}`;

const tables = [
  `CREATE TABLE app.head (id int NOT NULL PRIMARY KEY, ${columns('counter')})`,
  `CREATE TABLE app.task (id int NOT NULL PRIMARY KEY, head_id int NULL, ${columns('counter')})`,
  `CREATE TABLE app.node (id int NOT NULL PRIMARY KEY, parent_id int NULL, ${columns('counter')})`,
  `CREATE TABLE app.account (yr int NOT NULL, no int NOT NULL, ${columns('hash')}, PRIMARY KEY (yr, no))`,
  `CREATE TABLE app.entry (page int NOT NULL, line int NOT NULL, yr int NULL, no int NULL, ${columns('hash')},` +
    ' PRIMARY KEY (page, line))',
];

/** Holders of lists whose entities can move: with counters and keys of one column, with hashes and keys of two, and those that are listed themselves. A text `bad` breaks a rule. */
export const shape: Shape = {
  postgres: `CREATE SCHEMA app; ${tables.join(';\n')};`,
  sqlserver: ['CREATE SCHEMA app', ...tables],
  mappings: {
    head: `
dataclass: Head
table: app.head
stamp: { counter: ver }
attributes: { id: id, text: txt }
relations: { items: { inverse: Task.holder } }
`,
    task: `
dataclass: Task
table: app.task
stamp: { counter: ver }
attributes: { id: id, text: txt }
relations: { holder: { to: Head, columns: { head_id: id } } }
`,
    node: `
dataclass: Node
table: app.node
stamp: { counter: ver }
attributes: { id: id, text: txt }
relations: { parent: { to: Node, columns: { parent_id: id } }, items: { inverse: Node.parent } }
`,
    account: `
dataclass: Account
table: app.account
stamp: hash
attributes: { yr: yr, no: no, text: txt }
relations: { items: { inverse: Entry.holder } }
`,
    entry: `
dataclass: Entry
table: app.entry
stamp: hash
attributes: { page: page, line: line, text: txt }
relations: { holder: { to: Account, columns: { yr: yr, no: no } } }
`,
  },
};
