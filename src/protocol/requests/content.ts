import { ProtocolError } from '../../base/errors.ts';
import type { RequestLimits } from '../../base/limits.ts';
import type {
  AttributeNode,
  ContentRequest,
  ParsedRequest,
  PathRef,
  ReadRequest,
  Slot,
  WantedFormat,
} from '../ast.ts';
import { collectParameters, flag, type Keyword } from '../url/keywords.ts';
import type { ValueList } from '../url/literals.ts';
import { ParameterReader } from '../url/parameter-reader.ts';
import type { DataclassPath } from '../url/path.ts';
import type { RawParameter } from '../url/url.ts';

/** The keywords that say how a content is wanted. */
const HOW: readonly string[] = ['$imageformat', '$binary', '$version'];

const CONTENT_KEYWORDS: ReadonlySet<Keyword> = new Set([
  '$imageformat',
  '$binary',
  '$version',
  '$expand',
]);

/** Whether a GET asks for the content of an image or BLOB, as far as its keywords tell. */
export function isContent(parameters: readonly RawParameter[]): boolean {
  return parameters.some(({ name }) => HOW.includes(name));
}

/**
 * Reads the URL of a content (§4.5). Without `$expand` nothing is expanded: it is a read of the attribute then, which answers where its content is.
 * @param readPage reads what the URL says of the entity
 */
export function parseContent(
  target: DataclassPath,
  parameters: readonly RawParameter[],
  values: ValueList,
  {
    limits,
    readPage,
  }: {
    readonly limits: RequestLimits;
    readonly readPage: (target: DataclassPath, reader: ParameterReader) => ReadRequest;
  },
): ParsedRequest<ContentRequest | ReadRequest> {
  const given = collectParameters(parameters, 'an image or BLOB', CONTENT_KEYWORDS);
  const attribute = onlyAttribute(target);
  const reader = new ParameterReader(given, target.shape, values, limits);
  const format = reader.read('$imageformat', wantedFormat, null);
  const binary = reader.read('$binary', (text) => flag('$binary', text), false);
  const version = readVersion(reader);
  if (format !== null && binary) {
    throw new ProtocolError(
      'badUrl',
      '$imageformat asks for an image and $binary for bytes as they are: give one of them.',
    );
  }
  const page = readPage(target, reader);
  const shape = (): string => reader.shape();
  if (page.expand.length === 0) return { ast: page, shape: shape(), values: values.items };
  if (!isExpanded(attribute, page.expand)) {
    const [{ position } = attribute] = page.expand;
    throw new ProtocolError(
      'badExpandList',
      `Expected ${attribute.names.join('.')}, the attribute of the path, whose content is to be answered`,
      { within: '$expand', position },
    );
  }
  const ast: ContentRequest = {
    kind: 'content',
    read: entityOf(page),
    attribute,
    format,
    binary,
    version,
  };
  return { ast, shape: shape(), values: values.items };
}

/** A read without the last part of its path, and without what it expands: that of the entity which has the attribute. */
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
  throw new ProtocolError(
    'badUrl',
    `An image or BLOB is one attribute of an entity: ${target.name}(key)/attribute.`,
  );
}

/** `best`, a type of media or the ending of a file's name, with its dot or without (§4.5). */
function wantedFormat(text: string): WantedFormat {
  switch (
    text
      .trim()
      .toLowerCase()
      .replace(/^(?:image\/|\.)/, '')
  ) {
    case 'best':
      return 'best';
    case 'gif':
      return 'gif';
    case 'png':
      return 'png';
    case 'jpeg':
    case 'jpg':
      return 'jpeg';
    case 'tiff':
    case 'tif':
      return 'tiff';
    default:
      return 'none';
  }
}

function readVersion(reader: ParameterReader): Slot | null {
  if (!reader.has('$version')) return null;
  return reader.value(
    '$version',
    (text) => {
      const value = text.trim();
      const at = { within: '$version', position: 1 };
      if (/^-?\d{1,19}$/.test(value)) return { value, class: 'number', ...at };
      throw new ProtocolError(
        'badNumber',
        `The value of $version is "${text}"; expected a whole number.`,
        at,
      );
    },
    '',
  );
}
