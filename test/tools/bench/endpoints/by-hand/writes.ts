import type { FastifyInstance } from 'fastify';
import type { EmployeeRow, LineRow } from './rows.ts';
import { savedEmployee, savedLine, type Entity } from './shapes.ts';
import type { Sql } from './statements.ts';

interface ChangedEmployee {
  readonly __KEY: string;
  readonly __STAMP: number;
  readonly grade: number;
}

interface ChangedLine {
  readonly __KEY: string;
  readonly __STAMP: number;
  readonly price: number;
}

interface KnownEntry {
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

/** The endpoints that write: each by one statement, which answers what is there then. */
export function addWrites(app: FastifyInstance, { query, statements }: Sql): void {
  app.post<{ Body: ChangedEmployee }>('/employees', async (request, reply) => {
    const { __KEY: key, __STAMP: stamp, grade } = request.body;
    const [row] = await query<EmployeeRow>(statements.updateGrade, [Number(key), stamp, grade]);
    if (row === undefined) return reply.code(409).send({ error: 'somebody else has changed it' });
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

  app.post<{ Body: readonly KnownEntry[] }>('/entries/delete', async (request, reply) => {
    const rows = request.body.map(({ __KEY, __STAMP }) => ({ id: Number(__KEY), ver: __STAMP }));
    const deleted = await query<LineRow>(statements.deleteEntries, [JSON.stringify(rows)]);
    if (deleted.length < rows.length) {
      return reply.code(409).send({ error: 'somebody else has changed one' });
    }
    const __ENTITIES = request.body.map(({ __KEY }) => ({ __STATUS: { success: true }, __KEY }));
    return { ok: true, __ENTITIES };
  });

  app.post<{ Body: readonly ChangedLine[] }>('/lines', async (request, reply) => {
    const rows = request.body.map(({ __KEY, __STAMP, price }) => ({
      id: Number(__KEY),
      ver: __STAMP,
      price,
    }));
    const saved = await query<LineRow>(statements.updatePrices, [JSON.stringify(rows)]);
    if (saved.length === rows.length) return savedLines('OrderLine', rows, saved);
    return reply.code(409).send({ error: 'somebody else has changed one' });
  });
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
