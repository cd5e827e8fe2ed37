import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { EventEmitter, once } from 'node:events';
import { request as send } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { mcpSettings } from '../../../src/config/settings/mcp.ts';
import { serveMcp } from '../../../src/server/mcp/plugin.ts';
import { jsonAnswer } from '../../../src/answer/answer.ts';
import type { Model } from '../../../src/model/types.ts';
import { problemsOf } from '../../integration/mcp/tool-rules.ts';
import { model, routine, table, types } from '../../model/physical.ts';
import { anybody, ask, type Answer, expectError, start, type StartOptions } from '../serving.ts';

const tableA = table('A', { columns: { ID: 'int' }, primaryKey: ['ID'] });
const built = await model([tableA], { a: 'dataclass: A\ntable: S.A' });

const agents: NonNullable<StartOptions['agents']> = {
  settings: mcpSettings.parse({ enabled: true }),
  application: 'Test',
  values: { bigNumbersAsStrings: true },
  actingFor: (user) => user,
  refuseOtherSite: () => undefined,
};

/** Serves the agents of a user who sees a model. */
const serving = (options: StartOptions = {}, seen: Model = built): ReturnType<typeof start> => {
  const caller = { ...anybody, audience: { ...anybody.audience, model: seen } };
  return start({ mcp: serveMcp, agents, admit: () => Promise.resolve(caller), ...options });
};

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

const message = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

/** A call of a tool. @param args its arguments, as JSON */
const calling = (name: string, args: string): string =>
  message('tools/call', { name, arguments: 'ARGS' }).replace('"ARGS"', args);

const query = calling('query', '{"dataclass":"A"}');

const post = (port: number, body: string): Promise<Answer> =>
  ask(port, '/mcp', { method: 'POST', headers: HEADERS, body });

interface Told {
  readonly note?: string;
  readonly data: unknown;
  readonly isError?: boolean;
}

async function resultOf<Result>(port: number, body: string): Promise<Result> {
  return (JSON.parse((await post(port, body)).text) as { result: Result }).result;
}

/** What a call is told. */
async function told(port: number, body: string): Promise<Told> {
  type Result = { isError?: boolean; content: [{ text: string }] };
  const { isError, content } = await resultOf<Result>(port, body);
  const { note, data } = JSON.parse(content[0].text) as Told;
  return { data, ...(note !== undefined && { note }), ...(isError !== undefined && { isError }) };
}

describe('a message', () => {
  test('is a request of the API, whose operation the log names', async () => {
    const { port, log } = await serving({
      handle: ({ url }, _caller, observer) => {
        observer.requestNamed?.({ operation: 'read', dataclass: 'A' });
        return Promise.resolve(jsonAnswer(JSON.stringify({ url })));
      },
    });
    expect(await told(port, query)).toEqual({
      data: { url: '/rest/A?$top=%2220%22&$skip=%220%22' },
    });
    const line = { msg: 'request', url: '/mcp', statusCode: 200 };
    await expect
      .poll(() => log.at(-1))
      .toMatchObject({ ...line, operation: 'read', dataclass: 'A' });
  });

  test('counts among the requests of its client', async () => {
    const { port } = await serving({ rateLimit: { perMinute: 1, store: null } });
    await post(port, query);
    expectError(await post(port, query), 429, 9028);
  });
});

describe('a call', () => {
  test('that fails is a result in the words of REST, and is reported', async () => {
    const failures: unknown[] = [];
    const { port, log } = await serving({
      handle: () =>
        Promise.reject(new ProtocolError('databaseUnavailable', 'The database is away.')),
      failed: (error, { verb, url }) => {
        failures.push([(error as Error).message, verb, url]);
        return Promise.resolve();
      },
    });
    const error = { message: 'The database is away.', componentSignature: 'dbmg', errCode: 9002 };
    expect(await told(port, query)).toEqual({ isError: true, data: { __ERROR: [error] } });
    expect(failures).toEqual([[error.message, 'GET', '/rest/A?$top=%2220%22&$skip=%220%22']]);
    expect(log).toContainEqual(expect.objectContaining({ msg: 'The database is away.' }));
  });

  test('stops the rest of a long answer', async () => {
    let sent = 0;
    const pieces = new Readable({
      read() {
        sent += 1;
        this.push(`${sent === 1 ? '[' : ''}${'{"a":1},'.repeat(1000)}`);
      },
    });
    const { port } = await serving({
      handle: ({ enoughBytes }) => {
        expect(enoughBytes).toBe(65_536);
        return Promise.resolve({ status: 200, headers: {}, body: pieces });
      },
    });
    expect(await told(port, query)).toEqual({
      note: 'Cut: sent 8192, since an answer has at most 65536 bytes. Ask for fewer attributes and relations, or go on with skip: 8192.',
      data: Array(8192).fill({ a: 1 }),
    });
    expect([pieces.destroyed, sent < 20]).toEqual([true, true]);
  });

  test('ends when its client disconnects', async () => {
    const steps = new EventEmitter();
    const { port } = await serving({
      handle: async ({ signal }) => {
        steps.emit('begun');
        await once(signal, 'abort');
        steps.emit('aborted');
        signal.throwIfAborted();
        return jsonAnswer('[]');
      },
    });
    const [begun, aborted] = [once(steps, 'begun'), once(steps, 'aborted')];
    const sent = send({ port, path: '/mcp', method: 'POST', headers: HEADERS });
    sent.on('error', () => undefined);
    sent.end(query);
    await begun;
    sent.destroy();
    await aborted;
  });
});

test('tools are what every client takes, whatever the names and types of functions are', async () => {
  const odd = {
    'größe in m²': 'decimal?',
    'größe-in-m²': 'bigint?',
    ['x'.repeat(70)]: 'text?',
    ['y'.repeat(70)]: 'json?',
    a$b: 'image?',
    'a-24b': 'enum?',
    ...Object.fromEntries(Object.keys(types).map((type) => [`p_${type}`, `${type}?`])),
  };
  const parameters = Object.keys(odd);
  const seen = await model(
    [table('Ärger', { columns: { ID: 'int' }, primaryKey: ['ID'] })],
    {
      a: 'dataclass: Ärger\ntable: S.Ärger',
      f: JSON.stringify({ functions: { größe: { routine: 'S.F', parameters } } }),
    },
    {},
    [routine('F', odd as Parameters<typeof routine>[1], { kind: 'value', type: types.int })],
  );
  const bodies: unknown[] = [];
  const { port } = await serving(
    {
      handle: ({ body }) => {
        bodies.push(JSON.parse(body?.toString() ?? 'null'));
        return Promise.resolve(jsonAnswer('1'));
      },
    },
    seen,
  );
  const { tools } = await resultOf<{ readonly tools: readonly Tool[] }>(
    port,
    message('tools/list'),
  );
  for (const tool of tools) expect(problemsOf(tool), tool.name).toEqual([]);
  const called = tools.find(({ name }) => name === 'call_gr-f6-dfe');
  const { properties } = called?.inputSchema.properties?.['parameters'] as { properties: object };
  const names = Object.keys(properties);
  expect(names.slice(0, 7)).toEqual([
    ...['gr-f6-dfe-20in-20m-b2', 'gr-f6-dfe-in-m-b2'],
    ...[/^x{51}_[0-9a-f]{12}$/, /^y{51}_[0-9a-f]{12}$/].map((text): unknown =>
      expect.stringMatching(text),
    ),
    ...['a-24b', 'parameter_6', 'p_int'],
  ]);
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  const given = { [names[3] ?? '']: [[1], null, { a: [] }], [names[0] ?? '']: 1.5 };
  const all = JSON.stringify({ parameters: { ...nulls, ...given } });
  await post(port, calling('call_gr-f6-dfe', all));
  expect(bodies).toEqual([
    [1.5, null, null, [[1], null, { a: [] }], ...names.slice(4).map(() => null)],
  ]);
});
