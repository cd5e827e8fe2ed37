import type { RowHash } from '../../base/row-hash.ts';
import type { AttributeType, Dataclass } from '../../model/types.ts';
import type { Reader, Statement } from '../../sql/ir/statement.ts';
import type { AnswerFormat, ParameterRef } from '../../protocol/ast.ts';
import type { DifferingPair } from '../../schema/type-rules.ts';
import type { ColumnType } from '../../schema/types.ts';
import type { PlanDescription } from '../read/description.ts';

/** The common part of the plans of reads that answer entities. */
export interface EntitiesPlan {
  readonly dataclass: Dataclass;
  readonly globalStamp: Statement;
  readonly top: ParameterRef;
  readonly skip: ParameterRef;
  readonly asArray: boolean;
  /** The description for a query plan; null when the request asks for none. */
  readonly description: PlanDescription | null;
  readonly layout: Layout;
}

/** A read, for all requests of one shape. */
export interface ReadPlan extends EntitiesPlan {
  /** One entity, or a collection object (§2.3). */
  readonly answer: 'entity' | 'collection';
  readonly fetch: FetchPlan;
  /** Counts the collection when the page itself does not tell its length. */
  readonly count: Statement | null;
  /** Finds a page far into the collection by its key alone; null when that is no faster. */
  readonly deepPage: (() => Statement | null) | null;
  /** The column of the global stamp; null when the answer does not show it. */
  readonly globalStampColumn: number | null;
  /** Finds the entity that the path begins with: an empty answer is an error when that does not exist. */
  readonly origin: Statement | null;
  /** Whether a missing entity is answered as null, as at the end of a path over relations. */
  readonly nullable: boolean;
  readonly addressed: AddressedEntity;
}

/** A long read in slices, each of which begins behind the last row of the one before. */
export interface SlicedReadPlan extends ReadPlan {
  /** The result columns by which the rows are in order. */
  readonly order: readonly number[];
  /** Statements that together find what is behind a row, in order. @param isNull for each column of the order, whether the row has null there */
  readonly behind: (isNull: readonly boolean[]) => readonly Statement[];
}

/** How the answer is laid out. */
export interface Layout {
  readonly format: AnswerFormat;
  /** Whether a filter was applied, which dashboards are told (§2.7). */
  readonly isFiltered: boolean;
  /** Whether the answer has the `__COUNT` of the collection. */
  readonly isCounted: boolean;
}

/** The entity that a path begins with, for the message that there is none (1543). */
export interface AddressedEntity {
  /** `Employee`, or `Employee:email` where a unique attribute addresses it. */
  readonly dataclass: string;
  readonly keys: readonly ParameterRef[];
}

/** How rows become entities, and what is fetched for all of them at once. */
export interface RowsPlan {
  readonly readers: readonly Reader[];
  readonly shape: EntityShape;
  readonly children: readonly ChildPlan[];
}

/** A statement, the shape of its rows, and the statements that bring the related entities of its to-many relations. */
export interface FetchPlan extends RowsPlan {
  readonly statement: Statement;
}

/** A result column whose value leads to related rows. */
export interface LinkColumn {
  readonly column: number;
  /** The types of both columns when they write a value differently; else null. */
  readonly pair: DifferingPair | null;
}

/** A to-many relation of the fetched entities, fetched for all of them at once. */
export interface ChildPlan {
  readonly links: readonly LinkColumn[];
  readonly fetch: FetchPlan;
}

/** How a row becomes an entity (§2.1). Columns are indexes into the row. */
export interface EntityShape {
  readonly dataclass: Dataclass;
  /** Empty where entities have no key. */
  readonly key: readonly KeyPart[];
  readonly stamp: StampField;
  readonly timestamp: number | null;
  readonly fields: readonly Field[];
}

/** How the stamp of an entity is read from its row. */
export type StampField =
  | { readonly kind: 'column'; readonly column: number }
  | {
      readonly kind: 'hash';
      readonly columns: readonly number[];
      readonly hash: RowHash;
      readonly bits: 53 | 31;
    }
  | { readonly kind: 'none' };

export interface KeyPart {
  readonly name: string;
  readonly column: number;
  readonly type: ColumnType;
}

export type Field =
  | {
      readonly kind: 'value';
      readonly name: string;
      readonly column: number;
      readonly type: AttributeType;
      readonly trim: boolean;
      readonly simpleDate: boolean;
    }
  /** An image or BLOB: present or null, its content behind a URI. */
  | {
      readonly kind: 'binary';
      readonly name: string;
      readonly column: number;
      readonly type: 'image' | 'blob';
    }
  /** A to-one relation left unexpanded (§2.2). */
  | {
      readonly kind: 'deferredEntity';
      readonly name: string;
      readonly target: Dataclass;
      readonly key: readonly KeyPart[];
    }
  /** A to-many relation left unexpanded (§2.2). */
  | { readonly kind: 'deferredSelection'; readonly name: string }
  /** A to-one relation expanded; null where the column `present` is. */
  | {
      readonly kind: 'entity';
      readonly name: string;
      readonly shape: EntityShape;
      readonly present: number;
    }
  /** A to-many relation expanded; `child` is an index into the fetch plan's children. */
  | { readonly kind: 'selection'; readonly name: string; readonly child: number };

/** How many entities of an expanded to-many relation are answered (DECISIONS, "Answers"). */
export const RELATED_PAGE = 100;
