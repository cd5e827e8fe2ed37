import { expect, test } from 'vitest';
import type { Config, Settings } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import { appliedTo } from '../../src/config/restart.ts';
import { read as readMarkdown } from '../docs/markdown.ts';
import { sharedFolder } from './files.ts';

const DATABASE = 'database: { engine: postgres, url: "postgres://user:secret@nowhere/legacy" }\n';

const folder = await sharedFolder();
await folder.write('mappings/T.yaml', 'dataclass: T\ntable: public.t\n');

async function config(text: string): Promise<Config> {
  const database = text.includes('database:') ? '' : DATABASE;
  return loadConfig(await folder.write('config.yaml', `${database}${text}`), {});
}

/** What follows from a change of a setting: the names that need a restart; none where a reload takes the change over. */
type Change = readonly [yaml: string, needsRestart: readonly string[]];

/** A change of each setting: TypeScript refuses the list when one is missing. */
const changes: { readonly [Name in keyof Settings]-?: Change } = {
  application: ['Other', []],
  server: ['{ port: 4711 }', ['server.port']],
  explorer: ['{ enabled: true }', ['explorer.enabled']],
  limits: [
    '{ requestsPerMinute: 7, maxUrlBytes: 5000 }',
    ['limits.maxUrlBytes', 'limits.requestsPerMinute'],
  ],
  cors: ['{ origins: [https://a.example] }', ['cors']],
  database: ['{ engine: postgres, url: "postgres://user:secret@other/legacy" }', ['database.url']],
  state: ['{ url: "valkey://127.0.0.1" }', ['state']],
  mappings: ['others', []],
  reports: ['others', []],
  log: ['{ level: debug }', ['log.level']],
  ignoreCase: ['true', []],
  readOnly: ['true', []],
  requireStamp: ['false', []],
  compatibility: ['{ deleteByGet: true }', []],
  nullsMatchNotEqual: ['true', []],
  timeZone: ['Europe/Paris', ['timeZone']],
  simpleDates: ['true', []],
  bigNumbersAsStrings: ['true', ['bigNumbersAsStrings']],
  stampBits: ['31', []],
  stampSecret: ['s'.repeat(40), ['stampSecret']],
  entitySets: ['{ maxPerSession: 3 }', ['entitySets.maxPerSession']],
  images: ['{ maxPixels: 1000000 }', ['images.maxPixels']],
  queryPlans: ['none', []],
  sessions: ['{ max: 10, cookie: SID }', ['sessions.cookie', 'sessions.max']],
  locks: ['false', ['locks']],
  authentication: ['{ anonymous: [admin] }', []],
  roles: ['{ reader: { dataclasses: {} } }', []],
  audit: ['{ to: audit.log }', ['audit']],
  changes: ['{ pollSeconds: 5 }', []],
  metrics: ['{ port: 9464 }', ['metrics']],
  mcp: ['{ enabled: true }', ['mcp.enabled']],
  traces: ['true', ['traces']],
  proxy: ['[{ prefix: /app, to: "http://localhost:3000" }]', ['proxy']],
  sqlFunctions: ['[fnAge]', []],
  planCacheSize: ['7', []],
};

test.each(Object.entries(changes))('a change of %s', async (name, [yaml, expected]) => {
  const setting = name as keyof Settings;
  const running = await config('');
  const read = await config(`${name}: ${yaml}`);
  expect(read[setting]).not.toEqual(running[setting]);
  const { config: applied, needsRestart } = appliedTo(running, read);
  expect([...needsRestart].sort()).toEqual(expected);
  expect(applied[setting]).toEqual((expected.length === 0 ? read : running)[setting]);
});

test('docs/how-to/reloading.md lists the settings that need a restart', () => {
  const [, list = ''] =
    /^## What needs a restart\n\n([\s\S]*?)`audit` except/m.exec(
      readMarkdown('docs/how-to/reloading.md'),
    ) ?? [];
  const documented = [...list.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name);
  // Of `limits`, `mcp` and `audit`, some members are read again.
  const needed = Object.entries(changes).flatMap(([name, [, needsRestart]]) => {
    if (name === 'limits' || name === 'mcp') return needsRestart;
    return needsRestart.length === 0 || name === 'audit' ? [] : [name];
  });
  expect(documented.toSorted()).toEqual(needed.toSorted());
});

test.each<[running: string, read: string, needsRestart: string[]]>([
  // A setting that is left out.
  ['audit: { to: audit.log }\nserver: { port: 4711 }', '', ['server.port', 'audit']],
  ['audit: { to: audit.log }', 'audit: { to: other.log, values: all }', ['audit.to']],
  ['', 'limits: { requestsPerMinute: 7, maxTop: 11 }', ['limits.requestsPerMinute']],
  ['mcp: { enabled: true }', 'mcp: { write: true, tools: [query] }', ['mcp.enabled']],
  [`stampSecret: ${'a'.repeat(40)}`, `stampSecret: ${'b'.repeat(40)}`, ['stampSecret']],
  ['audit: { to: audit.log }', 'audit: { to: audit.log }', []],
])('from %j to %j: what is read again counts at once', async (before, after, expected) => {
  const running = await config(before);
  const read = await config(after);
  const { config: applied, needsRestart } = appliedTo(running, read);
  expect(needsRestart).toEqual(expected);
  const { audit, limits, mcp } = applied;
  const { requestsPerMinute } = running.limits;
  expect([limits, mcp]).toEqual([
    { ...read.limits, requestsPerMinute },
    { ...read.mcp, enabled: running.mcp.enabled },
  ]);
  expect(audit).toEqual(
    running.audit && { ...running.audit, values: read.audit?.values ?? 'none' },
  );
});

test('the settings of the sign-in are read again, but not whether there is one', async () => {
  const running = await config('authentication: { anonymous: [guest] }');
  const signIn = 'authentication: { oidc: { issuer: "https://login.example.com", clientId: a } }';
  const read = await config(signIn);
  const { config: applied, needsRestart } = appliedTo(running, read);
  expect([applied.authentication, needsRestart]).toEqual([
    running.authentication,
    ['authentication.anonymous', 'authentication.oidc'],
  ]);
  // The rest counts at once, whichever of them comes or goes.
  const key = await config('authentication: { users: users.yaml }');
  expect(appliedTo(read, key)).toMatchObject({
    config: { authentication: { ...key.authentication, oidc: read.authentication?.oidc } },
    needsRestart: ['authentication.oidc'],
  });
  const other = await config(signIn.replace('clientId: a', 'clientId: b'));
  expect(appliedTo(read, other)).toEqual({ config: other, needsRestart: [] });
});
