import { beforeAll, describe, expect, test } from 'vitest';
import { pgliteTarget } from '../targets/pglite.ts';
import { idOf, makeSet } from './sets.ts';
import { serving } from './writing.ts';

const { gateway } = serving(pgliteTarget);

/** What is related is fetched for all rows at once: statements grow with the paths, never with the rows. */
describe('statements of one request', () => {
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

  test.each([
    '$count=false',
    '$asArray=true',
    '$format=csv&$attributes=ID',
    '$format=ndjson',
    '$format=dashboard&$count=false&$attributes=ID',
  ])('a full page that is answered without __COUNT takes no more: %s', async (query) => {
    gateway.takeStatements();
    expect((await gateway.get(`/rest/Employee?${query}&$top=10`)).status).toBe(200);
    expect(gateway.takeStatements()).toHaveLength(1);
  });

  test('an entity takes one, and its related entities by path one', async () => {
    gateway.takeStatements();
    await gateway.get('/rest/Employee(1)');
    expect(gateway.takeStatements()).toHaveLength(1);
    await gateway.get('/rest/Employee(1)/projects');
    expect(gateway.takeStatements()).toHaveLength(1);
  });

  test.each([
    ['Company/employees.projects.budget?$compute=$all&$top=9', 1],
    ['Company(1)/employees/lastName?$distinct=true&$top=4', 1],
    // An answer of nothing has it looked for whether there is what the path begins with.
    ['Employee(5)/employer/creditLimit?$compute=$all', 2],
  ])('values take one: %s', async (path, expected) => {
    gateway.takeStatements();
    expect((await gateway.get(`/rest/${path}`)).status).toBe(200);
    expect(gateway.takeStatements()).toHaveLength(expected);
  });

  test('requests that differ in their values share one text', async () => {
    gateway.takeStatements();
    await gateway.get('/rest/Employee?$filter=lastName=Dubois&$top=500');
    await gateway.get("/rest/Employee?$filter=lastName=O'Reilly&$top=400&$skip=0");
    const texts = gateway.takeStatements();
    expect(texts).toHaveLength(2);
    expect(new Set(texts).size).toBe(1);
  });

  describe('of entity sets', () => {
    const query = '$orderby="hireDate desc"&$method=entityset';
    let uri: string;
    beforeAll(async () => {
      uri = await makeSet(gateway, `Employee?${query}`);
    });

    /** How many statements each of these requests takes. */
    async function counts(...urls: readonly string[]): Promise<number[]> {
      const taken: number[] = [];
      for (const url of urls) {
        gateway.takeStatements();
        const { status } = await gateway.get(url);
        expect(status).toBe(200);
        taken.push(gateway.takeStatements().length);
      }
      return taken;
    }

    test('a creation takes the keys, and the page by them', async () => {
      expect(
        await counts(
          `/rest/Employee?${query}`,
          `/rest/Employee?$filter="grade=9"&${query}&$top=3`,
          `/rest/Employee(3)?$method=entityset`,
          `/rest/Employee(3,1,2)?${query}`,
          `/rest/Company(1)/employees?$method=subentityset&$subOrderby=hireDate`,
        ),
      ).toEqual([2, 2, 2, 2, 2]);
    });

    test('values take one, however many keys there are', async () => {
      expect(
        await counts(
          `${uri}/grade?$compute=$all`,
          `${uri}/projects.budget?$compute=sum&$top=9`,
          `${uri}/grade?$distinct=true&$filter="ID>3"`,
        ),
      ).toEqual([1, 1, 1]);
    });

    test('a page takes one, wherever it stands, and one more for each path to many', async () => {
      expect(
        await counts(
          uri,
          `${uri}?$skip=390`,
          `${uri}?$skip=200&$top=7&$attributes=lastName,employer.name`,
          `${uri}?$expand=projects`,
          `${uri}?$asArray=true`,
        ),
      ).toEqual([1, 1, 1, 2, 1]);
    });

    test('a combination takes its page, and a key that is looked for nothing', async () => {
      const other = await makeSet(gateway, 'Employee?$filter="grade=9"&$method=entityset');
      expect(
        await counts(
          `${uri}?$logicOperator=AND&$otherCollection=${idOf(other)}`,
          `${uri}?$logicOperator=OR&$otherCollection=${idOf(other)}&$method=entityset`,
          `${uri}?$logicOperator=INTERSECT&$otherCollection=${idOf(other)}`,
          `${uri}?$findKey=3`,
          `${uri}?$method=release`,
        ),
      ).toEqual([1, 1, 0, 0, 0]);
    });

    test('requests that differ in their sets share one text', async () => {
      const [one, two] = [
        await makeSet(gateway, 'Employee?$filter="grade=9"&$method=entityset'),
        await makeSet(gateway, 'Employee?$filter="ID<4"&$method=entityset'),
      ];
      gateway.takeStatements();
      await gateway.get(`${one}?$top=20`);
      await gateway.get(`${two}?$top=3`);
      const texts = gateway.takeStatements();
      expect(texts).toHaveLength(2);
      expect(new Set(texts).size).toBe(1);
    });
  });
});

/** A short URL must not be able to ask for more than the process can hold. */
describe('limits of one answer', () => {
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
