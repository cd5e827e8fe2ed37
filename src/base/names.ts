import { distance } from 'fastest-levenshtein';

/** The most letters that differ in a resembling name of any length. */
const FARTHEST = 5;

/** In names of so few letters only one may differ: `eval` is not `email`. */
const SHORT = 4;

/** Longer texts are not names, and take long to compare. */
const LONGEST = 500;

/** At most three known names that resemble an unknown one, nearest first. Case does not count: a wrong case is the commonest mistake. */
export function nearestNames(unknown: string, known: Iterable<string>): string[] {
  if (unknown.length > LONGEST) return [];
  const wanted = unknown.toLowerCase();
  const limit = wanted.length <= SHORT ? 1 : Math.min(Math.ceil(wanted.length / 3), FARTHEST);
  const near = [...known]
    .map((name) => ({ name, far: mistakes(wanted, name.toLowerCase()) }))
    .filter(
      ({ far, name }) =>
        (far <= limit && far < name.length) || isPartOf(wanted, name.toLowerCase()),
    )
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1));
  const otherCase = near.filter(({ far }) => far === 0);
  return (otherCase.length > 0 ? otherCase : near.slice(0, 3)).map(({ name }) => name);
}

/** How many letters differ; two swapped letters are one mistake, where all others are equal. */
function mistakes(wanted: string, name: string): number {
  const far = distance(wanted, name);
  let at = 0;
  while (at < wanted.length && wanted[at] === name[at]) at += 1;
  const swapped =
    wanted.slice(0, at) +
    wanted.slice(at + 1, at + 2) +
    wanted.slice(at, at + 1) +
    wanted.slice(at + 2);
  return far === 2 && swapped === name ? 1 : far;
}

/** Whether one is a large part of the other. */
function isPartOf(wanted: string, name: string): boolean {
  const least = Math.min(wanted.length, name.length);
  const most = Math.max(wanted.length, name.length);
  return least >= 3 && least * 4 >= most && (name.includes(wanted) || wanted.includes(name));
}

/** The end of a message: ` Did you mean a, b?`; where nothing resembles, the known names if they are few; or nothing. */
export function nameHint(unknown: string, known: Iterable<string>): string {
  const all = [...known];
  const nearest = nearestNames(unknown, all);
  if (nearest.length > 0) return ` Did you mean ${nearest.join(', ')}?`;
  return all.length > 0 && all.length <= 12 ? ` Known: ${all.join(', ')}.` : '';
}
