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
  /** The path of the entities below `/rest/` as the URL has it, `Employee` or `Employee(5)/projects`, or two sets combined. */
  readonly from: string | Combination;
  /** A `$filter`; empty for none. */
  readonly filter?: string;
  /** The `$params` of the filter, as JSON text. */
  readonly params?: string;
  readonly order?: readonly OrderTerm[];
}

/** `$orderby` of terms. */
export function orderText(order: readonly OrderTerm[]): string {
  return order.map(({ path, descending }) => (descending ? `${path} DESC` : path)).join(', ');
}

/** Reads `$orderby`; what cannot be read is left out. */
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
  const next: readonly OrderTerm[] =
    old === undefined
      ? [{ path, descending: false }]
      : old.descending
        ? []
        : [{ path, descending: true }];
  if (!added) return next;
  return old === undefined
    ? [...order, ...next]
    : order.flatMap((term) => (term === old ? next : [term]));
}
