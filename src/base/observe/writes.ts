import type { ProtocolError } from '../errors.ts';
import type { Principal } from '../principal.ts';

export type WriteAction = 'create' | 'update' | 'delete';

/** The reported value of a column: canonical text, null, or the number of bytes. */
export type ToldPart = string | null | { readonly bytes: number };

/** A reported value; of a relation by several columns, a part for each. */
export type ToldValue = ToldPart | readonly ToldPart[];

/** The old and the new value of an attribute or relation, as far as they are known. */
export interface ValueChange {
  readonly before?: ToldValue;
  readonly after?: ToldValue;
}

export interface EntityWritten {
  readonly action: WriteAction;
  readonly dataclass: string;
  /** The `__KEY`; null where it is not known. */
  readonly key: string | null;
  /** The names of the changed attributes and relations; none for a delete. */
  readonly attributes: readonly string[];
  /** The values of those that {@link WriteObserver.wantsValues} wants, by their names. */
  readonly values: ReadonlyMap<string, ValueChange>;
}

/** A write that was refused, or whose outcome is not known. */
export interface WriteRefused {
  /** `save` where it is not known whether the entity is new. */
  readonly action: WriteAction | 'save';
  readonly dataclass: string;
  /** Null for a whole request, and where it is not known. */
  readonly key: string | null;
  /** The names of the attributes and relations with a new value. */
  readonly attributes: readonly string[];
  readonly error: ProtocolError;
}

export interface FunctionCalled {
  /** The name; of a singleton's function `Prices.quote`. */
  readonly function: string;
  /** The dataclass that the URL begins with, if any. */
  readonly dataclass: string | null;
  readonly error: ProtocolError | null;
}

/** Observes the writes of one request. Only {@link checkWritable} throws, and nothing waits. */
export interface WriteObserver {
  /** Whether the values of an attribute or relation are wanted; others are not read for it. */
  readonly wantsValues: (dataclass: string, member: string) => boolean;
  /** Called before the first write. @throws ProtocolError where nothing may be written at the moment */
  readonly checkWritable: () => void;
  readonly entitiesWritten: (principal: Principal, entities: readonly EntityWritten[]) => void;
  readonly entitiesRefused: (principal: Principal, entities: readonly WriteRefused[]) => void;
  readonly functionCalled: (principal: Principal, call: FunctionCalled) => void;
  /** Called for a request to read the gateway's files again. @param error null where it was done */
  readonly reloadAsked: (principal: Principal, error: ProtocolError | null) => void;
  /** Called for a request that failed as a whole; ignored where its writes were reported before. */
  readonly requestRefused: (principal: Principal, request: WriteRefused | FunctionCalled) => void;
}
