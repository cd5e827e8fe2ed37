import type { AnswerFormat, ExportFormat } from '../ast.ts';

/** Whether a format is one that all entities are sent in, as they are made. */
export function isExport(format: AnswerFormat | undefined): format is ExportFormat {
  return format === 'csv' || format === 'ndjson';
}
