import { useEffect, useRef } from 'preact/hooks';
import { catalogState, loadCatalog } from './catalog.ts';
import { CollectionView } from './collection/collection-view.tsx';
import { EntityView } from './entity/entity-view.tsx';
import { FunctionsView } from './functions/functions-view.tsx';
import { LoginDialog } from './login/login-dialog.tsx';
import { ModelView } from './model/model-view.tsx';
import { route } from './navigation.ts';
import { PlanView } from './plans/plan-view.tsx';
import { ReportLoader } from './report/report-loader.tsx';
import { hrefOf, hrefs, type Route } from './routes.ts';
import { loginCount, loginNeeded, readUser, userName } from './session.ts';
import { dataclassOf, Sidebar } from './sidebar.tsx';
import { Icon } from './ui/icon.tsx';
import { Empty, ErrorBox, Waiting } from './ui/states.tsx';

/** The explorer: the dataclasses beside the view of the URL's fragment. */
export function App() {
  const main = useRef<HTMLElement>(null);
  const logins = loginCount.value;
  useEffect(() => void open(), [logins]);
  const shown = route.value;
  const place = shown.view === 'report' ? hrefOf(shown) : `${shown.view}/${dataclassOf(shown)}`;
  useEffect(() => {
    document.title = titleOf(shown);
    const sidebar = document.getElementById('sidebar');
    if (sidebar?.matches(':popover-open') === true) sidebar.hidePopover();
  }, [place]);
  const isReady = catalogState.value.state === 'ready';
  return (
    <div class="shell">
      <a class="skip" href="#main" onClick={(event) => skipTo(event, main.current)}>
        Skip to the content
      </a>
      <header class="top">
        <button type="button" class="quiet menu" popovertarget="sidebar" aria-label="Dataclasses">
          <Icon name="menu" />
        </button>
        <a class="brand" href={hrefs.model()}>
          {applicationName()}
        </a>
        <DataclassTabs route={shown} />
      </header>
      <Sidebar />
      <main id="main" ref={main} tabIndex={-1}>
        {isReady ? <View key={logins} route={shown} /> : <CatalogState />}
      </main>
      {loginNeeded.value !== null && (
        <LoginDialog
          onCancel={isReady && userName.value === null ? () => (loginNeeded.value = null) : null}
        />
      )}
    </div>
  );
}

/** Reads the user and the model, if it can be read: nothing is asked in vain, as browsers log each answer 401 as an error. */
async function open(): Promise<void> {
  await readUser().catch(() => null);
  if (loginNeeded.value === null) await loadCatalog();
}

/** The views of one dataclass. */
function DataclassTabs({ route }: { route: Route }) {
  const name = dataclassOf(route);
  if (name === null) return null;
  const filter = filterOf(route);
  return (
    <nav class="tabs" aria-label={name}>
      <a href={hrefs.collection(name, filter)} aria-current={route.view === 'collection' && 'page'}>
        Entities
      </a>
      <a href={hrefs.report(name, filter)} aria-current={route.view === 'report' && 'page'}>
        {isOfSet(route) ? 'Report of all' : 'Report'}
      </a>
      <a href={hrefs.model(name)} aria-current={route.view === 'model' && 'page'}>
        Structure
      </a>
    </nav>
  );
}

/** What selects the entities of a grid or a report: the one goes along to the other. Sets stay in the grid, as a report has none. */
function filterOf(route: Route): Record<string, string> {
  if (route.view !== 'collection' && route.view !== 'report') return {};
  if (isOfSet(route)) return {};
  const { query } = route;
  const given = ['of', 'filter', 'params'].map((name) => [name, query.get(name) ?? ''] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== ''));
}

/** Whether a grid shows a set that is combined, narrowed or sorted, and no plain list. */
function isOfSet(route: Route): boolean {
  return route.view === 'collection' && route.query.get('of')?.startsWith('{') === true;
}

function CatalogState() {
  const state = catalogState.value;
  if (loginNeeded.value !== null) return <Empty isPage title="Log in to see the data." />;
  if (state.state !== 'failed') return <Waiting>Reading the model…</Waiting>;
  return (
    <div class="page">
      <ErrorBox error={state.error} onRetry={() => void loadCatalog()} />
    </div>
  );
}

/** Views of another dataclass or entity begin anew, which their keys see to. */
function View({ route }: { route: Route }) {
  switch (route.view) {
    case 'model':
      return <ModelView dataclass={route.dataclass} />;
    case 'collection':
      return (
        <CollectionView key={route.dataclass} dataclass={route.dataclass} query={route.query} />
      );
    case 'report':
      return <ReportLoader key={route.dataclass} dataclass={route.dataclass} query={route.query} />;
    case 'entity':
      return (
        <EntityView
          key={`${route.dataclass}/${route.key}`}
          dataclass={route.dataclass}
          entityKey={route.key}
        />
      );
    case 'new':
      return (
        <EntityView
          key={route.dataclass}
          dataclass={route.dataclass}
          entityKey={null}
          query={route.query}
        />
      );
    case 'functions':
      return <FunctionsView name={route.name} query={route.query} />;
    case 'plan':
      return <PlanView key={route.url} url={route.url} />;
  }
}

function applicationName(): string {
  const state = catalogState.value;
  return state.state === 'ready' ? state.catalog.application : 'Entitygate';
}

function titleOf(route: Route): string {
  const names = { functions: 'Functions', plan: 'Query plan', model: 'Model' } as const;
  const what =
    dataclassOf(route) ?? (route.view in names ? names[route.view as keyof typeof names] : '');
  return `${what} · ${applicationName()}`;
}

/** Moves the focus; the fragment of the URL is the route, and stays. */
function skipTo(event: Event, target: HTMLElement | null): void {
  event.preventDefault();
  target?.focus();
}
