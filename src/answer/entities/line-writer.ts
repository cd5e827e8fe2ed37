import type { PrintedRows } from '../../run/read/print-read.ts';
import type { Layout } from '../../plan/condition/types.ts';
import { compileCsv, csvHead } from './csv-writer.ts';
import { compileEntity, type RowWriter } from './entity-writer.ts';

/** The formats that have no pages. */
type ExportFormat = Exclude<Layout['format'], 'json' | 'dashboard'>;

/** Compiles the writer of one entity as a line of an export, with its end. */
export function compileLine(rows: PrintedRows, format: ExportFormat): RowWriter {
  if (format === 'csv') return compileCsv(rows);
  const write = compileEntity(rows.shape, rows, 'array');
  return (row, index, from, answer) => `${write(row, index, from, answer)}\n`;
}

/** What an export begins with. */
export function exportHead(rows: PrintedRows, format: ExportFormat): string {
  return format === 'csv' ? csvHead(rows) : '';
}

/** The content type of an export. */
export const EXPORT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8; header=present',
  ndjson: 'application/x-ndjson',
};
