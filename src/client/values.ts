import type { JsonValue } from './json.ts';

// What attributes hold. Dates are texts: JavaScript's own have neither days without a time nor more digits than milliseconds.

/** A day: `2024-12-31`. */
export type LocalDate = string;

/** A day as the configuration `simpleDates` has it: `31!12!2024`. */
export type SimpleDate = string;

/** A moment in UTC, ISO 8601: `2024-05-16T05:46:26.032Z`. */
export type Instant = string;

/** A time of day: `08:30:00` or `12:30:00.500`. */
export type TimeOfDay = string;

/** A GUID, lower case with hyphens. */
export type Uuid = string;

/** All digits of a number that a double may not hold: `250000.0000`. */
export type Decimal = string;

/** A related entity that was not asked for. */
export type DeferredEntity = {
  readonly __deferred: { readonly uri: string; readonly __KEY: string };
};

/** Related entities that were not asked for. */
export type DeferredEntities = { readonly __deferred: { readonly uri: string } };

/** The address of a BLOB. */
export type DeferredBlob = DeferredEntities & { readonly uri: string };

/** The address of an image. */
export type DeferredImage = DeferredBlob & { readonly __deferred: { readonly image: true } };

/** An image or BLOB to be saved: bytes, Base64, the ID of an upload to `$upload`, or what was read, which changes nothing. */
export type ContentInput =
  Uint8Array | string | { readonly ID: string } | DeferredImage | DeferredBlob;

/** An entity that can be addressed. */
export type Keyed = { readonly __KEY: string };

/** The version of an entity, which an update sends back. */
export type Stamped = { readonly __STAMP: number };

/** When an entity was last changed. */
export type Timed = { readonly __TIMESTAMP: Instant | null };

/** Stands in an entity set for an entity that is no longer there. */
export interface UndefinedReference {
  readonly __STAMP: 0;
  readonly __KEY?: never;
}

/** Whether an item of an entity set is an entity, which is still there. */
export function isDefined<Entity extends Keyed>(item: Entity | UndefinedReference): item is Entity {
  return item.__KEY !== undefined;
}

/** A related entity to be saved: its key, an entity that was read, of which the key alone counts, or a new entity. */
export type ToOneInput<Key, New> = Key | Keyed | DeferredEntity | New;

/** Related entities to be saved along: new ones, and changed ones with key and stamp. */
export type ToManyInput<New, Changed> =
  | readonly (New | Changed)[]
  | { readonly __ENTITIES: readonly (New | Changed)[] }
  | DeferredEntities;

/** An input in which some members must be there. */
export type WithRequired<Input, Names extends keyof Input> = Input & Required<Pick<Input, Names>>;

/** How the save of an entity ended. */
export type SaveStatus = { readonly __STATUS: { readonly success: boolean } };

/** How an attempt to lock or unlock an entity ended. */
export interface LockResult {
  /** Whether the entity is locked, or unlocked, as requested. */
  readonly result: boolean;
  readonly __STATUS: {
    readonly success: boolean;
    /** 3: another session has locked it, 4: another error, 5: there is no such entity. */
    readonly status?: number;
    readonly statusText?: string;
    readonly lockInfo?: Readonly<Record<'host' | 'IPAddr' | 'userAgent', string>>;
  };
}

/** The computations on the values of an attribute. Sums and averages are digits: they may be longer than a number can hold. */
export interface Computed<Value> {
  readonly count: number;
  readonly sum: Decimal;
  readonly average: Decimal | null;
  readonly min: Value | null;
  readonly max: Value | null;
  /** Those that the values have: texts have no sum. */
  readonly all: Partial<Omit<Computed<Value>, 'all'>>;
}

/** The whole answer of a procedure. */
export interface ProcedureResult {
  readonly returnValue: number | null;
  readonly output: Readonly<Record<string, JsonValue>>;
  readonly resultSets: readonly (readonly Readonly<Record<string, JsonValue>>[])[];
}
