import type { CountQuery, GlobalStampQuery, KeyedQuery, RelatedQuery, SelectQuery } from './ir.ts';
import type { AggregateQuery, DistinctQuery } from './value-ir.ts';

/** Everything the database can be asked. */
export type Query =
  | SelectQuery
  | CountQuery
  | RelatedQuery
  | KeyedQuery
  | GlobalStampQuery
  | AggregateQuery
  | DistinctQuery;
