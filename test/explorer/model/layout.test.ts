import { expect, it } from 'vitest';
import { layOut, relationsOf } from '../../../src/explorer/model/layout.ts';
import { type Catalog, readCatalog } from '../../../src/explorer/rest/catalog.ts';

const one = (name: string, type: string, inverseName?: string): object => ({
  name,
  type,
  kind: 'relatedEntity',
  path: type,
  ...(inverseName === undefined ? {} : { inverseName }),
});

const many = (name: string, type: string, path: string, inverseName?: string): object => ({
  name,
  type,
  kind: 'relatedEntities',
  path,
  ...(inverseName === undefined ? {} : { inverseName }),
});

function catalogOf(dataclasses: Readonly<Record<string, readonly object[]>>): Catalog {
  const answer = {
    __NAME: 'Test',
    dataClasses: Object.entries(dataclasses).map(([name, attributes]) => ({
      name,
      collectionName: `${name}Selection`,
      attributes,
      key: [],
    })),
  };
  return readCatalog(JSON.parse(JSON.stringify(answer)) as Parameters<typeof readCatalog>[0]);
}

it('draws a relation and its inverse as one line, from the many to the one', () => {
  const catalog = catalogOf({
    Company: [many('staff', 'EmployeeSelection', 'employer', 'employer')],
    Employee: [one('employer', 'Company', 'staff')],
  });
  expect(relationsOf(catalog)).toEqual([
    { from: 'Employee', to: 'Company', relations: ['Employee.employer', 'Company.staff'] },
  ]);
});

it('draws relations whose inverse is hidden, and none to what is hidden or through others', () => {
  const catalog = catalogOf({
    Company: [many('staff', 'EmployeeSelection', 'employer', 'employer')],
    Employee: [
      one('secret', 'Salary'),
      many('projects', 'ProjectSelection', 'assignments.project'),
    ],
    Project: [one('lead', 'Employee', 'ledProjects')],
  });
  expect(relationsOf(catalog)).toEqual([
    { from: 'Employee', to: 'Company', relations: ['Company.staff'] },
    { from: 'Project', to: 'Employee', relations: ['Project.lead'] },
  ]);
});

it('lays boxes out beside each other, with lines for several relations between two and to oneself', () => {
  const { nodes, edges, width, height } = layOut(
    catalogOf({
      Company: [],
      Order: [one('billTo', 'Company'), one('shipTo', 'Company'), one('follows', 'Order')],
    }),
  );
  expect(nodes.map(({ name }) => name)).toEqual(['Company', 'Order']);
  const [company, order] = nodes;
  if (company === undefined || order === undefined) throw new Error('boxes are missing');
  expect(order.x + order.width / 2).toBeLessThan(company.x - company.width / 2);
  expect(edges.map(({ relations: [name] }) => name)).toEqual([
    'Order.billTo',
    'Order.shipTo',
    'Order.follows',
  ]);
  for (const { points } of edges) expect(points.length).toBeGreaterThan(2);
  expect(width).toBeGreaterThan(order.width + company.width);
  expect(height).toBeGreaterThan(order.height);
});

it('lays out nothing', () => {
  expect(layOut(catalogOf({}))).toMatchObject({ nodes: [], edges: [] });
});
