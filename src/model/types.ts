import type { FilterNode, Literal } from '../protocol/ast.ts';
import type { ApiFunction, Singleton } from './functions/function-types.ts';
import type { Column, ColumnType, Table } from '../schema/types.ts';

/**
 * The model: what the API's clients see, with the physical names behind it. Built once at start from the mapping
 * files and the schema, and never changed.
 */
export interface Model {
  readonly dataclasses: ReadonlyMap<string, Dataclass>;
  /** The functions of the datastore. */
  readonly functions: ReadonlyMap<string, ApiFunction>;
  readonly singletons: ReadonlyMap<string, Singleton>;
  /** What was left out, and why, and what is to be known of what is mapped. */
  readonly warnings: readonly string[];
}

/** A dataclass (§1): a table or view under its API name. */
export interface Dataclass {
  readonly name: string;
  readonly collection: string;
  readonly table: Table;
  /** 1-based, in the order of the mapping files. */
  readonly number: number;
  /** In key order; empty for a dataclass whose entities cannot be addressed one by one. */
  readonly key: readonly StorageAttribute[];
  readonly stamp: Stamp;
  /** The column that says when an entity was last changed, which every save of the gateway sets. */
  readonly timestamp: Column | null;
  /** Whether `__TIMESTAMP` is answered: not to those who do not see its attribute. */
  readonly isTimestampSeen: boolean;
  /** Neither created, updated nor deleted through the API. */
  readonly readOnly: boolean;
  /** What whoever the model is for may do with its entities, where those can be changed at all. */
  readonly rights: Rights;
  /** Whether an update has to say which stamp it was made from (§2.1). */
  readonly requireStamp: boolean;
  /** Whether a negative stamp overwrites whatever is there (DECISIONS, "Updates"). */
  readonly allowsOverwrite: boolean;
  /** What a row has to meet to be an entity; null where each row is one. */
  readonly where: Restriction | null;
  /** The exposed attributes and relations, in the order of the mapping file. */
  readonly members: ReadonlyMap<string, Member>;
  /** All attributes, exposed or not: what restrictions can name. */
  readonly stored: ReadonlyMap<string, StorageAttribute>;
  /** The functions of the dataclass, of its collections and of its entities. */
  readonly functions: ReadonlyMap<string, ApiFunction>;
}

/** What can be done with an entity besides reading it. */
export type Change = 'create' | 'update' | 'delete';

/**
 * What may be done: not at all, with rows that meet a restriction, or with every row (null). A row that is changed meets it before and after, a
 * new one after, one that is deleted before.
 */
export type Right = 'denied' | Restriction | null;

/** The rights to change entities. */
export type Rights = Readonly<Record<Change, Right>>;

/**
 * A condition over a dataclass's own attributes: rows that do not meet it do not exist for clients, whichever way they come. Of
 * several, all have to be met, or any; none of no restrictions ever is.
 */
export type Restriction =
  FilterRestriction | { readonly kind: 'all' | 'any'; readonly items: readonly Restriction[] };

/** A restriction as it is written. */
export interface FilterRestriction {
  readonly kind: 'filter';
  readonly filter: FilterNode;
  /** The values of the filter, by slot. */
  readonly values: readonly Literal[];
  readonly nullsMatchNotEqual: boolean;
  /** The name of the setting that it stands in, for messages. */
  readonly within: string;
}

/** A dataclass as far as its restrictions go. */
export type RestrictedDataclass = Pick<Dataclass, 'name' | 'stored'>;

/**
 * Says whether comparators and values of a restriction are for the types of its attributes, which a later stage knows.
 * @throws ProtocolError where they are not
 */
export type RestrictionCheck = (restriction: Restriction, dataclass: RestrictedDataclass) => void;

/** An attribute or a relation of a dataclass. */
export type Member = StorageAttribute | AliasAttribute | Relation;

/** The protocol's words for attribute types (DECISIONS, "Answers"). */
export type AttributeType =
  | 'bool'
  | 'blob'
  | 'byte'
  | 'word'
  | 'long'
  | 'long64'
  | 'number'
  | 'string'
  | 'uuid'
  | 'date'
  | 'duration'
  | 'image'
  | 'object';

/** An attribute held in a column, or computed by the database in the place of one. */
export interface StorageAttribute {
  readonly kind: 'storage' | 'calculated';
  readonly name: string;
  readonly column: Column;
  /** The column's type as the API uses it: JSON text, for instance, is of kind `json`. */
  readonly columnType: ColumnType;
  readonly type: AttributeType;
  readonly trim: boolean;
  readonly ignoreCase: boolean;
  /** Whether it is a date without time that is answered as `d!m!yyyy`. */
  readonly simpleDate: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  /** The database or the gateway fills it in, or the mapping file says so: bodies may repeat its value, not change it. */
  readonly readOnly: boolean;
}

/** Another name for an attribute that relations to one lead to. It is read, not written. */
export interface AliasAttribute {
  readonly kind: 'alias';
  readonly name: string;
  /** The names of the relations, and at the end that of the attribute. */
  readonly path: readonly string[];
  /** The attribute that it leads to. */
  readonly aliased: StorageAttribute;
  readonly readOnly: true;
}

/** A relation to another dataclass, over one or more hops. */
export interface Relation {
  readonly kind: 'relatedEntity' | 'relatedEntities';
  readonly name: string;
  readonly target: Dataclass;
  readonly hops: readonly Hop[];
  /** The relation of the target that leads back, where one is mapped. */
  readonly inverse: string | null;
  /** The attributes of this dataclass that hold the foreign key, where they are exposed. */
  readonly foreignKey: readonly string[];
  /** The path of relations that a many-to-many relation follows. */
  readonly through: readonly string[] | null;
  /** Whether bodies may repeat where it leads, and not change it. */
  readonly readOnly: boolean;
}

/** One step from table to table: `from[i]` of the one equals `to[i]` of the next, which is the target's. */
export interface Hop {
  readonly target: Dataclass;
  readonly from: readonly Column[];
  readonly to: readonly Column[];
  readonly toMany: boolean;
}

/** Where the version stamp of an entity comes from. */
export type Stamp =
  | EngineStamp
  /** Made by the gateway of what the columns hold. */
  | { readonly kind: 'hash'; readonly columns: readonly Column[]; readonly hash: RowHash }
  /** The same for all entities, for ever. */
  | { readonly kind: 'none' };

/** A stamp that statements can compare. */
export type EngineStamp =
  { readonly kind: 'counter' | 'rowversion'; readonly column: Column } | { readonly kind: 'xmin' };

/** Whether statements can compare a stamp. */
export function isEngineStamp(stamp: Stamp): stamp is EngineStamp {
  return stamp.kind !== 'hash' && stamp.kind !== 'none';
}

/** A hash of what columns of a row hold, as canonical texts and nulls: a number of 53 bits. */
export type RowHash = (cells: readonly (string | null)[]) => number;

/** Whether a member is a relation. */
export function isRelation(member: Member): member is Relation {
  return member.kind === 'relatedEntity' || member.kind === 'relatedEntities';
}

/** Whether entities can be saved along with one that a relation leads to them from. */
export function takesLists({ kind, hops, target, readOnly }: Relation): boolean {
  // Of entities without a key nobody could tell which were read and which are new.
  return kind === 'relatedEntities' && hops.length === 1 && !readOnly && target.key.length > 0;
}

/** What an attribute holds that is named: that of another entity, for an alias. */
export function attributeOf(member: StorageAttribute | AliasAttribute): StorageAttribute {
  return member.kind === 'alias' ? member.aliased : member;
}

/** Whether a member is an attribute of the entity's own row. */
export function isStored(member: Member): member is StorageAttribute {
  return member.kind === 'storage' || member.kind === 'calculated';
}

/** Settings of `config.yaml` that the model carries. */
export interface ModelSettings {
  readonly ignoreCase: boolean;
  readonly readOnly: boolean;
  readonly requireStamp: boolean;
  /** Whether a negative stamp overwrites where a stamp is required; it does not where it is left out. */
  readonly compatibility?: { readonly overrideStamp: boolean };
  /** Whether dates without time are answered as `d!m!yyyy`; false where it is left out. */
  readonly simpleDates?: boolean;
  /** The key of stamps that are hashes; no stamp is to be made where it is left out. */
  readonly stampKey?: () => string;
  /** In which language the database is asked; PostgreSQL's where it is left out. */
  readonly dialect?: 'postgres' | 'tsql';
  /** Functions that expressions may call besides those that are known to be harmless. */
  readonly sqlFunctions?: readonly string[];
  /** Whether `!=` in a restriction finds null; false where it is left out. */
  readonly nullsMatchNotEqual?: boolean;
}
