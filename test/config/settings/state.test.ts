import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { configProblems, sharedFolder } from '../files.ts';
import { rows } from '../../rows.ts';

const folder = await sharedFolder();

const DATABASE = 'database: { engine: postgres, url: "postgres://ada:secret@nowhere/legacy" }\n';

test('every gateway keeps its own state by default', async () => {
  const { state } = await loadConfig(await folder.write('config.yaml', DATABASE), {});
  expect(state).toBeUndefined();
});

test('a password may stand outside of the file, and the path of a certificate is absolute', async () => {
  const text = `${DATABASE}state: { url: 'valkeys://store', password: '\${ENV:STORE}', ca: ca.pem, cluster: ['10.0.0.2:7000', '[::1]:7001'] }`;
  const { state } = await loadConfig(await folder.write('config.yaml', text), { STORE: 'p@ss' });
  expect(state).toEqual({
    url: 'valkeys://store',
    password: 'p@ss',
    ca: join(folder.path, 'ca.pem'),
    cluster: ['10.0.0.2:7000', '[::1]:7001'],
    prefix: 'entitygate',
    timeoutSeconds: 2,
  });
});

test.each(['redis://store', 'rediss://store:6380/2', 'valkey://ada:p%40ss@10.0.0.1:6379/0'])(
  '%s is the URL of a state store',
  async (url) => {
    expect(await configProblems(folder, `${DATABASE}state: { url: '${url}' }`)).toBeNull();
  },
);

const NOT_A_URL =
  'is not the URL of a state store: expected valkey://user:password@host:6379, or valkeys:// with TLS';

test.each(rows`
  { url: "http://store" } | config.yaml:2:15: "state.url": ${NOT_A_URL}
  { url: "valkey://" } | config.yaml:2:15: "state.url": ${NOT_A_URL}
  { url: "valkey://:secret@store/legacy" } | config.yaml:2:15: "state.url": has a path that is not the number of a database: leave it out, or write one such as /1
  { url: "valkey://store", ca: ca.pem } | config.yaml:2:37: "state.ca": is for TLS: write valkeys:// in the url, or leave it out
  { url: "redis://store", ca: ca.pem } | config.yaml:2:36: "state.ca": is for TLS: write valkeys:// in the url, or leave it out
  { url: "valkey://store/1", cluster: ["a:1"] } | config.yaml:2:15: "state.url": names a database, and a cluster has only one: leave out its number
  { url: "valkey://store", cluster: [a] } | config.yaml:2:43: "state.cluster.0": is not an address: expected host:port
  { url: "valkey://store", prefix: "{a}" } | config.yaml:2:41: "state.prefix": is not a prefix: expected at most 64 letters, digits, and - . _
`)('state: %s is refused', async (state, problem) => {
  expect(await configProblems(folder, `${DATABASE}state: ${state}`)).toEqual([problem]);
});

test('the embedded database shares no state', async () => {
  expect(await configProblems(folder, 'state: { url: "valkey://store" }')).toEqual([
    'config.yaml:1:15: "state.url": is for several gateways, and the embedded database serves one: use a database server, or leave state out',
  ]);
});

test('gateways that share state need a secret that they share', async () => {
  const text =
    'database: { engine: postgres, url: "postgres://ada@nowhere/legacy" }\nstate: { url: "valkey://store" }';
  expect(await configProblems(folder, text)).toEqual([
    'config.yaml:2:15: "state.url": needs a secret that all gateways share, and the database login has no password to derive it from: set stampSecret',
  ]);
  expect(await configProblems(folder, `${text}\nstampSecret: ${'s'.repeat(16)}`)).toBeNull();
});
