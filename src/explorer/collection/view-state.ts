import { hrefs } from '../routes.ts';
import { KEYWORDS, type ComputeKeyword } from './totals.ts';
import {
  orderText,
  parseOrder,
  readSource,
  writeSource,
  type OrderTerm,
  type Selection,
} from './selection.ts';

/** What a view of a collection shows: all of it is in the fragment of the URL, so that a link opens it again. */
export interface ViewState {
  readonly dataclass: string;
  /** The dataclass, a relation of one entity, or entity sets. */
  readonly from: Selection['from'];
  readonly filter: string;
  readonly params: string;
  readonly order: readonly OrderTerm[];
  /** The paths of the columns; null for those that the dataclass begins with. */
  readonly columns: readonly string[] | null;
  /** What the footer shows of each column; null where there is none. */
  readonly totals: ReadonlyMap<string, ComputeKeyword> | null;
}

/** Reads the query of a fragment. */
export function readViewState(dataclass: string, query: URLSearchParams): ViewState {
  const columns = (query.get('columns') ?? '').split(',').filter((path) => path !== '');
  const totals = query.get('totals');
  return {
    dataclass,
    from: readSource(query.get('of') ?? '') ?? encodeURIComponent(dataclass),
    filter: query.get('filter') ?? '',
    params: query.get('params') ?? '',
    order: parseOrder(query.get('order') ?? ''),
    columns: columns.length === 0 ? null : [...new Set(columns)],
    totals: totals === null ? null : new Map(totals.split(',').flatMap(totalOf)),
  };
}

/** The fragment of a view; {@link readViewState} reads it. */
export function hrefOfView(state: ViewState): string {
  const { dataclass, from, filter, params, order, columns, totals } = state;
  const query: Record<string, string> = {
    of: from === encodeURIComponent(dataclass) ? '' : writeSource(from),
    filter,
    params,
    order: orderText(order),
    columns: columns?.join(',') ?? '',
  };
  const given = Object.entries(query).filter(([, text]) => text !== '');
  if (totals !== null) {
    given.push(['totals', [...totals].map(([path, keyword]) => `${path}:${keyword}`).join(',')]);
  }
  return hrefs.collection(dataclass, Object.fromEntries(given));
}

/** The selection that a view shows. */
export function selectionOfView({ from, filter, params, order }: ViewState): Selection {
  return { from, filter, params, order };
}

function totalOf(text: string): [string, ComputeKeyword][] {
  const at = text.lastIndexOf(':');
  const keyword = KEYWORDS.find((known) => known === text.slice(at + 1));
  return at <= 0 || keyword === undefined ? [] : [[text.slice(0, at), keyword]];
}
