import { computed, signal } from '@preact/signals';
import { type Catalog, type Dataclass, readCatalog } from './rest/catalog.ts';
import { loadReports } from './reports.ts';
import { rest } from './rest/client.ts';
import type { RestError } from './rest/rest-error.ts';

/** The catalog as it is known: not yet, not at all, or as a {@link Catalog}. */
export type CatalogState =
  | { readonly state: 'waiting' }
  | { readonly state: 'failed'; readonly error: RestError }
  | { readonly state: 'ready'; readonly catalog: Catalog };

/** The state of the catalog, which views wait for. */
export const catalogState = signal<CatalogState>({ state: 'waiting' });

/** The catalog; null until it is known. */
export const catalog = computed<Catalog | null>(() =>
  catalogState.value.state === 'ready' ? catalogState.value.catalog : null,
);

/** Finds a dataclass that the user sees. */
export function dataclassNamed(name: string): Dataclass | undefined {
  return catalog.value?.dataclasses.get(name);
}

/** Reads the catalog, again where it is known already: another user sees others. */
export async function loadCatalog(): Promise<void> {
  if (catalogState.value.state !== 'ready') catalogState.value = { state: 'waiting' };
  try {
    const answer = await rest.request('/rest/$catalog/$all');
    catalogState.value = { state: 'ready', catalog: readCatalog(answer) };
    void loadReports();
  } catch (error) {
    catalogState.value = { state: 'failed', error: error as RestError };
  }
}
