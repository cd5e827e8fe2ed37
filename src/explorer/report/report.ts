import type { Column } from '../collection/columns.ts';
import type { FilterTexts } from '../collection/filter/filter-bar.tsx';
import {
  orderText,
  parseOrder,
  readSource,
  selectionParameters,
  type OrderTerm,
} from '../collection/selection.ts';
import { keywordsOf } from '../collection/totals.ts';
import { pathBelowRest, withParameters, type Parameters } from '../rest/url.ts';
import { hrefs } from '../routes.ts';

export const CHARTS = ['bars', 'lines', 'stacked', 'table'] as const;

/** How a report is drawn; `table` draws nothing but the table. */
export type ChartKind = (typeof CHARTS)[number];

/** A group or a figure as the request has it: `date:month`, `sum(total) as turnover`. */
export interface Member {
  /** Without blanks, its aggregate in small letters. */
  readonly expression: string;
  /** The name by `as`; empty for none. */
  readonly name: string;
}

/** Groups of entities with figures of each: all of it is in the fragment of the URL, so that a link opens it again. */
export interface Report extends FilterTexts {
  readonly dataclass: string;
  /** The path of the entities below `/rest/`: the dataclass, or a relation of one entity. */
  readonly from: string;
  readonly groups: readonly Member[];
  /** At least one. */
  readonly figures: readonly Member[];
  /** A `$having`; empty for none. */
  readonly having: string;
  readonly order: readonly OrderTerm[];
  /** The most groups, a number; empty for all. */
  readonly top: string;
  /** Null for the one that suits the groups. */
  readonly chart: ChartKind | null;
}

/** The number of entities: what a group has where nothing else is asked. */
export const COUNT: Member = { expression: 'count', name: '' };

/** Reads the query of a fragment; its members are those of a report that the gateway lists. */
export function readReport(dataclass: string, query: URLSearchParams): Report {
  const text = (name: string): string => query.get(name)?.trim() ?? '';
  const from = readSource(text('of'));
  const figures = readMembers(text('aggregate')).map(withPlainAggregate);
  return {
    dataclass,
    from: typeof from === 'string' ? from : encodeURIComponent(dataclass),
    filter: text('filter'),
    params: text('params'),
    groups: readMembers(text('groupby')),
    figures: figures.length === 0 ? [COUNT] : figures,
    having: text('having'),
    order: parseOrder(text('orderby')),
    top: /^\d+$/.test(text('top')) ? text('top') : '',
    chart: CHARTS.find((known) => known === text('chart')) ?? null,
  };
}

/** The fragment of a report; {@link readReport} reads it. */
export function hrefOfReport(report: Report): string {
  const { dataclass, from, filter, params, groups, figures, having, order, top, chart } = report;
  const query = {
    of: from === encodeURIComponent(dataclass) ? '' : from,
    filter,
    params,
    groupby: writeMembers(groups),
    aggregate: writeMembers(figures),
    having,
    orderby: orderText(order),
    top,
    chart: chart ?? '',
  };
  const given = Object.entries(query).filter(([, value]) => value !== '');
  return hrefs.report(dataclass, Object.fromEntries(given));
}

/** The request of a report. @param parameters more of them */
export function reportUrl(report: Report, parameters: Parameters = {}): string {
  const { from, groups, figures, having, top } = report;
  const { $filter, $params, $orderby } = selectionParameters(report);
  return withParameters(`/rest/${from}`, {
    $filter,
    $params,
    $groupby: groups.length === 0 ? undefined : writeMembers(groups),
    $aggregate: writeMembers(figures),
    $having: having === '' ? undefined : having,
    $orderby,
    $top: top === '' ? undefined : top,
    ...parameters,
  });
}

/** The fragment of a group's entities in the grid. @param uri the group's own, `/rest/Order?$filter=…&$params=…` */
export function hrefOfEntities(dataclass: string, uri: string): string {
  const of = pathBelowRest(uri);
  const given = new URLSearchParams(uri.slice(uri.indexOf('?') + 1));
  const query = {
    of: of === encodeURIComponent(dataclass) ? '' : of,
    filter: given.get('$filter') ?? '',
    params: given.get('$params') ?? '',
  };
  const known = Object.entries(query).filter(([, value]) => value !== '');
  return hrefs.collection(dataclass, Object.fromEntries(known));
}

/** Reads `$groupby` or `$aggregate`. */
export function readMembers(text: string): readonly Member[] {
  // A step has no comma, and so none stands in parentheses.
  return text.split(',').flatMap((item) => {
    const words = item.split(/\s+/).filter((word) => word !== '');
    const isNamed = words.length > 2 && words.at(-2)?.toLowerCase() === 'as';
    const expression = (isNamed ? words.slice(0, -2) : words).join('');
    if (expression === '') return [];
    return [{ expression, name: isNamed ? (words.at(-1) ?? '') : '' }];
  });
}

/** Writes `$groupby` or `$aggregate`; {@link readMembers} reads it. */
export function writeMembers(members: readonly Member[]): string {
  return members
    .map(({ expression, name }) => (name === '' ? expression : `${expression} as ${name}`))
    .join(',');
}

/** What the answer calls a member. */
export function memberName({ expression, name }: Member): string {
  return name === '' ? expression : name;
}

/** A report with other groups or figures: its order goes by those that are left, under the names that they have now. */
export function withMembers(
  report: Report,
  changed: Partial<Pick<Report, 'groups' | 'figures'>>,
): Report {
  const next = { ...report, ...changed };
  const old = [...report.groups, ...report.figures].map(memberName);
  const names = [...next.groups, ...next.figures].map(memberName);
  const order = report.order.flatMap((term) => {
    const at = old.indexOf(term.path);
    if (at < 0 || names.includes(term.path)) return [term];
    return old.length === names.length ? [{ ...term, path: names[at] ?? '' }] : [];
  });
  return { ...next, order };
}

/** A figure as the answer names it. */
function withPlainAggregate({ expression, name }: Member): Member {
  const plain = expression.replace(/^\w+/, (word) => word.toLowerCase());
  return { expression: plain.replace(/^count\(\*?\)$/, 'count'), name };
}

/** The path of a group, and the part of its values that is grouped by: `month`, `step(100)`; empty for the values themselves. */
export function groupOf({ expression }: Member): { readonly path: string; readonly by: string } {
  const [path = '', by = ''] = expression.split(':', 2);
  return { path, by };
}

/** Writes the expression of a group; {@link groupOf} reads it. @param by the size of a step as a number alone, too */
export function groupExpression(path: string, by: string): string {
  if (by === '') return path;
  return /^[a-z]/.test(by) ? `${path}:${by}` : `${path}:step(${by})`;
}

/** The aggregate of a figure, and the path of what it is of; empty for the entities themselves. */
export function figureOf({ expression }: Member): {
  readonly aggregate: string;
  readonly path: string;
} {
  const [aggregate = '', path = ''] = expression.split(/[()]/, 2);
  return { aggregate, path };
}

/** Writes the expression of a figure; {@link figureOf} reads it. */
export function figureExpression(aggregate: string, path: string): string {
  return path === '' ? aggregate : `${aggregate}(${path})`;
}

/** The parts of dates, from the longest to the shortest. */
export const DATE_PARTS = ['year', 'quarter', 'month', 'week', 'day', 'hour'] as const;

/** Whether entities can be grouped by a column. */
export function isGroup(column: Column | null): boolean {
  const others = ['object', 'property', 'image', 'blob', 'relation'];
  return column !== null && !column.isToMany && !others.includes(column.type);
}

/** The group of a path at first: of dates the months, of numbers with decimals steps, as hardly two are the same. */
export function firstGroup(path: string, column: Column | null): Member {
  const by = column?.type === 'date' ? ':month' : column?.type === 'number' ? ':step(100)' : '';
  return { expression: `${path}${by}`, name: '' };
}

/** The aggregates of a column, the usual one first; none where figures are of what it leads to. */
export function aggregatesOf(column: Column | null): readonly string[] {
  if (column === null || column.type === 'property') return [];
  if (column.type === 'relation') return column.isToMany ? ['count'] : [];
  const keywords = keywordsOf(column.type);
  return [
    ...(keywords.includes('sum') ? ['sum', 'avg'] : []),
    ...keywords.filter((keyword) => keyword === 'min' || keyword === 'max'),
    'count',
    ...(['object', 'image', 'blob'].includes(column.type) ? [] : ['distinct']),
  ];
}

/** The chart of a report: over time lines, otherwise bars, where it names none. */
export function chartOf({ chart, groups: [first] }: Pick<Report, 'chart' | 'groups'>): ChartKind {
  if (chart !== null) return chart;
  const parts: readonly string[] = DATE_PARTS;
  return first !== undefined && parts.includes(groupOf(first).by) ? 'lines' : 'bars';
}
