import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pageOf, type Window } from './paging.ts';
import type { ArticleRow, EmployeeRow, LineRow, QuantitiesRow, Seen } from './rows.ts';
import {
  article,
  employed,
  employee,
  employeeWithLines,
  line,
  wide,
  type Entity,
} from './shapes.ts';
import type { Sql } from './statements.ts';

interface Asked extends Window {
  readonly lastName?: string;
  readonly company?: string;
  readonly with?: string;
}

type OwnLineRow = LineRow & { readonly stamp: number | string };

/** The endpoints that read. @param seen what the holders of API keys see, by the hashes of the keys */
export function addReads(app: FastifyInstance, sql: Sql, seen: ReadonlyMap<string, Seen>): void {
  const { query, statements } = sql;

  app.get<{ Params: { id: string } }>('/employees/:id', async (request, reply) => {
    const [row] = await query<EmployeeRow>(statements.employee, [Number(request.params.id)]);
    if (row === undefined) return reply.code(404).send({ error: 'no such employee' });
    return { __entityModel: 'Employee', __DATACLASS: 'Employee', ...employee(row) };
  });

  app.get<{ Querystring: Asked }>('/employees', ({ query: asked }): Promise<Entity> => {
    const { named, ofCompany, employees, employed: withCompanies } = statements;
    const { lastName, company, with: more } = asked;
    if (lastName !== undefined) return pageOf(sql, 'Employee', named, asked, allOf, lastName);
    if (company !== undefined) return pageOf(sql, 'Employee', ofCompany, asked, allOf, company);
    if (more === 'company') {
      return pageOf(sql, 'Employee', withCompanies, asked, each(employed));
    }
    const shape = more === 'lines' ? withLines : allOf;
    return pageOf(sql, 'Employee', employees, asked, shape);
  });

  const seenBy = ({ headers: { 'api-key': key } }: FastifyRequest): Seen =>
    (typeof key === 'string' ? seen.get(hash('sha256', key)) : undefined) ?? {};

  app.get<{ Querystring: Window }>('/own-employees', (request, reply) => {
    const { site } = seenBy(request);
    if (site === undefined) return reply.code(401).send({ error: 'no such key' });
    return pageOf(sql, 'Employee', statements.ofSite, request.query, allOf, site);
  });

  app.get<{ Querystring: Window }>('/own-lines', (request, reply) => {
    const { city } = seenBy(request);
    if (city === undefined) return reply.code(401).send({ error: 'no such key' });
    return pageOf(
      sql,
      'OrderLine',
      statements.linesOfCity,
      request.query,
      each<OwnLineRow>(line),
      city,
    );
  });

  app.get<{ Querystring: Window }>('/wides', ({ query: asked }) =>
    pageOf(sql, 'Wide', statements.wides, asked, each(wide)),
  );

  app.get<{ Params: { id: string } }>('/articles/:id', async (request, reply) => {
    const [row] = await query<ArticleRow>(statements.article, [Number(request.params.id)]);
    if (row === undefined) return reply.code(404).send({ error: 'no such article' });
    return { __entityModel: 'Article', __DATACLASS: 'Article', ...article(row) };
  });

  app.get<{ Querystring: Window }>('/articles', ({ query: asked }) =>
    pageOf(sql, 'Article', statements.articles, asked, each(article)),
  );

  app.get<{ Querystring: { most: string } }>('/quantities', async (request): Promise<Entity> => {
    const most = Number(request.query.most);
    const [row] = await query<QuantitiesRow>(statements.quantities, [most]);
    if (row === undefined) return {};
    const { count, sum, min, max } = row;
    return { quantity: { count, sum, average: sum / count, min, max } };
  });

  /** Reads the lines of all employees of a page by one statement. */
  async function withLines(rows: readonly EmployeeRow[]): Promise<readonly Entity[]> {
    const lines = await query<LineRow>(statements.linesOf, [rows.map(({ id }) => id)]);
    const byEmployee = new Map<number, LineRow[]>();
    for (const one of lines) {
      const others = byEmployee.get(one.employee_id);
      if (others === undefined) byEmployee.set(one.employee_id, [one]);
      else others.push(one);
    }
    return rows.map((row) => employeeWithLines(row, byEmployee.get(row.id) ?? []));
  }
}

const each =
  <Row>(shape: (row: Row) => Entity) =>
  (rows: readonly Row[]): readonly Entity[] =>
    rows.map((row) => shape(row));

const allOf = each<EmployeeRow>((row) => employee(row));
