import { distance } from 'fastest-levenshtein';

/** However long a name is: what differs in more letters is another name. */
const FARTHEST = 5;

/** Names of so few letters that one with two other letters is another name: `eval` is not `email`. */
const SHORT = 4;

/** No name is as long, and what is longer takes long to compare. */
const LONGEST = 500;

/**
 * The known names that resemble an unknown one, nearest first, at most three. Case does not count: names of the
 * protocol are case-sensitive, and a wrong case is the commonest mistake.
 */
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

/** How many letters differ; two that changed places, with all others as they are, are one mistake. */
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

/** Whether one is a part of the other, and not a small one. */
function isPartOf(wanted: string, name: string): boolean {
  const least = Math.min(wanted.length, name.length);
  const most = Math.max(wanted.length, name.length);
  return least >= 3 && least * 4 >= most && (name.includes(wanted) || wanted.includes(name));
}

/**
 * A hint to end a message with: ` Did you mean a, b?`, or, where nothing resembles, the known names if
 * they are few enough to read, or nothing.
 */
export function nameHint(unknown: string, known: Iterable<string>): string {
  const all = [...known];
  const nearest = nearestNames(unknown, all);
  if (nearest.length > 0) return ` Did you mean ${nearest.join(', ')}?`;
  return all.length > 0 && all.length <= 12 ? ` Known: ${all.join(', ')}.` : '';
}
