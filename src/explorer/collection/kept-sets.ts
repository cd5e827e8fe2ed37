import { signal } from '@preact/signals';
import { isObject, parseJson, writeJson, type Json } from '../rest/json.ts';
import { selectionOf, type Selection } from './selection.ts';

/** A result that the user keeps by a name, in this browser. */
export interface KeptSet {
  readonly name: string;
  readonly dataclass: string;
  /** With the id of its entity set: as long as that lives, it is what it was when it was kept. */
  readonly selection: Selection;
}

const KEY = 'entitygate.sets';

/** The kept results, the newest last. */
export const keptSets = signal<readonly KeptSet[]>(read());

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
  keptSets.value = sets;
  localStorage.setItem(KEY, writeJson(sets));
}

function read(): readonly KeptSet[] {
  try {
    const json = parseJson(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(json) ? (json as Json[]).flatMap(setOf) : [];
  } catch {
    return [];
  }
}

function setOf(json: Json): KeptSet[] {
  if (!isObject(json)) return [];
  const { name, dataclass } = json;
  const selection = selectionOf(json['selection']);
  if (typeof name !== 'string' || typeof dataclass !== 'string' || selection === null) return [];
  return [{ name, dataclass, selection }];
}
