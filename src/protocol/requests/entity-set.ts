import { ProtocolError } from '../../base/errors.ts';
import { excerpt } from '../../base/text.ts';
import type {
  EntitySetRequest,
  Literal,
  OrderNode,
  ParsedRequest,
  ReadRequest,
  ReleaseRequest,
  SavedSelection,
  SetOperator,
  ParameterRef,
} from '../ast.ts';
import { badValue, type Keyword, type KeywordUse, type MethodParameter } from '../url/url.ts';
import { parseOrder } from '../url/literals.ts';
import { type DataclassUrl, parameterLiteral, ParameterReader } from '../url/parameter-reader.ts';
import { PAGE } from './read.ts';

/** How long an entity set lives without being accessed, in seconds (§8). */
const LIFETIME = '7200';

/** How long a set lives that was made again, in seconds (§8). */
const RECREATED_LIFETIME = '600';

/** The longest life that can be asked for, in seconds: 68 years. */
const LONGEST_LIFETIME = 2 ** 31 - 1;

/** The `$savedfilter` that selects all entities (DECISIONS, "Entity sets in URLs"). */
const ALL = '$all';

/** Parses the URL of a GET that removes an entity set (§4.6). */
export function parseRelease(url: DataclassUrl): ParsedRequest<ReleaseRequest> {
  const { name: dataclass, selector, shape } = url.target;
  const reader = new ParameterReader(url, '$method=release', ['release'], `release ${shape}`);
  if (selector.kind === 'entitySet') {
    return reader.parsed({ kind: 'release', dataclass, id: selector.id });
  }
  const message = `$method=release applies to an entity set: /rest/${dataclass}/$entityset/<id>.`;
  throw new ProtocolError('notApplicable', message);
}

/** Parses the URL of a GET that makes, reads, searches or combines an entity set (§4.6 to §4.9). @param page how the entities are read */
export function parseEntitySet(
  url: DataclassUrl,
  method: MethodParameter | null,
  page = PAGE,
): ParsedRequest<EntitySetRequest> {
  const namesSet = url.target.selector.kind === 'entitySet';
  const isSub = method?.name === 'subentityset';
  const reader = setReader(url, method, page.uses);
  const read = page.read(reader);
  const saved = readSaved(reader, namesSet);
  const isKept = reader.read('$method', () => true, false);
  if (reader.text('$timeout') !== undefined && !isKept && saved === null) {
    throw reader.notApplicable('$timeout', 'needs $method=entityset or $savedfilter');
  }
  if (isKept && (read.format !== undefined || read.asArray)) {
    const name = read.format === undefined ? '$asArray' : '$format';
    throw reader.notApplicable(name, 'leaves no place to tell the id of the set that is made');
  }
  const combination = readCombination(reader);
  if (combination?.operator === 'intersect') refuseBesideIntersect(read, reader);
  if (reader.text('$findKey') !== undefined && read.segments.length > 0) {
    const why = 'answers where an entity stands: a list of attributes is not allowed with it';
    throw reader.notApplicable('$findKey', why);
  }
  const subOrder = reader.read('$subOrderby', parseOrder, []);
  if (subOrder.length > 0 && read.orderBy.length > 0) {
    const why = 'orders the entities, and so does $orderby: give one';
    throw reader.notApplicable('$subOrderby', why);
  }
  const clean = reader.flag('$clean');
  const removed = readRemoved(reader);
  // Clients page through a set so. What narrows, sorts or combines it makes a new set, through which they page next.
  const isAnother =
    read.filter !== null ||
    read.orderBy.length > 0 ||
    clean ||
    combination !== null ||
    removed !== null;
  const isPageOfSet = isSub && namesSet && !isAnother;
  return reader.parsed({
    kind: 'entitySet',
    read: { ...read, orderBy: [...read.orderBy, ...subOrder] },
    ofRelation: isSub && !namesSet,
    namesSet: isPageOfSet,
    orderedBy: subOrder.length > 0 ? '$subOrderby' : '$orderby',
    lifetime: isKept && !isPageOfSet ? readLifetime(reader) : null,
    clean,
    combination,
    removed,
    saved,
    find: reader.key('$findKey'),
  });
}

function setReader(
  url: DataclassUrl,
  method: MethodParameter | null,
  pageUses: readonly KeywordUse[],
): ParameterReader {
  if (url.parameters.some(({ name }) => name === '$findKey')) {
    return new ParameterReader(url, 'a search by $findKey', ['search']);
  }
  const uses: KeywordUse[] = [...pageUses, 'entitySet'];
  if (url.target.selector.kind === 'entitySet') uses.push('namedSet');
  if (method?.name === 'subentityset') uses.push('subentityset');
  const what = method === null ? 'a read of an entity set' : `$method=${method.name}`;
  return new ParameterReader(url, what, uses);
}

/** Reads `$savedfilter` and `$savedorderby`; `true` is the request's own, which cannot make a lost set again. */
export function readSaved(reader: ParameterReader, namesSet: boolean): SavedSelection | null {
  const filter = reader.text('$savedfilter')?.trim() ?? '';
  const order = reader.text('$savedorderby')?.trim() ?? '';
  const orderBy: OrderNode[] = isOwn(order)
    ? []
    : reader.read('$savedorderby', () => parseOrder(order, '$savedorderby'), []);
  if (isOwn(filter)) {
    // At creation an order counts without a filter; later it cannot make the set again by itself.
    return namesSet || orderBy.length === 0
      ? null
      : { filter: null, orderBy, lifetime: readLifetime(reader) };
  }
  reader.has('$savedfilter');
  return {
    filter: filter === ALL ? null : reader.filter('$savedfilter', filter),
    orderBy,
    lifetime: readLifetime(reader, namesSet ? RECREATED_LIFETIME : LIFETIME),
  };
}

function isOwn(text: string): boolean {
  return text === '' || /^true$/i.test(text);
}

/** Reads how long a set that is made lives, in seconds. */
export function readLifetime(reader: ParameterReader, otherwise = LIFETIME): ParameterRef {
  return reader.value('$timeout', lifetime, otherwise);
}

function lifetime(text: string): Literal {
  const value = text.trim();
  const isLifetime =
    /^\d{1,15}$/.test(value) && Number(value) >= 1 && Number(value) <= LONGEST_LIFETIME;
  if (isLifetime) return parameterLiteral('$timeout', value, 'number');
  const expected = `a whole number of seconds from 1 to ${LONGEST_LIFETIME}`;
  throw badValue('badNumber', '$timeout', value, expected);
}

function readCombination(reader: ParameterReader): EntitySetRequest['combination'] {
  const operator = reader.read('$logicOperator', readOperator, null);
  const other = reader.text('$otherCollection');
  if (operator === null) {
    if (other === undefined) return null;
    throw reader.notApplicable('$otherCollection', 'needs $logicOperator');
  }
  if (other === undefined || other.trim() === '') {
    const message = `$logicOperator combines the set with another one: give its id by $otherCollection.`;
    throw new ProtocolError('otherSetMissing', message, reader.position('$logicOperator'));
  }
  return { operator, other: reader.value('$otherCollection', otherId, '') };
}

/** Reads the positions to leave out. @throws ProtocolError notApplicable where the entities themselves would be deleted */
function readRemoved(reader: ParameterReader): ParameterRef | null {
  const keepsEntities = reader.flag('$removeRefOnly');
  if (!reader.has('$removeFromSet')) {
    if (!keepsEntities) return null;
    throw reader.notApplicable('$removeRefOnly', 'needs $removeFromSet');
  }
  if (keepsEntities) return reader.value('$removeFromSet', positions, '');
  const why = 'removes entities from the set, not from the database: add $removeRefOnly=true';
  throw reader.notApplicable('$removeFromSet', why);
}

function positions(text: string): Literal {
  const value = text.trim();
  const listed = value.split(',').map((position) => position.trim());
  if (listed.every((position) => /^\d{1,10}$/.test(position))) {
    return parameterLiteral('$removeFromSet', listed.join(','));
  }
  const expected = 'positions in the set, counted from 0, such as 0,3';
  throw badValue('badNumber', '$removeFromSet', excerpt(value), expected);
}

const OPERATORS: readonly SetOperator[] = ['and', 'or', 'except', 'intersect'];

function readOperator(text: string): SetOperator {
  const operator = OPERATORS.find((name) => name === text.trim().toLowerCase());
  if (operator !== undefined) return operator;
  const message = `There is no operator "${text}"; expected AND, OR, EXCEPT or INTERSECT.`;
  throw new ProtocolError('badLogicalOperator', message, { within: '$logicOperator', position: 1 });
}

/** Reads the id of the other set, which may be given as its whole URI. */
function otherId(text: string): Literal {
  return parameterLiteral('$otherCollection', text.trim().replace(/^.*\//, ''));
}

/** What a page of entities takes, and INTERSECT does not: it answers only whether an entity is in both sets. */
const NOT_WITH_INTERSECT: readonly Keyword[] = [
  '$method',
  '$clean',
  '$attributes',
  '$expand',
  '$asArray',
  '$filter',
  '$orderby',
  '$queryplan',
  '$querypath',
];

function refuseBesideIntersect(read: ReadRequest, reader: ParameterReader): void {
  const besides =
    read.format === undefined
      ? NOT_WITH_INTERSECT.find((name) => reader.text(name) !== undefined)
      : '$format';
  if (besides === undefined && read.segments.length === 0) return;
  const message = `$logicOperator=INTERSECT answers true or false: ${besides ?? 'a list of attributes'} is not allowed with it.`;
  const at = besides === undefined ? undefined : reader.position(besides);
  throw new ProtocolError('notApplicable', message, at);
}
