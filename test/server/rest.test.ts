import { describe, expect, test } from 'vitest';
import { jsonAnswer } from '../../src/answer/answer.ts';
import { ProtocolError } from '../../src/base/errors.ts';
import { parseRequest } from '../../src/protocol/parse.ts';
import { type Handler, refuseRepeated } from '../../src/server/rest.ts';
import { ask, askRaw, expectError, start } from './serving.ts';

test.each(['Authorization', 'username-4D', 'PASSWORD-4D'])(
  'credentials in two headers are refused: %s',
  (name) => {
    const once = ['Host', 'a', name, 'x', 'Accept', 'y', 'Accept', 'z'];
    expect(() => refuseRepeated(once)).not.toThrow();
    expect(() => refuseRepeated([...once, name.toLowerCase(), 'x'])).toThrow(
      expect.objectContaining({
        errorName: 'badRequest',
        message: `There are two ${name.toLowerCase()} headers.`,
      }) as Error,
    );
  },
);

/** Reads what is asked for, and says so. */
const reading: Handler = ({ url, verb }) =>
  Promise.resolve().then(() => jsonAnswer(JSON.stringify(parseRequest(url, verb).ast.kind)));

const VERBS = [
  ...['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE', 'M-SEARCH', 'QUERY'],
];

const ALL = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS';

describe('405 carries Allow, and Allow is true (RFC 9110, 15.5.6)', () => {
  test.each([
    ['/rest', 'GET, HEAD, OPTIONS'],
    ['/rest/$catalog/Employee', 'GET, HEAD, POST, OPTIONS'],
    ['/rest/$upload?$binary=true', 'POST, OPTIONS'],
    ['/rest/Employee', ALL],
    ['/rest/Employee(1)?$expand=employer', ALL],
    ['/rest/Employee(1,2)', 'GET, HEAD, POST, DELETE, OPTIONS'],
    ['/rest/Employee:email(a@b)', ALL],
    ['/rest/Employee?$method=update', 'POST, PUT, PATCH, OPTIONS'],
    ['/rest/Employee?$method=insert', 'POST, PUT, OPTIONS'],
    ['/rest/Employee?$method=delete', 'POST, PUT, DELETE, OPTIONS'],
    ['/rest/Employee(1)/photo?$rawPict=image/png', 'GET, HEAD, POST, PUT, OPTIONS'],
    ['/rest/Employee(1)/photo', 'GET, HEAD, POST, OPTIONS'],
    ['/rest/Employee(1)/employer', 'GET, HEAD, POST, OPTIONS'],
    ['/rest/Employee/fn', 'GET, HEAD, POST, OPTIONS'],
    ['/rest/Employee/$entityset/0A', 'GET, HEAD, POST, DELETE, OPTIONS'],
    ['/rest/Employee/$entityset/0A?$method=release', 'GET, OPTIONS'],
    ['/rest/Employee/$entityset/0A?$clean=true&$method=entityset', 'GET, OPTIONS'],
    ['/rest/Employee?$filter="grade=1"&$method=entityset', 'GET, OPTIONS'],
    ['/rest/Company(1)/employees?$method=subentityset', 'GET, OPTIONS'],
    ['/rest/Employee/$entityset/0A?$savedfilter="grade=1"', 'GET, POST, DELETE, OPTIONS'],
    ['/rest/Employee/$entityset/0A?$savedfilter=true', 'GET, HEAD, POST, DELETE, OPTIONS'],
    ['/rest/$info', 'GET, OPTIONS'],
    ['/rest/$directory/login', 'POST, OPTIONS'],
    ['/rest/$directory/logout', 'GET, POST, OPTIONS'],
    ['/rest/$singleton/A/f', 'GET, HEAD, POST, OPTIONS'],
    ['http://host/rest/$upload', 'POST, OPTIONS'],
    ['/health/ready?a=b', 'GET, HEAD, OPTIONS'],
  ])('%s', async (url, allowed) => {
    const { port } = await start({ handle: reading });
    const answers = await Promise.all(VERBS.map((method) => ask(port, url, { method })));
    const told = answers.map(({ status, headers }, index) => ({
      verb: VERBS[index],
      allow: status === 405 ? headers['allow'] : 'this one',
    }));
    const options = answers[VERBS.indexOf('OPTIONS')];
    expect([options?.status, options?.headers['allow'], options?.text]).toEqual([204, allowed, '']);
    expect(told).toEqual(
      VERBS.map((verb) => ({
        verb,
        allow: allowed.split(', ').includes(verb) ? 'this one' : allowed,
      })),
    );
  });
});

test('CONNECT is answered on its socket', async () => {
  const answer = await askRaw(
    await start({ handle: reading }),
    'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n',
  );
  expect(answer.headers).toMatchObject({ allow: ALL, 'x-content-type-options': 'nosniff' });
  expectError(answer, 405, 9004, 'CONNECT is not supported.');
});

test('OPTIONS tells the verbs of the server, and nothing of what is not there', async () => {
  const { port } = await start({ handle: reading });
  const all = await ask(port, '*', { method: 'OPTIONS' });
  expect([all.status, all.headers]).toMatchObject([204, { allow: ALL }]);
  expectError(await ask(port, '/nothing', { method: 'OPTIONS' }), 404, 9008);
});

test('Allow goes by the grammar where it is not known who asks', async () => {
  const admit = (): Promise<never> => Promise.reject(ProtocolError.of('tooManySessions'));
  const answer = await ask(await start({ handle: reading, admit }), '/rest/LogEntry(1)', {
    method: 'OPTIONS',
  });
  expect([answer.status, answer.headers['allow']]).toEqual([204, ALL]);
});
