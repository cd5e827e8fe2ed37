import { useEffect, useState } from 'preact/hooks';
import { rest } from '../rest/client.ts';
import type { Json } from '../rest/json.ts';
import type { Collection } from './collection.ts';
import { cellText, isNumeric, type Column } from './columns.ts';
import { keywordsOf, totalName, type ComputeKeyword } from './totals.ts';

type Total = { readonly value: Json } | { readonly error: string } | null;

/** What `$compute` answers for a column, by a keyword of the user's choice. */
export function TotalCell({
  collection,
  column,
  keyword,
  onKeyword,
}: {
  collection: Collection;
  column: Column;
  keyword: ComputeKeyword | null;
  onKeyword: (keyword: ComputeKeyword | null) => void;
}) {
  const { path, type } = column;
  const [total, setTotal] = useState<Total>(null);
  useEffect(() => {
    setTotal(null);
    if (keyword === null) return;
    const left = new AbortController();
    rest.request(collection.url({ $compute: keyword }, path), { signal: left.signal }).then(
      (value) => {
        collection.note(path, value);
        collection.changes.value += 1;
        setTotal({ value });
      },
      (error: unknown) => {
        if (!left.signal.aborted) setTotal({ error: error instanceof Error ? error.message : '' });
      },
    );
    return () => left.abort();
  }, [collection, path, keyword]);
  const keywords = keywordsOf(type);
  return (
    <div role="gridcell" class={isNumeric(type) ? 'numeric' : ''}>
      {keywords.length > 0 && (
        <select
          aria-label={`Total of ${path}`}
          value={keyword ?? ''}
          onChange={({ currentTarget: { value } }) =>
            onKeyword(keywords.find((known) => known === value) ?? null)
          }
        >
          <option value="">No total</option>
          {keywords.map((known) => (
            <option key={known} value={known}>
              {totalName(known, path)}
            </option>
          ))}
        </select>
      )}
      {keyword !== null && <TotalValue total={total} column={column} keyword={keyword} />}
    </div>
  );
}

function TotalValue({
  total,
  column,
  keyword,
}: {
  total: Total;
  column: Column;
  keyword: ComputeKeyword;
}) {
  if (total === null) return <span class="spinner" role="status" aria-label="Computing" />;
  if ('error' in total) {
    return (
      <span class="gone" title={total.error}>
        failed
      </span>
    );
  }
  const text = cellText(total.value, keyword === 'count' ? 'long' : column.type);
  const name = totalName(keyword, column.path);
  return (
    <output aria-label={name} title={`${name}: ${text}`}>
      {text === '' ? '–' : text}
    </output>
  );
}
