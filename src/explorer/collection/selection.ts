import { isObject, parseJson, writeJson, type Json } from '../rest/json.ts';
import type { Parameters } from '../rest/url.ts';

/** A term of an order: a path, and its direction. */
export interface OrderTerm {
  readonly path: string;
  readonly descending: boolean;
}

export const SET_OPERATORS = ['AND', 'OR', 'EXCEPT'] as const;

/** How two sets are combined (`$logicOperator`). */
export type SetOperator = (typeof SET_OPERATORS)[number];

/** Two sets combined. */
export interface Combination {
  readonly operator: SetOperator;
  readonly left: Selection;
  readonly right: Selection;
}

/** A selection of entities: what it takes to make its entity set, as often as needed. */
export interface Selection {
  /** The path of the entities below `/rest/`, `Employee` or `Employee(5)/projects`; two sets combined; or a set that is narrowed or sorted. */
  readonly from: string | Combination | Selection;
  /** The id of the set that was made of it, while it lives. */
  readonly id?: string;
  /** A `$filter`; empty for none. */
  readonly filter: string;
  /** The `$params` of the filter, as JSON text; empty for none. */
  readonly params: string;
  readonly order: readonly OrderTerm[];
}

/** The parameters of a selection's filter and order. */
export function selectionParameters({ filter, params, order }: Selection): Parameters {
  const hasFilter = filter.trim() !== '';
  return {
    $filter: hasFilter ? filter : undefined,
    $params: hasFilter && params.trim() !== '' ? params : undefined,
    $orderby: order.length > 0 ? orderText(order) : undefined,
  };
}

/** Whether a selection has all entities of what it is made from, in their order. */
export function takesAll({ filter, order }: Selection): boolean {
  return filter.trim() === '' && order.length === 0;
}

export function isCombination(from: Selection['from']): from is Combination {
  return typeof from === 'object' && 'operator' in from;
}

/** A selection without the ids of its sets, which are gone: it is made again of what it says. */
export function withoutIds({ from, filter, params, order }: Selection): Selection {
  return { from: sourceWithoutIds(from), filter, params, order };
}

function sourceWithoutIds(from: Selection['from']): Selection['from'] {
  if (typeof from === 'string') return from;
  if (!isCombination(from)) return withoutIds(from);
  return { ...from, left: withoutIds(from.left), right: withoutIds(from.right) };
}

/** Whether a path leads to the entities of a dataclass, or over a relation of one entity, and to nothing else that the gateway serves. */
function isEntityPath(path: string): boolean {
  return /^[^/?#$]+(?:\/[^/?#$]+)?$/.test(path);
}

/** Writes where entities come from, for a link. */
export function writeSource(from: Selection['from']): string {
  return typeof from === 'string' ? from : writeJson(from);
}

/** Reads what {@link writeSource} has written; null where a text is none. */
export function readSource(text: string): Selection['from'] | null {
  if (!text.startsWith('{')) return isEntityPath(text) ? text : null;
  try {
    return sourceOf(parseJson(text));
  } catch {
    return null;
  }
}

function sourceOf(json: Json | undefined): Selection['from'] | null {
  if (typeof json === 'string') return isEntityPath(json) ? json : null;
  if (!isObject(json)) return null;
  if (json['operator'] === undefined) return selectionOf(json);
  const operator = SET_OPERATORS.find((known) => known === json['operator']);
  const left = selectionOf(json['left']);
  const right = selectionOf(json['right']);
  if (operator === undefined || left === null || right === null) return null;
  return { operator, left, right };
}

/** Reads a selection of JSON; null where it is none. */
export function selectionOf(json: Json | undefined): Selection | null {
  if (!isObject(json)) return null;
  const from = sourceOf(json['from']);
  if (from === null) return null;
  const { id, filter, params, order } = json;
  return {
    from,
    ...(typeof id === 'string' && /^\w+$/.test(id) ? { id } : {}),
    filter: typeof filter === 'string' ? filter : '',
    params: typeof params === 'string' ? params : '',
    order: Array.isArray(order) ? (order as Json[]).flatMap(termOf) : [],
  };
}

function termOf(json: Json): OrderTerm[] {
  if (!isObject(json) || typeof json['path'] !== 'string') return [];
  return [{ path: json['path'], descending: json['descending'] === true }];
}

/** Says in words where entities come from. */
export function describeSource(from: Selection['from']): string {
  if (typeof from === 'string') return from;
  if (!isCombination(from)) return describeSelection(from);
  return `(${describeSelection(from.left)}) ${from.operator} (${describeSelection(from.right)})`;
}

/** Says a selection in words: `Employee where grade > 3 by lastName`. */
export function describeSelection({ from, filter, order }: Selection): string {
  const where = filter.trim() === '' ? '' : ` where ${filter}`;
  return `${describeSource(from)}${where}${order.length === 0 ? '' : ` by ${orderText(order)}`}`;
}

/** `$orderby` of terms. */
export function orderText(order: readonly OrderTerm[]): string {
  return order.map(({ path, descending }) => (descending ? `${path} DESC` : path)).join(', ');
}

/** Reads `$orderby`. */
export function parseOrder(text: string): readonly OrderTerm[] {
  return text.split(',').flatMap((term) => {
    const [path = '', direction = ''] = term.trim().split(/\s+/);
    return path === '' ? [] : [{ path, descending: direction.toUpperCase() === 'DESC' }];
  });
}

/**
 * The order after a click on a header: ascending, then descending, then none.
 * @param added whether the path is added behind the other terms, as by Shift; it takes their place otherwise
 */
export function toggleOrder(
  order: readonly OrderTerm[],
  path: string,
  added: boolean,
): readonly OrderTerm[] {
  const old = order.find((term) => term.path === path);
  const next = old?.descending === true ? [] : [{ path, descending: old !== undefined }];
  if (!added) return next;
  if (old === undefined) return [...order, ...next];
  return order.flatMap((term) => (term === old ? next : [term]));
}
