import { type DatePart, dayBehind, type DayPart, firstDay } from '../base/date-parts.ts';
import { catching, ProtocolError } from '../base/errors.ts';
import type { RequestLimits } from '../base/limits.ts';
import type { Row } from '../database/database.ts';
import type { GroupMember, GroupsPlan } from '../plan/read/groups.ts';
import type { ParsedRequest } from '../protocol/ast.ts';
import { parseRequest } from '../protocol/parse.ts';
import { MOST_PLACEHOLDERS, parseParams } from '../protocol/url/parameter-reader.ts';
import { splitUrl } from '../protocol/url/url.ts';
import { plainNumber, sumOf, withoutLastZeros } from '../run/convert/numbers.ts';
import type { FoundGroups } from '../run/read/groups.ts';
import { readerOf } from '../run/run.ts';
import type { ColumnType } from '../schema/types.ts';
import type { Reader } from '../sql/ir/statement.ts';
import { firstInstant, isUtc } from '../sql/local-time.ts';
import { valueWriter } from './entities/entity-uri.ts';
import { listWriting, type Writing } from './entities/entity-writer.ts';
import { tableHead, tableRow } from './entities/table-writer.ts';
import { averageJson } from './values-writer.ts';

/** Writes a page of groups. @param url of the request, below which the entities of a group are */
export type GroupsWriter = (found: FoundGroups, url: string) => Writing;

/** Compiles the writer of groups (DECISIONS, "`$groupby`"). @param timeZone that of date-times without offset @param limits of the addresses of groups */
export function compileGroups(
  plan: GroupsPlan,
  timeZone: string,
  limits: RequestLimits,
): GroupsWriter {
  const { members, format, asArray, dataclass, statement } = plan;
  const { readers } = statement;
  const names = members.map(({ name }) => name);
  const writers = members.map((member) => compileMember(member, readers));
  const values = (row: Row): string[] => writers.map((write) => write(row));
  if (format === 'csv' || format === 'spreadsheet') {
    return function* ({ rows }) {
      yield tableHead(names, format);
      yield* listWriting(rows, (row) => tableRow(values(row), format), '');
    };
  }
  const quoted = names.map((name) => JSON.stringify(name));
  const conditions = members.flatMap((member) =>
    member.kind === 'group' ? [compileCondition(member, readers, timeZone)] : [],
  );
  const most = members.flatMap((member) => {
    if (member.kind !== 'group') return [];
    const { path, by } = member;
    return by === null ? [`${path} === 1`] : [`${path} >= 1`, `${path} < 1`];
  });
  const compile = (url: string): ((row: Row) => string) => {
    const uriOf = entitiesOf(url, most, limits);
    return (row) => {
      const fields = values(row).map((value, index) => `${quoted[index]}:${value}`);
      const uri = uriOf(conditions.map((condition) => condition(row)));
      return `{${fields.join(',')},"uri":${JSON.stringify(uri)}}`;
    };
  };
  if (format === 'ndjson') {
    return ({ rows }, url) => {
      const write = compile(url);
      return listWriting(rows, (row) => `${write(row)}\n`, '');
    };
  }
  return function* ({ rows, count, first }, url) {
    const groups = listWriting(rows, compile(url), ',');
    yield asArray
      ? '['
      : `{"__DATACLASS":${JSON.stringify(dataclass.name)},"__COUNT":${count},"__FIRST":${first},"__GROUPS":[`;
    yield* groups;
    yield asArray ? ']' : `],"__SENT":${rows.length}}`;
  };
}

/** Compiles the writer of a member as JSON: of no values the sum is 0, and all but counts are null. */
function compileMember(member: GroupMember, readers: readonly Reader[]): (row: Row) => string {
  switch (member.kind) {
    case 'group': {
      const { column, attribute, by } = member;
      if (by === null) return written(column, valueWriter(readerOf(readers, column), attribute));
      const reader = readerOf(readers, column);
      return 'part' in by
        ? written(column, reader.json)
        : written(column, (value) => reader.json(stepText(member, reader.text(value))));
    }
    case 'value':
      return written(
        member.column,
        valueWriter(readerOf(readers, member.column), member.attribute),
      );
    case 'count':
      return written(member.column, readerOf(readers, member.column).text, '0');
    case 'sum':
      return written(member.column, readerOf(readers, member.column).json, '0');
    case 'average': {
      const sum = readerOf(readers, member.sum);
      const count = readerOf(readers, member.count);
      return (row) => {
        const size = BigInt(count.text(row[member.count]));
        const total = row[member.sum];
        if (size === 0n || isNull(total)) return 'null';
        return averageJson(sum, total, size, member.isFloat);
      };
    }
  }
}

function written(
  column: number,
  write: (value: unknown) => string,
  otherwise = 'null',
): (row: Row) => string {
  return (row) => {
    const value = row[column];
    return isNull(value) ? otherwise : write(value);
  };
}

function isNull(value: unknown): boolean {
  return value === null || value === undefined;
}

/** How many digits of a float are exact in decimal. */
const EXACT_DIGITS = 15;

/** The beginning of a step without zeros at its end; that of floats as the decimal that is meant. */
function stepText(
  { attribute: { columnType } }: Extract<GroupMember, { kind: 'group' }>,
  text: string,
): string {
  return columnType.kind === 'float'
    ? String(Number(Number(text).toPrecision(EXACT_DIGITS)))
    : withoutLastZeros(text);
}

/** The condition of a `$filter` that the entities of a group meet, with its values for placeholders. */
interface GroupCondition {
  readonly comparisons: readonly string[];
  readonly values: readonly string[];
}

/** Compiles the condition of a group's entities; null where no filter finds them. */
function compileCondition(
  member: Extract<GroupMember, { kind: 'group' }>,
  readers: readonly Reader[],
  timeZone: string,
): (row: Row) => GroupCondition | null {
  const { column, path, by, attribute } = member;
  const { text } = readerOf(readers, column);
  const { columnType } = attribute;
  return (row) => {
    const value = row[column];
    if (isNull(value)) return { comparisons: [`${path} IS null`], values: [] };
    const found = text(value);
    if (by === null) {
      return QUOTE_CODE.test(found) ? null : { comparisons: [`${path} ===`], values: [found] };
    }
    const span =
      'step' in by
        ? stepSpan(plainNumber(stepText(member, found)), by.step, columnType)
        : timeSpan(by.part, found, columnType, timeZone);
    return span && { comparisons: [`${path} >=`, `${path} <`], values: span };
  };
}

/** From where on values are in a group, and where the next one begins; null where no filter says it. */
type Span = readonly [from: string, to: string] | null;

function stepSpan(from: string | null, step: string, type: ColumnType): Span {
  if (from === null) return null;
  const to = sumOf(from, step);
  const held = type.kind === 'float' && type.bits === 32 ? Math.fround : Number;
  // Floats of this size are further from each other.
  return type.kind === 'float' && held(Number(from)) === held(Number(to)) ? null : [from, to];
}

function timeSpan(part: DatePart, text: string, type: ColumnType, timeZone: string): Span {
  const locals = part === 'hour' ? hourSpan(text) : daySpan(part, text);
  if (locals === null || type.kind !== 'timestamp') return locals;
  // What clocks have skipped has no instant; without an offset it compares as it is written.
  const [from, to] = locals.map((local) => (local.includes('T') ? local : `${local}T00:00:00`));
  if (from === undefined || to === undefined) return null;
  if (type.zoned && !isUtc(timeZone) && [from, to].some((time) => NEAR_EDGE.test(time)))
    return null;
  const at = (time: string): string =>
    type.zoned || time.startsWith('10000') ? firstInstant(time, type, timeZone) : time;
  return [at(from), at(to)];
}

/** Times that no instant parts from those before: near the first and the last day of all, which are those of UTC in each time zone. */
const NEAR_EDGE = /^(?:0001-01-0[12]T(?!00:00:00)|0001-01-02|9999-12-3[01])/;

function daySpan(part: DayPart, text: string): Span {
  const first = firstDay(part, text);
  return first === null ? null : [first, dayBehind(part, first)];
}

function hourSpan(text: string): Span {
  const time = Date.parse(`${text}:00:00Z`);
  if (Number.isNaN(time)) return null;
  const next = new Date(time + 3_600_000).toISOString();
  return [`${text}:00:00`, next.startsWith('+') ? '10000-01-01T00:00:00' : next.slice(0, 19)];
}

/** Texts that `$params` takes for quotes (§4.3). */
const QUOTE_CODE = /\\u00(?:22|27)/i;

/** How long a URL is that servers and proxies take. */
const LONGEST_URI = 8000;

/** Writes the address of the entities of a group: those of a request that meet the conditions; null where there is none. @param most comparisons of a group */
function entitiesOf(
  url: string,
  most: readonly string[],
  limits: RequestLimits,
): (conditions: readonly (GroupCondition | null)[]) => string | null {
  const { path, parameters } = splitUrl(url);
  const given = (name: string): string =>
    parameters.find((parameter) => parameter.name === name)?.value.trim() ?? '';
  const [filter, params] = [given('$filter'), given('$params')];
  const own = parseParams(params).length;
  const items = params.replace(/^\[|\]$/g, '').trim();
  const first = filter === '' ? [] : [`(${filter})`];
  const longest = encodeURIComponent([...first, ...most].join(' AND '));
  const parse = (): ParsedRequest =>
    parseRequest(`${path}?$filter=${longest}&$params=${encodeURIComponent(params)}`, 'GET', limits);
  if (catching(ProtocolError, parse, () => null) === null) return () => null;
  return (conditions) => {
    const parts = [...first];
    const values: string[] = [];
    for (const condition of conditions) {
      if (condition === null) return null;
      for (const [index, comparison] of condition.comparisons.entries()) {
        const value = condition.values[index];
        if (value === undefined) parts.push(comparison);
        else parts.push(`${comparison} :${own + values.push(value)}`);
      }
    }
    const query: string[] = [];
    if (parts.length > 0) query.push(`$filter=${encodeURIComponent(parts.join(' AND '))}`);
    const added = JSON.stringify(values).slice(1, -1);
    const all = [items, added].filter((part) => part !== '').join(',');
    if (all !== '') query.push(`$params=${encodeURIComponent(`[${all}]`)}`);
    const uri = query.length === 0 ? path : `${path}?${query.join('&')}`;
    return own + values.length > MOST_PLACEHOLDERS || uri.length > LONGEST_URI ? null : uri;
  };
}
