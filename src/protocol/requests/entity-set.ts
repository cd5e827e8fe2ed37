import { ProtocolError } from '../../base/errors.ts';
import { excerpt } from '../../base/text.ts';
import type { RequestLimits } from '../../base/limits.ts';
import type {
  EntitySetRequest,
  Literal,
  OrderNode,
  ParsedRequest,
  ReadRequest,
  ReleaseRequest,
  SavedSelection,
  SetOperator,
  Slot,
} from '../ast.ts';
import {
  collectParameters,
  flag,
  type Keyword,
  type MethodParameter,
  type RequestParameters,
} from '../url/keywords.ts';
import { parseOrder } from '../url/lists.ts';
import type { ValueList } from '../url/literals.ts';
import { ParameterReader } from '../url/parameter-reader.ts';
import type { DataclassPath } from '../url/path.ts';
import type { RawParameter } from '../url/url.ts';

/** How long an entity set lives without being accessed, in seconds (§8). */
const LIFETIME = '7200';

/** The same of one that was made again (§8). */
const RECREATED_LIFETIME = '600';

/** The longest life that can be asked for, in seconds: 68 years. */
const LONGEST_LIFETIME = 2 ** 31 - 1;

/** What says of `$savedfilter` that there is none (DECISIONS, "Entity sets in URLs"). */
const ALL = '$all';

/** What keeps a selection as it is asked for, beside `$method=entityset` and what reads it. */
const CREATION_KEYWORDS: readonly Keyword[] = [
  '$method',
  '$timeout',
  '$savedfilter',
  '$savedorderby',
];

/** What goes with a set that is there. */
const SET_KEYWORDS: readonly Keyword[] = [
  ...CREATION_KEYWORDS,
  '$clean',
  '$logicOperator',
  '$otherCollection',
  '$removeFromSet',
  '$removeRefOnly',
];

/** What goes with a search for a key. */
const SEARCH_KEYWORDS: ReadonlySet<Keyword> = new Set([
  '$findKey',
  '$savedfilter',
  '$savedorderby',
  '$params',
  '$timeout',
]);

/** What goes with a release: what a set would be made of again says nothing there. */
const RELEASE_KEYWORDS: ReadonlySet<Keyword> = new Set([
  '$method',
  '$savedfilter',
  '$savedorderby',
]);

/** Whether a GET is one by way of an entity set: its URL names one, or its `$method` makes one. */
export function isByEntitySet(target: DataclassPath, method: MethodParameter | null): boolean {
  return method !== null || target.selector.kind === 'entitySet';
}

/**
 * Reads the URL of a GET that makes, reads, searches, combines or gives up an entity set (§4.6 to §4.9).
 * @param options what it may ask for at most; `page` reads what all reads have, of parameters that apply to them and to what is named besides
 * @throws ProtocolError with the position in the text where reading failed, or notApplicable for what does not go together
 */
export function parseEntitySet(
  target: DataclassPath,
  method: MethodParameter | null,
  parameters: readonly RawParameter[],
  values: ValueList,
  {
    limits,
    page,
  }: {
    readonly limits: RequestLimits;
    readonly page: { readonly keywords: ReadonlySet<Keyword>; readonly read: ReadPage };
  },
): ParsedRequest<EntitySetRequest | ReleaseRequest> {
  const { selector, name: dataclass } = target;
  const id = selector.kind === 'entitySet' ? selector.id : null;
  if (method?.name === 'release') {
    collectParameters(parameters, '$method=release', RELEASE_KEYWORDS);
    return {
      ast: { kind: 'release', dataclass, id: needed(id, target, '$method=release') },
      shape: `release ${target.shape}`,
      values: values.items,
    };
  }
  const isSub = method?.name === 'subentityset';
  const given = parameters.some(({ name }) => name === '$findKey')
    ? collectParameters(parameters, 'a search by $findKey', SEARCH_KEYWORDS)
    : collectParameters(
        parameters,
        method === null ? 'a read of an entity set' : `$method=${method.name}`,
        new Set([
          ...page.keywords,
          ...(id === null ? CREATION_KEYWORDS : SET_KEYWORDS),
          ...(isSub ? [SUB_ORDER] : []),
        ]),
      );
  const reader = new ParameterReader(given, target.shape, values, limits);
  const read = page.read(target, reader);
  const saved = readSaved(reader, given, id !== null);
  const isKept = reader.read('$method', () => true, false);
  if (given.has('$timeout') && !isKept && saved === null) {
    throw notApplicable('$timeout', 'needs $method=entityset or $savedfilter', given);
  }
  if (isKept && read.format !== undefined) {
    throw notApplicable('$format', 'leaves no place to tell the id of the set that is made', given);
  }
  if (isKept && read.asArray) {
    throw notApplicable(
      '$asArray',
      'leaves no place to tell the id of the set that is made',
      given,
    );
  }
  const combination = readCombination(reader, given);
  if (combination?.operator === 'intersect') refuseBesideIntersect(read, given);
  if (given.has('$findKey') && read.segments.length > 0) {
    const why = 'answers where an entity stands: a list of attributes is not allowed with it';
    throw notApplicable('$findKey', why, given);
  }
  const subOrder = reader.read(SUB_ORDER, (text) => parseOrder(text, SUB_ORDER), []);
  if (subOrder.length > 0 && read.orderBy.length > 0) {
    throw notApplicable(SUB_ORDER, 'orders the entities, and so does $orderby: give one', given);
  }
  const clean = reader.read('$clean', (text) => flag('$clean', text), false);
  const removed = readRemoved(reader, given);
  // Clients page through a set so. What narrows, sorts or combines it makes a set of its own, through which they page next.
  const isAnother =
    read.filter !== null ||
    read.orderBy.length > 0 ||
    clean ||
    combination !== null ||
    removed !== null;
  const namesSet = isSub && id !== null && !isAnother;
  return {
    ast: {
      kind: 'entitySet',
      read: { ...read, orderBy: [...read.orderBy, ...subOrder] },
      ofRelation: isSub && id === null,
      namesSet,
      orderedBy: subOrder.length > 0 ? SUB_ORDER : '$orderby',
      lifetime: isKept && !namesSet ? readLifetime(reader, LIFETIME) : null,
      clean,
      combination,
      removed,
      saved,
      find: reader.key('$findKey'),
    },
    shape: reader.shape(),
    values: values.items,
  };
}

/** Reads what all reads of entities have. */
export type ReadPage = (target: DataclassPath, reader: ParameterReader) => ReadRequest;

/** The order of a relation's entities (§4.6). */
const SUB_ORDER = '$subOrderby' as const;

function needed(id: Slot | null, { name }: DataclassPath, what: string): Slot {
  if (id !== null) return id;
  throw new ProtocolError(
    'notApplicable',
    `${what} applies to an entity set: /rest/${name}/$entityset/<id>.`,
  );
}

function notApplicable(name: Keyword, why: string, given: RequestParameters): ProtocolError {
  return new ProtocolError('notApplicable', `${name} ${why}.`, given.get(name)?.at);
}

/**
 * `$savedfilter` and `$savedorderby`: `true` for those of the request itself, which say nothing of what to make a set of that is
 * gone.
 * @param ofSet whether the URL names the set
 */
export function readSaved(
  reader: ParameterReader,
  given: RequestParameters,
  ofSet: boolean,
): SavedSelection | null {
  const filter = given.get('$savedfilter')?.text.trim() ?? '';
  const order = given.get('$savedorderby')?.text.trim() ?? '';
  const orderBy: OrderNode[] = /^(?:true|)$/i.test(order)
    ? []
    : reader.read('$savedorderby', () => parseOrder(order, '$savedorderby'), []);
  if (/^(?:true|)$/i.test(filter)) {
    // At creation an order is looked at, whatever the filter; later, it alone says nothing of what to make the set of.
    return ofSet || orderBy.length === 0
      ? null
      : { filter: null, orderBy, lifetime: readLifetime(reader, LIFETIME) };
  }
  reader.has('$savedfilter');
  const node = filter === ALL ? null : reader.filterText('$savedfilter', filter);
  return {
    filter: node,
    orderBy,
    lifetime: readLifetime(reader, ofSet ? RECREATED_LIFETIME : LIFETIME),
  };
}

/** How long a set that is made lives, in seconds. */
export function readLifetime(reader: ParameterReader, otherwise = LIFETIME): Slot {
  return reader.value('$timeout', lifetime, otherwise);
}

function lifetime(text: string): Literal {
  const value = text.trim();
  const isLifetime =
    /^\d{1,15}$/.test(value) && Number(value) >= 1 && Number(value) <= LONGEST_LIFETIME;
  if (isLifetime) return { ...literal('$timeout', value), class: 'number' };
  throw new ProtocolError(
    'badNumber',
    `The value of $timeout is "${value}"; expected a whole number of seconds from 1 to ${LONGEST_LIFETIME}.`,
    { within: '$timeout', position: 1 },
  );
}

function readCombination(
  reader: ParameterReader,
  given: RequestParameters,
): EntitySetRequest['combination'] {
  const operator = reader.read('$logicOperator', readOperator, null);
  const other = given.get('$otherCollection')?.text.trim() ?? '';
  if (operator === null) {
    if (!given.has('$otherCollection')) return null;
    throw notApplicable('$otherCollection', 'needs $logicOperator', given);
  }
  if (other === '') {
    throw new ProtocolError(
      'otherSetMissing',
      `$logicOperator combines the set with another one: give its id by $otherCollection.`,
      given.get('$logicOperator')?.at,
    );
  }
  return { operator, other: reader.value('$otherCollection', otherId, '') };
}

/** @throws ProtocolError notApplicable where the entities themselves would be deleted */
function readRemoved(reader: ParameterReader, given: RequestParameters): Slot | null {
  const keepsEntities = reader.read(
    '$removeRefOnly',
    (text) => flag('$removeRefOnly', text),
    false,
  );
  if (!reader.has('$removeFromSet')) {
    if (!keepsEntities) return null;
    throw notApplicable('$removeRefOnly', 'needs $removeFromSet', given);
  }
  if (keepsEntities) return reader.value('$removeFromSet', positions, '');
  throw notApplicable(
    '$removeFromSet',
    'removes entities from the set, not from the database: add $removeRefOnly=true',
    given,
  );
}

function positions(text: string): Literal {
  const value = text.trim();
  const listed = value.split(',').map((position) => position.trim());
  if (listed.every((position) => /^\d{1,10}$/.test(position))) {
    return literal('$removeFromSet', listed.join(','));
  }
  throw new ProtocolError(
    'badNumber',
    `The value of $removeFromSet is "${excerpt(value)}"; expected positions in the set, counted from 0, such as 0,3.`,
    { within: '$removeFromSet', position: 1 },
  );
}

const OPERATORS: readonly SetOperator[] = ['and', 'or', 'except', 'intersect'];

function readOperator(text: string): SetOperator {
  const operator = OPERATORS.find((name) => name === text.trim().toLowerCase());
  if (operator !== undefined) return operator;
  throw new ProtocolError(
    'badLogicalOperator',
    `There is no operator "${text}"; expected AND, OR, EXCEPT or INTERSECT.`,
    { within: '$logicOperator', position: 1 },
  );
}

/** The id of the other set, which may be given as its whole URI. */
function otherId(text: string): Literal {
  return literal('$otherCollection', text.trim().replace(/^.*\//, ''));
}

/** INTERSECT answers whether there is an entity in both, and nothing of what a page of entities is asked for. */
function refuseBesideIntersect(read: ReadRequest, given: RequestParameters): void {
  const names: readonly Keyword[] = ['$method', '$clean', '$attributes', '$expand', '$asArray'];
  const narrowing = ['$filter', '$orderby', '$queryplan', '$querypath'] as const;
  const besides =
    read.format === undefined
      ? [...names, ...narrowing].find((name) => given.has(name))
      : '$format';
  if (besides === undefined && read.segments.length === 0) return;
  throw new ProtocolError(
    'notApplicable',
    `$logicOperator=INTERSECT answers true or false: ${besides ?? 'a list of attributes'} is not allowed with it.`,
    besides === undefined ? undefined : given.get(besides)?.at,
  );
}

function literal(within: string, value: string): Literal {
  return { value, class: 'text', within, position: 1 };
}
