import { expect, test } from 'vitest';
import { apiKeyHash, makeApiKey } from '../../src/access/auth/api-keys.ts';
import { configSchema } from '../../src/config/config.ts';
import type { Answer } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';
import { serving } from './writing.ts';

const admin = makeApiKey();
const clerk = makeApiKey();
const { authentication, roles } = configSchema.parse({
  authentication: {
    apiKeys: [
      { name: 'admin', hash: `sha256:${apiKeyHash(admin)}`, roles: ['admin'] },
      { name: 'clerk', hash: `sha256:${apiKeyHash(clerk)}`, roles: ['clerk'] },
    ],
  },
  roles: {
    clerk: {
      dataclasses: { '*': { read: true }, Company: { read: true, where: 'ID < 4711' } },
    },
  },
});
const restricted = { ...(authentication && { authentication }), ...(roles && { roles }) };

const { gateway: first, start } = serving(pgliteTarget);

/** What is told of a query, by name, besides its result. */
function told({ status, body }: Answer): Record<string, unknown> {
  expect(status).toBe(200);
  const entries = Object.entries(body as object);
  const end = entries.findIndex(([name]) => name === '__DATACLASS' || name === '__entityModel');
  return Object.fromEntries(entries.slice(0, end));
}

const url =
  '/rest/Employee?$filter="employer.name begin A"&$attributes=projects.name&$top=1&$queryplan=true';

test('plans are told in the names of the API alone where nothing is configured', async () => {
  first.takeStatements();
  expect(Object.keys(told(await first.get(url)))).toEqual(['__queryPlan', '__extendedQueryPlan']);
  expect(first.takeStatements()).toHaveLength(3);
});

test('nothing is told where the configuration says so', async () => {
  const gateway = await start({ queryPlans: 'none' });
  const { status, body } = await gateway.get(url);
  expect([status, body]).toEqual([
    400,
    {
      __ERROR: [
        {
          message: '$queryplan is not available: query plans are turned off.',
          componentSignature: 'dbmg',
          errCode: 1813,
        },
      ],
    },
  ]);
  expect((await gateway.get(url.replace('true', 'false'))).status).toBe(200);
});

test('SQL and what the engine expects to do are told where the configuration says so', async () => {
  const gateway = await start({ queryPlans: 'sql' });
  const { __sql, __enginePlan } = told(await gateway.get(url));
  expect(__sql).toEqual([
    { role: 'page', text: expect.stringMatching(/^SELECT .* LIKE LOWER\(\$1::text\)/) },
    { role: 'count', text: expect.stringMatching(/^SELECT COUNT\(\*\)/) },
    { role: 'related', path: 'projects', text: expect.stringMatching(/^SELECT /) },
  ]);
  const plan = [{ Plan: expect.objectContaining({ 'Total Cost': expect.anything() }) }];
  expect(__enginePlan).toEqual([
    { role: 'page', plan },
    { role: 'count', plan },
    { role: 'related', path: 'projects', plan },
  ]);
  expect(gateway.takeChanges()).toEqual([]);
});

test('of groups, too, and of the count that a page without any needs', async () => {
  const gateway = await start({ queryPlans: 'sql' });
  const groups = `/rest/Employee/*?$filter="grade > 3"&$groupby=grade&$querypath=true`;
  const roles = async (query: string): Promise<unknown> => {
    const { __queryPath, __sql } = told(await gateway.get(groups + query));
    const { steps } = __queryPath as { steps: { description: string }[] };
    const printed = (__sql as { role: string }[]).map(({ role }) => role);
    return [steps.map(({ description }) => description), printed];
  };
  const printed = ['groups', 'groupCount'];
  expect(await roles('')).toEqual([['the groups of Employee'], printed]);
  expect(await roles('&$skip=500')).toEqual([
    ['the groups of Employee', 'how many groups of Employee there are'],
    printed,
  ]);
});

test('SQL is told to those alone who see everything', async () => {
  const gateway = await start({ ...restricted, queryPlans: 'sql' });
  const ask = (key: string): Promise<Answer> =>
    gateway.get(url.replace('$queryplan', '$querypath'), { headers: { 'api-key': key } });
  const all = ['__queryPlan', '__extendedQueryPlan', '__queryPath', '__sql', '__enginePlan'];
  expect(Object.keys(told(await ask(admin)))).toEqual(all);
  const { text, ...answer } = await ask(clerk);
  expect(Object.keys(told({ text, ...answer }))).toEqual(all.slice(0, 3));
  // What restricts a role is not part of what it is told.
  expect(text).not.toMatch(/4711|CMP_ID|CMP_MST/);
  expect(told({ text, ...answer })['__queryPlan']).toEqual({
    And: [
      {
        item: 'Join on Table : Company  :  Employee.employer = Company.ID',
        subquery: [{ item: 'Company.name begin A' }],
      },
    ],
  });
});
