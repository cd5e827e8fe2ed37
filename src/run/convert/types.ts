import type { ProtocolError } from '../../base/errors.ts';
import type { Dataclass, Relation } from '../../model/types.ts';
import type { Column, ColumnType } from '../../schema/types.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import type { EntityValues } from './entity-values.ts';
import type { FindUpload, StoredValue } from './stored-value.ts';

/** A key as canonical texts, in key order. */
export type KeyTexts = readonly string[];

/** A column with a value for it. */
export interface ColumnValue {
  readonly column: Column;
  /** The column's type as the API uses it. */
  readonly type: ColumnType;
  readonly value: StoredValue;
}

/** A related entity that has to be looked up, for the values of the relation's columns or to see whether it exists. */
export interface RelatedEntity {
  readonly relation: Relation;
  readonly key: KeyTexts;
}

/** The entities within another one under one relation: all are saved with it, or none. */
export interface NestedEntities {
  readonly relation: Relation;
  /** In the order of the body, with their indexes in this list; under a relation to one, the new one. */
  readonly entities: readonly PlannedEntity[];
  /** Whether they are all that was read: a collection's header may tell of more. */
  readonly isWhole: boolean;
}

/** An entity of a body, in terms of columns. */
export interface PlannedEntity {
  /** Its index in the body. */
  readonly index: number;
  /** The key of an existing entity, or the value of the unique attribute by which the URL addresses it; null for a new one. */
  readonly key: KeyTexts | null;
  /** The key in the body where the URL addresses the entity by a unique attribute: it has to be the row's key. */
  readonly ownKey: KeyTexts | null;
  /** The stamp that the client has read, as digits. */
  readonly stamp: string | null;
  readonly given: EntityValues;
  readonly related: readonly RelatedEntity[];
  readonly nested: readonly NestedEntities[];
  /** Why a nested entity may not be changed, only sent back as it was read; null where it may, and for all others. */
  readonly denied: ProtocolError | null;
}

/** An object of a body that the protocol or the model refuses. */
export interface RefusedEntity {
  readonly index: number;
  /** Null where it has none that could be read. */
  readonly key: KeyTexts | null;
  readonly names: ReadonlySet<string>;
  /** Whether it would be a new entity; left out where that is not known. */
  readonly isNew?: boolean;
  readonly error: ProtocolError;
}

/** An object of a body as it was read, or why it is refused. */
export type ReadEntity = PlannedEntity | RefusedEntity;

/** Where an object stands in its body. */
export interface BodyPosition {
  /** The path from the entity of the URL's dataclass: `lines[2].product`; empty for that entity itself. */
  readonly path: string;
  readonly relations: readonly string[];
  /** The columns that the entity's owner fills in. */
  readonly filled: readonly Column[];
  /** Whether an entity without a key is sought by a natural key. */
  readonly isSought?: boolean;
  readonly bounds: NestingBounds;
}

/** How much a body may hold within its objects, and how much has been read. */
export interface NestingBounds {
  readonly maxDepth: number;
  readonly maxEntities: number;
  /** How many objects have been read. */
  count: number;
  /** How many mistakes have been found in them. */
  mistakes: number;
  /** The paths of relations to objects: each takes statements of its own. */
  readonly paths: Set<string>;
}

/** The context in which the entities of a request are read. */
export interface EntityContext {
  readonly dataclass: Dataclass;
  readonly method: 'update' | 'insert';
  /** Whether stamps may be left out (§4.13). */
  readonly atomic: boolean;
  /** The values by which the URL addresses the entity; null where it names none. */
  readonly urlKey: KeyTexts | null;
  /** The unique attribute that the URL addresses it by; null where that is the key. */
  readonly urlAttribute: string | null;
  readonly limits: ValueLimits;
  readonly findUpload: FindUpload;
  readonly position: BodyPosition;
}

/** An entity to delete. */
export interface PlannedDelete {
  readonly index: number;
  readonly key: KeyTexts;
  /** The stamp that the row has to have; null for any. */
  readonly stamp: string | null;
}
