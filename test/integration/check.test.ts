import { existsSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';
import { run, type Ended } from '../cli/run.ts';
import { sharedFolder } from '../config/files.ts';
import { rows } from '../rows.ts';
import { startOpenIdProvider } from './sign-in/provider.ts';

/** `entitygate check` finds what keeps `serve` from starting. */
const folder = await sharedFolder();
beforeAll(async () => {
  await folder.write('seed.sql', 'create table t (id int primary key);');
  await folder.write('mappings/t.yaml', 'table: public.t\nattributes: { id: id }\n');
  await folder.write('gone/t.yaml', 'table: public.t\nattributes: { id: id, name: name }\n');
  await folder.write('broken/t.yaml', 'tabel: public.t\n');
});

const DATABASE = 'database: { engine: pglite, directory: "memory:", seed: seed.sql }\n';
const KEY = `{ name: reporting, hash: "sha256:${'0'.repeat(64)}", roles: [raeder] }`;

async function check(settings: string): Promise<Ended> {
  const path = await folder.write('config.yaml', DATABASE + settings);
  const { code, out, error } = await run(['check', '--config', path]);
  const shown = (text: string): string =>
    text.replaceAll(`${folder.path}/`, '').replace(/^(?:Opening|Reading) the .* …\n/gm, '');
  return { code, out: shown(out), error: shown(error) };
}

test('a gateway that can start is started next', async () => {
  expect(await check('audit: { to: audit.log }\n')).toEqual({
    code: 0,
    out: '1 mapping file matches the database.\nNext: entitygate serve --config config.yaml\n',
    error: '',
  });
  expect(existsSync(`${folder.path}/audit.log`)).toBe(false);
});

test('what the gateway needs before it opens the database is reported at once', async () => {
  const settings = `mappings: broken
server: { host: 0.0.0.0, tls: { certificate: no.crt, key: no.key } }
proxy: [{ prefix: /app, to: "https://app:3000", ca: no.ca, authentication: false }]
`;
  const { code, out, error } = await check(settings);
  expect([code, out, error.split('\n')]).toEqual([
    1,
    '',
    [
      'entitygate check:',
      expect.stringMatching(/^ {2}config\.yaml:3:17: other machines reach 0\.0\.0\.0, and would /),
      '  config.yaml:3:46: no.crt: there is no such file',
      '  config.yaml:3:59: no.key: there is no such file',
      '  config.yaml:4:53: no.ca: there is no such file',
      '  broken/t.yaml:1:1: unknown setting "tabel". Did you mean table?',
      '  broken/t.yaml:1:1: names no table: expected "table: SCHEMA.NAME" or "view: SCHEMA.NAME"',
      '',
    ],
  ]);
});

test('so is what it needs to know of its users and the audit log', async () => {
  const settings = `audit: { to: stdout, values: [Tee.id] }
authentication: { apiKeys: [${KEY}], users: users.yaml }
roles: { reader: { dataclasses: { Tee: { read: true } } } }
`;
  expect(await check(settings)).toEqual({
    code: 1,
    out: `error: users.yaml: there is no such file
error: config.yaml:4:35: there is no dataclass Tee. Known: T.
error: config.yaml:2:31: there is no dataclass Tee. Known: T.
error: config.yaml:3:137: there is no role raeder. Did you mean reader?
4 errors, 0 notes.
`,
    error: '',
  });
});

test.each(rows`
  a difference between files and database | mappings: gone\nauthentication: { apiKeys: [${KEY}] }
    | gone/t.yaml:2:29: public.t has no column name. Known: id.
    | config.yaml:3:137: there is no role raeder. Known: admin.
  a report that does not fit | reports: dashboards\nauthentication: { apiKeys: [${KEY}] }\nserver: { onMismatch: leaveOut }
    | dashboards/few.yaml:3:10: Dataclass T has no attribute idd. Did you mean id? (at position 1 of $groupby)
    | config.yaml:3:137: there is no role raeder. Known: admin.
  an audit log that cannot be written | audit: { to: nowhere/audit.log }
    | config.yaml:2:14: nowhere/audit.log cannot be written: ENOENT: no such file or directory, open 'nowhere/audit.log'
`)('%s is an error, beside the rest', async (_, settings, ...told) => {
  await folder.write('dashboards/all.yaml', 'title: All\ndataclass: T\n');
  await folder.write('dashboards/few.yaml', 'title: Few\ndataclass: T\ngroupby: idd\n');
  const { out } = await check(`${settings}\n`);
  const errors = told.map((line) => `error: ${line}\n`).join('');
  expect(out).toBe(`${errors}${told.length === 1 ? '1 error' : '2 errors'}, 0 notes.\n`);
});

test('identity providers are tried', async () => {
  const provider = await startOpenIdProvider();
  provider.register([]);
  const { issuer } = provider;
  const { host } = new URL(issuer);
  const settings = `server: { host: 0.0.0.0 }
authentication:
  oidc: { issuer: "${issuer}", clientId: gateway }
  jwt: { jwks: "${issuer}/jwks", issuer: "${issuer}", audience: erp }
`;
  const open =
    'Everybody whom the identity provider lets in may read and write what the mapping files expose: with roles, the configuration says who may do what.';
  expect(await check(settings)).toEqual({
    code: 0,
    out: `advice: ${open}
advice: A sign-in is refused by http: set server.tls, or behind a proxy that has the certificate server.trustedProxies or server.publicUrl.
The identity provider ${host} answers as it should.
1 mapping file matches the database.
Next: entitygate serve --config config.yaml
`,
    error: '',
  });
  const plain = settings.replace('host: 0.0.0.0', 'publicUrl: "http://erp.example.com"');
  expect((await check(plain)).out.split('\n')[1]).toBe(
    'advice: A sign-in is refused by http: let server.publicUrl begin with https://.',
  );
  await provider.close();
  const why = `fetch failed: connect ECONNREFUSED ${host}. Correct the address, or let this machine reach it; HTTPS_PROXY is not used`;
  expect(await check(settings)).toEqual({
    code: 1,
    out: `error: config.yaml:4:19: the identity provider at ${host} does not answer: ${why}
error: config.yaml:5:16: the signing keys at ${issuer}/jwks cannot be fetched: ${why}
advice: ${open}
2 errors, 0 notes.
`,
    error: '',
  });
});

test('indexes that filters over relations want are advised', async () => {
  const tables = `create table t (id int primary key);
    create table line (id int primary key, t_id int references t, kind text);`;
  await folder.write('lines.sql', tables);
  await folder.write('lines/t.yaml', 'dataclass: T\ntable: public.t\n');
  await folder.write(
    'lines/line.yaml',
    'dataclass: Line\ntable: public.line\nwhere: t is not null\n',
  );
  const path = await folder.write(
    'config.yaml',
    `database: { engine: pglite, directory: "memory:", seed: lines.sql }
mappings: lines
authentication: { anonymous: [seller] }
roles:
  seller:
    dataclasses:
      T: { read: lineCollection.kind = sold, update: lineCollection.kind = open }
      Line: { read: true, where: t.id > 0 }
`,
  );
  const advised = async (): Promise<string[]> => {
    const { code, out } = await run(['check', '--config', path]);
    expect(code).toBe(0);
    return out.match(/^advice: .*$/gm) ?? [];
  };
  expect(await advised()).toEqual([
    'advice: A filter of role seller for T wants an index on public.line (t_id).',
  ]);
  await folder.write('lines.sql', `${tables} create index line_t on line (t_id, kind);`);
  expect(await advised()).toEqual([]);
});

test('a column that nothing sets is an error where entities may be created', async () => {
  const must = 'id int primary key, must text not null';
  await folder.write(
    'region.sql',
    `create table region (${must}, name text not null default 'x');
     create table branch (${must});
     create table hidden (${must});
     create table closed (${must});
     create table timed (id int primary key, must date not null);
     create table led (id int primary key, must int not null references timed);
     create table filled (${must});
     create function f() returns trigger language plpgsql as 'begin new.must = 1; return new; end';
     create trigger t before insert on filled for each row execute function f();`,
  );
  for (const [name, settings] of Object.entries({
    region: 'attributes: { id: id }',
    branch: 'attributes: { id: id }',
    hidden: 'attributes: { id: id, must: { column: must, exposed: false } }',
    closed: 'attributes: { id: id }\nreadOnly: true',
    timed: 'attributes: { id: id }\ntimestamp: must',
    led: 'attributes: { id: id }',
    filled: 'attributes: { id: id }',
  })) {
    await folder.write(`region/${name}.yaml`, `table: public.${name}\n${settings}\n`);
  }
  const said = async (settings = ''): Promise<unknown> => {
    const path = await folder.write(
      'config.yaml',
      `database: { engine: pglite, directory: "memory:", seed: region.sql }\nmappings: region\n${settings}`,
    );
    const { code, out } = await run(['check', '--config', path]);
    return [code, ...(out.replaceAll(`${folder.path}/`, '').match(/^error: .*$/gm) ?? [])];
  };
  const refused = (name: string): string =>
    `error: region/${name.toLowerCase()}.yaml:1:8: no entity of ${name} can be created: ` +
    'column must takes no null and has no default, and no attribute names it';
  expect(await said()).toEqual([1, refused('Branch'), refused('Region')]);
  const roles = `authentication: { anonymous: [clerk] }
roles: { clerk: { dataclasses: { "*": { read: true, update: true }, Branch: { read: true, create: id > 5 } } } }
`;
  expect(await said(roles)).toEqual([1, refused('Branch')]);
  // The built-in role of administrators may create everything.
  const administrators = ['anonymous: [clerk, admin]', 'anonymous: [clerk], users: users.yaml'];
  await folder.write(
    'users.yaml',
    `users: { ada: { password: "$scrypt$ln=16,r=8,p=1$YWFhYWFhYWFhYWFhYWFhYQ$XVc80fxmCbjW1lY3AYp7yIaFYUTJIcEFyZeaP6A9PQc", roles: [admin] } }\n`,
  );
  for (const given of administrators) {
    expect(await said(roles.replace('anonymous: [clerk]', given))).toEqual([
      1,
      refused('Branch'),
      refused('Region'),
    ]);
  }
});
