import sql from 'mssql';
import { sqlServerStatements, type Prepared, type Sql, type Value } from './statements.ts';

/** SQL Server by its pool, values as inputs of requests. */
export async function openSqlServer(connection: sql.config): Promise<Sql> {
  const pool = await new sql.ConnectionPool({ ...connection, pool: { min: 8, max: 8 } }).connect();
  return {
    statements: sqlServerStatements,
    query: async <Row>({ text }: Prepared, values: readonly Value[]) => {
      const request = pool.request();
      values.forEach((value, index) => input(request, `p${index + 1}`, value));
      return withDays((await request.query<Row>(text)).recordset);
    },
    close: () => pool.close(),
  };
}

/** Days as the text that is answered: to have them converted by the server is slow on what stands in for SQL Server. */
function withDays<Row>(rows: sql.IRecordSet<Row>): readonly Row[] {
  const days = Object.values(rows.columns).filter(({ type }) => type === sql.Date);
  for (const row of rows as Record<string, unknown>[]) {
    for (const { name } of days) {
      const day = row[name];
      if (day instanceof Date) row[name] = day.toISOString().slice(0, 10);
    }
  }
  return rows;
}

function input(request: sql.Request, name: string, value: Value): void {
  if (typeof value === 'number') request.input(name, sql.Int, value);
  else if (typeof value === 'string') {
    request.input(name, value.length > 4000 ? sql.NVarChar(sql.MAX) : sql.VarChar(200), value);
  } else request.input(name, sql.NVarChar(sql.MAX), JSON.stringify(value));
}
