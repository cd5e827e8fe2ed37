import { expect, test } from 'vitest';
import { serverUrl } from '../../src/cli/init-questions.ts';

const login = { user: 'Ada B', password: 'p@/w:%', parameters: {} };

test.each([
  [{ engine: 'postgres', server: 'h:5433', ...login }, 'postgres://Ada%20B:p%40%2Fw%3A%25@h:5433'],
  [{ engine: 'postgres', server: '[::1]', ...login, password: '' }, 'postgres://Ada%20B@[::1]'],
  [{ engine: 'sqlserver', server: 'h, 1434', ...login }, 'mssql://Ada%20B:p%40%2Fw%3A%25@h:1434'],
  [
    { engine: 'sqlserver', server: 'h\\SQLEXPRESS', ...login, parameters: { encrypt: 'false' } },
    'mssql://Ada%20B:p%40%2Fw%3A%25@h?encrypt=false&instanceName=SQLEXPRESS',
  ],
] as const)('%o has the URL %s', (answers, url) => {
  expect(serverUrl(answers)).toBe(url);
});
