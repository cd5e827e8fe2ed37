import { ProtocolError } from '../../base/errors.ts';
import type {
  AttributeNode,
  ContentRequest,
  Literal,
  ParsedRequest,
  PathRef,
  ReadRequest,
  WantedFormat,
} from '../ast.ts';
import { badValue } from '../url/url.ts';
import { type DataclassUrl, parameterLiteral, ParameterReader } from '../url/parameter-reader.ts';
import type { DataclassPath } from '../url/path.ts';
import { readPage } from './read.ts';

/** Parses the URL of a content (§4.5). Without `$expand` it is a read of the attribute, whose answer has the URL of the content. */
export function parseContent(url: DataclassUrl): ParsedRequest<ContentRequest | ReadRequest> {
  const reader = new ParameterReader(url, 'an image or BLOB', ['content']);
  const attribute = onlyAttribute(url.target);
  const format = reader.read('$imageformat', wantedFormat, null);
  const binary = reader.flag('$binary');
  const version = reader.has('$version') ? reader.value('$version', versionLiteral, '') : null;
  if (format !== null && binary) {
    const message =
      '$imageformat asks for an image and $binary for bytes as they are: give one of them.';
    throw new ProtocolError('badUrl', message);
  }
  const page = readPage(reader);
  if (page.expand.length === 0) return reader.parsed(page);
  if (!isExpanded(attribute, page.expand)) {
    const message = `Expected ${attribute.names.join('.')}, the attribute of the path, whose content the request reads`;
    const position = page.expand[0]?.position ?? 1;
    throw new ProtocolError('badExpandList', message, { within: '$expand', position });
  }
  const read = entityOf(page);
  return reader.parsed({ kind: 'content', read, attribute, format, binary, version });
}

/** The read of the entity that has the attribute at the end of a read's path, without relations to expand. */
export function entityOf(read: ReadRequest): ReadRequest {
  return { ...read, segments: read.segments.slice(0, -1), expand: [] };
}

/** Whether `$expand` names one attribute and nothing else. */
export function isExpanded({ names }: PathRef, expand: readonly PathRef[]): boolean {
  const [only, ...more] = expand;
  return only !== undefined && more.length === 0 && only.names.join('.') === names.join('.');
}

/** The last part of a path, where it is one name. */
export function lastName({ segments }: Pick<ReadRequest, 'segments'>): AttributeNode | null {
  const [attribute, ...others] = segments.at(-1) ?? [];
  return attribute?.names.length === 1 && !attribute.star && others.length === 0 ? attribute : null;
}

function onlyAttribute(target: DataclassPath): PathRef {
  const attribute = lastName(target);
  if (attribute !== null) return attribute;
  const message = `An image or BLOB is one attribute of an entity: ${target.name}(key)/attribute.`;
  throw new ProtocolError('badUrl', message);
}

const WANTED_FORMATS: ReadonlyMap<string, WantedFormat> = new Map([
  ['best', 'best'],
  ['gif', 'gif'],
  ['png', 'png'],
  ['jpeg', 'jpeg'],
  ['jpg', 'jpeg'],
  ['tiff', 'tiff'],
  ['tif', 'tiff'],
]);

/** Reads `best`, a media type, or the ending of a file name, with its dot or without (§4.5). */
function wantedFormat(text: string): WantedFormat {
  const name = text.trim().toLowerCase();
  return WANTED_FORMATS.get(name.replace(/^(?:image\/|\.)/, '')) ?? 'none';
}

function versionLiteral(text: string): Literal {
  const value = text.trim();
  if (/^-?\d{1,19}$/.test(value)) return parameterLiteral('$version', value, 'number');
  throw badValue('badNumber', '$version', text, 'a whole number');
}
