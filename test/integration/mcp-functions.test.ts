import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import { Agent, withAgents } from './mcp/client.ts';
import { problemsOf } from './mcp/tool-rules.ts';
import { onEngines, type Served } from './shapes/engines.ts';
import { shape } from './shapes/routines.ts';

const reads = { '*': { read: true } };

function functions(served: Served): void {
  let gateway: Gateway;
  let reader: Agent;
  let writer: Agent;
  let part: Agent;
  beforeAll(async () => {
    const { settings, keyOf } = withAgents({
      reader: { execute: true, dataclasses: reads },
      writer: { mcp: 'write', execute: true, dataclasses: reads },
      part: { mcp: 'write', execute: ['Emp.raise'], dataclasses: reads },
    });
    const { mappings } = served;
    const { database } = served.gateway;
    gateway = await startGateway(
      { engine: 'pglite', statementTimeoutSeconds: 30, directory: 'memory:' },
      { ...settings, mappings, ignoreCase: false, stampBits: 31 },
      database,
    );
    const { port } = gateway;
    [reader, writer, part] = await Promise.all([
      Agent.connect(port, keyOf('reader')),
      Agent.connect(port, keyOf('writer')),
      Agent.connect(port, keyOf('part')),
    ]);
  });
  afterAll(async () => {
    for (const agent of [reader, writer, part]) await agent.close();
    await gateway.close();
  });

  const called = async (agent: Agent): Promise<string[]> =>
    (await agent.toolNames()).filter((name) => name.startsWith('call_'));

  test('are tools of their own, those that may change data by the roles that say so', async () => {
    expect(await called(reader)).toEqual(['call_add', 'call_change', 'call_Emp-wellPaid']);
    expect(await called(part)).toEqual(['call_Emp-raise']);
    expect(await called(writer)).toEqual([
      ...['call_add', 'call_types', 'call_echo', 'call_own', 'call_change', 'call_Prices-quote'],
      ...['call_Dept-twin', 'call_Emp-raise', 'call_Emp-raised', 'call_Emp-twin', 'call_Emp-pick'],
      ...['call_Emp-keys', 'call_Emp-wellPaid', 'call_Emp-best', 'call_Line-keys'],
    ]);
  });

  test('have the parameters of the model, and say whether they may change data', async () => {
    const { tools } = await writer.client.listTools();
    for (const tool of tools) expect(problemsOf(tool), tool.name).toEqual([]);
    const raise = tools.find(({ name }) => name === 'call_Emp-raise');
    const key = expect.any(Object);
    expect(raise).toMatchObject({
      title: 'Emp.raise',
      description:
        'Calls the function Emp.raise(pct: number, note?: string) on an entity. It may change data at once: there is no dry run.',
      annotations: { readOnlyHint: false, destructiveHint: true },
      inputSchema: {
        properties: {
          key,
          parameters: {
            properties: {
              pct: { anyOf: [{ type: 'number' }, { type: 'null' }] },
              note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
            },
            required: ['pct'],
          },
        },
        required: ['key', 'parameters'],
      },
    });
    expect(tools.find(({ name }) => name === 'call_add')).toMatchObject({
      title: 'add',
      description: expect.stringMatching(
        /^Calls the function add\(a: long, b: number\)\. Adds two numbers\. It changes nothing\.$/,
      ),
      annotations: { readOnlyHint: true },
    });
    const [emp] = (await part.told('describe_model', { dataclasses: ['Emp'] })) as object[];
    expect(emp).toMatchObject({ functions: [{ tool: 'call_Emp-raise' }] });
  });

  test('are called as by REST', async () => {
    const given = (parameters: object): object => ({ parameters });
    expect(await writer.told('call_add', { ...given({ a: 1, b: 2.25 }) })).toEqual({
      result: 3.25,
    });
    expect(await reader.told('call_add', { ...given({ b: 2, a: 1 }) })).toEqual({ result: 3 });
    expect(await writer.told('call_Prices-quote', { ...given({ a: 2, b: 2 }) })).toEqual({
      result: 4,
    });
    expect(await writer.told('call_Emp-keys', { filter: 'ID > 1' })).toMatchObject({
      result: expect.stringMatching(/2.*3/),
    });
    expect(await writer.told('call_Emp-raised', { key: '3', ...given({ pct: 10 }) })).toEqual({
      result: 220,
    });
    const paid = await reader.call('call_Emp-wellPaid', {
      ...given({ lowest: 0 }),
      ...{ top: 2, attributes: ['name'] },
    });
    expect([paid.note, paid.data]).toMatchObject([
      'Sent 2 of 3. Go on with skip: 2.',
      { __COUNT: 3, __ENTITIES: [{ name: 'Ben' }, { name: 'Cal' }], __SENT: 2 },
    ]);
    const pick = { filter: 'ID < 3', attributes: ['name'], ...given({ lowest: 200 }) };
    expect(await writer.told('call_Emp-pick', pick)).toMatchObject({
      __ENTITIES: [{ name: 'Ben' }],
    });
  });

  test('say what is wrong with a call', async () => {
    const raise = (given: Record<string, unknown>): Promise<unknown> =>
      writer.told('call_Emp-raise', given);
    await expect(raise({ parameters: { pct: 1 } })).rejects.toThrow(
      'call_Emp-raise needs the argument key.',
    );
    await expect(raise({ key: 1, parameters: { percent: 1 } })).rejects.toThrow(
      'parameters of call_Emp-raise has no argument percent. Known: pct, note.',
    );
    await expect(raise({ key: 1, parameters: { note: 'x' } })).rejects.toThrow(
      'parameters of call_Emp-raise needs the argument pct.',
    );
    await expect(raise({ key: 1, parameters: { pct: 'x' } })).rejects.toThrow(
      'pct of parameters of call_Emp-raise: expected a number or null.',
    );
    expect(await raise({ key: 99, parameters: { pct: 1 } })).toEqual([
      [1543, 'There is no entity Emp(99).'],
    ]);
    expect(await raise({ key: 1, parameters: { pct: 101 } })).toEqual([
      [9017, 'No raise of 101 percent'],
    ]);
  });
}

describe('functions as tools of agents', () => {
  onEngines('are called', shape, functions);
});
