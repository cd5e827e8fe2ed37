import { relationTarget, type Catalog, type Dataclass } from '../../rest/catalog.ts';
import { rest } from '../../rest/client.ts';
import { isNumber, type Json } from '../../rest/json.ts';
import { RestError } from '../../rest/rest-error.ts';
import { withParameters } from '../../rest/url.ts';
import { Empty, ErrorBox } from '../../ui/states.tsx';
import { columnOf, isRelation } from '../columns.ts';
import { FilterBar, isOfFilter, type FilterTexts } from './filter-bar.tsx';
import type { TypeOfPath } from './rules.ts';

/** The filter of a dataclass's entities: its attributes and their values are offered. */
export function DataclassFilter({
  dataclass,
  catalog,
  shown,
  error,
  onFilter,
}: {
  dataclass: Dataclass;
  catalog: Catalog;
  /** The filter that is in force. */
  shown: FilterTexts;
  /** Why the request of what is shown was refused; null where it was not. */
  error: unknown;
  onFilter: (texts: FilterTexts) => void;
}) {
  const typeOf: TypeOfPath = (path) => columnOf(path, dataclass, catalog)?.type ?? null;
  return (
    <FilterBar
      shown={shown}
      error={error}
      typeOf={typeOf}
      paths={pathsOf(dataclass, catalog)}
      choices={(path, text, signal) => valuesOf(dataclass, typeOf, path, text, signal)}
      onFilter={onFilter}
    />
  );
}

/** The error of a request that has a filter: what is wrong with the filter stands below its line. */
export function FailedRead({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  return error instanceof RestError && error.items.some(isOfFilter) ? (
    <Empty title="The filter cannot be read; see above." />
  ) : (
    <ErrorBox error={error} onRetry={onRetry} />
  );
}

/** The paths that a filter is offered: a dataclass's attributes and relations, and what its relations to one lead to. */
function pathsOf(dataclass: Dataclass, model: Catalog): readonly string[] {
  return dataclass.attributes.flatMap((attribute) => {
    const target = isRelation(attribute) ? relationTarget(attribute, model) : undefined;
    const behind = (target?.attributes ?? []).filter((one) => !isRelation(one));
    return [attribute.name, ...behind.map(({ name }) => `${attribute.name}.${name}`)];
  });
}

/** How many values are offered at a time. */
const MOST_CHOICES = 50;

/** The distinct values of an attribute, of texts those that begin with what is typed. */
async function valuesOf(
  { name }: Dataclass,
  typeOf: TypeOfPath,
  path: string,
  text: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const type = typeOf(path);
  if (type === null || ['object', 'image', 'blob', 'relation'].includes(type)) return [];
  const isNarrowed = type === 'string' && text !== '';
  const url = distinctUrl(name, path, isNarrowed ? text : '');
  const answer = await rest.request(url, { signal });
  if (!Array.isArray(answer)) return [];
  return (answer as readonly Json[]).flatMap((value) =>
    typeof value === 'string' || typeof value === 'boolean' || isNumber(value)
      ? [String(value)]
      : [],
  );
}

function distinctUrl(dataclass: string, path: string, text: string): string {
  const of = `/rest/${encodeURIComponent(dataclass)}/${encodeURIComponent(path)}`;
  return withParameters(of, {
    $distinct: true,
    $top: MOST_CHOICES,
    $filter: text === '' ? undefined : `${path} begin "${text.replaceAll('"', '\\u0022')}"`,
  });
}
