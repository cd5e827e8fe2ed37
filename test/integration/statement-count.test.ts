import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, type Gateway } from '../targets/gateway.ts';
import { pgliteTarget } from '../targets/pglite.ts';

/** What is related is fetched for all rows at once: statements grow with the paths, never with the rows. */
describe('statements of one request', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway((await pgliteTarget.open()).database);
  });
  afterAll(() => gateway.close());

  const paths: readonly (readonly [attributes: string, statements: number])[] = [
    ['*', 1],
    ['lastName,employer.name,employer.country.name,manager.manager.lastName', 1],
    ['*,employer.name,projects.*', 2],
    ['*,employer.name,projects.*,directReports.lastName', 3],
    ['projects.customer.employees.lastName', 3],
    ['projects.*,projects.customer.*,projects.assignments.employee.lastName', 3],
  ];
  test.each(paths)('$attributes=%s takes the page and %i in all', async (attributes, expected) => {
    const counts: number[] = [];
    // Pages longer than the table tell their length themselves; the first row's page has to be counted.
    for (const skip of [390, 300, 0]) {
      gateway.takeStatements();
      const answer = await gateway.get(
        `/rest/Employee?$attributes=${attributes}&$skip=${skip}&$top=401`,
      );
      expect(answer.status).toBe(200);
      counts.push(gateway.takeStatements().length);
    }
    expect(counts).toEqual([expected, expected, expected]);
  });

  test('a full page takes one more, to count the collection', async () => {
    gateway.takeStatements();
    const answer = await gateway.get(
      '/rest/Employee?$attributes=*,employer.name,projects.*&$top=100',
    );
    expect(answer.body).toMatchObject({ __COUNT: 400, __SENT: 100 });
    expect(gateway.takeStatements()).toHaveLength(3);
  });

  test('an entity takes one, and its related entities by path one', async () => {
    gateway.takeStatements();
    await gateway.get('/rest/Employee(1)');
    expect(gateway.takeStatements()).toHaveLength(1);
    await gateway.get('/rest/Employee(1)/projects');
    expect(gateway.takeStatements()).toHaveLength(1);
  });

  test('requests that differ in their values share one text', async () => {
    gateway.takeStatements();
    await gateway.get('/rest/Employee?$filter=lastName=Dubois&$top=500');
    await gateway.get("/rest/Employee?$filter=lastName=O'Reilly&$top=400&$skip=0");
    const texts = gateway.takeStatements();
    expect(texts).toHaveLength(2);
    expect(new Set(texts).size).toBe(1);
  });
});
