import { nameHint } from '../base/names.ts';
import { ProtocolError, type TextPosition } from '../base/errors.ts';
import type { CatalogRequest, Literal, ParsedRequest } from './ast.ts';
import { parseFilter } from './filter.ts';
import { parseAttributes, parseExpand, parseOrder } from './lists.ts';
import { ValueList } from './literals.ts';
import { parseParams } from './params.ts';
import { parsePath } from './path.ts';
import { splitUrl, type RawParameter } from './url.ts';

/** The keywords of the protocol, and whether this version serves them. */
const keywords = {
  $filter: true,
  $params: true,
  $orderby: true,
  $top: true,
  $limit: true,
  $skip: true,
  $attributes: true,
  $expand: true,
  $asArray: true,
  $format: true,
  $method: false,
  $timeout: false,
  $savedfilter: false,
  $savedorderby: false,
  $subOrderby: false,
  $clean: false,
  $logicOperator: false,
  $otherCollection: false,
  $lock: false,
  $atomic: false,
  $atOnce: false,
  $compute: false,
  $distinct: false,
  $queryplan: false,
  $querypath: false,
  $binary: false,
  $imageformat: false,
  $version: false,
  $rawPict: false,
} as const;

/** How many entities are returned when the request does not say (§8). */
const DEFAULT_TOP = '100';

/** What may begin a path below `/rest` besides a dataclass. */
const pathKeywords: readonly string[] = [
  '$catalog',
  '$directory',
  '$info',
  '$singleton',
  '$upload',
];

type Keyword = keyof typeof keywords;

const methods: readonly string[] = [
  'delete',
  'entityset',
  'insert',
  'release',
  'subentityset',
  'update',
];

/**
 * Reads the URL of a GET request below `/rest`.
 * @param url the raw URL as it came, path and query
 * @throws ProtocolError with the position in the text where reading failed, and what was expected there
 */
export function parseRequest(url: string): ParsedRequest {
  const { path, parameters } = splitUrl(url);
  const values = new ValueList();
  const target = parsePath(path.replace(/^\/rest(?=\/|$)/, ''), values);
  const given = collect(parameters);
  switch (target.kind) {
    case 'catalog':
      return { ast: catalogRequest(target.what), shape: path, values: [] };
    case 'keyword':
      if (!pathKeywords.includes(target.keyword)) {
        throw new ProtocolError(
          'unknownKeyword',
          `There is nothing called ${target.keyword}.${nameHint(target.keyword, pathKeywords)}`,
          target.at,
        );
      }
      throw new ProtocolError(
        'notServed',
        `${target.keyword} is not served by this version of the gateway.`,
        target.at,
      );
    case 'dataclass':
      break;
  }
  const shapes = [target.shape];
  const read = <Result>(name: Keyword, parse: (text: string) => Result, empty: Result): Result => {
    const text = given.get(name);
    if (text === undefined) return empty;
    shapes.push(`${name}=${text}`);
    return parse(text);
  };
  const params = given.has('$params') ? parseParams(given.get('$params') ?? '') : null;
  const filterText = given.get('$filter') ?? '';
  const filter =
    filterText.trim() === '' ? null : parseFilter(filterText, '$filter', params, values);
  if (filter !== null) shapes.push(`$filter=${filter.shape}`);
  const asArray = read('$asArray', (text) => flag('$asArray', text), false);
  read('$format', checkFormat, undefined);
  return {
    ast: {
      kind: 'read',
      dataclass: target.name,
      selector: target.selector,
      segments: target.segments,
      filter: filter?.node ?? null,
      orderBy: read('$orderby', (text) => parseOrder(text, '$orderby'), []),
      attributes: read('$attributes', (text) => parseAttributes(text, '$attributes'), null),
      expand: read('$expand', (text) => parseExpand(text, '$expand'), []),
      top: values.add(
        given.has('$limit')
          ? wholeNumber('$limit', given.get('$limit') ?? '')
          : wholeNumber('$top', given.get('$top') ?? DEFAULT_TOP),
      ),
      skip: values.add(wholeNumber('$skip', given.get('$skip') ?? '0')),
      asArray,
    },
    shape: shapes.join('\n'),
    values: values.items,
  };
}

function catalogRequest(what: string): CatalogRequest {
  if (what === '') return { kind: 'catalog', detail: 'brief', names: [] };
  if (what === '$all') return { kind: 'catalog', detail: 'full', names: [] };
  return { kind: 'catalog', detail: 'full', names: what.split(',').map((name) => name.trim()) };
}

/** The parameters by keyword; what is unknown, or said twice, is an error rather than ignored. */
function collect(parameters: readonly RawParameter[]): ReadonlyMap<Keyword, string> {
  const given = new Map<Keyword, string>();
  for (const { name, value, position } of parameters) {
    const at = { within: 'the URL', position };
    // Browsers' libraries add `_=<time>` to get past caches.
    if (name === '_') continue;
    if (!isKeyword(name)) {
      throw new ProtocolError(
        'unknownKeyword',
        `There is no parameter ${name}.${nameHint(name, Object.keys(keywords))}`,
        at,
      );
    }
    if (!keywords[name]) refuseUnserved(name, value, at);
    if (given.has(name)) throw new ProtocolError('badUrl', `${name} is given twice.`, at);
    const twin = name === '$top' ? '$limit' : name === '$limit' ? '$top' : null;
    if (twin !== null && given.has(twin)) {
      throw new ProtocolError('badUrl', '$top and $limit mean the same: give one of them.', at);
    }
    given.set(name, value);
  }
  return given;
}

function isKeyword(name: string): name is Keyword {
  return Object.hasOwn(keywords, name);
}

function refuseUnserved(name: Keyword, value: string, at: TextPosition): never {
  if (name === '$method' && !methods.includes(value)) {
    throw new ProtocolError(
      'unknownMethod',
      `There is no method "${value}".${nameHint(value, methods)}`,
      at,
    );
  }
  throw new ProtocolError(
    'notServed',
    `${name}${name === '$method' ? `=${value}` : ''} is not served by this version of the gateway.`,
    at,
  );
}

function wholeNumber(name: string, text: string): Literal {
  const value = text.trim();
  if (!/^\d{1,15}$/.test(value)) {
    throw new ProtocolError(
      'badNumber',
      `The value of ${name} is "${value}"; expected a whole number from 0 on.`,
      { within: name, position: 1 },
    );
  }
  return { value, class: 'number', within: name, position: 1 };
}

function flag(name: string, text: string): boolean {
  if (/^true$/i.test(text)) return true;
  if (/^false$/i.test(text)) return false;
  throw new ProtocolError('badUrl', `The value of ${name} is "${text}"; expected true or false.`, {
    within: name,
    position: 1,
  });
}

function checkFormat(text: string): undefined {
  const at = { within: '$format', position: 1 };
  if (text === 'json') return undefined;
  if (text === 'dashboard') {
    throw new ProtocolError(
      'notServed',
      '$format=dashboard is not served by this version of the gateway.',
      at,
    );
  }
  throw new ProtocolError(
    'badFormat',
    `There is no format "${text}"; expected json or dashboard.`,
    at,
  );
}
