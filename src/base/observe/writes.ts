import type { ProtocolError } from '../errors.ts';
import type { Principal } from '../principal.ts';

/** What is done to an entity. */
export type WriteAction = 'create' | 'update' | 'delete';

/** The value of a column as it is told: canonical text, null, or how many bytes. */
export type ToldPart = string | null | { readonly bytes: number };

/** A value as it is told; of a relation by several columns, the part of each. */
export type ToldValue = ToldPart | readonly ToldPart[];

/** What an attribute or relation held and holds, as far as it is known. */
export interface ValueChange {
  readonly before?: ToldValue;
  readonly after?: ToldValue;
}

/** An entity that was written, which is committed. */
export interface EntityWritten {
  readonly action: WriteAction;
  readonly dataclass: string;
  /** As `__KEY` has it; null where nobody knows it. */
  readonly key: string | null;
  /** The names of the attributes and relations that were given another value; of a delete, none. */
  readonly attributes: readonly string[];
  /** Of what {@link WriteObserver.wantsValues} names, by the same names. */
  readonly values: ReadonlyMap<string, ValueChange>;
}

/** A write that was not done, or of which nobody knows whether it was. */
export interface WriteRefused {
  /** `save` where it is not known whether it was to create or to update. */
  readonly action: WriteAction | 'save';
  readonly dataclass: string;
  /** Null for all of a request, and where it is not known. */
  readonly key: string | null;
  /** The names of the attributes and relations that it was to give a value. */
  readonly attributes: readonly string[];
  readonly error: ProtocolError;
}

/** A call of a function, or one that was refused. */
export interface FunctionCalled {
  /** Its name; of a singleton `Prices.quote`. */
  readonly function: string;
  /** The dataclass that its URL begins with; null where it is none's. */
  readonly dataclass: string | null;
  /** Null where it was done. */
  readonly error: ProtocolError | null;
}

/** Hears of what one request writes. As any observer, it does not throw but by {@link checkWritable}, and does not wait. */
export interface WriteObserver {
  /** Whether the values of an attribute or relation are wanted: others are neither read for it nor made into texts. */
  readonly wantsValues: (dataclass: string, member: string) => boolean;
  /**
   * Asked before anything is written.
   * @throws ProtocolError where nothing may be written at the moment
   */
  readonly checkWritable: () => void;
  readonly entitiesWritten: (principal: Principal, entities: readonly EntityWritten[]) => void;
  readonly entitiesRefused: (principal: Principal, entities: readonly WriteRefused[]) => void;
  readonly functionCalled: (principal: Principal, call: FunctionCalled) => void;
  /** A request that failed as a whole; passed over where something was told of it before. */
  readonly requestRefused: (principal: Principal, request: WriteRefused | FunctionCalled) => void;
}
