import type { Row } from '../database/database.ts';
import type { Layout, RowsPlan } from '../plan/condition/types.ts';
import type { Reader } from '../sql/dialect.ts';
import { readerOf, type TableColumn, tableColumns } from './entities/columns.ts';
import { listWriting, type Writing } from './entities/list-writing.ts';
import { valueWriter } from './value-writer.ts';

/** What dashboards are told of the values of a column, in the words of Looker Studio's community connectors. */
interface Semantics {
  readonly dataType: 'NUMBER' | 'STRING' | 'BOOLEAN';
  readonly group: 'NUMERIC' | 'TEXT' | 'BOOLEAN' | 'DATETIME';
  readonly type:
    'NUMBER' | 'TEXT' | 'BOOLEAN' | 'YEAR_MONTH_DAY' | 'YEAR_MONTH_DAY_SECOND' | 'DURATION';
}

const NUMBER: Semantics = { dataType: 'NUMBER', group: 'NUMERIC', type: 'NUMBER' };
const TEXT: Semantics = { dataType: 'STRING', group: 'TEXT', type: 'TEXT' };
const BOOLEAN: Semantics = { dataType: 'BOOLEAN', group: 'BOOLEAN', type: 'BOOLEAN' };
const DAY: Semantics = { dataType: 'STRING', group: 'DATETIME', type: 'YEAR_MONTH_DAY' };
const SECOND: Semantics = { dataType: 'STRING', group: 'DATETIME', type: 'YEAR_MONTH_DAY_SECOND' };
const DURATION: Semantics = { dataType: 'NUMBER', group: 'NUMERIC', type: 'DURATION' };

function semanticsOf({ field: { type, simpleDate }, attribute }: TableColumn): Semantics {
  switch (type) {
    case 'byte':
    case 'word':
    case 'long':
    case 'long64':
    case 'number':
      return NUMBER;
    case 'bool':
      return BOOLEAN;
    case 'date':
      return simpleDate || attribute.columnType.kind === 'date' ? DAY : SECOND;
    case 'duration':
      return DURATION;
    case 'string':
    case 'uuid':
      return TEXT;
    case 'object':
    case 'image':
    case 'blob':
      throw new Error(`${type} is not a type of a column`);
  }
}

/** The page that a dashboard is answered. */
interface DashboardPage {
  readonly rows: Iterable<Row>;
  readonly count: number;
  readonly first: number;
}

/** Compiles the writer of a page in the layout of dashboards (§2.7). */
export function compileDashboard(
  { shape, readers }: RowsPlan,
  { isFiltered }: Layout,
): (page: DashboardPage) => Writing {
  const columns = tableColumns(shape);
  const schema = columns.map((column) => {
    const { dataType, group, type } = semanticsOf(column);
    const isMetric = dataType === 'NUMBER' && !column.isKey;
    return {
      name: column.path,
      dataType,
      semantics: {
        conceptType: isMetric ? 'METRIC' : 'DIMENSION',
        semanticGroup: group,
        semanticType: type,
      },
    };
  });
  const head = `{"schema":${JSON.stringify(schema)},"rows":[`;
  const cells = columns.map((column) => {
    const write = cellWriter(column, readerOf(readers, column.field.column));
    return (row: Row): string => {
      const found = column.value(row);
      return found === null || found === undefined ? 'null' : write(found);
    };
  });
  const write = (row: Row): string => `{"values":[${cells.map((cell) => cell(row)).join(',')}]}`;
  return function* ({ rows, count, first }) {
    yield head;
    yield* listWriting(rows, write, ',');
    yield `],"filtersApplied":${isFiltered},"__COUNT":${count},"__FIRST":${first}}`;
  };
}

/** Days and times in the form that their semantic type says; all else, and what has no such form, as in other answers. */
function cellWriter(column: TableColumn, reader: Reader): (value: unknown) => string {
  const { type } = semanticsOf(column);
  switch (type) {
    case 'YEAR_MONTH_DAY':
      return (value) => reader.json(value).replace(/^"(\d{4})-(\d\d)-(\d\d)(?:T.*)?"$/, '"$1$2$3"');
    case 'YEAR_MONTH_DAY_SECOND':
      return (value) =>
        reader
          .json(value)
          .replace(/^"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d).*"$/, '"$1$2$3$4$5$6"');
    case 'DURATION':
      return (value) => seconds(reader.json(value));
    case 'NUMBER':
    case 'TEXT':
    case 'BOOLEAN':
      return valueWriter(reader, column.field);
  }
}

/** `"08:30:00.500"` as a number of seconds. */
function seconds(json: string): string {
  return json.replace(
    /^"(\d+):(\d\d):(\d\d)(?:(\.\d*[1-9])0*|\.0*)?"$/,
    (_, hours: string, minutes: string, rest: string, fraction = '') =>
      `${Number(hours) * 3600 + Number(minutes) * 60 + Number(rest)}${String(fraction)}`,
  );
}
