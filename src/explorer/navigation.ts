import { signal } from '@preact/signals';
import { readRoute, type Route } from './routes.ts';

/** The route of the page, which follows the URL's fragment. */
export const route = signal<Route>(readRoute(location.hash));

/** Tells whether the page may leave its view for a fragment. */
type Guard = (href: string) => boolean;

let guard: Guard | null = null;

/** Has a view asked before the page leaves it, until the result is called. */
export function guardLeaving(asked: Guard): () => void {
  guard = asked;
  return () => {
    if (guard === asked) guard = null;
  };
}

window.addEventListener('hashchange', ({ oldURL }) => {
  if (guard !== null && !guard(location.hash)) history.replaceState(null, '', oldURL);
  else route.value = readRoute(location.hash);
});

/** Goes to the view of a fragment, such as those of `hrefs`. @param replace takes the place of the present entry of the browser's history */
export function navigate(href: string, replace = false): void {
  if (href === location.hash) return;
  if (!replace) {
    location.hash = href;
    return;
  }
  history.replaceState(null, '', href);
  route.value = readRoute(href);
}
