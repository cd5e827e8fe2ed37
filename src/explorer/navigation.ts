import { signal } from '@preact/signals';
import { readRoute, type Route } from './routes.ts';

/** The route of the page, which follows the URL's fragment. */
export const route = signal<Route>(readRoute(location.hash));

/** Says whether the view may be left for another fragment. */
export type LeaveGuard = (target: string) => boolean;

let guard: LeaveGuard | null = null;

/** Has a view asked before it is left. @returns takes the guard away */
export function guardLeaving(asked: LeaveGuard): () => void {
  guard = asked;
  return () => {
    if (guard === asked) guard = null;
  };
}

window.addEventListener('hashchange', ({ oldURL }) => {
  if (guard?.(location.hash) === false) history.replaceState(null, '', new URL(oldURL).hash);
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
