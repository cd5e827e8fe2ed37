import { expect, test } from 'vitest';
import { problemOf } from './answer-shape.ts';
import type { Reply } from './client.ts';

function reply(status: number, body: unknown, type = 'application/json'): Reply {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { status, headers: { 'content-type': type }, bytes, length: bytes.length, took: 1 };
}

function error(errCode: number, message: string, componentSignature = 'dbmg'): unknown {
  return { __ERROR: [{ message, componentSignature, errCode }] };
}

test.each([
  ['an entity', reply(200, { __KEY: '1' }), null],
  ['an export', reply(200, 'a,b', 'text/csv'), null],
  ['nothing, unchanged', reply(304, '', ''), null],
  ['an error of the table', reply(404, error(1800, 'There is no dataclass X.')), null],
  ['a save that failed', reply(200, [error(1116, 'A value is missing.')]), null],
  ['no answer', { broken: 'ECONNRESET', took: 1 }, 'no answer: ECONNRESET'],
  ['no JSON', reply(400, '<html>'), '400 with a body that is not JSON: <html>'],
  ['an error as text', reply(500, 'x', 'text/plain'), '500 with content-type "text/plain"'],
  ['a refusal without a reason', reply(400, {}), '400 without __ERROR'],
  ['an empty list', reply(400, { __ERROR: [] }), '400 with an empty __ERROR'],
  ['an error of MCP', reply(400, { jsonrpc: '2.0', error: { code: -32_600, message: 'x' } }), null],
  [
    'a long error of MCP',
    reply(200, { jsonrpc: '2.0', error: { code: -32_602, message: 'x'.repeat(1000) } }),
    `-32602 of 1054 bytes: ${'x'.repeat(100)}…`,
  ],
  ['no message', reply(400, error(1806, '')), '400 1806 without a message'],
  ['a code of nobody', reply(400, error(1, 'x')), '400 1: the code is not in the table'],
  ['the status of another code', reply(500, error(1806, 'x')), '500 1806: not that status'],
  ['somebody else', reply(400, error(1806, 'x', 'odbc')), '400 1806 of odbc'],
  ['a fault', reply(500, error(9000, 'It failed.')), '500 9000: It failed.'],
  [
    'a fault within a save',
    reply(200, error(9011, 'The database refused it.')),
    '200 9011: The database refused it.',
  ],
  [
    'an echo',
    reply(400, error(1806, 'x'.repeat(5000))),
    `400 1806: a message of 5000 characters: ${'x'.repeat(100)}…`,
  ],
  [
    'an engine',
    reply(400, error(1806, 'syntax error at or near "x"')),
    '400 1806: the message holds /syntax error at or near/: syntax error at or near "x"',
  ],
])('%s', (_, given, problem) => {
  expect(problemOf(given, 'GET')).toBe(problem);
});

test('what a HEAD is answered has no body', () => {
  expect([problemOf(reply(404, ''), 'HEAD'), problemOf(reply(404, 'x'), 'HEAD')]).toEqual([
    null,
    '404 with a body of 1 bytes',
  ]);
});
