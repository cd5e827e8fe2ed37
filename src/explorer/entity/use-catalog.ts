import { signal } from '@preact/signals';
import { type Catalog, readCatalog } from '../rest/catalog.ts';
import { rest } from '../rest/client.ts';

export const catalog = signal<Catalog | null>(null);
void rest.request('/rest/$catalog/$all').then((answer) => {
  catalog.value = readCatalog(answer);
});
