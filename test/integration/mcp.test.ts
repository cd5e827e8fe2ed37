import { beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import type { Gateway } from '../targets/gateway.ts';
import { Agent } from './mcp/client.ts';
import { problemsOf } from './mcp/tool-rules.ts';
import { shape } from './shapes/agents.ts';
import { onEngines } from './shapes/engines.ts';
import { settingsIn } from './shapes/sample.ts';

const READING = ['describe_model', 'query', 'read', 'aggregate', 'compute', 'distinct'];

const headersOf = (role: string): Readonly<Record<string, string>> => shape.users?.[role] ?? {};

const mcpOf = (mcp: object): Partial<Config> => settingsIn({ mcp: { enabled: true, ...mcp } });

onEngines('agents', shape, (served) => {
  let reader: Agent;
  let writer: Agent;
  beforeAll(async () => {
    reader = await Agent.connect(served.gateway.port, headersOf('reader'));
    writer = await Agent.connect(served.gateway.port, headersOf('writer'));
    return async () => {
      await Promise.all([reader.close(), writer.close()]);
    };
  });

  const connected = async ({ port }: Gateway, role: string): Promise<Agent> => {
    const agent = await Agent.connect(port, headersOf(role));
    onTestFinished(() => agent.close());
    return agent;
  };

  test('have the tools of their user’s roles, with schemas that are JSON Schemas', async () => {
    expect(await reader.toolNames()).toEqual(READING);
    const { tools } = await writer.client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([...READING, 'save', 'delete']);
    for (const tool of tools) expect(problemsOf(tool), tool.name).toEqual([]);
    const hints = tools.map(({ annotations }) => [
      annotations?.readOnlyHint,
      annotations?.destructiveHint,
    ]);
    const writing = ['save', 'delete'].map(() => [false, true]);
    expect(hints).toEqual([...READING.map(() => [true, undefined]), ...writing]);
    const [remove] = tools.slice(-1);
    expect(remove?.description).toContain('Find what to delete with ===');
  });

  test('have no arguments that make a URL of more than its bound', async () => {
    const query = { dataclass: 'Employee', filter: `ID = ${'1'.repeat(70_000)}` };
    expect(await reader.told('query', query)).toEqual([
      [9030, 'The arguments make a URL of more than 65536 bytes.'],
    ]);
  });

  test('write as administrators where the configuration says so', async () => {
    const admin = await connected(served.gateway, 'admin');
    expect(await admin.toolNames()).toEqual(READING);
    const agent = await connected(await served.start(mcpOf({ write: true })), 'admin');
    expect(await agent.toolNames()).toEqual([...READING, 'save', 'delete']);
  });

  test('are served side by side, each as its own user', async () => {
    const [one, other] = await Promise.all([
      Promise.all(
        Array.from({ length: 10 }, (_, at) =>
          reader.told('read', { dataclass: 'Company', key: at + 1 }),
        ),
      ),
      Promise.all(Array.from({ length: 10 }, () => writer.toolNames())),
    ]);
    expect(one.map((entity) => (entity as { ID: number }).ID)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ]);
    expect(new Set(other.map((names) => names.length))).toEqual(new Set([READING.length + 2]));
  });

  test('have the tools that the configuration offers, from the next call after a reload on', async () => {
    const other = await served.start(mcpOf({ tools: ['query'] }));
    const agent = await connected(other, 'writer');
    expect(await agent.toolNames()).toEqual(['query']);
    await expect(agent.call('read')).rejects.toThrow('There is no tool read. Known: query.');
    other.configure(mcpOf({ enabled: false, tools: ['read', 'save'] }));
    const reload = await other.get('/rest/$info/reload', {
      method: 'POST',
      headers: headersOf('admin'),
    });
    expect(reload.body).toMatchObject({ needsRestart: ['mcp.enabled'] });
    expect(await agent.toolNames()).toEqual(['read', 'save']);
  });

  test('are told that the database is away in the words of REST', async ({ skip }) => {
    if (served.engine === 'pglite') return skip('the embedded database is in the process');
    const { proxy, gateway: other } = await served.startBehindProxy();
    const agent = await connected(other, 'writer');
    await proxy.close();
    const byRest = await other.get('/rest/Country(FR)', { headers: headersOf('writer') });
    const read = await agent.call('read', { dataclass: 'Country', key: 'FR' });
    expect([byRest.status, read.isError, read.data]).toEqual([503, true, byRest.body]);
    expect(byRest.body).toMatchObject({ __ERROR: [{ errCode: 9002 }] });
  });
});
