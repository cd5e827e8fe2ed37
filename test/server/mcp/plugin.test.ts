import { writingTools } from '../../../src/server/mcp/tools/writing.ts';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { EventEmitter, once } from 'node:events';
import { request as send } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { ProtocolError } from '../../../src/base/errors.ts';
import { mcpSettings } from '../../../src/config/settings/mcp.ts';
import { serveMcp } from '../../../src/server/mcp/plugin.ts';
import { refuseCrossSite, refuseOtherOrigin } from '../../../src/server/http/admission.ts';
import { jsonAnswer } from '../../../src/answer/answer.ts';
import { problemsOf } from '../../integration/mcp/tool-rules.ts';
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

const matching = (text: RegExp): unknown => expect.stringMatching(text);

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
  const nothing =
    'There is nothing at /mcp. Agents are not served here. The API begins at /rest/$catalog.';
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

  const one = 'expected one message of MCP, a JSON object.';
  const tooLarge =
    'The body is larger than 262144 bytes (256 kB), the most that is accepted. Send less at once.';
  const gzip = { 'content-encoding': 'gzip' };
  const utf16 = { 'content-type': 'application/json; charset=utf-16' };

  test.each<[string, number, number, unknown, Record<string, string>?]>([
    ['', 400, -32_700, `The body is empty; ${one}`],
    [' ', 400, -32_700, `The body is empty; ${one}`],
    ['{"jsonrpc":', 400, -32_700, matching(/^The body is not valid JSON: .*at position/)],
    ['\uD800', 400, -32_700, matching(/^The body is not valid JSON: /)],
    [`[${query},${query}]`, 400, -32_600, `The body is an array; ${one}`],
    ['1', 400, -32_600, 'The body is not a message of JSON-RPC 2.0.'],
    ['x'.repeat(1_048_577), 413, -32_000, tooLarge],
    [query, 415, -32_000, 'Content-Encoding gzip is not supported. Send the body unencoded.', gzip],
    [query, 415, -32_000, matching(/expected JSON in UTF-8/), utf16],
  ])(
    'that cannot be read is an error of JSON-RPC: %.20s',
    async (body, status, code, why, headers) => {
      const { port } = await serving();
      const answer = await post(port, body, headers);
      const expected = { jsonrpc: '2.0', id: null, error: { code, message: why } };
      expect([answer.status, JSON.parse(answer.text)]).toEqual([status, expected]);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.headers['connection']).toBe(status === 413 ? 'close' : 'keep-alive');
    },
  );

  test('is refused in the words of MCP where it is none of it', async () => {
    const { port } = await serving();
    const told = async (body: string, headers = {}): Promise<unknown> => {
      const { status, text } = await post(port, body, headers);
      const { error } = JSON.parse(text) as { error: { code: number } };
      return [status, error.code];
    };
    expect(await told('{"a":1}')).toEqual([400, -32_600]);
    expect(await told(query, { accept: 'application/json' })).toEqual([406, -32_000]);
    expect(await told(query, { 'content-type': 'text/plain' })).toEqual([415, -32_000]);
    expect(await told(query, { 'mcp-protocol-version': '1999-01-01' })).toEqual([400, -32_000]);
    expect(await told(message('nothing'))).toEqual([200, -32_601]);
  });

  const messageWith = (members: string): string => `{"jsonrpc":"2.0",${members}}`;
  const longId = messageWith(`"id":"${'9'.repeat(63)}","method":"ping"`);
  const noId = 'id of the message: expected a text or a number.';
  const noArguments = 'arguments of tools/call: expected an object.';
  const callWith = (params: object): string => message('tools/call', params);

  test.each<[string, number, number, unknown]>([
    [messageWith('"id":{},"method":"ping"'), 400, -32_600, noId],
    [longId, 400, -32_600, 'id of the message: expected at most 64 characters.'],
    [messageWith('"id":1,"method":[]'), 400, -32_600, 'method of the message: expected a text.'],
    [message('tools/lst'), 200, -32_601, 'There is no method tools/lst. Did you mean tools/list?'],
    [message('\u0000'.repeat(30_000)), 200, -32_601, matching(/^There is no method {61,}/)],
    [message('initialize'), 200, -32_602, 'initialize needs the argument protocolVersion.'],
    [message('tools/list', []), 200, -32_602, 'tools/list: expected an object.'],
    [message('tools/list', { cursor: 1 }), 200, -32_602, 'cursor of tools/list: expected a text.'],
    [callWith({ name: 1 }), 200, -32_602, 'name of tools/call: expected a text.'],
    [callWith({ name: 'query', arguments: [] }), 200, -32_602, noArguments],
    [message('resources/read', { uri: 'x' }), 200, -32_002, 'There is no resource x.'],
  ])('is refused in the gateway’s words: %.60s', async (body, status, code, why) => {
    const { port } = await serving();
    const answer = await post(port, body);
    const { error } = JSON.parse(answer.text) as { error: unknown };
    expect([answer.status, error]).toEqual([status, { code, message: why }]);
    expect(Buffer.byteLength(answer.text)).toBeLessThan(1024);
  });

  test('is answered with its id, as it was written', async () => {
    const { port } = await serving();
    const ping = (id: string): Promise<Answer> =>
      post(port, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
    for (const id of ['"a\\"b"', '9007199254740993', '1.50'])
      expect((await ping(id)).text).toBe(`{"result":{},"jsonrpc":"2.0","id":${id}}`);
    const answered = await post(port, '{"jsonrpc":"2.0","id":1,"result":{}}');
    expect([answered.status, answered.text]).toEqual([202, '']);
  });

  test('that begins is not looked at beyond what it asks for, and not read beyond its bound', async () => {
    const { port } = await serving();
    const begin = (icons: number): Promise<Answer> => {
      const body = message('initialize', { protocolVersion: '2024-11-05', clientInfo: 'INFO' });
      return post(port, body.replace('"INFO"', `{"icons":[${'{},'.repeat(icons)}1]}`));
    };
    const { result } = JSON.parse((await begin(80_000)).text) as { result: object };
    expect(result).toMatchObject({
      protocolVersion: '2024-11-05',
      serverInfo: { name: 'entitygate' },
    });
    expect((await begin(300_000)).status).toBe(413);
  });

  test('is refused where it has two credentials', async () => {
    const { port } = await serving();
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

  const atMost = (items: number): string => `: expected at most ${items} items.`;

  test.each([
    ['query', '"top":99999999999999999999', 'top of query: expected at most 200.'],
    ['query', '"top":1.5', 'top of query: expected an integer.'],
    ['query', '"skip":-99999999999999999999', 'skip of query: expected at least 0.'],
    ['query', '"attributes":"ID"', 'attributes of query: expected an array of names.'],
    ['query', '"attributes":["ID",1]', 'An item of attributes of query: expected a name.'],
    ['read', '"key":[1]', 'key of read: expected a text or a number or an object.'],
    ['query', '"constructor":1', matching(/^query has no argument constructor\. Known: /)],
    ['query', `"${'x'.repeat(200_000)}":1`, matching(/argument x{60}…\. Kn/)],
    ['read', '"__proto__":{"key":1}', matching(/^read has no argument __proto__\./)],
    ['read', '', 'read needs the argument key.'],
    [
      'describe_model',
      `"dataclasses":[${'"A",'.repeat(50)}"A"]`,
      `dataclasses of describe_model${atMost(50)}`,
    ],
    ['query', `"attributes":[${'"",'.repeat(80_000)}""]`, `attributes of query${atMost(2000)}`],
    ['query', `"parameters":[${'[],'.repeat(80_000)}1]`, `parameters of query${atMost(2000)}`],
  ])('with wrong arguments is an error of the message: %s %.40s', async (name, args, why) => {
    const { port } = await serving();
    const dataclass = name === 'describe_model' ? '' : `"dataclass":"A"${args === '' ? '' : ','}`;
    const body = message('tools/call', { name, arguments: 'ARGS' });
    const { status, text } = await post(port, body.replace('"ARGS"', `{${dataclass}${args}}`));
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { jsonrpc: '2.0', id: 1, error: { code: -32_602, message: why } },
    ]);
    expect(Buffer.byteLength(text)).toBeLessThan(1024);
  });

  test('has nulls for what it leaves out', async () => {
    const { port } = await serving();
    const nulls = { dataclass: 'A', filter: null, attributes: null, top: null };
    const { content } = resultOf(
      await post(port, message('tools/call', { name: 'query', arguments: nulls })),
    );
    expect(content[0].text).toContain('/rest/A?$top=%2220%22&$skip=%220%22');
    const all = await post(
      port,
      message('tools/call', { name: 'describe_model', arguments: null }),
    );
    expect(resultOf(all).content[0].text).toContain('{"name":"A"}');
    const { result } = JSON.parse(
      (await post(port, message('tools/list', { cursor: null }))).text,
    ) as { result: { tools: unknown[] } };
    expect(result.tools.length).toBe(8);
  });

  test('has its result as a text, and as structured content with all digits', async () => {
    const data = '{"badge":9007199254740993}';
    const { port } = await serving({ handle: () => Promise.resolve(jsonAnswer(data)) });
    const { text } = await post(port, query);
    const { content } = resultOf({ text } as Answer);
    expect(text).toContain(`"structuredContent":${content[0].text}}`);
    expect(content[0].text).toContain(`"data":${data}}`);
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
    const { content } = resultOf(await post(port, query));
    const { note, data } = JSON.parse(content[0].text) as { note: string; data: unknown[] };
    expect([note, data.length, pieces.destroyed]).toEqual([
      'Cut: sent 8192, since an answer has at most 65536 bytes. Ask for fewer attributes and relations, or go on with skip: 8192.',
      8192,
      true,
    ]);
    expect(sent).toBeLessThan(20);
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
  expect(await page({ cursor: '100' })).toEqual([58, undefined]);
  const { error } = JSON.parse((await post(port, message('tools/list', { cursor: 'x' }))).text) as {
    error: object;
  };
  expect(error).toMatchObject({ code: -32_602 });
});

test('tools are what every client takes, whatever the names and types of functions are', async () => {
  const { routine, types } = await import('../../model/physical.ts');
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
  const large = await model(
    [table('Ärger', { columns: { ID: 'int' }, primaryKey: ['ID'] })],
    {
      a: 'dataclass: Ärger\ntable: S.Ärger',
      f: JSON.stringify({ functions: { größe: { routine: 'S.F', parameters } } }),
    },
    {},
    [routine('F', odd as Parameters<typeof routine>[1], { kind: 'value', type: types.int })],
  );
  const bodies: unknown[] = [];
  const { port } = await serving({
    agents: { ...agents, values: { bigNumbersAsStrings: true } },
    admit: () => Promise.resolve({ ...caller, audience: { ...caller.audience, model: large } }),
    handle: ({ body }) => {
      bodies.push(JSON.parse(body?.toString() ?? 'null'));
      return Promise.resolve(jsonAnswer('1'));
    },
  });
  const { tools } = (
    JSON.parse((await post(port, message('tools/list'))).text) as { result: { tools: Tool[] } }
  ).result;
  for (const tool of tools) expect(problemsOf(tool), tool.name).toEqual([]);
  const called = tools.find(({ name }) => name === 'call_gr-f6-dfe');
  const { properties } = called?.inputSchema.properties?.['parameters'] as { properties: object };
  const names = Object.keys(properties);
  expect(names.slice(0, 7)).toEqual([
    'gr-f6-dfe-20in-20m-b2',
    'gr-f6-dfe-in-m-b2',
    expect.stringMatching(/^x{51}_[0-9a-f]{12}$/),
    expect.stringMatching(/^y{51}_[0-9a-f]{12}$/),
    'a-24b',
    'parameter_6',
    'p_int',
  ]);
  const given = { [names[3] ?? '']: [[1], null, { a: [] }], [names[0] ?? '']: 1.5 };
  await post(
    port,
    message('tools/call', {
      name: called?.name,
      arguments: { parameters: { ...nulls(names), ...given } },
    }),
  );
  expect(bodies).toEqual([
    [1.5, null, null, [[1], null, { a: [] }], ...names.slice(4).map(() => null)],
  ]);
});

const nulls = (names: readonly string[]): object =>
  Object.fromEntries(names.map((name) => [name, null]));

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

test('whatever changes data is a dry run unless it is said otherwise', () => {
  const tools = writingTools(built);
  expect(tools.map(({ name, parameters: { dryRun } }) => [name, dryRun])).toMatchObject([
    ['save', { default: true }],
    ['delete', { default: true }],
  ]);
});
