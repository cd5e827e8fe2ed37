import { DATE_PARTS, type DatePart } from '../../base/date-parts.ts';
import { notApplicable, ProtocolError } from '../../base/errors.ts';
import { nameHint } from '../../base/names.ts';
import {
  type AggregateName,
  type AggregateNode,
  AGGREGATES,
  type GroupNode,
  type GroupsRequest,
  type OrderNode,
  type ParsedRequest,
  type PathRef,
  type ReadRequest,
} from '../ast.ts';
import { memberText } from '../filter.ts';
import { ListParser } from '../url/literals.ts';
import { type DataclassUrl, ParameterReader } from '../url/parameter-reader.ts';
import type { MethodParameter } from '../url/url.ts';
import { parseEntitySet } from './entity-set.ts';
import { type EntityReading, parseRead, readExplain, readFormat, refuseArrayAs } from './read.ts';

/** How many groupings and aggregates one request may have: each is worked out for every row. */
const MOST_MEMBERS = 30;

/** What a parameter is read of besides the entities. */
type Grouping = Omit<GroupsRequest, 'kind' | 'of'>;

/** Parses the URL of a GET that groups entities (DECISIONS, "`$groupby`"). */
export function parseGroups(
  url: DataclassUrl,
  method: MethodParameter | null,
): ParsedRequest<GroupsRequest> {
  if (method !== null) {
    const message = `$method=${method.name} answers entities, and $groupby groups: they cannot be combined.`;
    throw new ProtocolError('notApplicable', message, method.at);
  }
  let grouping: Grouping | undefined;
  const reading: EntityReading = {
    uses: ['groups', 'explain'],
    read: (reader) => {
      grouping = readGrouping(reader);
      return readEntities(reader, grouping);
    },
  };
  const { ast: of, ...rest } =
    url.target.selector.kind === 'entitySet'
      ? parseEntitySet(url, null, reading)
      : parseRead(url, 'a read of groups', reading);
  if (grouping === undefined) throw new Error('the groups were not read');
  return { ...rest, ast: { kind: 'groups', of, ...grouping } };
}

function readGrouping(reader: ParameterReader): Grouping {
  const groups = reader.read('$groupby', parseGroupList, []);
  const given = reader.read('$aggregate', parseAggregates, []);
  const aggregates = given.length === 0 ? parseAggregates('count', '$aggregate') : given;
  refuseRepeated([...groups, ...aggregates]);
  const format = reader.read('$format', readFormat, 'json');
  if (format === 'dashboard') throw notApplicable('Groups have no $format=dashboard.');
  const asArray = reader.flag('$asArray');
  refuseArrayAs(format, asArray);
  return {
    groups,
    aggregates,
    having: reader.filter('$having', undefined, { ofGroups: true }),
    orderBy: reader.read('$orderby', parseGroupOrder, []),
    ...reader.groupWindow(),
    asArray,
    format,
  };
}

/** The entities that are grouped: all that the path and `$filter` select. */
function readEntities(reader: ParameterReader, { top, skip, format }: Grouping): ReadRequest {
  const { name, selector, segments } = reader.target;
  const explain = readExplain(reader, format);
  return {
    kind: 'read',
    dataclass: name,
    selector,
    segments,
    filter: reader.filter(),
    orderBy: [],
    attributes: null,
    expand: [],
    asArray: false,
    top,
    skip,
    ...(explain === null ? {} : { explain }),
  };
}

/** @throws ProtocolError badAttributeList where two members of a group would have one name */
function refuseRepeated(members: readonly { readonly name: string }[]): void {
  const seen = new Set(['uri']);
  for (const { name } of members) {
    if (seen.size < seen.add(name).size) continue;
    const message =
      name === 'uri'
        ? 'Each group has its address as uri: give another member of that name a name of its own, as in uri as address.'
        : `The groups would have two members ${name}: give one of them another name by as.`;
    throw new ProtocolError('badAttributeList', message);
  }
}

const NAME = /[^\s\p{Cc}.,:*()[\]="']+/uy;

class MemberParser extends ListParser {
  group(): GroupNode {
    const from = this.offset;
    const path = this.path();
    if (this.looksAt(/\s*\(/y)) {
      const called = `${path.names.join('.')}(…)`;
      const message = `${called} is no group: aggregates stand in $aggregate`;
      this.failAt(this.error, message, path.position);
    }
    const by = this.take(/\s*:\s*/y) === null ? null : this.#by();
    return { path, by, ...this.#names(from) };
  }

  aggregate(): AggregateNode {
    const from = this.offset;
    const { position } = this;
    const word = this.take(NAME) ?? this.fail(this.error, 'Expected an aggregate');
    const aggregate = AGGREGATES.find((name) => name === word.toLowerCase());
    if (aggregate === undefined) {
      const known = FOREIGN.get(word.toLowerCase());
      const hint = nameHint(word, AGGREGATES) || ` Expected one of ${AGGREGATES.join(', ')}.`;
      const message = `There is no aggregate ${word}.${known === undefined ? hint : ` Did you mean ${known}?`}`;
      throw new ProtocolError('badComputeKeyword', message, { within: this.within, position });
    }
    const path = this.#argument(aggregate);
    return { aggregate, path, position, ...this.#names(from, aggregate, word) };
  }

  override order(): OrderNode {
    const { position } = this;
    const text = this.take(/[^\s,()]+(?:\s*\([^()]*\))?/y);
    if (text === null) this.fail(this.error, 'Expected a group or an aggregate');
    const path = { names: [memberText(text)], position };
    return { path, descending: this.isDescending() };
  }

  /** Without what a colon leads on to. */
  protected override name(): string {
    return super.name(NAME);
  }

  #by(): GroupNode['by'] {
    const { position } = this;
    const word = this.take(/\w+/y) ?? '';
    if (word === 'step') {
      const size = /^\((\d{1,15}(?:\.\d{1,10})?)\)$/.exec(this.take(/\([^()]*\)/y) ?? '')?.[1];
      if (size !== undefined && Number(size) > 0) return { step: size };
      const message =
        'Expected a positive number with at most 15 digits before its point and 10 behind it, as in step(100)';
      this.failAt(this.error, message, position);
    }
    const part = DATE_PARTS.find((name): name is DatePart => name === word);
    if (part !== undefined) return { part };
    const known = [...DATE_PARTS, 'step'];
    const message = `There is no part ${word}.${nameHint(word, known) || ` Expected one of ${known.slice(0, -1).join(', ')} or step(100).`}`;
    throw new ProtocolError(this.error, message, { within: this.within, position });
  }

  #argument(aggregate: AggregateName): PathRef | null {
    if (this.take(/\s*\(\s*/y) === null) {
      if (aggregate === 'count') return null;
      this.fail(this.error, `Expected an attribute in parentheses, as in ${aggregate}(total)`);
    }
    if (aggregate === 'count' && this.take(/\*?\s*\)/y) !== null) return null;
    const path = this.path();
    if (this.take(/\s*\)/y) === null) this.fail(this.error, 'Expected a closing parenthesis');
    return path;
  }

  /** The expression that began at an offset, and its name. @param word the aggregate as it is written */
  #names(from: number, aggregate?: string, word = ''): Pick<GroupNode, 'name' | 'text'> {
    const written = memberText(this.text.slice(from, this.offset));
    const text =
      aggregate === undefined
        ? written
        : `${aggregate}${written.slice(word.length)}`.replace(/^count\(\*?\)$/, 'count');
    if (this.take(/\s+as\s+/iy) === null) return { name: text, text };
    const { position } = this;
    const name = this.take(/[^\s\p{Cc},.:*()[\]="']+/uy);
    if (name === null) this.fail(this.error, 'Expected a name behind as');
    if (!name.startsWith('__')) return { name, text };
    return this.failAt(this.error, `Names that begin with __ are the protocol's own`, position);
  }
}

/** Aggregates of other APIs, by what says the same here. */
const FOREIGN: ReadonlyMap<string, AggregateName> = new Map([
  ['average', 'avg'],
  ['mean', 'avg'],
  ['total', 'sum'],
  ['countdistinct', 'distinct'],
  ['count_distinct', 'distinct'],
  ['minimum', 'min'],
  ['maximum', 'max'],
]);

function parseGroupList(text: string, within: string): GroupNode[] {
  if (text.trim() === '') return [];
  const parser = new MemberParser(text, within, 'badAttributeList');
  return parser.list(() => parser.group(), MOST_MEMBERS);
}

function parseAggregates(text: string, within: string): AggregateNode[] {
  if (text.trim() === '') return [];
  const parser = new MemberParser(text, within, 'badComputeKeyword');
  return parser.list(() => parser.aggregate(), MOST_MEMBERS);
}

function parseGroupOrder(text: string, within: string): OrderNode[] {
  if (text.trim() === '') return [];
  const parser = new MemberParser(text, within, 'badOrder');
  return parser.list(() => parser.order(), MOST_MEMBERS);
}

/** The aggregate that an expression of `$having` or `$orderby` names; null where it is none. */
export function aggregateNamed(text: string, within: string): AggregateNode | null {
  const [, word = ''] = /^(\w+)(?:\(|$)/.exec(text) ?? [];
  if (!AGGREGATES.some((name) => name === word.toLowerCase())) return null;
  return parseAggregates(text, within)[0] ?? null;
}
