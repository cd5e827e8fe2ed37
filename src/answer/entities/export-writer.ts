import type { Layout, RowsPlan } from '../../plan/condition/types.ts';
import { compileEntity, type RowWriter } from './entity-writer.ts';
import type { Row } from '../../database/database.ts';
import { readerOf, tableColumns } from './columns.ts';
import { valueWriter } from '../value-writer.ts';

/** Lines end as RFC 4180 says. */
const LINE_END = '\r\n';

/** The first line: the paths of the attributes. */
export function csvHead({ shape }: RowsPlan): string {
  const paths = tableColumns(shape).map(({ path }) => csvText(path));
  return paths.join(',') + LINE_END;
}

/**
 * Compiles the writer of a row as a line of comma-separated values (RFC 4180): values as JSON has them, text without JSON's quotes and
 * escapes, objects as JSON text. Nothing stands for null, and `""` for empty text.
 */
function compileCsv({ shape, readers }: RowsPlan): (row: Row) => string {
  const cells = tableColumns(shape).map(({ field, value }) => {
    const write = valueWriter(readerOf(readers, field.column), field);
    const isObject = field.type === 'object';
    return (row: Row): string => {
      const found = value(row);
      if (found === null || found === undefined) return '';
      const json = write(found);
      return csvText(isObject || !json.startsWith('"') ? json : String(JSON.parse(json)));
    };
  });
  return (row) => cells.map((cell) => cell(row)).join(',') + LINE_END;
}

/** Text as a field: in quotes where it is empty, or holds what would end a field, or blanks at an end, which readers may cut off. */
function csvText(text: string): string {
  return /^$|[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The formats that have no pages. */
export type ExportFormat = Exclude<Layout['format'], 'json' | 'dashboard'>;

/** Compiles the writer of one entity as a line of an export, with its end. */
export function compileLine(rows: RowsPlan, format: ExportFormat): RowWriter {
  if (format === 'csv') return compileCsv(rows);
  const write = compileEntity(rows.shape, rows, 'array');
  return (row, index, from, answer) => `${write(row, index, from, answer)}\n`;
}

/** What an export begins with. */
export function exportHead(rows: RowsPlan, format: ExportFormat): string {
  return format === 'csv' ? csvHead(rows) : '';
}

/** The content type of an export. */
export const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
};
