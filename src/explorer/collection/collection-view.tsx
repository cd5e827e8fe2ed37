import { useEffect, useMemo, useState } from 'preact/hooks';
import { catalog, dataclassNamed } from '../catalog.ts';
import { navigate } from '../navigation.ts';
import type { Catalog, Dataclass } from '../rest/catalog.ts';
import { hrefs } from '../routes.ts';
import { Icon } from '../ui/icon.tsx';
import { Empty, ErrorBox, Waiting } from '../ui/states.tsx';
import { Collection } from './collection.ts';
import { ColumnsDialog } from './columns-dialog.tsx';
import { columnOf, defaultColumns, fitsCsv, type Column } from './columns.ts';
import { DataclassFilter, FailedRead } from './filter/dataclass-filter.tsx';
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
      <DataclassFilter
        dataclass={dataclass}
        catalog={model}
        shown={state}
        error={shown.state === 'failed' ? shown.error : null}
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
    return (
      <div class="collection-content page">
        <FailedRead error={shown.error} onRetry={onRetry} />
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
