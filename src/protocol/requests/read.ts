import { ProtocolError } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import type {
  AnswerFormat,
  Explain,
  ExportFormat,
  ParsedRequest,
  ReadRequest,
  TableFormat,
} from '../ast.ts';
import { flag, type KeywordUse } from '../url/url.ts';
import { type DataclassUrl, ParameterReader } from '../url/parameter-reader.ts';

/** How the entities of a request are read: the kinds of URL whose keywords it takes, and what reads their values. */
export interface EntityReading {
  readonly uses: readonly KeywordUse[];
  readonly read: (reader: ParameterReader) => ReadRequest;
}

/** How a page of entities is read. */
export const PAGE: EntityReading = { uses: ['read', 'explain'], read: readPage };

/** Parses the URL of a read of entities. @param what the request, for messages: `a read` */
export function parseRead(
  url: DataclassUrl,
  what = 'a read',
  { uses, read }: EntityReading = PAGE,
): ParsedRequest<ReadRequest> {
  const reader = new ParameterReader(url, what, uses);
  return reader.parsed(read(reader));
}

/** Reads the parameters of a page of entities, or of their export. */
export function readPage(reader: ParameterReader): ReadRequest {
  const filter = reader.filter();
  const format = reader.read('$format', readFormat, 'json');
  reader.has('$distinct');
  const explain = readExplain(reader, format);
  const lists = reader.lists(format === 'ndjson');
  refuseArrayAs(format, lists.asArray);
  const isCounted = reader.read('$count', flag, true);
  const { name, selector, segments } = reader.target;
  return {
    kind: 'read',
    dataclass: name,
    selector,
    segments,
    filter,
    ...lists,
    ...(isExport(format) ? reader.narrowing() : reader.page()),
    ...(explain === null ? {} : { explain }),
    ...(format === 'json' ? {} : { format }),
    ...(isCounted ? {} : { count: false }),
  };
}

/** Reads `$queryplan` and `$querypath`, which only JSON has. @throws ProtocolError notApplicable */
export function readExplain(reader: ParameterReader, format: AnswerFormat): Explain | null {
  const explain = reader.explain();
  if (explain === null || format === 'json') return explain;
  const message = `Query plans are JSON: $queryplan and $querypath are not allowed with $format=${format}.`;
  throw new ProtocolError('notApplicable', message);
}

/** Refuses `$asArray` where the answer is a table. @throws ProtocolError notApplicable */
export function refuseArrayAs(format: AnswerFormat, asArray: boolean): void {
  if (!asArray || !isTable(format)) return;
  const message = `$asArray answers JSON of its own layout: it is not allowed with $format=${format}.`;
  throw new ProtocolError('notApplicable', message);
}

const FORMATS: readonly AnswerFormat[] = ['json', 'dashboard', 'csv', 'spreadsheet', 'ndjson'];

/** Reads the `$format` of entities (§2.7). @throws ProtocolError badFormat with the nearest known ones */
export function readFormat(text: string): AnswerFormat {
  const format = FORMATS.find((name) => name === text);
  if (format !== undefined) return format;
  const message = `There is no format "${text}".${nameHint(text, FORMATS)}`;
  throw new ProtocolError('badFormat', message, { within: '$format', position: 1 });
}

/** Whether entities in a format are all sent, as they are read, and not in pages. */
export function isExport(format: AnswerFormat | undefined): format is ExportFormat {
  return format !== undefined && format !== 'json' && format !== 'dashboard';
}

/** Whether entities in a format are rows with a column for each attribute. */
export function isTable(format: AnswerFormat | undefined): format is TableFormat {
  return format !== undefined && format !== 'json' && format !== 'ndjson';
}

/** Checks the `$format` of an answer that is only JSON. @param what the subject of the message: `What a function gives` */
export function readJsonFormat(reader: ParameterReader, what: string): void {
  const format = reader.read('$format', (text) => text, 'json');
  if (format === 'json') return;
  const message = `${what} is always JSON: $format=${format} does not apply to it.`;
  throw new ProtocolError('notApplicable', message, { within: '$format', position: 1 });
}
