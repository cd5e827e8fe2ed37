import { expect, test } from 'vitest';
import { checkGivenRoles } from '../../../src/access/auth/given-roles.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { configProblems, startupProblems, sharedFolder } from '../files.ts';
import { rows } from '../../rows.ts';

const folder = await sharedFolder();

const USERS = 'authentication: { users: users.yaml }\nroles: { ops: { dataclasses: {} } }\n';

test('nothing is measured by default', async () => {
  const { metrics, traces, log } = await loadConfig(await folder.write('config.yaml', ''), {});
  expect({ metrics, traces, log }).toEqual({
    ...{ metrics: undefined, traces: false },
    log: { level: 'info' },
  });
});

test.each([
  'metrics: { port: 9464 }',
  'metrics: { port: 0, host: 0.0.0.0 }',
  `${USERS}metrics: { role: ops }\nproxy: [{ prefix: /, to: 'http://127.0.0.1:1' }]`,
  'traces: true\nlog: { slowRequestMs: 1000 }',
])('%j is a configuration', async (text) => {
  expect(await configProblems(folder, text)).toBeNull();
});

test.each(rows`
  metrics: {} | config.yaml:1:1: "metrics": says neither on which port the metrics are served, and to which role: expected either port or role
  ${USERS}metrics: { port: 1, role: ops } | config.yaml:3:1: "metrics": says both on which port the metrics are served, and to which role: expected either port or role
  ${USERS}metrics: { role: ops, host: localhost } | config.yaml:3:29: "metrics.host": is not used without metrics.port
  server: { port: 9000 }\nmetrics: { port: 9000 } | config.yaml:2:18: "metrics.port": is server.port, too: give the metrics another one
  metrics: { role: ops } | config.yaml:1:18: "metrics.role": without authentication there are no users: configure authentication, or serve the metrics on metrics.port
  ${USERS}metrics: { role: ops }\nproxy: [{ prefix: /metrics/old, to: 'http://127.0.0.1:1' }] | config.yaml:4:19: "proxy.0.prefix": overlaps /metrics, which metrics.role has served there
  metrics: { port: 70000 } | config.yaml:1:18: "metrics.port": expected at most 65535, found 70000
  metrics: { port: 1, rol: x } | config.yaml:1:21: unknown setting "rol". Did you mean role?
  traces: yes | config.yaml:1:9: "traces": expected true or false, found "yes"
  log: { slowRequestMs: 0 } | config.yaml:1:23: "log.slowRequestMs": expected at least 1, found 0
`)('%j is refused', async (text, problem) => {
  expect(await configProblems(folder, text)).toEqual([problem]);
});

test('the role has to be one of the configuration’s', async () => {
  const path = await folder.write('config.yaml', `${USERS}metrics: { role: op }`);
  const config = await loadConfig(path, {});
  const problems = await startupProblems(
    () => Promise.resolve().then(() => checkGivenRoles(config)),
    folder,
  );
  expect(problems).toEqual(['config.yaml:3:18: there is no role op. Did you mean ops?']);
});
