import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type App, buildApp } from '../../src/app.ts';
import { loadConfig } from '../../src/config/load.ts';
import { gatewayContext } from '../../src/base/observe/observer.ts';
import { plainStatement } from '../../src/sql/ir/statement.ts';
import { parsed, rows } from '../rows.ts';
import { mapped } from './shapes/engines.ts';
import { withKeys } from './shapes/sample.ts';
import { startupProblems, testFolder, type TestFolder } from '../config/files.ts';

const { apiKeys, users } = withKeys({
  ...{ boss: { roles: ['admin'] }, clerk: { roles: ['clerk'] }, guest: { roles: ['guest'] } },
});

const SEED = `create table company (id int primary key, name text, active bool);
create table employee (id int primary key, name text, company_id int references company);
create table note (id int primary key, employee_id int references employee);
create table place (id int primary key, name text, city text);
create table visit (id int primary key, place_id int references place);
create function double(n int) returns int language sql immutable as 'select 2 * n';
create function rivals() returns table (id int) language sql stable as 'select 1';
insert into company values (1, 'Acme', true);
insert into employee values (1, 'Ann', 1);
insert into note values (1, 1);
insert into place values (1, 'Hall', 'Rome');
insert into visit values (1, 1);
`;

/** What the files name and the database lacks: a column of company, the table archive, the routine triple, a column of place in a role. */
const FILES = mapped(`
Company: {dataclass: Company, table: public.company, attributes: {id: id, name: name, active: active, taxNumber: tax_no}}
Employee: {dataclass: Employee, table: public.employee, attributes: {id: id, name: name, companyName: {alias: employer.name}},
  relations: {employer: {to: Company, columns: {company_id: id}}, old: {to: Archive, columns: {id: id}}, notes: {inverse: Note.of}},
  functions: {triple: {routine: public.triple, parameters: [n], returns: value}, rivals: {routine: public.rivals, returns: {dataclass: Company}}}}
Note: {dataclass: Note, table: public.note, where: of.employer.active = true, attributes: {id: id},
  relations: {of: {to: Employee, columns: {employee_id: id}}}}
Archive: {dataclass: Archive, table: public.archive, attributes: {id: id}}
Place: {dataclass: Place, table: public.place, attributes: {id: id, name: name}}
Visit: {dataclass: Visit, table: public.visit, attributes: {id: id}, relations: {place: {to: Place, columns: {place_id: id}}}}
functions: {functions: {double: {routine: public.double, parameters: [n], returns: value}, half: {routine: public.half, parameters: [n], returns: value}}}
`);

const REPORTS = mapped(`
staff: {title: Staff, dataclass: Employee}
employers: {title: Employers, dataclass: Employee, groupby: employer.name}
companies: {title: Companies, dataclass: Company}
`);

let folder: TestFolder;
let app: App;
let base: string;

interface Told {
  readonly status: number;
  readonly body: unknown;
}

/** Sends a request of a user; of nobody for an empty name. */
async function ask(path: string, user = 'boss', body?: unknown): Promise<Told> {
  const method = body === undefined ? 'GET' : 'POST';
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const answer = await fetch(`${base}${path}`, { method, headers: users[user] ?? {}, ...sent });
  return { status: answer.status, body: await answer.json() };
}

/** The status of an answer and its errors, without the members that repeat their codes. */
function told({ status, body }: Told): unknown[] {
  const { __ERROR: items } = body as { __ERROR: { errCode: number; message: string }[] };
  return [status, ...items.map(({ errCode, message }) => `${errCode} ${message}`)];
}

const refusal = async (...asked: Parameters<typeof ask>): Promise<unknown[]> =>
  told(await ask(...asked));

async function load(onMismatch = 'leaveOut'): ReturnType<typeof loadConfig> {
  await folder.write(
    'config.yaml',
    `server: { port: 0, onMismatch: ${onMismatch} }
log: { level: silent }
database: { engine: pglite, directory: 'memory:', seed: seed.sql }
audit: { to: audit.log, values: [Archive.id, Company.name, Employee.old, Place.name] }
authentication: ${JSON.stringify({ apiKeys })}
roles:
  guest:
    dataclasses: { Visit: { read: true } }
  clerk:
    execute: [Employee.triple, double]
    dataclasses:
      Company: { read: name = 'Acme' }
      Employee: { read: true, attributes: { old: hidden } }
      Visit: { read: place.name = 'Hall' }
      Place: { read: true, attributes: { street: hidden } }
`,
  );
  return loadConfig(join(folder.path, 'config.yaml'), {});
}

beforeAll(async () => {
  folder = await testFolder();
  await folder.write('seed.sql', SEED);
  for (const [name, text] of Object.entries(FILES))
    await folder.write(`mappings/${name}.yaml`, text);
  for (const [name, text] of Object.entries(REPORTS))
    await folder.write(`reports/${name}.yaml`, text);
  app = await buildApp(await load(), undefined, undefined, null, () => load());
  base = await app.server.listen({ host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  await app.close();
  await folder.remove();
});

async function change(sql: string): Promise<void> {
  await app.database.run({ statement: plainStatement(sql), values: [] }, gatewayContext);
}

/** A text with the paths of the files as seen from their folder. */
const plain = (text: unknown): unknown =>
  JSON.parse(JSON.stringify(text).replaceAll(`${folder.path}/`, ''));

const NO_COLUMN =
  'mappings/Company.yaml:7:14: public.company has no column tax_no. Known: id, name, active.';
const NO_TABLE =
  'mappings/Archive.yaml:2:8: the database has no table public.archive that its user may read. Known: public.company, public.employee, public.note, public.place, public.visit.';
const NO_STREET = 'config.yaml:15:50: Place has no attribute street. Known: id, name.';
const noRoutine = (where: string, name: string, hint: string): string =>
  `mappings/${where}: the database has no procedure or function public.${name} that its user may call. Did you mean ${hint}?`;
const NO_TRIPLE = noRoutine('Employee.yaml:21:14', 'triple', 'public.double, public.rivals');
const NO_HALF = noRoutine('functions.yaml:8:14', 'half', 'public.rivals');

const missing = (name: string, why: string): string =>
  `9022 ${name} is not available at the moment: ${why}`;
const changed = (name: string): string =>
  `9022 ${name} is not available at the moment: the database has changed, and the gateway does not know its new form.`;
const leads = (name: string, to: string): string =>
  `9022 ${name} is not available at the moment: it leads to ${to}, which the gateway cannot serve as the database has changed.`;

test('catalog and contract leave out what does not fit, and the rest is served', async () => {
  const { body } = await ask('/rest/$catalog/$all');
  const { dataClasses, methods } = body as {
    dataClasses: { name: string; attributes: { name: string }[]; methods?: unknown[] }[];
    methods: { name: string }[];
  };
  expect(methods.map(({ name }) => name)).toEqual(['double']);
  expect(
    dataClasses.map(({ name, attributes, methods: own = [] }) => [
      name,
      attributes.map((attribute) => attribute.name),
      own,
    ]),
  ).toEqual([['Employee', ['id', 'name'], []]]);
  const { reports } = (await ask('/rest/$reports')).body as { reports: { name: string }[] };
  expect(reports.map(({ name }) => name)).toEqual(['staff']);
  const contract = JSON.stringify((await ask('/rest/$openapi')).body);
  expect(contract).toContain('Employee');
  expect(contract).not.toMatch(
    /Company|employer|Archive|(?<!Entitygate-)Note|Visit|triple|rivals|half/,
  );
  expect(await ask('/rest/Employee?$asArray=true&$attributes=name')).toEqual({
    status: 200,
    body: [{ __KEY: 1, __STAMP: expect.any(Number) as number, name: 'Ann' }],
  });
});

const noAttribute = (name: string, position: string): string =>
  `404 1500 Dataclass Employee has no attribute ${name}. Known: id, name. (at position ${position})`;

test.each(rows`
  Company                           |                       | 503 ${missing('Company', NO_COLUMN)}    | 503 ${changed('Company')}
  Company(1)                        |                       | 503 ${missing('Company', NO_COLUMN)}    | 503 ${changed('Company')}
  Company?$method=update            | {name: New}           | 503 ${missing('Company', NO_COLUMN)}    | 503 ${changed('Company')}
  $catalog/Company                  |                       | 503 ${missing('Company', NO_COLUMN)}    | 503 ${changed('Company')}
  Archive                           |                       | 503 ${missing('Archive', NO_TABLE)}     | 404 1800 There is no dataclass Archive. Known: Employee.
  Note                              |                       | 503 ${leads('Note', 'Company')}         | 404 1800 There is no dataclass Note. Known: Employee.
  Place                             |                       | 503 ${missing('Place', NO_STREET)}      | 503 ${changed('Place')}
  Visit                             |                       | 503 ${leads('Visit', 'Place')}
  Employee?$expand=employer         |                       | 503 ${leads('Employee.employer', 'Company')}
  Employee?$filter="companyName = 1" |                      | 503 ${leads('Employee.companyName', 'Company')}
  Employee(1)/employer              |                       | 503 ${leads('Employee.employer', 'Company')}
  Employee(1)/notes                 |                       | 503 ${leads('Employee.notes', 'Note')}  | ${noAttribute('notes', '14 of the path')}
  Employee?$orderby=old.id          |                       | 503 ${leads('Employee.old', 'Archive')} | ${noAttribute('old', '1 of $orderby')}
  Employee?$method=update           | {employer: {__KEY: '1'}} | 503 ${leads('Employee.employer', 'Company')} | 403 1559 You may not create entities of Employee.
  Employee/triple                   | [1]                   | 503 ${missing('Employee.triple', NO_TRIPLE)} | 503 ${changed('Employee.triple')}
  Employee/rivals                   | []                    | 503 ${leads('Employee.rivals', 'Company')} | 404 1827 There is no function Employee.rivals.
  $catalog/half                     | [1]                   | 503 ${missing('half', NO_HALF)}         | 404 1827 There is no function half. Known: double.
`)(
  '%s %s is answered by what it is, to those who may know of it',
  async (path, body, answer, ofClerk = answer) => {
    const sent: unknown = body === '' ? undefined : parsed(body);
    const asked = ['boss', 'clerk'].map((user) => refusal(`/rest/${path}`, user, sent));
    const answers = (await Promise.all(asked)).map((one) => (plain(one) as unknown[]).join(' '));
    expect(answers).toEqual([answer, ofClerk]);
  },
);

test('what is left out as it leads to another one is known to whoever may read it', async () => {
  expect(await refusal('/rest/Visit', 'guest')).toEqual([503, changed('Visit')]);
  expect(await refusal('/rest/Place', 'guest')).toEqual([
    404,
    '1800 There is no dataclass Place. You may see none: /rest/$directory/currentUser shows your roles.',
  ]);
});

test('the gateway is degraded, and tells administrators why', async () => {
  expect(plain(await ask('/health/ready'))).toEqual({
    status: 200,
    body: {
      status: 'degraded',
      schema: {
        Archive: `left out: ${NO_TABLE}`,
        Company: `left out: ${NO_COLUMN}`,
        half: `left out: ${NO_HALF}`,
        Place: `left out: ${NO_STREET}`,
        Visit: 'left out: it leads to Place',
        Note: 'left out: it leads to Company',
        'Employee.old': 'left out: it leads to Archive',
        'Employee.triple': `left out: ${NO_TRIPLE}`,
        'Employee.rivals': 'left out: it leads to Company',
        'Employee.companyName': 'left out: it leads to Company',
        'Employee.employer': 'left out: it leads to Company',
        'Employee.notes': 'left out: it leads to Note',
        'report companies': `left out: reports/companies.yaml:2:12: Company is not available at the moment: ${NO_COLUMN}`,
        'report employers':
          'left out: reports/employers.yaml:3:10: Employee.employer is not available at the moment: it leads to Company, which the gateway cannot serve as the database has changed.',
      },
    },
  });
  expect(await ask('/health/ready', '')).toEqual({
    status: 200,
    body: {
      status: 'degraded',
      schema: 'The database has changed: some dataclasses, functions or reports cannot be served.',
    },
  });
});

test('a reload serves what fits by then, and leaves out what does not fit any more', async () => {
  await change('alter table company add column tax_no text');
  await change('alter table visit drop column place_id');
  expect((await ask('/rest/Company(1)')).status).toBe(503);
  const { body } = await ask('/rest/$info/reload', 'boss', {});
  expect(plain(body)).toMatchObject({
    result: true,
    dataclasses: { added: ['Company', 'Note'], removed: [], changed: ['Employee'] },
    reports: { added: ['companies', 'employers'], removed: [], changed: [] },
    warnings: expect.arrayContaining([
      `Archive is left out: ${NO_TABLE}`,
      'Visit is left out: mappings/Visit.yaml:9:17: public.visit has no column place_id. Known: id.',
    ]) as unknown,
  });
  expect(await ask('/rest/Company(1)?$attributes=name', 'clerk')).toMatchObject({
    status: 200,
    body: { __KEY: '1', name: 'Acme' },
  });
  expect((await ask('/rest/Note?$asArray=true')).body).toMatchObject([{ __KEY: 1, id: 1 }]);
  expect(await refusal('/rest/Visit')).toEqual([503, expect.stringContaining('Visit.yaml')]);
});

test('a request that meets a change makes the gateway degraded, until a reload', async () => {
  const schema = async (): Promise<Record<string, string>> => {
    const { body } = await ask('/health/ready');
    return (body as { schema: Record<string, string> }).schema;
  };
  expect(await schema()).not.toHaveProperty('Employee');
  await change('alter table employee rename column name to full_name');
  expect(await refusal('/rest/Employee')).toEqual([500, expect.any(String)]);
  expect(await schema()).toMatchObject({
    Employee: expect.stringMatching(
      /^error 9022 at \d{4}-[^ ]*: A table or column .* read the schema\. Run entitygate check, and reload the gateway\.$/,
    ) as string,
  });
  await ask('/rest/$info/reload', 'boss', {});
  expect(await schema()).toMatchObject({
    Employee: expect.stringMatching(/^left out: /) as string,
  });
  await change('alter table employee rename column full_name to name');
  await ask('/rest/$info/reload', 'boss', {});
  expect(await schema()).not.toHaveProperty('Employee');
});

test('without roles, administrators alone know why, and everybody where there is no login', async () => {
  const config = await load();
  const untold = [503, changed('Archive')];
  const why = [503, expect.stringContaining('public.archive') as unknown];
  const { apiKeys: all = [] } = config.authentication ?? {};
  const keys = all.map((one) => (one.name === 'boss' ? one : { ...one, roles: [] }));
  const secured = await buildApp({
    ...config,
    roles: undefined,
    authentication: { apiKeys: keys },
  });
  const open = await buildApp({ ...config, roles: undefined, authentication: undefined });
  const from = async ({ server }: App, given: object = {}): Promise<unknown[]> => {
    const headers = { host: '127.0.0.1', ...given };
    const health = await server.inject({ url: '/health/ready', headers });
    const read = await server.inject({ url: '/rest/Archive', headers });
    const refused = told({ status: read.statusCode, body: read.json() });
    return [typeof health.json<{ schema: unknown }>().schema, ...refused];
  };
  expect(await from(secured, users['boss'])).toEqual(['object', ...why]);
  expect(await from(secured, users['clerk'])).toEqual(['string', ...untold]);
  expect(await from(open)).toEqual(['object', ...why]);
  const [schema, status] = await from(open, { host: 'rebound.example' });
  expect([schema, status]).toEqual(['string', 421]);
  await secured.close();
  await open.close();
});

test('without leaveOut, and where nothing would be left, the gateway does not start', async () => {
  const problems = async (onMismatch: string): Promise<string[]> => {
    const config = await load(onMismatch);
    return (await startupProblems(() => buildApp(config), folder)) ?? [];
  };
  expect(await problems('stop')).toEqual([NO_TABLE, NO_COLUMN, NO_TRIPLE, NO_HALF]);
  await folder.write('seed.sql', 'create table other (id int primary key);');
  const [first, ...others] = await problems('leaveOut');
  expect(first).toMatch(/^mappings\/Archive.yaml:2:8: the database has no table public.archive/);
  expect(others.length).toBe(7);
});
