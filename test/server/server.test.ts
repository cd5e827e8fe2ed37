import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { ProtocolError, type ErrorName } from '../../src/base/errors.ts';
import { timed, timedAsync } from '../../src/base/observe/observer.ts';
import { jsonAnswer } from '../../src/answer/answer.ts';
import { ask, askRaw, expectError, gate, start, type Answer } from './serving.ts';
import { rows } from '../rows.ts';

describe('what is below /rest', () => {
  test.each([
    ...['/rest', '/rest/', '/rest?$top=1', '/rest//Employee', '/rest/Employee?a=%'],
    ...['/rest/%zz/%00/%C3%28', '/rest/Employee?$filter="a%20b"'],
    ...['http://host:80/rest/Employee?a=b', 'HTTP://host/rest'],
  ])('%s reaches the handler as it came', async (url) => {
    const { status, text } = await ask(await start(), url);
    const expected = { url: url.replace(/^http:\/\/[^/]*/i, '') };
    expect([status, JSON.parse(text)]).toEqual([200, expected]);
  });

  test.each([
    ['POST', null, ''],
    ['POST', 'application/json', '{not json'],
    ['PUT', 'application/x-www-form-urlencoded', 'a=b'],
    ['POST', 'image/png', '\u0000\u0001'],
    ['POST', 'no such ; type', 'a'],
    ['POST', null, 'untyped'],
    ['DELETE', 'application/json', '[1]'],
  ])('%s of %s with the body %j reaches the handler as it came', async (verb, type, body) => {
    const url = '/rest/Employee?$method=update';
    const headers: Record<string, string> = type === null ? {} : { 'content-type': type };
    const { status, text } = await ask(await start(), url, { method: verb, headers, body });
    const sent = body === '' ? {} : { contentType: type, body };
    expect([status, JSON.parse(text)]).toEqual([200, { verb, url, ...sent }]);
  });

  test('a body over the limit is refused', async () => {
    const body = Buffer.alloc(1024 * 1024 + 1);
    const answer = await ask(await start(), '/rest/Employee', { method: 'POST', body });
    expectError(answer, 413, 9005);
  });
});

describe('what is elsewhere', () => {
  test.each([
    ['', '/ /restaurant /rest.json //rest/Employee /REST *a /rest*a /a%00b /%2e%2e /api /doctors'],
    [' Agents are not served here.', '/mcp'],
    [
      ' The OpenAPI document is at /rest/$openapi.',
      '/openapi.json /v3/api-docs /docs/index.html /swagger-ui/ /api/openapi.yaml',
    ],
    [
      ' The health of the gateway is at /health/live and /health/ready.',
      '/health /healthz /api/health /ready',
    ],
  ])('is not there, and who guesses is told where it is:%s', async (here, paths) => {
    const { port } = await start();
    for (const path of paths.split(' ')) {
      const message = `There is nothing at ${path}.${here} The API begins at /rest/$catalog.`;
      expectError(await ask(port, path), 404, 9008, message);
    }
  });

  test.each(['/%', '/%zz', '/%C3%28'])('%s is malformed', async (path) => {
    const answer = await ask(await start(), path, { headers: { 'x-request-id': 'abc' } });
    expectError(answer, 400, 9010);
    expect(answer.headers['x-request-id']).toBe('abc');
  });
});

describe('what is not a request', () => {
  test.each(rows`
    no HTTP at all | hello\r\n\r\n
    no host | GET /rest HTTP/1.1\r\nConnection: close\r\n\r\n
    two lengths | POST /rest HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab
    a length and chunks | POST /rest HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\na
    a name with a blank | GET /rest HTTP/1.1\r\nHost: a\r\nX Y: a\r\n\r\n
    a name of another encoding | GET /rest HTTP/1.1\r\nHost: a\r\nü: a\r\n\r\n
    a line that goes on | GET /rest HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n
    a coding of no chunks | POST /rest HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n{}
    a chunk that says what it is by the megabyte | POST /rest HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;${'a'.repeat(20_000)}
    a version that is none | GET /rest HTTP/1.7\r\nHost: a\r\n\r\n
    a version that the gateway does not speak | GET /rest HTTP/2.0\r\n\r\n
    the beginning of HTTP/2 | PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n
  `)('%s is answered all the same', async (_title, text) => {
    expectError(await askRaw(await start(), text), 400, 9010);
  });

  test.each(rows`
    a blank                           | a b | " " is not allowed in a URL: expected %20 (at position 8 of the URL)
    a letter of a request with a body | aü  | "ü" is not allowed in a URL: expected %C3%BC (at position 8 of the URL) | POST
  `)('%s in the URL is named', async (_title, path, message, verb = 'GET') => {
    const length = verb === 'POST' ? 'Content-Length: 2\r\n\r\n{}' : '\r\n';
    const answer = await askRaw(
      await start(),
      `${verb} /rest/${path} HTTP/1.1\r\nHost: a\r\n${length}`,
    );
    expectError(answer, 400, 1806, message);
  });

  test.each([
    [
      'UTF-8',
      Buffer.from('/rest/Straße/日本?$filter="name=Müller"'),
      '/rest/Stra%C3%9Fe/%E6%97%A5%E6%9C%AC?$filter="name=M%C3%BCller"',
    ],
    ['another encoding', Buffer.from('/rest/a\xfc', 'latin1'), '/rest/a%FC'],
  ])('raw letters of %s are read as if they were escaped', async (_title, url, expected) => {
    const { port, log } = await start();
    const head = Buffer.from(' HTTP/1.1\r\nHost: a\r\nX-Request-Id: id-1\r\n\r\n');
    const got = await askRaw(port, Buffer.concat([Buffer.from('GET '), url, head]));
    expect([got.status, got.text]).toEqual([200, JSON.stringify({ url: expected })]);
    expect(got.headers).toMatchObject({ 'x-request-id': 'id-1', connection: 'close' });
    expect(log).toMatchObject([{ method: 'GET', url: expected }]);
  });

  test('a body in another coding than chunks is refused, and the connection ended', async () => {
    const { port } = await start();
    const answer = await askRaw(
      port,
      'POST /rest HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
    );
    expectError(
      answer,
      415,
      9006,
      'Transfer-Encoding gzip, chunked is not supported. Send the body unencoded, in chunks or with its length.',
    );
    expect(answer.headers['connection']).toBe('close');
  });

  test('fields behind a body are passed over, and are not headers', async () => {
    const { port } = await start();
    const answer = await askRaw(
      port,
      'POST /rest HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n2;x=y\r\n{}\r\n0\r\nContent-Encoding: gzip\r\n\r\n',
    );
    expect([answer.status, answer.text]).toEqual([
      200,
      '{"verb":"POST","url":"/rest","contentType":null,"body":"{}"}',
    ]);
  });

  test('no header is dropped because of how many there are', async () => {
    const { port } = await start({ maxHeaderBytes: 65_536 });
    const many = Array.from({ length: 2500 }, (_, index) => `x${index}: a\r\n`).join('');
    const ask = (last: string): Promise<Answer> =>
      askRaw(port, `GET /rest HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${many}${last}\r\n\r\n`);
    expect((await ask('Y: b')).status).toBe(200);
    expectError(await ask('Host: b'), 400, 9010, 'There are two Host headers.');
    expectError(await ask('Expect: tea'), 417, 9039);
  });

  test('headers over the limit', async () => {
    const text = `GET /rest/${'a'.repeat(8200)} HTTP/1.1\r\nHost: a\r\n\r\n`;
    expectError(
      await askRaw(await start(), text),
      431,
      9009,
      'The URL and the headers together are longer than 8192 bytes.',
    );
  });
});

describe('errors', () => {
  test('of the gateway are kept inside; the log has the cause', async () => {
    const { port, log } = await start({
      handle: () => {
        throw new TypeError('x.y is not a function');
      },
    });
    expectError(
      await ask(port, '/rest/Emp', { headers: { 'x-request-id': 'id-1' } }),
      500,
      9000,
      'The gateway failed to answer; its log says why.',
    );
    expect(log).toEqual([
      expect.objectContaining({
        level: 50,
        reqId: 'id-1',
        err: expect.objectContaining({ type: 'TypeError', message: 'x.y is not a function' }),
      }),
      expect.objectContaining({ msg: 'request', statusCode: 500 }),
    ]);
  });

  test('of the database: its words are in the log alone', async () => {
    const cause = new Error('ECONNRESET at 10.0.0.7');
    const away = new ProtocolError('databaseUnavailable', 'Try later.', undefined, cause);
    const { port, log } = await start({ handle: () => Promise.reject(away) });
    expectError(await ask(port, '/rest/Emp'), 503, 9002, 'Try later.');
    expect(JSON.stringify(log[0])).toContain('ECONNRESET at 10.0.0.7');
  });
});

test.each(rows<[ErrorName, string]>`
  databaseUnavailable | 5
  databaseUnable      | 5
  connectionsBusy     | 5
  deadlock            | 5
  rowLockTimeout      | 5
  outcomeUnknown      | undefined
  statementTimeout    | undefined
  entityLocked        | undefined
`)('who is told %s is told when to ask again: %s', async (name, seconds) => {
  const error = new ProtocolError(name, 'Not now.');
  const { port } = await start({ handle: () => Promise.reject(error) });
  expect(String((await ask(port, '/rest/Emp')).headers['retry-after'])).toBe(seconds);
});

describe('the log', () => {
  test('has one line a request, with its id and the time of each stage, whatever was wrong with it', async () => {
    const { port, log } = await start({
      handle: async ({ url, signal }, _caller, observer) => {
        const activity = { signal, observer };
        timed(activity, 'request', () => url);
        await timedAsync(activity, 'execute', () => Promise.resolve());
        throw new ProtocolError('noSuchDataclass', 'There is no Emp.');
      },
    });
    const answer = await ask(port, '/rest/Emp?$top=1', { headers: { 'x-request-id': 'a.b/c:1' } });
    expect(answer.headers['x-request-id']).toBe('a.b/c:1');
    const stages = { request: expect.any(Number), execute: expect.any(Number) };
    const asked = { reqId: 'a.b/c:1', method: 'GET', url: '/rest/Emp?$top=1', statusCode: 404 };
    const line = { ...asked, level: 30, ms: expect.any(Number), stages, msg: 'request' };
    expect(log).toEqual([expect.objectContaining(line)]);
  });

  test.each(['two words', 'a"b', 'x'.repeat(129), '{}'])(
    'an id such as %j is not taken over',
    async (given) => {
      const { port, log } = await start();
      const answer = await ask(port, '/rest', { headers: { 'x-request-id': given } });
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(log[0]?.['reqId']).toBe(answer.headers['x-request-id']);
    },
  );

  test('never holds headers, and long URLs in part, and nothing of probes', async () => {
    const { port, log } = await start();
    await ask(port, '/health/live');
    await ask(port, `/rest/${'a'.repeat(5000)}`, {
      headers: { authorization: 'Bearer s3cret', cookie: 'sid=s3cret', 'api-key': 's3cret' },
    });
    expect(JSON.stringify(log)).not.toContain('s3cret');
    expect(log.map(({ url }) => String(url).length)).toEqual([2001]);
  });

  test('at level debug each statement stands under its request, without values', async () => {
    const { port, log } = await start({
      logLevel: 'debug',
      handle: ({ url }, _caller, { statementRun, poolWaited }) => {
        const id = url.slice(6);
        poolWaited(0.25);
        statementRun({
          name: `n-${id}`,
          text: `SELECT ${id}`,
          milliseconds: 1.23456,
          rows: id === 'bad' ? null : 2,
        });
        return Promise.resolve(jsonAnswer('{}'));
      },
    });
    for (const id of ['good', 'bad']) {
      await ask(port, `/rest/${id}`, { headers: { 'x-request-id': id } });
    }
    const base = {
      level: 20,
      time: expect.any(String),
      pid: process.pid,
      hostname: expect.any(String),
    };
    const wait = { ...base, ms: 0.25, msg: 'waited for a connection' };
    const statement = { ...base, ms: 1.235, msg: 'statement' };
    expect(log.filter(({ level }) => level === 20)).toEqual([
      { ...wait, reqId: 'good' },
      { ...statement, reqId: 'good', name: 'n-good', sql: 'SELECT good', rows: 2 },
      { ...wait, reqId: 'bad' },
      { ...statement, reqId: 'bad', name: 'n-bad', sql: 'SELECT bad', failed: true },
    ]);
  });
});

describe('the health probes', () => {
  test('are not ready while the database is away, and ready again afterwards', async () => {
    let away = true;
    const { port } = await start({
      ping: () => (away ? Promise.reject(new Error('gone')) : Promise.resolve()),
    });
    expectError(await ask(port, '/health/ready'), 503, 9002, 'The database does not answer.');
    expect((await ask(port, '/health/live')).text).toBe('{"status":"live"}');
    away = false;
    expect((await ask(port, '/health/ready')).text).toBe('{"status":"ready"}');
    expect((await ask(port, '/health/ready', { method: 'HEAD' })).status).toBe(200);
  });

  test('are not ready when the database hangs', async () => {
    const hanging = await start({ ping: () => new Promise(() => undefined) });
    expectError(await ask(hanging, '/health/ready'), 503, 9002);
  });
});

describe('closing', () => {
  test('finishes what is in flight, on connections that stay open too, and takes no more', async () => {
    const { passed: held, pass: finish } = gate();
    const { server, port } = await start({
      handle: async () => {
        await held;
        return jsonAnswer('{"done":true}');
      },
    });
    const begun = once(server.server, 'request');
    const inFlight = ask(port, '/rest/slow', { headers: { connection: 'keep-alive' } });
    await begun;
    const closed = server.close();
    await new Promise((resolve) => setTimeout(resolve, 50));
    // A connection that was on its way when the port was closed is reset.
    await expect(ask(port, '/rest/late')).rejects.toThrow(/ECONN(?:REFUSED|RESET)/);
    finish();
    expect((await inFlight).text).toBe('{"done":true}');
    const start0 = performance.now();
    await closed;
    expect(performance.now() - start0).toBeLessThan(1000);
  });
});
