import { describe, expect, test } from 'vitest';
import { parseRequest } from '../../src/request/parse.ts';
import { jsonAnswer } from '../../src/respond/answer.ts';
import type { Handler } from '../../src/server/handle.ts';
import { ask, askRaw, expectError, start } from './serving.ts';

/** Reads what is asked for, and says so. */
const reading: Handler = ({ url, verb }) =>
  Promise.resolve().then(() => jsonAnswer(JSON.stringify(parseRequest(url, verb).ast.kind)));

const VERBS = [
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'DELETE',
  'PATCH',
  'OPTIONS',
  'TRACE',
  'PROPFIND',
  'QUERY',
];

const ALL = 'GET, HEAD, POST, PUT, DELETE';

describe('405 carries Allow, and Allow is true (RFC 9110, 15.5.6)', () => {
  test.each([
    ['/rest', 'GET, HEAD'],
    ['/rest/$catalog', 'GET, HEAD'],
    ['/rest/$catalog/$all', 'GET, HEAD'],
    ['/rest/$catalog/Employee', 'GET, HEAD, POST'],
    ['/rest/$upload?$binary=true', 'POST'],
    ['/rest/Employee', ALL],
    ['/rest/Employee(1)?$expand=employer', ALL],
    ['/rest/Employee(1,2)', 'GET, HEAD, POST, DELETE'],
    ['/rest/Employee({"a":1},{"a":2})', 'GET, HEAD, POST, DELETE'],
    ['/rest/Employee:email(a@b)', ALL],
    ['/rest/Employee?$method=update', 'POST, PUT'],
    ['/rest/Employee?$method=insert', 'POST, PUT'],
    ['/rest/Employee?$method=delete', 'POST, PUT, DELETE'],
    ['/rest/Employee(1)/photo?$rawPict=image/png', 'GET, HEAD, POST, PUT'],
    ['/rest/Employee(1)/photo?$rawPict=image/svg+xml', 'GET, HEAD, POST, PUT'],
    ['/rest/Employee(1)/photo', 'GET, HEAD, POST'],
    ['/rest/Employee(1)/employer', 'GET, HEAD, POST'],
    ['/rest/Employee/fn', 'GET, HEAD, POST'],
    ['/rest/Employee/$entityset/0A', 'GET, HEAD, POST, DELETE'],
    [
      '/rest/Employee/$entityset/0A?$logicOperator=AND&$otherCollection=0B',
      'GET, HEAD, POST, DELETE',
    ],
    ['/rest/Employee/$entityset/0A?$findKey=1', 'GET, HEAD, POST, DELETE'],
    ['/rest/Employee/$entityset/0A?$method=release', 'GET'],
    ['/rest/Employee/$entityset/0A?$clean=true&$method=entityset', 'GET'],
    [
      '/rest/Employee/$entityset/0A?$logicOperator=AND&$otherCollection=0B&$method=entityset',
      'GET',
    ],
    ['/rest/Employee?$filter="grade=1"&$method=entityset', 'GET'],
    ['/rest/Company(1)/employees?$method=subentityset', 'GET'],
    ['/rest/Employee/$entityset/0A?$savedfilter="grade=1"', 'GET, POST, DELETE'],
    ['/rest/Employee/$entityset/0A?$savedfilter=true', 'GET, HEAD, POST, DELETE'],
    ['/rest/$info', 'GET'],
    ['/rest/$directory/login', 'POST'],
    ['/rest/$directory/logout', 'GET, POST'],
    ['/rest/$directory/currentUser', 'GET, HEAD'],
    ['/rest/$singleton/A/f', 'GET, HEAD, POST'],
    ['http://host/rest/$upload', 'POST'],
    ['/health/live', 'GET, HEAD'],
    ['/health/ready?a=b', 'GET, HEAD'],
  ])('%s', async (url, allowed) => {
    const { port } = await start({ handle: reading });
    const answers = await Promise.all(VERBS.map((method) => ask(port, url, { method })));
    const told = answers.map(({ status, headers }, index) => ({
      verb: VERBS[index],
      allow: status === 405 ? headers['allow'] : 'this one',
    }));
    expect(told).toEqual(
      VERBS.map((verb) => ({
        verb,
        allow: allowed.split(', ').includes(verb) ? 'this one' : allowed,
      })),
    );
  });
});

test('QUERY is refused whatever type its body says it is, and elsewhere as any verb', async () => {
  const { port } = await start({ handle: reading });
  const headers = { 'content-type': 'application/sql' };
  const typed = await ask(port, '/rest/Employee', { method: 'QUERY', headers, body: 'x' });
  expect([typed.status, typed.headers['allow']]).toEqual([405, ALL]);
  expectError(await ask(port, '/nothing', { method: 'QUERY' }), 404, 9008);
});

test('CONNECT is answered on its socket', async () => {
  const { port } = await start({ handle: reading });
  const answer = await askRaw(port, 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(answer.headers).toMatchObject({ allow: ALL, 'x-content-type-options': 'nosniff' });
  expectError(answer, 405, 9004, 'CONNECT applies to nothing here.');
});
