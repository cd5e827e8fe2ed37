import { EventEmitter, once } from 'node:events';
import { request as send } from 'node:http';
import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { mcpSettings } from '../../../src/config/settings/mcp.ts';
import { serveMcp } from '../../../src/server/mcp/plugin.ts';
import { refuseCrossSite, refuseOtherOrigin } from '../../../src/server/http/admission.ts';
import { jsonAnswer } from '../../../src/answer/answer.ts';
import { table, model } from '../../model/physical.ts';
import { application, mirror, route, startProxy } from '../application.ts';
import { anybody, ask, type Answer, expectError, start, type StartOptions } from '../serving.ts';

const built = await model([table('A', { columns: { ID: 'int' }, primaryKey: ['ID'] })], {
  a: 'dataclass: A\ntable: S.A',
});
const caller = { ...anybody, audience: { ...anybody.audience, model: built } };

const agents: NonNullable<StartOptions['agents']> = {
  settings: mcpSettings.parse({ enabled: true }),
  application: 'Test',
  values: { bigNumbersAsStrings: false },
  actingFor: (user) => user,
  refuseOtherSite: (request) => {
    const allowed = { origins: ['https://app.example'], credentials: false };
    refuseOtherOrigin(request, allowed);
    refuseCrossSite(request, allowed, 'sid');
  },
};

const serving = (options: StartOptions = {}): ReturnType<typeof start> =>
  start({ mcp: serveMcp, agents, admit: () => Promise.resolve(caller), ...options });

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

const message = (method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });

const query = message('tools/call', { name: 'query', arguments: { dataclass: 'A' } });

const post = (
  port: number,
  body: string | Buffer,
  headers: Record<string, string> = {},
): Promise<Answer> =>
  ask(port, '/mcp', { method: 'POST', headers: { ...HEADERS, ...headers }, body });

test('nothing is there where agents are not served', async () => {
  const { port } = await start();
  const nothing = 'There is nothing at /mcp; the API begins at /rest/$catalog.';
  expectError(await post(port, query), 404, 9008, nothing);
});

test.each(['GET', 'DELETE', 'PUT', 'PATCH'])('%s is refused', async (method) => {
  const { port } = await serving();
  const answer = await ask(port, '/mcp', { method, headers: { accept: 'text/event-stream' } });
  const why = `${method} does not apply to /mcp: messages are sent by POST.`;
  expectError(answer, 405, 9004, why);
  expect(answer.headers['allow']).toBe('POST, OPTIONS');
});

test('OPTIONS tells the verb', async () => {
  const { port } = await serving();
  const { status, headers } = await ask(port, '/mcp', { method: 'OPTIONS' });
  expect([status, headers['allow']]).toEqual([204, 'POST, OPTIONS']);
});

test('an application at / does not hide it', async () => {
  const { host } = await application(mirror);
  const { port } = await startProxy([route({ prefix: '/', to: `http://${host}` })], {
    ...{ mcp: serveMcp, agents, admit: () => Promise.resolve(caller) },
  });
  expect(JSON.parse((await post(port, message('ping'))).text)).toEqual({
    ...{ jsonrpc: '2.0', id: 1, result: {} },
  });
});

describe('a message', () => {
  test('that asks for nothing is taken', async () => {
    const { port } = await serving();
    const { status, text } = await post(
      port,
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
    );
    expect([status, text]).toEqual([202, '']);
  });

  test('is a request of the API, and its answer the data of a result', async () => {
    const { port, log } = await serving();
    const { status, text } = await post(port, query);
    const { result } = JSON.parse(text) as { result: { content: [{ text: string }] } };
    const { data } = JSON.parse(result.content[0].text) as { data: unknown };
    expect([status, data]).toEqual([200, { url: '/rest/A?$top=%2220%22&$skip=%220%22' }]);
    await expect
      .poll(() => log.at(-1))
      .toMatchObject({ msg: 'request', url: '/mcp', statusCode: 200 });
  });

  test.each([
    ['', 400, 9016, 'The body is empty; expected one message of MCP, a JSON object.'],
    [
      `[${query},${query}]`,
      400,
      9016,
      'The body is an array; expected one message of MCP, a JSON object.',
    ],
    ['{"jsonrpc":', 400, 9016, expect.stringContaining('at position')],
    ['x'.repeat(1_048_577), 413, 9005, 'The body is larger than the gateway accepts.'],
  ])('is refused: %.20s', async (body, status, errCode, why) => {
    const { port } = await serving();
    expectError(await post(port, body), status, errCode, why as string);
  });

  test('is refused in the words of MCP where it is none of it', async () => {
    const { port } = await serving();
    const told = async (body: string, headers = {}): Promise<unknown> => {
      const { status, text } = await post(port, body, headers);
      const { error } = JSON.parse(text) as { error: { code: number } };
      return [status, error.code];
    };
    expect(await told('{"a":1}')).toEqual([400, -32_700]);
    expect(await told(query, { accept: 'application/json' })).toEqual([406, -32_000]);
    expect(await told(query, { 'content-type': 'text/plain' })).toEqual([415, -32_000]);
    expect(await told(query, { 'mcp-protocol-version': '1999-01-01' })).toEqual([400, -32_000]);
    expect(await told(message('nothing'))).toEqual([200, -32_601]);
  });

  test('is refused where it is compressed, or has two credentials', async () => {
    const { port } = await serving();
    expectError(await post(port, query, { 'content-encoding': 'gzip' }), 415, 9006);
    const twice = await new Promise<number | undefined>((resolve) => {
      const headers = ['host', 'x', 'authorization', 'Basic a', 'authorization', 'Basic b'];
      send({ port, path: '/mcp', method: 'POST', headers }, ({ statusCode }) =>
        resolve(statusCode),
      ).end();
    });
    expect(twice).toBe(400);
  });

  test('counts among the requests of its client', async () => {
    const { port } = await serving({ rateLimit: { perMinute: 2, store: null } });
    await post(port, query);
    await post(port, query);
    expectError(await post(port, query), 429, 9028);
  });
});

test('who is unknown is asked for credentials', async () => {
  const { port } = await serving({
    admit: () => Promise.reject(new ProtocolError('notLoggedIn', 'Who are you?')),
    refusalHeaders: () => ({ 'www-authenticate': 'Bearer' }),
  });
  const answer = await post(port, query);
  expectError(answer, 401, 1822, 'Who are you?');
  expect(answer.headers['www-authenticate']).toBe('Bearer');
});

describe('a page', () => {
  test.each([
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'https://evil.example', 'api-key': 'egk_x', 'x-requested-with': 'x' }, 403],
    [{ origin: 'https://evil.example', authorization: 'Bearer x' }, 403],
    [{ origin: 'null' }, 403],
    // A name that somebody else has led here.
    [{ origin: 'http://evil.example', host: 'evil.example' }, 403],
    [{ 'sec-fetch-site': 'cross-site' }, 403],
    [{ 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:1' }, 403],
    [{ origin: 'https://app.example', 'sec-fetch-site': 'cross-site' }, 200],
    [{ origin: 'own' }, 200],
    [{ 'sec-fetch-site': 'same-origin' }, 200],
    [{}, 200],
  ])('with %j is answered with %i', async (headers: Record<string, string>, status) => {
    const { port } = await serving();
    const own = headers['origin'] === 'own' ? { origin: `http://127.0.0.1:${port}` } : {};
    const answer = await post(port, query, { ...headers, ...own });
    if (status === 403) expectError(answer, 403, 9040);
    else expect(answer.status).toBe(200);
  });
});

describe('a call', () => {
  const resultOf = ({ text }: Answer): { isError?: boolean; content: [{ text: string }] } =>
    (JSON.parse(text) as { result: { isError?: boolean; content: [{ text: string }] } }).result;

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
    const { isError, content } = resultOf(await post(port, query));
    const { data } = JSON.parse(content[0].text) as { data: unknown };
    expect([isError, data]).toEqual([
      true,
      {
        __ERROR: [{ message: 'The database is away.', componentSignature: 'dbmg', errCode: 9002 }],
      },
    ]);
    expect(failures).toEqual([
      ['The database is away.', 'GET', '/rest/A?$top=%2220%22&$skip=%220%22'],
    ]);
    expect(log).toContainEqual(expect.objectContaining({ msg: 'The database is away.' }));
  });

  test.each([
    ['query', '"top":99999999999999999999', 'top of query: expected at most 200.'],
    ['query', '"top":1.5', 'top of query: expected integer.'],
    ['query', '"skip":-99999999999999999999', 'skip of query: expected at least 0.'],
    ['query', '"constructor":1', 'query has no argument constructor.'],
    [
      'describe_model',
      `"dataclasses":[${Array.from({ length: 51 }, () => '"A"').join()}]`,
      'dataclasses of describe_model: expected at most 50 items.',
    ],
  ])('with wrong arguments is one that fails: %s %.40s', async (name, args, why) => {
    const { port } = await serving();
    const dataclass = name === 'query' ? '"dataclass":"A",' : '';
    const body = message('tools/call', { name, arguments: 'ARGS' });
    const { content } = resultOf(await post(port, body.replace('"ARGS"', `{${dataclass}${args}}`)));
    const { data } = JSON.parse(content[0].text) as { data: unknown };
    expect(data).toEqual({
      __ERROR: [
        { message: expect.stringContaining(why), componentSignature: 'dbmg', errCode: 9049 },
      ],
    });
  });

  test('that fails by the gateway’s own fault tells nothing of it', async () => {
    const { port } = await serving({ handle: () => Promise.reject(new Error('secret path')) });
    const { isError, content } = resultOf(await post(port, query));
    expect([isError, content[0].text.includes('secret')]).toEqual([true, false]);
    expect(content[0].text).toContain('"errCode":9000');
  });

  test('names its operation and dataclass in the log', async () => {
    const { port, log } = await serving({
      handle: (_request, _caller, observer) => {
        observer.requestNamed?.({ operation: 'read', dataclass: 'A' });
        return Promise.resolve(jsonAnswer('[]'));
      },
    });
    await post(port, query);
    const line = { url: '/mcp', operation: 'read', dataclass: 'A' };
    await expect.poll(() => log.at(-1)).toMatchObject(line);
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

test('many tools are listed in pages', async () => {
  const functions = Array.from({ length: 150 }, (_, at) => `  f${at}: { routine: S.F }`);
  const { routine, types } = await import('../../model/physical.ts');
  const large = await model(
    [table('A', { columns: { ID: 'int' }, primaryKey: ['ID'] })],
    { a: 'dataclass: A\ntable: S.A', f: `functions:\n${functions.join('\n')}` },
    {},
    [routine('F', {}, { kind: 'value', type: types.int })],
  );
  const { port } = await serving({
    admit: () => Promise.resolve({ ...caller, audience: { ...caller.audience, model: large } }),
  });
  const page = async (params: object): Promise<readonly [number, unknown]> => {
    const { result } = JSON.parse((await post(port, message('tools/list', params))).text) as {
      result: { tools: unknown[]; nextCursor?: string };
    };
    return [result.tools.length, result.nextCursor];
  };
  expect(await page({})).toEqual([100, '100']);
  expect(await page({ cursor: '100' })).toEqual([57, undefined]);
  const { error } = JSON.parse((await post(port, message('tools/list', { cursor: 'x' }))).text) as {
    error: object;
  };
  expect(error).toMatchObject({ code: -32_602 });
});

test('a model of many dataclasses is described in parts', async () => {
  const many = Array.from({ length: 500 }, (_, at) => `T${at}`);
  const large = await model(
    many.map((name) => table(name, { columns: { ID: 'int' }, primaryKey: ['ID'] })),
    Object.fromEntries(
      many.map((name) => [
        name.toLowerCase(),
        `dataclass: ${name}\ntable: S.${name}\ndescription: ${'long '.repeat(40)}`,
      ]),
    ),
  );
  const { port } = await serving({
    admit: () => Promise.resolve({ ...caller, audience: { ...caller.audience, model: large } }),
  });
  const described = async (args: object): Promise<{ note?: string; data: unknown[] }> => {
    const body = message('tools/call', { name: 'describe_model', arguments: args });
    const { result } = JSON.parse((await post(port, body)).text) as {
      result: { content: [{ text: string }] };
    };
    return JSON.parse(result.content[0].text) as { note?: string; data: unknown[] };
  };
  const first = await described({});
  const { length } = first.data;
  expect(first.note).toContain(`go on with skip: ${length}.`);
  const second = await described({ skip: length });
  const names = [...first.data, ...second.data].map((one) => (one as { name: string }).name);
  expect([names.length, new Set(names).size]).toEqual([500, 500]);
  const { tools } = (
    JSON.parse((await post(port, message('tools/list'))).text) as {
      result: { tools: { inputSchema: { properties: { dataclass?: { enum?: unknown } } } }[] };
    }
  ).result;
  expect(tools[1]?.inputSchema.properties.dataclass?.enum).toBeUndefined();
});
