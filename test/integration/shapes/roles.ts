import { MCP } from './agents.ts';
import { mapped, type Shape, type Verb } from './engines.ts';
import { inBothLanguages } from './languages.ts';
import { settingsIn, withKeys } from './sample.ts';

const statements = [
  'CREATE TABLE app.firm (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, city varchar(20) NULL, credit int NULL, version int NOT NULL)',
  'CREATE TABLE app.worker (id int NOT NULL PRIMARY KEY, name varchar(20) NULL, changed TIME_TYPE NULL,' +
    ' firm_id int NULL REFERENCES app.firm (id))',
  "INSERT INTO app.firm VALUES (1, 'Acme', 'Paris', 10, 1), (2, 'Bolt', 'Rome', 20, 1)," +
    " (3, 'Cube', 'Paris', 30, 1), (4, 'Dyne', 'Rome', 40, 1)",
  "INSERT INTO app.worker VALUES (1, 'Ann', NULL, 1), (2, 'Ben', NULL, 2)",
];

const firm = (setting: object): object => ({ dataclasses: { Firm: setting } });
const without = (attribute: string): object => ({
  dataclasses: {
    '*': { read: true },
    Worker: { read: true, attributes: { [attribute]: 'hidden' } },
  },
});

const roles = {
  reader: firm({ read: true }),
  writer: firm({ read: true, update: true }),
  maker: firm({ read: true, create: true }),
  others: { dataclasses: { '*': { read: true, update: true }, Firm: {} } },
  low: firm({ where: 'id < 3', read: true, update: true, aggregates: false }),
  high: firm({ read: 'id > 3', delete: true }),
  lowWriter: firm({ read: true, update: 'id < 3' }),
  nameless: firm({ read: true, attributes: { name: 'hidden' } }),
  careful: firm({ read: true, update: true, attributes: { name: 'readOnly' } }),
  timeless: {
    dataclasses: { Worker: { read: true, update: true, attributes: { changed: 'hidden' } } },
  },
  withoutFirmId: without('firmId'),
  withoutFirm: without('firm'),
  local: firm({ read: 'city = $claims.city', update: 'id IN $claims.ids' }),
  bounded: firm({ read: 'credit < $claims.limit' }),
  some: firm({
    read: true,
    ...{ create: 'city = $claims.city', update: 'id IN $claims.ids', delete: 'id IN $claims.ids' },
  }),
  // Over what the role does not see.
  overRelations: firm({
    read: true,
    create: 'workers.name IN $claims.nowhere or workers.changed = null and city = nowhere',
    update: 'workers.name = Ann and city IN $claims.city',
    delete: 'workers.firm.workers.name = Ann or workers is null and id = 9',
  }),
  agent: { mcp: 'write', ...firm({ read: true, update: 'id = 1' }) },
};

/** The roles of a user, and the user's claims. */
const having = (names: string, claims: object = {}): { roles: string[]; claims: object } => ({
  roles: names.split('+'),
  claims,
});
const { apiKeys, users } = withKeys({
  nobody: { roles: [] },
  ...Object.fromEntries(
    [
      ...['admin', 'reader', 'writer', 'others', 'low', 'low+reader', 'low+high', 'high'],
      ...['nameless', 'nameless+reader', 'nameless+high', 'careful', 'careful+writer', 'timeless'],
      ...['careful+lowWriter', 'careful+maker', 'withoutFirmId', 'withoutFirm', 'agent+writer'],
      ...['maker', 'maker+high'],
    ].map((names) => [names, having(names)]),
  ),
  paris: having('local', { city: 'Paris', ids: ['1', '2'] }),
  parisToo: having('local', { city: 'Paris', ids: ['1', '2'], other: 'x' }),
  parisAlone: having('local', { city: 'Paris' }),
  rome: having('local', { city: 'Rome', ids: '4' }),
  some: having('some', { city: 'Lyon', ids: ['1', '3'] }),
  overRelations: having('overRelations', { city: 'Paris' }),
  boundless: having('bounded'),
  listed: having('bounded', { limit: ['1'] }),
  worded: having('bounded', { limit: 'much' }),
  bound: having('bounded', { limit: '25' }),
  wordedInRome: having('bounded+local', { limit: 'much', city: 'Rome' }),
  wordedReader: having('bounded+reader', { limit: 'much' }),
});

interface Entry {
  readonly extraProperties: { readonly changes: readonly string[] };
  readonly attributes: readonly { readonly name: string; readonly readOnly?: boolean }[];
}

/** `CHANGES Firm` answers the changes that the catalog offers of a dataclass, and the attributes that are not read only. */
const CHANGES: Verb = async ({ gateway }, { text, headers = {} }) => {
  const answer = await gateway.get(`/rest/$catalog/${text}`, { headers });
  const { dataClasses } = answer.body as { readonly dataClasses: readonly Entry[] };
  const body = dataClasses.map(({ extraProperties: { changes }, attributes }) => [
    changes.join(),
    attributes
      .filter(({ readOnly }) => readOnly !== true)
      .map(({ name }) => name)
      .join(),
  ]);
  return { ...answer, body };
};

/** Users of several roles, named by them, and by what they claim. */
export const shape: Shape = {
  ...inBothLanguages(statements, { TIME_TYPE: ['timestamp(3)', 'datetime2(3)'] }),
  mappings: mapped(`
firm: {dataclass: Firm, table: app.firm, stamp: {counter: version}, requireStamp: false, relations: {workers: {inverse: Worker.firm}}}
worker: {dataclass: Worker, table: app.worker, stamp: hash, requireStamp: false, timestamp: changed, attributes: {id: id, name: name, changed: changed,
  firmId: firm_id},
  relations: {firm: {to: Firm, columns: {firm_id: id}}}}
`),
  users,
  verbs: { MCP, CHANGES },
  settings: settingsIn({ mcp: { enabled: true }, authentication: { apiKeys }, roles }),
};
