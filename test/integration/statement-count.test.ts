import { beforeAll, describe, expect, test } from 'vitest';
import { rowsOf } from '../conformance/oracle.ts';
import { parsed, rows } from '../rows.ts';
import { idOf, makeSet } from './sets.ts';
import { errors, serving } from './shapes/engines.ts';
import { sample } from './shapes/sample.ts';

const served = serving('pglite', sample);

/** The statements that a request takes. */
async function taken(url: string): Promise<string[]> {
  served.gateway.takeStatements();
  expect([url, (await served.gateway.get(url)).status]).toEqual([url, 200]);
  return served.gateway.takeStatements();
}

/** How many statements each of these requests takes, below `/rest/`. */
async function counts(...paths: readonly string[]): Promise<number[]> {
  const found: number[] = [];
  for (const path of paths) found.push((await taken(`/rest/${path}`)).length);
  return found;
}

/** What is related is fetched for all rows at once: statements grow with the paths, never with the rows. */
describe('statements of one request', () => {
  test.each(rows`
    * | 1
    lastName,employer.name,employer.country.name,manager.manager.lastName | 1
    *,employer.name,projects.* | 2
    *,employer.name,projects.*,directReports.lastName | 3
    projects.customer.employees.lastName | 3
    projects.*,projects.customer.*,projects.assignments.employee.lastName | 3
  `)('$attributes=%s takes the page and %s in all', async (attributes, expected) => {
    // Pages longer than the table tell their length themselves; the first row's page has to be counted.
    const pages = [390, 300, 0].map(
      (skip) => `Employee?$attributes=${attributes}&$skip=${skip}&$top=401`,
    );
    expect(await counts(...pages)).toEqual(pages.map(() => Number(expected)));
  });

  test.each(rows`
    a full page, with the count of the collection   | Employee?$attributes=*,employer.name,projects.*&$top=100 | 3
    a full page without __COUNT                     | Employee?$count=false&$top=10 | 1
    a full page that is a bare array                | Employee?$asArray=true&$top=10 | 1
    CSV                                             | Employee?$format=csv&$attributes=ID&$top=10 | 1
    NDJSON                                          | Employee?$format=ndjson&$top=10 | 1
    a dashboard without __COUNT                     | Employee?$format=dashboard&$count=false&$attributes=ID&$top=10 | 1
    an entity                                       | Employee(1) | 1
    its related entities by path                    | Employee(1)/projects | 1
    values                                          | Company/employees.projects.budget?$compute=$all&$top=9 | 1
    distinct values                                 | Company(1)/employees/lastName?$distinct=true&$top=4 | 1
    a computation over related entities             | Company(1)/employees/grade?$compute=count | 1
    no values, and whether there is what the path begins with | Employee(5)/employer/creditLimit?$compute=$all | 2
  `)('of %s', async (_, path, expected) => {
    expect(await counts(path)).toEqual([Number(expected)]);
  });

  test('of a content are the first, which has its beginning, and one for each further slice', async () => {
    const [document] = rowsOf('Document');
    const path = `Document(${document?.DOC_ID})/content?$binary=true&$expand=content`;
    expect(await counts(path)).toEqual([1]);
    const bytes = 65_536 + 2 * 1_048_576;
    await served.run(
      `UPDATE "SALES"."DOC_STORE" SET "DOC_BLOB" = decode(repeat('00', ${bytes}), 'hex') WHERE "DOC_ID" = '${document?.DOC_ID}'`,
    );
    expect(await counts(path)).toEqual([2]);
  });

  test('requests that differ in their values share one text', async () => {
    const one = await taken('/rest/Employee?$filter=lastName=Dubois&$top=500');
    expect(one).toHaveLength(1);
    expect(await taken("/rest/Employee?$filter=lastName=O'Reilly&$top=400&$skip=0")).toEqual(one);
  });

  describe('of entity sets', () => {
    const query = '$orderby="hireDate desc"&$method=entityset';
    let set: string;
    beforeAll(async () => {
      set = (await makeSet(served.gateway, `Employee?${query}`)).replace('/rest/', '');
    });

    test('a creation takes the keys, and the page by them', async () => {
      expect(
        await counts(
          `Employee?${query}`,
          `Employee?$filter="grade=9"&${query}&$top=3`,
          `Employee(3)?$method=entityset`,
          `Employee(3,1,2)?${query}`,
          `Company(1)/employees?$method=subentityset&$subOrderby=hireDate`,
        ),
      ).toEqual([2, 2, 2, 2, 2]);
    });

    test.each(rows`
      values take one, however many keys there are
        | ['/grade?$compute=$all', '/projects.budget?$compute=sum&$top=9', '/grade?$distinct=true&$filter="ID>3"'] | [1, 1, 1]
      a page takes one, wherever it stands, and one more for each path to many
        | ['', '?$skip=390', '?$skip=200&$top=7&$attributes=lastName,employer.name', '?$expand=projects', '?$asArray=true'] | [1, 1, 1, 2, 1]
    `)('%s', async (_, queries, expected) => {
      const paths = parsed<string[]>(queries).map((end) => set + end);
      expect(await counts(...paths)).toEqual(parsed(expected));
    });

    test('a combination takes its page, and a key that is looked for nothing', async () => {
      const other = idOf(
        await makeSet(served.gateway, 'Employee?$filter="grade=9"&$method=entityset'),
      );
      expect(
        await counts(
          `${set}?$logicOperator=AND&$otherCollection=${other}`,
          `${set}?$logicOperator=OR&$otherCollection=${other}&$method=entityset`,
          `${set}?$logicOperator=INTERSECT&$otherCollection=${other}`,
          `${set}?$findKey=3`,
          `${set}?$method=release`,
        ),
      ).toEqual([1, 1, 0, 0, 0]);
    });

    test('requests that differ in their sets share one text', async () => {
      const graded = await makeSet(served.gateway, 'Employee?$filter="grade=9"&$method=entityset');
      const some = await makeSet(served.gateway, 'Employee?$filter="ID<4"&$method=entityset');
      const one = await taken(`${graded}?$top=20`);
      expect(one).toHaveLength(1);
      expect(await taken(`${some}?$top=3`)).toEqual(one);
    });
  });
});

/** A short URL must not be able to ask for more than the process can hold. */
describe('limits of one answer', () => {
  test('paths that go to many and back again and again are refused', async () => {
    const path = 'projects.staff.projects.staff.projects.staff.lastName';
    const { status, body } = await served.gateway.get(`/rest/Employee?$attributes=${path}`);
    const message =
      'The answer would hold more than 250000 related entities: expand fewer relations, or ask for a smaller page.';
    expect([status, body]).toEqual([400, errors([9012, message])]);
  });

  const back = 'employer.employees.';
  const managers = 'manager.'.repeat(11);
  const condition = `${back.repeat(5)}ID=1`;
  const terms = Array.from({ length: 201 }, (_, index) => `extra.a${index}`).join(',');
  test.each(rows`
    $attributes=${managers.slice(0, -1)} | 1813 | ${managers.slice(0, -1)} goes over more than 10 relations (at position 1 of $attributes)
    $filter=${back.repeat(20)}ID=1 | 1813 | goes over more than 10 relations (at position 1 of $filter)
    $filter=${managers}ID=1 | 1813 | goes over more than 10 relations
    $orderby=${managers}ID | 1813 | goes over more than 10 relations
    $filter=${condition} AND ${condition} AND ${condition} | 1813 | The conditions walk over more than 24 relations to many and behind them
    $orderby=${terms} | 1810 | The list holds more than 200 items
  `)('%s is refused before anything is asked', async (query, code, message) => {
    served.gateway.takeStatements();
    const { status, body } = await served.gateway.get(`/rest/Employee?${query}`);
    const text = expect.stringContaining(message) as string;
    expect([status, body]).toEqual([400, errors([Number(code), text])]);
    expect(served.gateway.takeStatements()).toEqual([]);
  });

  test('many clients at once are all answered, each with its own', async () => {
    const keys = Array.from({ length: 200 }, (_, index) => (index % 400) + 1);
    const answers = await Promise.all(
      keys.map((key) => served.gateway.get(`/rest/Employee(${key})?$attributes=ID`)),
    );
    expect(answers.map(({ body }) => (body as { ID: number }).ID)).toEqual(keys);
  });
});
