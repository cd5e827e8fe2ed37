import { useComputed, useSignal } from '@preact/signals';
import { catalog } from './catalog.ts';
import { route } from './navigation.ts';
import { reports, type SavedReport } from './reports.ts';
import { hrefOf, hrefs, type Route } from './routes.ts';
import { logOut, loginNeeded, userName } from './session.ts';
import { Icon } from './ui/icon.tsx';
import { ThemeButton } from './ui/theme.tsx';

/** The dataclasses and reports to choose from, and who the user is. */
export function Sidebar() {
  const search = useSignal('');
  const found = useComputed(() => {
    const words = search.value.trim().toLowerCase();
    return [...(catalog.value?.dataclasses.values() ?? [])]
      .filter(({ name, collection, attributes }) =>
        [name, collection, ...attributes.map((attribute) => attribute.name)].some((text) =>
          text.toLowerCase().includes(words),
        ),
      )
      .toSorted((a, b) => a.name.localeCompare(b.name));
  });
  const isFound = ({ title, dataclass }: SavedReport): boolean =>
    `${title} ${dataclass}`.toLowerCase().includes(search.value.trim().toLowerCase());
  const canLogIn = catalog.value?.logins.some((way) => way !== 'token');
  const { view } = route.value;
  const chosen = dataclassOf(route.value);
  const hasFunctions = catalog.value !== null && countFunctions() > 0;
  return (
    <nav class="sidebar" id="sidebar" popover="auto" aria-label="Dataclasses">
      <ul class="places">
        <li>
          <a href={hrefs.model()} aria-current={view === 'model' && chosen === null && 'page'}>
            <Icon name="model" /> Model
          </a>
        </li>
        {hasFunctions && (
          <li>
            <a href={hrefs.functions()} aria-current={view === 'functions' && 'page'}>
              <Icon name="functions" /> Functions
            </a>
          </li>
        )}
      </ul>
      <input
        type="search"
        placeholder="Dataclass or attribute"
        aria-label="Search dataclasses and attributes"
        value={search.value}
        onInput={(event) => (search.value = event.currentTarget.value)}
      />
      <ul class="dataclasses">
        {found.value.map(({ name, description }) => (
          <li key={name}>
            <a
              href={hrefs.collection(name)}
              title={description ?? undefined}
              aria-current={name === chosen && 'page'}
            >
              <Icon name="table" />
              <span>{name}</span>
            </a>
          </li>
        ))}
      </ul>
      {catalog.value !== null && found.value.length === 0 && (
        <p class="hint" role="status">
          {search.value === ''
            ? 'You may see no dataclass.'
            : 'No dataclass has that in its names.'}
        </p>
      )}
      {reports.value.length > 0 && (
        <section class="reports" aria-labelledby="reports">
          <h2 id="reports">Reports</h2>
          <ul>
            {reports.value.filter(isFound).map(({ name, title, description, dataclass, query }) => (
              <li key={name}>
                <a
                  href={hrefs.report(dataclass, query)}
                  title={description ?? undefined}
                  aria-current={hrefs.report(dataclass, query) === hrefOf(route.value) && 'page'}
                >
                  <Icon name="chart" />
                  <span>{title}</span>
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      <div class="who">
        <span class="name" title={userName.value ?? undefined}>
          {userName.value ?? ''}
        </span>
        {userName.value === null ? (
          canLogIn && (
            <button type="button" class="quiet" onClick={() => (loginNeeded.value = '')}>
              Log in
            </button>
          )
        ) : (
          <button type="button" class="quiet" onClick={() => void logOut()}>
            Log out
          </button>
        )}
        <ThemeButton />
      </div>
    </nav>
  );
}

/** The dataclass that a route shows; null where it shows none in particular. */
export function dataclassOf(route: Route): string | null {
  return 'dataclass' in route ? route.dataclass : null;
}

function countFunctions(): number {
  const known = catalog.value;
  if (known === null) return 0;
  const ofDataclasses = [...known.dataclasses.values()].flatMap(({ functions }) => functions);
  return known.functions.length + known.singletons.size + ofDataclasses.length;
}
