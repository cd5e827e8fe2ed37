import type { Request } from 'tedious';
import type { Statement } from '../../sql/dialect.ts';
import type { Row } from '../database.ts';
import type { RowShape, RowTaker, TokenHandler } from './row-stream.ts';

/** Who takes the rows of a request, and what is kept of its statement. */
export interface AskedRows {
  readonly taker: RowTaker;
  readonly shape: RowShape;
}

const askedBy = new WeakMap<object, AskedRows>();

const shapes = new WeakMap<Statement, RowShape>();

/** Has a request's rows go to who takes them, and not through the driver, which has no events of it then. */
export function takeRows(request: Request, statement: Statement, taker: RowTaker): void {
  let shape = shapes.get(statement);
  if (shape === undefined) {
    shape = { columns: null };
    shapes.set(statement, shape);
  }
  // Of a request that is given up, nobody wants what still comes.
  const take = (row: Row): void => {
    if (!(request as unknown as { readonly canceled: boolean }).canceled) taker.take(row);
  };
  askedBy.set(request, { taker: { ...taker, take }, shape });
}

/** Who takes the rows of the request that a handler of the driver's serves; null where the driver itself does. */
export function rowsAskedBy(handler: TokenHandler): AskedRows | null {
  const { request } = handler as unknown as { readonly request?: object };
  return (request === undefined ? undefined : askedBy.get(request)) ?? null;
}
