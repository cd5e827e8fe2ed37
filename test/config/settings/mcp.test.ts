import { expect, test } from 'vitest';
import { loadConfig } from '../../../src/config/load.ts';
import { configProblems, sharedFolder } from '../files.ts';
import { rows } from '../../rows.ts';

const folder = await sharedFolder();

test('agents are not served by default, and then only read', async () => {
  const { mcp } = await loadConfig(await folder.write('config.yaml', ''), {});
  const tools = ['describe_model', 'query', 'read', 'compute', 'distinct', 'functions'];
  expect(mcp).toEqual({
    enabled: false,
    tools: [...tools, 'save', 'delete'],
    write: false,
    maxRequestBytes: 262_144,
    maxAnswerBytes: 65_536,
  });
});

test('a role lets agents read, and says where they may write', async () => {
  const text =
    'authentication: { users: users.yaml }\nroles:\n  a: { dataclasses: {} }\n  b: { mcp: write, dataclasses: {} }';
  const { roles } = await loadConfig(await folder.write('config.yaml', text), {});
  expect([roles?.['a']?.mcp, roles?.['b']?.mcp]).toEqual(['read', 'write']);
});

test.each(rows<[text: string, problem?: string]>`
  mcp: { enabled: true, tools: [query, describe_model] }
  proxy: [{ prefix: /mcp, to: 'http://127.0.0.1:1' }]
  mcp:\n  tools: [query, reed] | 2:18: "mcp.tools.1": expected describe_model, query, read, compute, distinct, functions, save or delete, found "reed". Did you mean read?
  mcp: { maxAnswerBytes: 1 } | 1:24: "mcp.maxAnswerBytes": expected at least 4096, found 1
  mcp: { enabeld: true } | 1:8: unknown setting "enabeld". Did you mean enabled?
  mcp: { enabled: true }\nproxy: [{ prefix: /mcp/app, to: 'http://127.0.0.1:1' }] | 2:19: "proxy.0.prefix": overlaps /mcp, where mcp.enabled serves agents
`)('%s is a configuration, or says why not', async (text, problem) => {
  const expected = problem === undefined ? null : [`config.yaml:${problem}`];
  expect(await configProblems(folder, text)).toEqual(expected);
});
