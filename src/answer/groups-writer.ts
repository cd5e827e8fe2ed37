import { dayBehind, type DayPart, firstDay } from '../base/date-parts.ts';
import type { Row } from '../database/database.ts';
import type { GroupMember, GroupsPlan } from '../plan/read/groups.ts';
import { parseParams } from '../protocol/url/parameter-reader.ts';
import { splitUrl } from '../protocol/url/url.ts';
import { exactAverage, sumOf, withoutLastZeros } from '../run/convert/numbers.ts';
import type { FoundGroups } from '../run/read/groups.ts';
import { readerOf } from '../run/run.ts';
import type { ColumnType } from '../schema/types.ts';
import type { Reader } from '../sql/ir/statement.ts';
import { firstInstant } from '../sql/local-time.ts';
import { valueWriter } from './entities/entity-uri.ts';
import { listWriting, type Writing } from './entities/entity-writer.ts';
import { tableHead, tableRow } from './entities/table-writer.ts';

/** Writes a page of groups. @param url of the request, below which the entities of a group are */
export type GroupsWriter = (found: FoundGroups, url: string) => Writing;

/** Compiles the writer of groups (DECISIONS, "`$groupby`"). @param timeZone that of date-times without offset */
export function compileGroups(plan: GroupsPlan, timeZone: string): GroupsWriter {
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
  const compile =
    (url: string) =>
    (row: Row): string => {
      const fields = values(row).map((value, index) => `${quoted[index]}:${value}`);
      const uri = groupUri(
        url,
        conditions.map((condition) => condition(row)),
      );
      return `{${fields.join(',')},"uri":${JSON.stringify(uri)}}`;
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
        const digits = sum.text(total);
        return sum.json(
          member.isFloat ? String(Number(digits) / Number(size)) : exactAverage(digits, size),
        );
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
    if (by === null) return { comparisons: [`${path} ===`], values: [found] };
    const span =
      'step' in by
        ? [stepText(member, found), sumOf(stepText(member, found), by.step)]
        : by.part === 'hour'
          ? hourSpan(found, columnType, timeZone)
          : daySpan(by.part, found, columnType, timeZone);
    if (span === null) return null;
    const [from, to] = span;
    return to === undefined
      ? { comparisons: [`${path} >=`], values: [from] }
      : { comparisons: [`${path} >=`, `${path} <`], values: [from, to] };
  };
}

type Span = readonly [from: string, to?: string];

function daySpan(part: DayPart, text: string, type: ColumnType, timeZone: string): Span | null {
  const first = firstDay(part, text);
  if (first === null) return null;
  const behind = dayBehind(part, first);
  const at = (day: string): string =>
    type.kind === 'timestamp' ? firstInstant(`${day}T00:00:00`, type, timeZone) : day;
  return behind === null ? [at(first)] : [at(first), at(behind)];
}

function hourSpan(text: string, type: ColumnType, timeZone: string): Span | null {
  const time = Date.parse(`${text}:00:00Z`);
  if (Number.isNaN(time)) return null;
  const next = new Date(time + 3_600_000).toISOString().slice(0, 19);
  const from = firstInstant(`${text}:00:00`, type, timeZone);
  return next.startsWith('+') ? [from] : [from, firstInstant(next, type, timeZone)];
}

/** The address of the entities of a group: those of the request that meet the conditions; null where there is none. */
function groupUri(url: string, conditions: readonly (GroupCondition | null)[]): string | null {
  const { path, parameters } = splitUrl(url);
  const given = (name: string): string =>
    parameters.find((parameter) => parameter.name === name)?.value.trim() ?? '';
  const [filter, params] = [given('$filter'), given('$params')];
  const own = parseParams(params);
  const parts = filter === '' ? [] : [`(${filter})`];
  const values: string[] = [];
  for (const condition of conditions) {
    if (condition === null) return null;
    const { comparisons, values: more } = condition;
    for (const [index, comparison] of comparisons.entries()) {
      const value = more[index];
      if (value === undefined) parts.push(comparison);
      else parts.push(`${comparison} :${own.length + values.push(value)}`);
    }
  }
  const query: string[] = [];
  if (parts.length > 0) query.push(`$filter=${encodeURIComponent(parts.join(' AND '))}`);
  const added = JSON.stringify(values).slice(1, -1);
  const items = params.replace(/^\[|\]$/g, '').trim();
  const all = [items, added].filter((part) => part !== '').join(',');
  if (all !== '') query.push(`$params=${encodeURIComponent(`[${all}]`)}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}
