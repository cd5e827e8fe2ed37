import { expect, it } from 'vitest';
import { type Layout, layOut, type Node, relationsOf } from '../../../src/explorer/model/layout.ts';
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
  expect(edges.map(({ points }) => points.length)).toEqual([2, 2, 4]);
  expect(width).toBeGreaterThan(order.width + company.width);
  expect(height).toBeGreaterThan(order.height);
});

/** The boxes that pieces of an edge pass under. A piece stays between the heights of its ends, and one that bends between their x. */
function passedUnder({ nodes, edges }: Layout): string[] {
  return edges.flatMap(({ from, to, relations, points }) =>
    points.slice(1).flatMap((end, index) => {
      const start = points[index] ?? end;
      const isUnder = (box: Node): boolean =>
        Math.min(start.x, end.x) < box.x + box.width / 2 &&
        Math.max(start.x, end.x) > box.x - box.width / 2 &&
        Math.min(start.y, end.y) < box.y + box.height / 2 &&
        Math.max(start.y, end.y) > box.y - box.height / 2;
      const isOwn = ({ name }: Node): boolean => from === to && name === from;
      return nodes
        .filter((box) => isUnder(box) && !isOwn(box))
        .map(({ name }) => `${relations[0] ?? ''} passes under ${name}`);
    }),
  );
}

it('leads no line of a large model with circles under a box', () => {
  const dataclasses = Array.from({ length: 60 }, (_, index): [string, number] => [
    `Class${'x'.repeat(index % 7)}${index}`,
    index,
  ]);
  const catalog = catalogOf(
    Object.fromEntries(
      dataclasses.map(([name, index]) => [
        name,
        [7, 11, 13].map((step) =>
          one(`by${step}`, dataclasses[(index * step + 5) % 60]?.[0] ?? ''),
        ),
      ]),
    ),
  );
  expect(passedUnder(layOut(catalog))).toEqual([]);
  expect(layOut(catalogOf({}))).toMatchObject({ nodes: [], edges: [] });
});

it('lets the lines that meet a box at a side end apart', () => {
  const names = ['A', 'B', 'C', 'D', 'E'];
  const catalog = catalogOf({
    Hub: [],
    ...Object.fromEntries(names.map((name) => [name, [one('hub', 'Hub')]])),
  });
  const heights = layOut(catalog).edges.map(({ points }) => points.at(-1)?.y ?? 0);
  const sorted = heights.toSorted((a, b) => a - b);
  for (const [index, height] of sorted.slice(1).entries()) {
    expect(height - (sorted[index] ?? 0)).toBeGreaterThanOrEqual(9);
  }
});
