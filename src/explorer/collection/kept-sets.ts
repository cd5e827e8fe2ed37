import { computed, effect, signal } from '@preact/signals';
import { isObject, parseJson, writeJson, type Json } from '../rest/json.ts';
import { loginCount, userName } from '../session.ts';
import { selectionOf, type Selection } from './selection.ts';

/** A result that the user keeps by a name, until the tab is closed or somebody logs in or out. */
export interface KeptSet {
  readonly name: string;
  readonly dataclass: string;
  /** With the id of its entity set: as long as that lives, it is what it was when it was kept. */
  readonly selection: Selection;
}

/** Sets, and the name of the user who keeps them. */
interface Kept {
  readonly user: string | null;
  readonly sets: readonly KeptSet[];
}

const KEY = 'entitygate.sets';

const kept = signal<Kept>(read());

/** The kept results of the user, the newest last. A filter tells values: no other user sees them. */
export const keptSets = computed<readonly KeptSet[]>(() =>
  kept.value.user === userName.value ? kept.value.sets : [],
);

effect(() => {
  if (loginCount.value > 0) write([]);
});

/** Keeps a result; one of the same name makes way for it. */
export function keepSet(set: KeptSet): void {
  write([...others(set), set]);
}

export function forgetSet(set: KeptSet): void {
  write(others(set));
}

function others({ name, dataclass }: KeptSet): readonly KeptSet[] {
  return keptSets.value.filter((one) => one.name !== name || one.dataclass !== dataclass);
}

function write(sets: readonly KeptSet[]): void {
  kept.value = { user: userName.peek(), sets };
  sessionStorage.setItem(KEY, writeJson(kept.peek()));
}

function read(): Kept {
  try {
    const json = parseJson(sessionStorage.getItem(KEY) ?? 'null');
    if (!isObject(json)) return { user: null, sets: [] };
    const { user, sets } = json;
    return {
      user: typeof user === 'string' ? user : null,
      sets: Array.isArray(sets) ? (sets as Json[]).flatMap(setOf) : [],
    };
  } catch {
    return { user: null, sets: [] };
  }
}

function setOf(json: Json): KeptSet[] {
  if (!isObject(json)) return [];
  const { name, dataclass } = json;
  const selection = selectionOf(json['selection']);
  if (typeof name !== 'string' || typeof dataclass !== 'string' || selection === null) return [];
  return [{ name, dataclass, selection }];
}
