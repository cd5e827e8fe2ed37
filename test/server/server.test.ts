import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { ProtocolError, type ErrorName } from '../../src/base/errors.ts';
import { timed, timedAsync } from '../../src/base/observe/observer.ts';
import { jsonAnswer } from '../../src/answer/answer.ts';
import { ask, expectError, gate, start } from './serving.ts';
import { rows } from '../rows.ts';

describe('errors', () => {
  test('of the gateway are kept inside; the log has the cause', async () => {
    const { port, log } = await start({
      handle: () => {
        throw new TypeError('x.y is not a function');
      },
    });
    const answer = await ask(port, '/rest/Emp', { headers: { 'x-request-id': 'id-1' } });
    expectError(answer, 500, 9000, 'The gateway failed to answer; its log says why.');
    const err = { type: 'TypeError', message: 'x.y is not a function' };
    expect(log).toMatchObject([
      { level: 50, reqId: 'id-1', err },
      { msg: 'request', statusCode: 500 },
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
    const any: unknown = expect.any(String);
    const base = { level: 20, time: any, pid: process.pid, hostname: any };
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
    away = false;
    expect((await ask(port, '/health/ready')).text).toBe('{"status":"ready"}');
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
    await expect.poll(() => server.server.listening).toBe(false);
    // A connection that was on its way when the port was closed is reset.
    await expect(ask(port, '/rest/late')).rejects.toThrow(/ECONN(?:REFUSED|RESET)/);
    finish();
    expect((await inFlight).text).toBe('{"done":true}');
    await closed;
  });
});
