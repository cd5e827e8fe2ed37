import { expect, test } from 'vitest';
import { rows } from '../../rows.ts';
import { problemOf } from './answer-shape.ts';
import type { Reply } from './client.ts';

const X = 'x'.repeat(1000);

/** The reply with a status and a body; what is not JSON has its content type before it, and an error its code before its message. */
function reply(status: string, text: string): Reply {
  const [, type = 'application/json', plain] = /^(\w+\/\w+): ?(.*)$/.exec(text) ?? [];
  const [, errCode, message] = /^(\d+) ?(.*)$/.exec(text) ?? [];
  const item = { message, componentSignature: 'dbmg', errCode: Number(errCode) };
  const body = errCode === undefined ? text : JSON.stringify({ __ERROR: [item] });
  const bytes = Buffer.from(plain ?? body);
  return { status: Number(status), headers: { 'content-type': type }, bytes, took: 1 };
}

test.each(rows`
  200 | {"__KEY":"1"}                            | null
  200 | text/csv: a,b                            | null
  304 | text/html:                               | null
  404 | 1800 There is no dataclass X.            | null
  200 | 1116 A value is missing.                 | null
  400 | <html>                                   | 400 with a body that is not JSON: <html>
  500 | text/plain: x                            | 500 with content-type "text/plain"
  400 | {}                                       | 400 without __ERROR
  400 | {"__ERROR":[]}                           | 400 with an empty __ERROR
  400 | {"jsonrpc":"2.0","error":{"code":-32600,"message":"x"}} | null
  200 | {"jsonrpc":"2.0","error":{"code":-32602,"message":"${X}"}} | -32602 of 1054 bytes: ${X.slice(900)}…
  400 | 1806                                     | 400 1806 without a message
  400 | 1 x                                      | 400 1: the code is not in the table
  500 | 1806 x                                   | 500 1806: not that status
  400 | {"__ERROR":[{"message":"x","componentSignature":"odbc","errCode":1806}]} | 400 1806 of odbc
  500 | 9000 It failed.                          | 500 9000: It failed.
  200 | 9011 The database refused it.            | 200 9011: The database refused it.
  400 | 1806 ${X.repeat(5)}                      | 400 1806: a message of 5000 characters: ${X.slice(900)}…
  400 | 1806 syntax error at or near "x"         | 400 1806: the message holds /syntax error at or near/: syntax error at or near "x"
`)('%s %.60s', (status, text, problem) => {
  expect(problemOf(reply(status, text), 'GET')).toBe(problem === 'null' ? null : problem);
});

test('no answer is one of the problems, and so is a body that answers HEAD', () => {
  expect(problemOf({ broken: 'ECONNRESET', took: 1 }, 'GET')).toBe('no answer: ECONNRESET');
  expect(problemOf(reply('404', 'text/html:'), 'HEAD')).toBeNull();
  expect(problemOf(reply('404', 'x'), 'HEAD')).toBe('404 with a body of 1 bytes');
});
