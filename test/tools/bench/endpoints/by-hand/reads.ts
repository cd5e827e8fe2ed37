import { hash } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pageOf, windowOf, type Window } from './paging.ts';
import type {
  ArticleRow,
  EmployedRow,
  EmployeeRow,
  LineRow,
  QuantitiesRow,
  Seen,
  WideRow,
} from './rows.ts';
import {
  article,
  employed,
  employee,
  employeeWithLines,
  line,
  page,
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

  app.get<{ Querystring: Asked }>('/employees', async (request): Promise<Entity> => {
    const window = windowOf(request.query);
    const { lastName, company } = request.query;
    const { named, namedCount, ofCompany, ofCompanyCount, employeeCount } = statements;
    if (lastName !== undefined) {
      const found = await pageOf<EmployeeRow>(sql, named, namedCount, window, [lastName]);
      return page('Employee', { ...found, entities: found.rows.map((row) => employee(row)) });
    }
    if (company !== undefined) {
      const found = await pageOf<EmployeeRow>(sql, ofCompany, ofCompanyCount, window, [company]);
      return page('Employee', { ...found, entities: found.rows.map((row) => employee(row)) });
    }
    if (request.query.with === 'company') {
      const found = await pageOf<EmployedRow>(sql, statements.employed, employeeCount, window);
      return page('Employee', { ...found, entities: found.rows.map(employed) });
    }
    const found = await pageOf<EmployeeRow>(sql, statements.employees, employeeCount, window);
    const entities =
      request.query.with === 'lines'
        ? await withLines(sql, found.rows)
        : found.rows.map((row) => employee(row));
    return page('Employee', { ...found, entities });
  });

  const seenBy = ({ headers: { 'api-key': key } }: FastifyRequest): Seen =>
    (typeof key === 'string' ? seen.get(hash('sha256', key)) : undefined) ?? {};

  app.get<{ Querystring: Window }>('/own-employees', async (request, reply) => {
    const { site } = seenBy(request);
    if (site === undefined) return reply.code(401).send({ error: 'no such key' });
    const { ofSite, ofSiteCount } = statements;
    const window = windowOf(request.query);
    const found = await pageOf<EmployeeRow>(sql, ofSite, ofSiteCount, window, [site]);
    return page('Employee', { ...found, entities: found.rows.map((row) => employee(row)) });
  });

  app.get<{ Querystring: Window }>('/own-lines', async (request, reply) => {
    const { city } = seenBy(request);
    if (city === undefined) return reply.code(401).send({ error: 'no such key' });
    const { linesOfCity, linesOfCityCount } = statements;
    const window = windowOf(request.query);
    const found = await pageOf<OwnLineRow>(sql, linesOfCity, linesOfCityCount, window, [city]);
    return page('OrderLine', { ...found, entities: found.rows.map(line) });
  });

  app.get<{ Querystring: Window }>('/wides', async (request): Promise<Entity> => {
    const { wides, wideCount } = statements;
    const found = await pageOf<WideRow>(sql, wides, wideCount, windowOf(request.query));
    return page('Wide', { ...found, entities: found.rows.map(wide) });
  });

  app.get<{ Params: { id: string } }>('/articles/:id', async (request, reply) => {
    const [row] = await query<ArticleRow>(statements.article, [Number(request.params.id)]);
    if (row === undefined) return reply.code(404).send({ error: 'no such article' });
    return { __entityModel: 'Article', __DATACLASS: 'Article', ...article(row) };
  });

  app.get<{ Querystring: Window }>('/articles', async (request): Promise<Entity> => {
    const { articles, articleCount } = statements;
    const found = await pageOf<ArticleRow>(sql, articles, articleCount, windowOf(request.query));
    return page('Article', { ...found, entities: found.rows.map(article) });
  });

  app.get<{ Querystring: { most: string } }>('/quantities', async (request): Promise<Entity> => {
    const most = Number(request.query.most);
    const [row] = await query<QuantitiesRow>(statements.quantities, [most]);
    if (row === undefined) return {};
    const { count, sum, min, max } = row;
    return { quantity: { count, sum, average: sum / count, min, max } };
  });
}

/** Reads the lines of all employees of a page by one statement. */
async function withLines(
  { query, statements }: Sql,
  rows: readonly EmployeeRow[],
): Promise<readonly Entity[]> {
  const lines = await query<LineRow>(statements.linesOf, [rows.map(({ id }) => id)]);
  const byEmployee = new Map<number, LineRow[]>();
  for (const line of lines) {
    const others = byEmployee.get(line.employee_id);
    if (others === undefined) byEmployee.set(line.employee_id, [line]);
    else others.push(line);
  }
  return rows.map((row) => employeeWithLines(row, byEmployee.get(row.id) ?? []));
}
