import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';

/** A short URL must not be able to ask for more than the process can hold. */
describe('limits of one answer', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway((await pgliteTarget.open()).database);
  });
  afterAll(() => gateway.close());

  test('paths that go to many and back again and again are refused', async () => {
    const answer = await gateway.get(
      '/rest/Employee?$attributes=projects.staff.projects.staff.projects.staff.lastName',
    );
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 400,
      body: {
        __ERROR: [
          {
            message:
              'The answer would hold more than 250000 related entities: expand fewer relations, or ask for a smaller page.',
            componentSignature: 'dbmg',
            errCode: 9012,
          },
        ],
      },
    });
  });

  test('a path over more than ten relations is refused before anything is asked', async () => {
    gateway.takeStatements();
    const path = Array.from({ length: 11 }, () => 'manager').join('.');
    const answer = await gateway.get(`/rest/Employee?$attributes=${path}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      __ERROR: [
        {
          message: `${path} goes over more than 10 relations (at position 1 of $attributes)`,
          componentSignature: 'dbmg',
          errCode: 1813,
        },
      ],
    });
    expect(gateway.takeStatements()).toEqual([]);
  });

  const back = 'employer.employees.';
  const condition = `${back.repeat(5)}ID=1`;
  const terms = Array.from({ length: 201 }, (_, index) => `extra.a${index}`).join(',');
  test.each([
    [
      `$filter=${back.repeat(20)}ID=1`,
      1813,
      'goes over more than 10 relations (at position 1 of $filter)',
    ],
    [`$filter=${'manager.'.repeat(11)}ID=1`, 1813, 'goes over more than 10 relations'],
    [`$orderby=${'manager.'.repeat(11)}ID`, 1813, 'goes over more than 10 relations'],
    [
      `$filter=${condition} AND ${condition} AND ${condition}`,
      1813,
      'The conditions walk over more than 24 relations to many and behind them',
    ],
    [`$orderby=${terms}`, 1810, 'The list holds more than 200 items'],
  ])('%s is refused before anything is asked', async (query, code, message) => {
    gateway.takeStatements();
    const answer = await gateway.get(`/rest/Employee?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toEqual({
      __ERROR: [
        {
          message: expect.stringContaining(message),
          componentSignature: 'dbmg',
          errCode: code,
        },
      ],
    });
    expect(gateway.takeStatements()).toEqual([]);
  });

  test('many clients at once are all answered, each with its own', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        gateway.get(`/rest/Employee(${(index % 400) + 1})?$attributes=ID`),
      ),
    );
    expect(answers.map(({ body }) => (body as { ID: number }).ID)).toEqual(
      Array.from({ length: 200 }, (_, index) => (index % 400) + 1),
    );
  });
});
