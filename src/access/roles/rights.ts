import type { Restriction, Right } from '../../model/types.ts';

/** What nothing meets. */
export const NOTHING: Restriction = { kind: 'any', items: [] };

/** What meets all of them; null where there is nothing to meet. */
export function allOf(restrictions: readonly (Restriction | null)[]): Restriction | null {
  const items = restrictions.filter((restriction) => restriction !== null);
  const [first, ...others] = items;
  if (first === undefined) return null;
  return others.length === 0 ? first : { kind: 'all', items };
}

/** What one of several roles allows is allowed. */
export function anyOf(rights: readonly Right[]): Right {
  const allowed = rights.filter((right) => right !== 'denied');
  const [first, ...others] = allowed;
  if (first === undefined) return 'denied';
  const items = allowed.filter((right) => right !== null);
  if (items.length < allowed.length) return null;
  return others.length === 0 ? first : { kind: 'any', items };
}
