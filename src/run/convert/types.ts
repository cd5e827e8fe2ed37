import type { ProtocolError } from '../../base/errors.ts';
import type { Dataclass, Relation } from '../../model/types.ts';
import type { JsonValue } from '../../protocol/body/json-value.ts';
import type { Column, ColumnType } from '../../schema/types.ts';
import type { ValueLimits } from '../../sql/dialect.ts';
import type { KeyTexts } from '../body/body-key.ts';
import type { FindUpload, StoredValue } from './stored-value.ts';

/** A value that a body gives a column, by way of an attribute or a relation. */
export interface GivenValue {
  readonly column: Column;
  /** The column's type as the API uses it. */
  readonly type: ColumnType;
  /** The attribute or relation, for messages: `Employee.grade`. */
  readonly member: string;
  /** Of what the entity holding it fills in, the relation of its own that stands for the same; left out where that is `member`. */
  readonly own?: string;
  /** Whether the entity holding it gives it: then it is what its column is to hold, changed or not. */
  readonly filled?: boolean;
  /** It may repeat what the column holds, and nothing else. */
  readonly readOnly: boolean;
  readonly value: StoredValue;
  /** Why the value leads nowhere, where it is a reference that does. */
  readonly dangling?: string;
  /** Of an attribute, what the body says, to be compared with what is answered of the row. */
  readonly said?: JsonValue;
  /** Why the column cannot hold what the body says, unless that is what is answered of the row: no value then. */
  readonly refusal?: ProtocolError;
  /** Of what a related entity gives one of the relation's columns: the relation. */
  readonly leading?: Relation;
  /** Of a null for a relation, which reads as null where it holds a reference that leads to no entity: the relation. */
  readonly clearing?: Relation;
}

/** A related entity that has to be looked for before the relation's columns are known, or known to lead somewhere. */
export interface RelatedEntity {
  readonly relation: Relation;
  readonly key: KeyTexts;
}

/** Entities that a body says along with another one, by way of one of its relations: they are saved with it, or none of them. */
export interface NestedEntities {
  readonly relation: Relation;
  /** In the order of the body; the new one, where the relation leads to one. Their indexes are those in this list. */
  readonly entities: readonly PlannedEntity[];
  /** Whether they are all that was read: a collection's header may tell of more. */
  readonly isWhole: boolean;
}

/** What the body says of one entity, in terms of columns. */
export interface PlannedEntity {
  /** Its index in the body. */
  readonly index: number;
  /** Of an existing entity; null for a new one. Where the URL addresses it by a unique attribute, the value of that. */
  readonly key: KeyTexts | null;
  /** The key in the body of an entity that the URL addresses by a unique attribute: it has to be the entity's own. */
  readonly ownKey: KeyTexts | null;
  /** The stamp that the client holds, as digits. */
  readonly stamp: string | null;
  readonly given: readonly GivenValue[];
  readonly related: readonly RelatedEntity[];
  readonly nested: readonly NestedEntities[];
  /** Why it may not be changed, of one within another: it may be sent back as it was read; null where it may, and of any other. */
  readonly denied: ProtocolError | null;
}

/** An object of a body that the protocol or the model refuses. */
export interface RefusedEntity {
  readonly index: number;
  /** Null where it has none that could be read. */
  readonly key: KeyTexts | null;
  /** The names that it gives values, whatever they stand for. */
  readonly said: ReadonlySet<string>;
  readonly error: ProtocolError;
}

/** Where an object stands in its body. */
export interface BodyPlace {
  /** From the entity that the URL's dataclass is of down to it: `lines[2].product`; empty for that entity itself. */
  readonly path: string;
  /** The names of the relations on the way. */
  readonly relations: readonly string[];
  /** The columns that the entity holding it fills in. */
  readonly filled: readonly Column[];
  /** What is within others of the body so far, and how much may be. */
  readonly bounds: NestingBounds;
}

/** How much a body may hold within other objects of it. */
export interface NestingBounds {
  /** Over how many relations an object may stand. */
  readonly maxDepth: number;
  /** How many objects may be within those of the body. */
  readonly maxEntities: number;
  /** How many objects have been read. */
  count: number;
  /** The paths of relations by which any of them stands: each takes statements of its own. */
  readonly paths: Set<string>;
}

/** What all entities of a request have in common. */
export interface EntityContext {
  readonly dataclass: Dataclass;
  readonly method: 'update' | 'insert';
  /** Whether stamps may be left out (§4.13). */
  readonly atomic: boolean;
  /** The values by which the URL addresses the entity; null where it names none. */
  readonly urlKey: KeyTexts | null;
  /** The unique attribute that the URL addresses it by; null where that is the key. */
  readonly urlAttribute: string | null;
  /** What the engine can tell apart. */
  readonly limits: ValueLimits;
  readonly findUpload: FindUpload;
  readonly place: BodyPlace;
}

/** An entity to delete. */
export interface PlannedDelete {
  readonly index: number;
  readonly key: KeyTexts;
  /** Where the client says which stamp it holds, no other is deleted. */
  readonly stamp: string | null;
}
