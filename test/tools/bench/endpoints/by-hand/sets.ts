import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { windowOf, type Window } from './paging.ts';
import type { EmployeeRow } from './rows.ts';
import { employee, page } from './shapes.ts';
import type { Sql } from './statements.ts';

/** Lists of employees that are kept: their keys in memory, whose pages are read by keys. */
export function addSets(app: FastifyInstance, { query, statements }: Sql): void {
  const sets = new Map<string, readonly number[]>();

  app.post('/employee-sets', async () => {
    const rows = await query<{ readonly id: number }>(statements.employeeIds, []);
    const id = randomUUID();
    sets.set(
      id,
      rows.map((row) => row.id),
    );
    return { id };
  });

  app.get<{ Params: { id: string }; Querystring: Window }>(
    '/employee-sets/:id',
    async (request, reply) => {
      const ids = sets.get(request.params.id);
      if (ids === undefined) return reply.code(404).send({ error: 'no such set' });
      const { skip, top } = windowOf(request.query);
      const rows = await query<EmployeeRow>(statements.employeesOf, [ids.slice(skip, skip + top)]);
      const entities = rows.map((row) => employee(row));
      return page('Employee', { stamp: rows[0]?.stamp, entities, count: ids.length, skip });
    },
  );
}
