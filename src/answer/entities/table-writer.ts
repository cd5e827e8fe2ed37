import type { Row } from '../../database/database.ts';
import { attributeOf, isRelation, type StorageAttribute } from '../../model/types.ts';
import type { EntityShape, Field, RowsPlan } from '../../plan/condition/types.ts';
import { readerOf } from '../../run/run.ts';
import type { Reader } from '../../sql/ir/statement.ts';
import { valueWriter } from './entity-uri.ts';

/** A column of CSV or of a dashboard. */
interface TableColumn {
  /** The names of the relations that lead to the attribute, and its own, with dots. */
  readonly path: string;
  readonly field: Extract<Field, { kind: 'value' }>;
  /** The attribute that holds the values; of an alias that of another entity. */
  readonly attribute: StorageAttribute;
  /** Whether it identifies entities: it is a part of a key or of a foreign key. */
  readonly isKey: boolean;
  readonly reader: Reader;
  /** The value in a row as it came; null also where there is no entity that would have it. */
  readonly value: (row: Row) => unknown;
}

/** The columns of a shape, all of whose fields have one value for each entity. */
function tableColumns(
  { fields, dataclass }: EntityShape,
  readers: readonly Reader[],
  path: readonly string[] = [],
  present: readonly number[] = [],
): TableColumn[] {
  return fields.flatMap((field): TableColumn[] => {
    const names = [...path, field.name];
    if (field.kind === 'entity') {
      return tableColumns(field.shape, readers, names, [...present, field.present]);
    }
    const member = dataclass.members.get(field.name);
    if (field.kind !== 'value' || member === undefined || isRelation(member)) {
      throw new Error(`${names.join('.')} is not a column`);
    }
    const { column } = field;
    return [
      {
        path: names.join('.'),
        field,
        attribute: attributeOf(member),
        isKey: isKey(field.name, dataclass),
        reader: readerOf(readers, column),
        value: (row) => (present.some((at) => row[at] === null) ? null : row[column]),
      },
    ];
  });
}

function isKey(name: string, { key, members }: EntityShape['dataclass']): boolean {
  return (
    key.some((part) => part.name === name) ||
    [...members.values()].some((member) => isRelation(member) && member.foreignKey.includes(name))
  );
}

/** Compiles the writer of a row's cells. @param empty the cell for null */
function compileCells(
  columns: readonly TableColumn[],
  empty: string,
  compileCell: (column: TableColumn) => (value: unknown) => string,
): (row: Row) => string {
  const cells = columns.map((column) => ({ value: column.value, write: compileCell(column) }));
  return (row) =>
    cells
      .map(({ value, write }) => {
        const found = value(row);
        return found === null || found === undefined ? empty : write(found);
      })
      .join(',');
}

/** The text before the rows of a table, and the writer of a row. */
interface TableWriter {
  readonly head: string;
  readonly row: (row: Row) => string;
}

/** RFC 4180 ends lines so. */
const LINE_END = '\r\n';

/** Tells spreadsheets that a file is UTF-8. */
const BYTE_ORDER_MARK = '\uFEFF';

/** The beginnings of what spreadsheets compute (https://owasp.org/www-community/attacks/CSV_Injection). */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * Compiles the writer of CSV (RFC 4180). Values are as in JSON, text without quotes and escapes; null is nothing, and empty text is `""`. For spreadsheets
 * it begins with a byte order mark, and an apostrophe stands before what they would take for a formula; numbers stay numbers.
 */
export function compileCsv(
  { shape, readers }: RowsPlan,
  format: 'csv' | 'spreadsheet',
): TableWriter {
  const isSheet = format === 'spreadsheet';
  const columns = tableColumns(shape, readers);
  const cells = compileCells(columns, '', (column) => {
    const { reader, field } = column;
    const write = valueWriter(reader, field);
    const isObject = field.type === 'object';
    const mayCompute = isSheet && !isObject && semanticType(column) !== 'NUMBER';
    return (value) => {
      const json = write(value);
      const text = isObject || !json.startsWith('"') ? json : String(JSON.parse(json));
      return cellText(text, mayCompute);
    };
  });
  return {
    head: tableHead(
      columns.map(({ path }) => path),
      format,
    ),
    row: (row) => cells(row) + LINE_END,
  };
}

/** The first line of a table, with the names of its columns. */
export function tableHead(names: readonly string[], format: 'csv' | 'spreadsheet'): string {
  const mark = format === 'spreadsheet' ? BYTE_ORDER_MARK : '';
  return mark + names.map(csvText).join(',') + LINE_END;
}

/** A line of a table. @param cells as JSON, none of them an object */
export function tableRow(cells: readonly string[], format: 'csv' | 'spreadsheet'): string {
  const texts = cells.map((json) => {
    if (json === 'null') return '';
    if (!json.startsWith('"')) return json;
    return cellText(String(JSON.parse(json)), format === 'spreadsheet');
  });
  return texts.join(',') + LINE_END;
}

/** @param mayCompute whether a spreadsheet would compute it where it begins like a formula */
function cellText(text: string, mayCompute: boolean): string {
  return csvText(mayCompute && FORMULA.test(text) ? `'${text}` : text);
}

/** Quotes text that is empty, holds the end of a field, or has blanks at an end, which readers may cut off. */
function csvText(text: string): string {
  return /^$|[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Compiles the writer of rows in the layout of dashboards (§2.7); the head describes the columns. */
export function compileDashboard({ shape, readers }: RowsPlan): TableWriter {
  const columns = tableColumns(shape, readers);
  const schema = columns.map((column) => {
    const type = semanticType(column);
    const [dataType, semanticGroup] = SEMANTICS[type];
    const conceptType = dataType === 'NUMBER' && !column.isKey ? 'METRIC' : 'DIMENSION';
    return {
      name: column.path,
      dataType,
      semantics: { conceptType, semanticGroup, semanticType: type },
    };
  });
  const cells = compileCells(columns, 'null', compileDashboardCell);
  return {
    head: `{"schema":${JSON.stringify(schema)},"rows":[`,
    row: (row) => `{"values":[${cells(row)}]}`,
  };
}

/** The data types and groups of semantic types, in the words of Looker Studio's community connectors. */
const SEMANTICS = {
  NUMBER: ['NUMBER', 'NUMERIC'],
  TEXT: ['STRING', 'TEXT'],
  BOOLEAN: ['BOOLEAN', 'BOOLEAN'],
  YEAR_MONTH_DAY: ['STRING', 'DATETIME'],
  YEAR_MONTH_DAY_SECOND: ['STRING', 'DATETIME'],
  DURATION: ['NUMBER', 'NUMERIC'],
} as const;

function semanticType({
  field: { type, simpleDate },
  attribute,
}: TableColumn): keyof typeof SEMANTICS {
  switch (type) {
    case 'byte':
    case 'word':
    case 'long':
    case 'long64':
    case 'number':
      return 'NUMBER';
    case 'bool':
      return 'BOOLEAN';
    case 'date':
      return simpleDate || attribute.columnType.kind === 'date'
        ? 'YEAR_MONTH_DAY'
        : 'YEAR_MONTH_DAY_SECOND';
    case 'duration':
      return 'DURATION';
    case 'string':
    case 'uuid':
      return 'TEXT';
    case 'object':
    case 'image':
    case 'blob':
      throw new Error(`${type} is not a type of a column`);
  }
}

/** Writes days and times in the form of their semantic type; all else, and dates without such a form, as in other answers. */
function compileDashboardCell(column: TableColumn): (value: unknown) => string {
  const { reader, field } = column;
  switch (semanticType(column)) {
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
      return valueWriter(reader, field);
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
