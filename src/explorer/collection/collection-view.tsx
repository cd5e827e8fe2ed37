import { useEffect, useMemo, useState } from 'preact/hooks';
import { catalog, dataclassNamed } from '../catalog.ts';
import { navigate } from '../navigation.ts';
import { relationTarget, type Catalog, type Dataclass } from '../rest/catalog.ts';
import { rest } from '../rest/client.ts';
import { isNumber, type Json } from '../rest/json.ts';
import { RestError } from '../rest/rest-error.ts';
import { withParameters } from '../rest/url.ts';
import { hrefs } from '../routes.ts';
import { Icon } from '../ui/icon.tsx';
import { Empty, ErrorBox, Waiting } from '../ui/states.tsx';
import { Collection } from './collection.ts';
import { ColumnsDialog } from './columns-dialog.tsx';
import { columnOf, defaultColumns, fitsCsv, isRelation, type Column } from './columns.ts';
import { FilterBar } from './filter/filter-bar.tsx';
import type { TypeOfPath } from './filter/rules.ts';
import { Grid } from './grid.tsx';
import { csvFormat, RequestBar } from './request-bar.tsx';
import { describeSource, type Selection } from './selection.ts';
import { SetsDialog } from './sets-dialog.tsx';
import { entityCount } from './totals.ts';
import { hrefOfView, readViewState, selectionOfView, type ViewState } from './view-state.ts';

/** A dataclass's entities in a grid. @param query what the grid shows: filter, order, columns */
export function CollectionView({
  dataclass: name,
  query,
}: {
  dataclass: string;
  query: URLSearchParams;
}) {
  const dataclass = dataclassNamed(name);
  if (dataclass === undefined || catalog.value === null) {
    return <Empty isPage title={`There is no dataclass ${name} that you may see.`} />;
  }
  return (
    <DataclassView
      dataclass={dataclass}
      catalog={catalog.value}
      state={readViewState(name, query)}
    />
  );
}

function DataclassView({
  dataclass,
  catalog: model,
  state,
}: {
  dataclass: Dataclass;
  catalog: Catalog;
  state: ViewState;
}) {
  const [dialog, setDialog] = useState<'columns' | 'sets' | null>(null);
  const [again, setAgain] = useState(0);
  const paths = state.columns ?? defaultColumns(dataclass);
  const columns = paths.flatMap((path) => columnOf(path, dataclass, model) ?? []);
  const unknown = paths.filter((path) => !columns.some((column) => column.path === path));
  const collection = useCollection(dataclass, selectionOfView(state), columns, again);
  const shown = collection.state.value;
  const typeOf: TypeOfPath = (path) => columnOf(path, dataclass, model)?.type ?? null;
  const change = (changed: Partial<ViewState>): void => {
    setDialog(null);
    navigate(hrefOfView({ ...state, ...changed }));
  };
  const open = (from: Selection['from']): void =>
    change({ from, filter: '', params: '', order: [] });
  const attributes = columns.map(({ path }) => path).join(',');
  const csvColumns = columns.filter(fitsCsv).map(({ path }) => path);
  const isAll = state.from === encodeURIComponent(dataclass.name);
  return (
    <section class="collection" aria-label={dataclass.name}>
      <header class="collection-bar">
        <h1>{dataclass.name}</h1>
        <span class="count" role="status">
          {shown.state === 'ready' ? entityCount(shown.count) : ''}
        </span>
        <div class="collection-tools">
          <button type="button" onClick={() => setDialog('columns')}>
            <Icon name="table" /> Columns
          </button>
          <button
            type="button"
            aria-pressed={state.totals !== null}
            onClick={() => change({ totals: state.totals === null ? new Map() : null })}
          >
            Totals
          </button>
          <button
            type="button"
            disabled={shown.state !== 'ready' || dataclass.key.length === 0}
            onClick={() => setDialog('sets')}
          >
            Sets
          </button>
          {dataclass.changes.has('create') && (
            <a class="button" href={hrefs.create(dataclass.name)}>
              <Icon name="add" /> New
            </a>
          )}
        </div>
      </header>
      {!isAll && (
        <p class="source">
          <span>Of {describeSource(state.from)}</span>
          <a href={hrefs.collection(dataclass.name)}>All of {dataclass.name}</a>
        </p>
      )}
      <FilterBar
        shown={state}
        error={shown.state === 'failed' ? shown.error : null}
        typeOf={typeOf}
        paths={pathsOf(dataclass, model)}
        choices={(path, text, signal) => valuesOf(dataclass, typeOf, path, text, signal)}
        onFilter={change}
      />
      {unknown.length > 0 && (
        <p class="notice">There is no {unknown.join(', ')}: such columns are left out.</p>
      )}
      {collection.wasMadeAnew.value && (
        <p class="notice" role="status">
          The entity set had expired. It was made anew, of what is in the database now.
        </p>
      )}
      <Content
        dataclass={dataclass}
        collection={collection}
        columns={columns}
        state={state}
        onChange={change}
        onRetry={() => setAgain(again + 1)}
      />
      <RequestBar
        dataclass={dataclass.name}
        url={collection.url({ $attributes: attributes })}
        csvUrl={
          csvColumns.length === 0
            ? null
            : collection.url({ $attributes: csvColumns.join(','), $format: csvFormat.value })
        }
      />
      {dialog === 'columns' && (
        <ColumnsDialog
          dataclass={dataclass}
          columns={columns.map(({ path }) => path)}
          onClose={() => setDialog(null)}
          onChoose={(chosen) => change({ columns: chosen })}
        />
      )}
      {dialog === 'sets' && shown.state === 'ready' && (
        <SetsDialog
          dataclass={dataclass.name}
          selection={collection.selection}
          count={shown.count}
          onOpen={open}
          onClose={() => setDialog(null)}
        />
      )}
    </section>
  );
}

function Content({
  dataclass,
  collection,
  columns,
  state,
  onChange,
  onRetry,
}: {
  dataclass: Dataclass;
  collection: Collection;
  columns: readonly Column[];
  state: ViewState;
  onChange: (changed: Partial<ViewState>) => void;
  onRetry: () => void;
}) {
  const shown = collection.state.value;
  if (shown.state === 'waiting') {
    return (
      <div class="collection-content">
        <Waiting>Selecting entities…</Waiting>
      </div>
    );
  }
  if (shown.state === 'failed') {
    const isAtFilter =
      shown.error instanceof RestError &&
      shown.error.items.some(({ at }) => at?.within === '$filter' || at?.within === '$params');
    return (
      <div class="collection-content page">
        {isAtFilter ? (
          <Empty title="The filter cannot be read; see above." />
        ) : (
          <ErrorBox error={shown.error} onRetry={onRetry} />
        )}
      </div>
    );
  }
  if (shown.count === 0) {
    return (
      <div class="collection-content">
        <Empty
          title={state.filter === '' ? 'There are no entities.' : 'No entity matches the filter.'}
        />
      </div>
    );
  }
  return (
    <div class="collection-content">
      <PageFailure collection={collection} />
      <Grid
        dataclass={dataclass.name}
        collection={collection}
        count={shown.count}
        columns={columns}
        order={state.order}
        onOrder={(order) => onChange({ order })}
        totals={state.totals}
        onTotals={(totals) => onChange({ totals })}
      />
    </div>
  );
}

/** Says that rows which are shown could not be loaded. */
function PageFailure({ collection }: { collection: Collection }) {
  const isFailed = collection.changes.value > 0 && collection.pages.failure !== undefined;
  if (!isFailed) return null;
  const retry = (): void => {
    collection.pages.retry();
    collection.changes.value += 1;
  };
  return <ErrorBox error={collection.pages.failure} onRetry={retry} />;
}

/** The collection of a selection, until another one is shown. */
function useCollection(
  dataclass: Dataclass,
  selection: Selection,
  columns: readonly Column[],
  again: number,
): Collection {
  const attributes = columns.map(({ path }) => path);
  const collection = useMemo(
    () => new Collection(dataclass.name, selection, attributes, dataclass.key.length > 0),
    [dataclass, JSON.stringify([selection, attributes]), again],
  );
  useEffect(() => {
    void collection.open();
    return () => collection.close();
  }, [collection]);
  return collection;
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
