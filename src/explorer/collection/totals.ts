import type { PathType } from './filter/rules.ts';

export const KEYWORDS = ['count', 'sum', 'average', 'min', 'max'] as const;

/** A keyword of `$compute`. */
export type ComputeKeyword = (typeof KEYWORDS)[number];

/** The keywords of a type (docs/reference/computing.md). Relations themselves have no values. */
export function keywordsOf(type: PathType | null): readonly ComputeKeyword[] {
  switch (type) {
    case 'byte':
    case 'word':
    case 'long':
    case 'long64':
    case 'number':
      return KEYWORDS;
    case 'string':
    case 'date':
    case 'duration':
      return ['count', 'min', 'max'];
    case 'bool':
    case 'uuid':
    case 'object':
    case 'property':
    case 'image':
    case 'blob':
      return ['count'];
    case 'relation':
    case null:
      return [];
  }
}

/** Says what a total is of: `sum of salary`. */
export function totalName(keyword: ComputeKeyword, path: string): string {
  return `${keyword} of ${path}`;
}

/** Says how many entities there are: `1 entity`. */
export function entityCount(count: number): string {
  return `${count.toLocaleString()} ${count === 1 ? 'entity' : 'entities'}`;
}
