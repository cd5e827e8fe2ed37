import type { FastifyInstance, FastifyReply } from 'fastify';
import type { EmployeeRow, LineRow } from './rows.ts';
import { savedEmployee, savedLine, type Entity } from './shapes.ts';
import type { Sql } from './statements.ts';

interface Known {
  readonly __KEY: string;
  readonly __STAMP: number;
}

interface NewEntry {
  readonly ID: number;
  readonly product: string;
  readonly quantity: number;
  readonly price: number;
  readonly employee: { readonly __KEY: string };
}

/** Refuses a change of what is not as the client has read it. */
function conflict(reply: FastifyReply): FastifyReply {
  return reply.code(409).send({ error: 'somebody else has changed it' });
}

/** The endpoints that write: each by one statement, which answers what is there then. */
export function addWrites(app: FastifyInstance, { query, statements }: Sql): void {
  app.post<{ Body: Known & { readonly grade: number } }>('/employees', async (request, reply) => {
    const { __KEY: key, __STAMP: stamp, grade } = request.body;
    const [row] = await query<EmployeeRow>(statements.updateGrade, [Number(key), stamp, grade]);
    if (row === undefined) return conflict(reply);
    return savedEmployee(row);
  });

  app.post<{ Body: readonly NewEntry[] }>('/entries', async (request): Promise<Entity> => {
    const rows = request.body.map(({ ID, product, quantity, price, employee }) => ({
      id: ID,
      employee_id: Number(employee.__KEY),
      product,
      quantity,
      price,
    }));
    const saved = await query<LineRow>(statements.insertEntries, [JSON.stringify(rows)]);
    return savedLines('Entry', rows, saved);
  });

  app.post<{ Body: readonly Known[] }>('/entries/delete', async (request, reply) => {
    const rows = request.body.map(({ __KEY, __STAMP }) => ({ id: Number(__KEY), ver: __STAMP }));
    const deleted = await query<LineRow>(statements.deleteEntries, [JSON.stringify(rows)]);
    if (deleted.length < rows.length) return conflict(reply);
    const __ENTITIES = request.body.map(({ __KEY }) => ({ __STATUS: { success: true }, __KEY }));
    return { ok: true, __ENTITIES };
  });

  app.post<{ Body: readonly (Known & { readonly price: number })[] }>(
    '/lines',
    async (request, reply) => {
      const rows = request.body.map(({ __KEY, __STAMP, price }) => ({
        id: Number(__KEY),
        ver: __STAMP,
        price,
      }));
      const saved = await query<LineRow>(statements.updatePrices, [JSON.stringify(rows)]);
      return saved.length === rows.length ? savedLines('OrderLine', rows, saved) : conflict(reply);
    },
  );
}

/** What was saved, in the order of the body. */
function savedLines(
  dataclass: string,
  rows: readonly { readonly id: number }[],
  saved: readonly LineRow[],
): Entity {
  const byId = new Map(saved.map((row) => [row.id, row]));
  return {
    __ENTITIES: rows.flatMap(({ id }) => {
      const row = byId.get(id);
      return row === undefined ? [] : [savedLine(dataclass, row)];
    }),
  };
}
