import { ProtocolError } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type { AnswerFormat, ExportFormat } from '../ast.ts';

const FORMATS: readonly AnswerFormat[] = ['json', 'dashboard', 'csv', 'ndjson'];

/** Reads the `$format` of entities (§2.7). @throws ProtocolError badFormat with the nearest known ones */
export function readFormat(text: string): AnswerFormat {
  const format = FORMATS.find((name) => name === text);
  if (format !== undefined) return format;
  throw new ProtocolError(
    'badFormat',
    `There is no format "${text}"; expected json, dashboard, csv or ndjson.${nameHint(text, FORMATS)}`,
    { within: '$format', position: 1 },
  );
}

/**
 * Reads the `$format` of what is answered as JSON alone.
 * @param what what is answered, for messages
 * @throws ProtocolError notApplicable
 */
export function checkJson(text: string, what: string): undefined {
  if (text === 'json') return undefined;
  throw new ProtocolError(
    'notApplicable',
    `${what} is answered as JSON: $format=${text} does not apply to it.`,
    { within: '$format', position: 1 },
  );
}

/** Whether a format is one that all entities are sent in, as they are made. */
export function isExport(format: AnswerFormat | undefined): format is ExportFormat {
  return format === 'csv' || format === 'ndjson';
}
