import { expect, it } from 'vitest';
import { type Layout, layOut, type Node, relationsOf } from '../../../src/explorer/model/layout.ts';
import { catalogOf } from '../catalog.ts';

it('draws a relation and its inverse as one line, from the many to the one', () => {
  const catalog = catalogOf(`
Company: { staff: { many: EmployeeSelection, path: employer, inverseName: employer } }
Employee: { employer: { one: Company, inverseName: staff } }
`);
  expect(relationsOf(catalog)).toEqual([
    { from: 'Employee', to: 'Company', relations: ['Employee.employer', 'Company.staff'] },
  ]);
});

it('draws relations whose inverse is hidden, and none to what is hidden or through others', () => {
  const catalog = catalogOf(`
Company: { staff: { many: EmployeeSelection, path: employer, inverseName: employer } }
Employee: { secret: { one: Salary }, projects: { many: ProjectSelection, path: assignments.project } }
Project: { lead: { one: Employee, inverseName: ledProjects } }
`);
  expect(relationsOf(catalog)).toEqual([
    { from: 'Employee', to: 'Company', relations: ['Company.staff'] },
    { from: 'Project', to: 'Employee', relations: ['Project.lead'] },
  ]);
});

it('lays boxes out beside each other, with lines for several relations between two and to oneself', () => {
  const { nodes, edges, width, height } = layOut(
    catalogOf(
      'Company: {}\nOrder: { billTo: { one: Company }, shipTo: { one: Company }, follows: { one: Order } }',
    ),
  );
  expect(nodes.map(({ name }) => name)).toEqual(['Company', 'Order']);
  const [company, order] = nodes;
  if (company === undefined || order === undefined) throw new Error('boxes are missing');
  expect(order.x + order.width / 2).toBeLessThan(company.x - company.width / 2);
  const drawn = edges.map(({ relations: [name] }) => name);
  expect(drawn).toEqual(['Order.billTo', 'Order.shipTo', 'Order.follows']);
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
  const names = Array.from({ length: 60 }, (_, at) => `Class${'x'.repeat(at % 7)}${at}`);
  const lines = names.map((name, at) => {
    const to = [7, 11, 13].map((step) => `by${step}: { one: ${names[(at * step + 5) % 60]} }`);
    return `${name}: { ${to.join(', ')} }`;
  });
  const catalog = catalogOf(lines.join('\n'));
  expect(passedUnder(layOut(catalog))).toEqual([]);
  expect(layOut(catalogOf('{}'))).toMatchObject({ nodes: [], edges: [] });
});

it('lets the lines that meet a box at a side end apart', () => {
  const others = Array.from('ABCDE', (name) => `${name}: { hub: { one: Hub } }`);
  const catalog = catalogOf(['Hub: {}', ...others].join('\n'));
  const heights = layOut(catalog).edges.map(({ points }) => points.at(-1)?.y ?? 0);
  const sorted = heights.toSorted((a, b) => a - b);
  for (const [index, height] of sorted.slice(1).entries()) {
    expect(height - (sorted[index] ?? 0)).toBeGreaterThanOrEqual(9);
  }
});
