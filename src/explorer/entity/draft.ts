import { isNumber, isObject, type Json, type JsonObject } from '../rest/json.ts';
import { isSame } from './field-values.ts';

/** The values that the user has changed, by attribute; files are uploaded when the entity is saved. */
export type Draft = ReadonlyMap<string, Json | File>;

/** Adds a change to a draft; a value that is what the entity has is none. */
export function withChange(
  draft: Draft,
  name: string,
  value: Json | File,
  entity: JsonObject | null,
): Draft {
  const changed = new Map(draft);
  const isChange = value instanceof File || entity === null || !isSame(value, stored(entity[name]));
  if (isChange) changed.set(name, value);
  else changed.delete(name);
  return changed;
}

/** A value as a save would give it: of a related entity, whose form depends on the request, its key. */
export function stored(value: Json | undefined): Json {
  const key = relatedKey(value);
  return key === null ? (value ?? null) : { __KEY: key };
}

/** The key of a related entity, whether it is deferred, expanded or of a draft; null where there is none. */
export function relatedKey(value: Json | undefined): string | null {
  if (!isObject(value) || 'uri' in value) return null;
  const deferred = value['__deferred'];
  const key = isObject(deferred) ? deferred['__KEY'] : value['__KEY'];
  return typeof key === 'string' || isNumber(key) ? String(key) : null;
}

/** An attribute on which the user and somebody else may differ. */
export interface Difference {
  readonly name: string;
  readonly base: Json;
  readonly theirs: Json;
  /** The user's value; left out where the user has not changed it. */
  readonly mine?: Json | File;
  /** Whether both have changed it, to different values: somebody has to choose. */
  readonly isConflict: boolean;
}

/** Compares a draft with the entity as somebody else has saved it meanwhile. @param names the attributes to compare */
export function differences(
  base: JsonObject,
  draft: Draft,
  theirs: JsonObject,
  names: readonly string[],
): Difference[] {
  return names.flatMap((name): Difference[] => {
    const [before, after] = [stored(base[name]), stored(theirs[name])];
    const isTheirs = !isSameContent(before, after);
    if (!draft.has(name)) {
      return isTheirs ? [{ name, base: before, theirs: after, isConflict: false }] : [];
    }
    const mine = draft.get(name) ?? null;
    const isConflict = isTheirs && (mine instanceof File || !isSame(mine, after));
    return [{ name, base: before, theirs: after, mine, isConflict }];
  });
}

/** Images and BLOBs are compared by whether there is one: their URIs change with every save of the entity. */
function isSameContent(one: Json, other: Json): boolean {
  const bothAre = [one, other].every((value) => isObject(value) && 'uri' in value);
  return bothAre || isSame(one, other);
}

/** The draft of who has chosen: of each attribute the user's value or theirs. */
export function resolved(
  draft: Draft,
  theirs: JsonObject,
  choices: ReadonlyMap<string, 'mine' | 'theirs'>,
): Draft {
  let result: Draft = new Map();
  for (const [name, mine] of draft) {
    if (choices.get(name) !== 'theirs') result = withChange(result, name, mine, theirs);
  }
  return result;
}
