import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import type { OpenTarget } from '../targets/target.ts';
import { cuttingProxy } from './cutting-proxy.ts';
import { Agent, errorsIn, withAgents } from './mcp/client.ts';
import { problemsOf } from './mcp/tool-rules.ts';
import { onEveryTarget } from './writing.ts';

const all = { read: true, create: true, update: true, delete: true };
const roles = {
  reader: { dataclasses: { '*': all } },
  writer: { mcp: 'write', dataclasses: { '*': { read: true }, Category: all, LogEntry: all } },
};

const READING = ['describe_model', 'query', 'read', 'aggregate', 'compute', 'distinct'];

await onEveryTarget('agents', (target) => {
  let opened: OpenTarget;
  let gateway: Gateway;
  let reader: Agent;
  let writer: Agent;
  const users = withAgents(roles);
  beforeAll(async () => {
    opened = await target.open();
    gateway = await startGateway(opened.database, users.settings);
    reader = await Agent.connect(gateway.port, users.keyOf('reader'));
    writer = await Agent.connect(gateway.port, users.keyOf('writer'));
  });
  afterAll(async () => {
    await Promise.all([reader.close(), writer.close()]);
    await gateway.close();
    await opened.close();
  });

  /** Another gateway on the same database, with other settings of agents. */
  const agentOf = async (mcp: object, role = 'reader'): Promise<Agent> => {
    const { settings, keyOf } = withAgents(roles, { mcp: { enabled: true, ...mcp } });
    const other = await startGateway(opened.database, settings, gateway.database);
    onTestFinished(() => other.close());
    const agent = await Agent.connect(other.port, keyOf(role));
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

  describe('read', () => {
    test('the model, as resources too', async () => {
      const { client } = reader;
      const { resources } = await client.listResources();
      expect(resources.map(({ uri }) => uri).slice(0, 3)).toEqual([
        'entitygate://model',
        'entitygate://dataclass/Assignment',
        'entitygate://dataclass/Category',
      ]);
      const { resourceTemplates } = await client.listResourceTemplates();
      expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
        'entitygate://dataclass/{name}',
      ]);
      const textOf = async (uri: string): Promise<unknown> => {
        const { contents } = await client.readResource({ uri });
        return JSON.parse((contents[0] as { text: string }).text);
      };
      const list = (await reader.told('describe_model')) as object[];
      const description = 'A customer, supplier or employer.';
      expect(list.length).toBe(17);
      expect(list).toContainEqual({ name: 'Company', description });
      expect(await textOf('entitygate://model')).toEqual(list);
      expect([await textOf('entitygate://dataclass/Order')]).toEqual(
        await reader.told('describe_model', { dataclasses: ['Order'] }),
      );
      await expect(textOf('entitygate://dataclass/Oder')).rejects.toThrow(
        'There is no resource entitygate://dataclass/Oder. Did you mean Order?',
      );
    });

    test('groups, with aggregates of each, as REST answers them', async () => {
      const report = {
        ...{ dataclass: 'Order', groups: ['billTo.country.name', 'date:year'] },
        aggregates: ['sum(total) as turnover', 'count', 'avg(lines.quantity)'],
        filter: 'date >= :1',
        parameters: ['2023-01-01', '4'],
        having: 'count > :2',
        order: 'turnover desc',
      };
      const byRest = await gateway.get(
        `/rest/Order?$filter="date >= :1"&$params=["2023-01-01","4"]&$groupby=billTo.country.name,date:year&$aggregate=sum(total) as turnover,count,avg(lines.quantity)&$having="count > :2"&$orderby="turnover desc"&$top=2&$skip=1`,
        { headers: users.keyOf('reader') },
      );
      const page = await reader.call('aggregate', { ...report, top: 2, skip: 1 });
      const withoutUri = (text: string): unknown => JSON.parse(text.replace(/,"uri":"[^"]*"/g, ''));
      expect(withoutUri(JSON.stringify(page.data))).toEqual(withoutUri(byRest.text));
      const { __COUNT: count, __GROUPS: groups } = page.data as Record<string, unknown>;
      expect(groups).toHaveLength(2);
      expect(page.note).toBe(`Sent 2 of ${String(count)}. Go on with skip: 3.`);
      expect(await reader.told('aggregate', { dataclass: 'Employee' })).toMatchObject({
        __GROUPS: [{ count: 400 }],
      });
      const days = { dataclass: 'Order', groups: ['date:day', 'status'], top: 200 };
      const cut = await (await agentOf({ maxAnswerBytes: 4096 })).call('aggregate', days);
      const { __GROUPS: sent } = cut.data as { __GROUPS: object[] };
      expect(cut.note).toMatch(
        new RegExp(
          `^Cut: sent ${sent.length} of \\d+, since an answer has at most 4096 bytes. Ask for fewer groups and aggregates, or go on with skip: ${sent.length}.$`,
        ),
      );
      expect(cut.data).toMatchObject({ __SENT: sent.length });
    });

    test('by values that mean something in URLs', async () => {
      const texts = ['a & b', '"', "'", '100%', 'a+b', '#', 'é', '"&$top=1&$filter="', '`', "','"];
      for (const [index, description] of texts.entries()) {
        const code = `URL ${index}`;
        const values = { code, description, position: 1 };
        await writer.told('save', { dataclass: 'Category', values, dryRun: false });
        const filter = 'description = :1 and code = :2';
        const query = { dataclass: 'Category', filter, parameters: [description, code] };
        expect(await reader.told('query', query), description).toMatchObject({
          __ENTITIES: [values],
        });
        const remove = { dataclass: 'Category', key: code, stamp: 1, dryRun: false };
        expect(await writer.told('delete', remove)).toEqual({ ok: true });
      }
    });

    test('entities by their keys, whatever those are', async () => {
      const { __ENTITIES: categories } = (await reader.told('query', {
        ...{ dataclass: 'Category', attributes: ['code'], top: 100 },
      })) as { __ENTITIES: { __KEY: string }[] };
      expect(categories.length).toBeGreaterThan(5);
      for (const { __KEY: key } of categories) {
        const read = await reader.told('read', { dataclass: 'Category', key });
        expect(read).toMatchObject({ __KEY: key, code: key });
      }
    });
  });

  test('have no arguments that make a URL of more than its bound', async () => {
    const query = { dataclass: 'Employee', filter: `ID = ${'1'.repeat(70_000)}` };
    expect(await reader.told('query', query)).toEqual([
      [9030, 'The arguments make a URL of more than 65536 bytes.'],
    ]);
  });

  test('write as administrators where the configuration says so', async () => {
    const admin = await Agent.connect(gateway.port, users.keyOf('admin'));
    onTestFinished(() => admin.close());
    expect(await admin.toolNames()).toEqual(READING);
    const writing = await agentOf({ write: true }, 'admin');
    expect(await writing.toolNames()).toEqual([...READING, 'save', 'delete']);
  });

  describe('get answers of a bounded size', () => {
    const bytes = 4096;
    let agent: Agent;
    beforeAll(async () => {
      const { settings, keyOf } = withAgents(roles, {
        mcp: { enabled: true, maxAnswerBytes: bytes },
      });
      const other = await startGateway(opened.database, settings, gateway.database);
      agent = await Agent.connect(other.port, keyOf('writer'));
      return async () => {
        await agent.close();
        await other.close();
      };
    });

    test('cut behind a whole entity, with the way to go on', async () => {
      const seen: unknown[] = [];
      const query = { dataclass: 'Employee', attributes: ['fullName', 'note'], order: 'ID' };
      for (let skip = 0, isCut = true; isCut;) {
        const { note, text, data } = await agent.call('query', { ...query, top: 150, skip });
        expect(Buffer.byteLength(text)).toBeLessThan(bytes + 500);
        const { __ENTITIES: some, __SENT: sent } = data as {
          __ENTITIES: unknown[];
          __SENT: number;
        };
        expect(some.length).toBe(sent);
        seen.push(...some);
        const [, next] =
          /^Cut: sent \d+ of 400, .* or go on with skip: (\d+)\.$/.exec(note ?? '') ?? [];
        isCut = next !== undefined && seen.length < 100;
        if (isCut) expect(Number(next)).toBe(seen.length);
        skip = Number(next);
      }
      const whole = (await reader.told('query', { ...query, top: 150 })) as {
        __ENTITIES: unknown[];
      };
      expect(seen.slice(0, 100)).toEqual(whole.__ENTITIES.slice(0, 100));
    });
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
    const { settings, keyOf } = withAgents(roles, { mcp: { enabled: true, tools: ['query'] } });
    const other = await startGateway(opened.database, settings, gateway.database);
    onTestFinished(() => other.close());
    const agent = await Agent.connect(other.port, keyOf('writer'));
    onTestFinished(() => agent.close());
    expect(await agent.toolNames()).toEqual(['query']);
    await expect(agent.call('read')).rejects.toThrow('There is no tool read. Known: query.');
    const { mcp } = withAgents(roles, { mcp: { tools: ['read', 'save'] } }).settings;
    other.configure(mcp === undefined ? {} : { mcp });
    const reload = await other.get('/rest/$info/reload', {
      method: 'POST',
      headers: keyOf('admin'),
    });
    expect(reload.body).toMatchObject({ needsRestart: ['mcp.enabled'] });
    expect(await agent.toolNames()).toEqual(['read', 'save']);
  });

  test('are told that the database is away in the words of REST', async ({ skip }) => {
    const { database } = opened;
    if (database.engine === 'pglite') return skip('the embedded database is in the process');
    const proxy = await cuttingProxy(database);
    const through = { ...proxy.settings, connectTimeoutSeconds: 1 };
    const other = await startGateway(through, users.settings);
    onTestFinished(() => other.close());
    const headers = users.keyOf('writer');
    const agent = await Agent.connect(other.port, headers);
    onTestFinished(() => agent.close());
    await proxy.close();
    const byRest = await other.get('/rest/Country(FR)', { headers });
    const read = await agent.call('read', { dataclass: 'Country', key: 'FR' });
    expect([byRest.status, read.isError, read.data]).toEqual([503, true, byRest.body]);
    expect(errorsIn(read.data).map(([errCode]) => errCode)).toEqual([9002]);
  });
});
