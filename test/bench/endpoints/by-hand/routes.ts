import type { FastifyInstance } from 'fastify';
import type { CountRow, EmployeeRow, WideRow } from './rows.ts';
import { employee, page, wide, type Entity } from './shapes.ts';
import type { Sql } from './statements.ts';

interface Paged {
  readonly skip?: string;
  readonly top?: string;
}

/** The endpoints that somebody would write for this database. */
export function addRoutes(app: FastifyInstance, { query, statements }: Sql): void {
  app.get<{ Params: { id: string } }>('/employees/:id', async (request, reply) => {
    const [row] = await query<EmployeeRow>(statements.employee, [Number(request.params.id)]);
    if (row === undefined) return reply.code(404).send({ error: 'no such employee' });
    return { __entityModel: 'Employee', __DATACLASS: 'Employee', ...employee(row) };
  });

  app.get<{ Querystring: Paged }>('/employees', async (request): Promise<Entity> => {
    const [skip, top] = window(request.query);
    const [rows, [counted]] = await Promise.all([
      query<EmployeeRow>(statements.employees, [top, skip]),
      query<CountRow>(statements.employeeCount, []),
    ]);
    const entities = rows.map(employee);
    return page('Employee', { rows, entities, count: counted?.count ?? 0, skip });
  });

  app.get<{ Querystring: Paged }>('/wides', async (request): Promise<Entity> => {
    const [skip, top] = window(request.query);
    const [rows, [counted]] = await Promise.all([
      query<WideRow>(statements.wides, [top, skip]),
      query<CountRow>(statements.wideCount, []),
    ]);
    return page('Wide', { rows, entities: rows.map(wide), count: counted?.count ?? 0, skip });
  });
}

function window({ skip = '0', top = '100' }: Paged): [skip: number, top: number] {
  return [Number(skip), Number(top)];
}
