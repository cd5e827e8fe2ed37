import { TimeSlice } from '../../base/time.ts';
import type { StartupProblem } from '../../base/errors.ts';

/** The kinds of things that a reload adds, removes and changes. */
const KINDS = ['dataclasses', 'functions', 'roles', 'users', 'apiKeys', 'reports'] as const;

type Kind = (typeof KINDS)[number];

/** What a generation consists of: for each thing of a kind, by its name, a text that changes with it. */
export type Definitions = Readonly<Record<Kind, ReadonlyMap<string, () => string>>>;

export interface KindChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** What a reload has done. */
export interface ReloadReport extends Readonly<Record<Kind, KindChanges>> {
  readonly milliseconds: number;
  /** The settings that were changed in `config.yaml` and take effect only after a restart. */
  readonly needsRestart: readonly string[];
  readonly warnings: readonly string[];
}

/** The result of a reload. A failed one has changed nothing. */
export type ReloadOutcome =
  | { readonly ok: true; readonly report: ReloadReport }
  | {
      readonly ok: false;
      readonly problems: readonly StartupProblem[];
      /** How many problems are not listed. */
      readonly more: number;
    };

/** What begins a reload without a request: the signal SIGHUP, or a file that has changed. */
export type ReloadCause = 'signal' | 'change';

/** Compares two generations. */
export async function changesBetween(
  before: Definitions,
  after: Definitions,
): Promise<Readonly<Record<Kind, KindChanges>>> {
  const slice = new TimeSlice();
  const changes = {
    dataclasses: none(),
    functions: none(),
    roles: none(),
    users: none(),
    apiKeys: none(),
    reports: none(),
  };
  for (const kind of KINDS) {
    const [old, now] = [before[kind], after[kind]];
    const { added, removed, changed } = changes[kind];
    for (const [name, definition] of now) {
      const known = old.get(name);
      if (known === undefined) added.push(name);
      else if (known() !== definition()) changed.push(name);
      if (slice.isOver()) await slice.pause();
    }
    for (const name of old.keys()) if (!now.has(name)) removed.push(name);
  }
  return changes;
}

function none(): Record<keyof KindChanges, string[]> {
  return { added: [], removed: [], changed: [] };
}
