import type { DataclassName } from './dataclasses.ts';
import { collection, inKeyOrder, rowsOf, type Row, type RowOf } from './oracle.ts';
import type { Case } from './suite.ts';
import { refusal } from './values.ts';

/**
 * What the rows of a dataclass are sorted by so that every engine agrees: text and GUIDs sort differently. The column
 * beside it says the same to the oracle.
 */
const steadyOrder: Readonly<Partial<Record<DataclassName, readonly [string, string]>>> = {
  Category: ['position', 'SORT_NO'],
  Country: ['isoNumber', 'ISO_NUM'],
  Department: ['costCenter', 'COST_CTR'],
  Document: ['createdAt', 'CREA_TS'],
};

/** The attribute that the rows of a filter are told by. */
const told: Readonly<Partial<Record<DataclassName, string>>> = {
  Assignment: 'employeeID',
  Category: 'code',
  CompanyTurnover: 'companyID',
  Country: 'code',
  Department: 'code',
  ExchangeRate: 'rate',
  Holiday: 'date',
  LogEntry: 'time',
  OrderLine: 'orderNo',
};

/** A URL's text of any characters, in the form that every client library sends. */
export const encoded = encodeURIComponent;

/** A row of a `$filter` table: the filter, as it is before it is encoded, finds the rows that pass the test. */
export function finds<D extends DataclassName>(
  title: string,
  dataclass: D,
  filter: string,
  test: (row: RowOf<D>) => boolean,
  params?: string,
): Case {
  const given = params === undefined ? '' : `&$params='${encoded(params)}'`;
  return answers(title, dataclass, `$filter="${encoded(filter)}"${given}`, test);
}

/** The same with `$filter`, and `$params`, as they stand in the URL. */
export function answers<D extends DataclassName>(
  title: string,
  dataclass: D,
  query: string,
  test: (row: RowOf<D>) => boolean,
): Case {
  const attributes = told[dataclass] ?? 'ID';
  const order = steadyOrder[dataclass];
  const passed = rowsOf(dataclass).filter(test) as readonly Row[];
  const sorted =
    order === undefined ? inKeyOrder(dataclass, passed) : sortedBy(passed, order[1], 'asc');
  return {
    title,
    url:
      `/rest/${dataclass}?${query}&$attributes=${attributes}&$top=1000` +
      (order === undefined ? '' : `&$orderby=${order[0]}`),
    body: collection(dataclass, sorted, { attributes, top: 1000 }),
  };
}

/** A filter that is refused: HTTP 400 unless said. */
export function refuses(
  title: string,
  dataclass: DataclassName,
  filter: string,
  errCode: number,
  ...says: readonly RegExp[]
): Case {
  return {
    title,
    url: `/rest/${dataclass}?$filter="${encoded(filter)}"`,
    status: errCode === 1500 ? 404 : 400,
    body: refusal(errCode, ...says),
  };
}

/** Rows by a column of numbers or of text that sorts alike everywhere; nulls first when ascending. */
export function sortedBy<R extends Row>(
  rows: readonly R[],
  column: string,
  direction: 'asc' | 'desc',
): readonly R[] {
  const sign = direction === 'asc' ? 1 : -1;
  return [...rows].sort((one, other) => {
    const [left, right] = [one[column] ?? null, other[column] ?? null];
    if (left === right) return 0;
    if (left === null) return -sign;
    if (right === null) return sign;
    return left < right ? -sign : sign;
  });
}
