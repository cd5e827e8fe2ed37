import { distance } from 'fastest-levenshtein';

/** However long a name is: what differs in more letters is another name. */
const FARTHEST = 5;

/**
 * The known names that resemble an unknown one, nearest first, at most three. Case does not count: names of the
 * protocol are case-sensitive, and a wrong case is the commonest mistake.
 */
export function nearestNames(unknown: string, known: Iterable<string>): string[] {
  const wanted = unknown.toLowerCase();
  const limit = Math.min(Math.ceil(wanted.length / 3), FARTHEST);
  const near = [...known]
    .map((name) => ({ name, far: distance(wanted, name.toLowerCase()) }))
    .filter(
      ({ far, name }) =>
        (far <= limit && far < name.length) || isPartOf(wanted, name.toLowerCase()),
    )
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1));
  const otherCase = near.filter(({ far }) => far === 0);
  return (otherCase.length > 0 ? otherCase : near.slice(0, 3)).map(({ name }) => name);
}

function isPartOf(wanted: string, name: string): boolean {
  const least = Math.min(wanted.length, name.length);
  return least >= 3 && (name.includes(wanted) || wanted.includes(name));
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
