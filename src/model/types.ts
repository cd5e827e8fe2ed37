import type { RowHash } from '../base/row-hash.ts';
import type { FilterNode, Literal, PathRef } from '../protocol/ast.ts';
import type { ApiFunction, Singleton } from './functions/function-types.ts';
import type { Column, ColumnType, Table } from '../schema/types.ts';

/** The model: the dataclasses and functions that clients see, with their physical names. It is built once at start, and never changed. */
export interface Model {
  readonly dataclasses: ReadonlyMap<string, Dataclass>;
  /** The functions of the datastore. */
  readonly functions: ReadonlyMap<string, ApiFunction>;
  readonly singletons: ReadonlyMap<string, Singleton>;
  /** The dataclasses, functions of the datastore and singletons that are not served, by name. */
  readonly leftOut: ReadonlyMap<string, LeftOut>;
  /** What was left out, and why, and notes about the tables. */
  readonly warnings: readonly string[];
}

/** Something that is not served, as the database does not have what it needs (`server.onMismatch`). */
export interface LeftOut {
  /** The problems of its mapping file, for those who may see them; null for others. */
  readonly why: string | null;
  /** The dataclass that it leads to, whose fault it is; null where it is its own. */
  readonly needs: string | null;
  readonly isFunction: boolean;
}

/** A dataclass (§1): a table or view under its API name. */
export interface Dataclass {
  readonly name: string;
  readonly collection: string;
  /** What the mapping file says of it, for readers of the API. */
  readonly description: string | null;
  readonly table: Table;
  /** 1-based, in the order of the mapping files. */
  readonly number: number;
  /** In key order; empty for a dataclass whose entities cannot be addressed one by one. */
  readonly key: readonly StorageAttribute[];
  readonly stamp: Stamp;
  /** The column with the time of an entity's last change, which every save of the gateway sets. */
  readonly timestamp: Column | null;
  /** How changed entities are known; a text where they are not, to be said behind "cannot be read: ". */
  readonly changes: Changes | string;
  /** Whether `__TIMESTAMP` is answered: only to users who see its attribute. */
  readonly isTimestampSeen: boolean;
  /** Why entities are neither created, updated nor deleted through the API, to be said behind "is read-only"; null where they are. */
  readonly readOnly: string | null;
  /** What the user may do with its entities, where they can be changed at all. */
  readonly rights: Rights;
  /** Whether an update has to say which stamp it was made from (§2.1). */
  readonly requireStamp: boolean;
  /** Whether a negative stamp overwrites whatever is there (DECISIONS, "Updates"). */
  readonly allowsOverwrite: boolean;
  /** Whether something may be computed of many entities. */
  readonly aggregates: boolean;
  /** The condition on which a row is an entity; null where each row is one. */
  readonly where: Restriction | null;
  /** The messages that clients get when a constraint of the table refuses a change, by the constraint's name; the gateway's own words for others. */
  readonly messages: ReadonlyMap<string, string>;
  /** The exposed attributes and relations, in the order of the mapping file. */
  readonly members: ReadonlyMap<string, Member>;
  /** All attributes, exposed or not, for restrictions. */
  readonly stored: ReadonlyMap<string, StorageAttribute>;
  /** The functions of the dataclass, of its collections and of its entities. */
  readonly functions: ReadonlyMap<string, ApiFunction>;
  /** The members and functions that are not served, by name. */
  readonly leftOut: ReadonlyMap<string, LeftOut>;
  /** Returns a digest of what mapping file and schema say of it, descriptions aside, whoever sees it. */
  readonly definition: () => string;
}

/** How the changed entities of a dataclass are known (`$changes`). */
export interface Changes {
  readonly source: ChangeSource;
  /** The dataclass whose entities have the keys of deleted ones, and for how many days it keeps them, null for ever; null where there is none. */
  readonly deleted: { readonly dataclass: string; readonly keptDays: number | null } | null;
}

/** How changed rows are known: by what the engine writes with each change, or by a time that programs write up to `marginSeconds` before they commit. */
export type ChangeSource =
  | { readonly kind: 'changeTracking' }
  | { readonly kind: 'rowversion'; readonly column: Column }
  | { readonly kind: 'xmin' }
  | { readonly kind: 'timestamp'; readonly column: Column; readonly marginSeconds: number };

export type Change = 'create' | 'update' | 'delete';

/** Which rows may be changed: none, those that meet a restriction, or all (null). A row has to meet it before and after the change. */
export type Right = 'denied' | Restriction | null;

export type Rights = Readonly<Record<Change, Right>>;

/** Whether the user may make any of some changes. */
export function mayChange(
  { readOnly, rights }: Pick<Dataclass, 'readOnly' | 'rights'>,
  ...changes: readonly Change[]
): boolean {
  return readOnly === null && changes.some((change) => rights[change] !== 'denied');
}

/** The changes that the user may make to some of the entities. */
export function changesOf(dataclass: Dataclass): Change[] {
  return CHANGES.filter((change) => mayChange(dataclass, change));
}

const CHANGES: readonly Change[] = ['create', 'update', 'delete'];

/** A condition on the entities of a dataclass: for clients, other rows do not exist. `any` of no items is never met. */
export type Restriction =
  FilterRestriction | { readonly kind: 'all' | 'any'; readonly items: readonly Restriction[] };

/** A restriction in the language of `$filter`. */
export interface FilterRestriction {
  readonly kind: 'filter';
  readonly filter: FilterNode;
  /** Where each path of the filter leads, over relations whatever the user may see of them, to attributes exposed or not. */
  readonly ways: ReadonlyMap<PathRef, Way>;
  /** The values of the filter, by parameter. */
  readonly values: readonly Literal[];
  readonly nullsMatchNotEqual: boolean;
  /** The name of its setting, for messages. */
  readonly within: string;
}

/** Where a path leads: over relations to an attribute, and to a property of its JSON. */
export interface Way {
  readonly relations: readonly Relation[];
  /** The dataclass of the attribute, or of the last relation where the path ends with a relation. */
  readonly dataclass: Dataclass;
  /** Null where the path ends with a relation. */
  readonly attribute: StorageAttribute | null;
  readonly properties: readonly string[];
}

/** Checks comparators and values against the types of attributes, which a later stage knows. @throws ProtocolError */
export type RestrictionCheck = (restriction: Restriction, dataclass: Dataclass) => void;

export type Member = StorageAttribute | AliasAttribute | Relation;

/** The attribute types of the protocol (DECISIONS, "Answers"). */
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

/** An attribute that is stored in a column, or computed by the database. */
export interface StorageAttribute {
  readonly kind: 'storage' | 'calculated';
  readonly name: string;
  readonly description: string | null;
  readonly column: Column;
  /** The column's type as the API uses it: JSON text, for instance, is of kind `json`. */
  readonly columnType: ColumnType;
  readonly type: AttributeType;
  readonly trim: boolean;
  readonly ignoreCase: boolean;
  /** Whether it is a date without time, which is answered as `d!m!yyyy`. */
  readonly simpleDate: boolean;
  readonly unique: boolean;
  readonly indexed: boolean;
  /** Why bodies may repeat its value, but not change it, to be said behind "is read-only: "; null where they may. */
  readonly readOnly: string | null;
  /** The values that an enum or checks allow beside null, of an attribute of texts or numbers; null where there is no such list. */
  readonly allowedValues: readonly (string | number)[] | null;
}

/** Another name for an attribute to which relations to one lead. It is read-only. */
export interface AliasAttribute {
  readonly kind: 'alias';
  readonly name: string;
  readonly description: string | null;
  /** The names of the relations, then that of the attribute. */
  readonly path: readonly string[];
  readonly aliased: StorageAttribute;
  readonly readOnly: string;
}

/** A relation to another dataclass, over one or more hops. */
export interface Relation {
  readonly kind: 'relatedEntity' | 'relatedEntities';
  readonly name: string;
  readonly description: string | null;
  readonly target: Dataclass;
  readonly hops: Hops;
  /** The name of the target's relation back, where one is mapped. */
  readonly inverse: string | null;
  /** The attributes of this dataclass that hold the foreign key, where they are exposed. */
  readonly foreignKey: readonly string[];
  /** The path of relations that a many-to-many relation follows. */
  readonly through: readonly string[] | null;
  /** Why bodies may repeat its entities, but not change them, to be said behind "is read-only: "; null where they may. */
  readonly readOnly: string | null;
}

export type Hops = readonly [Hop, ...Hop[]];

/** One step from table to table: `from[i]` equals `to[i]` of the target's table. */
export interface Hop {
  readonly target: Dataclass;
  readonly from: readonly Column[];
  readonly to: readonly Column[];
  readonly toMany: boolean;
}

/** Where the version stamp of an entity comes from. */
export type Stamp =
  | EngineStamp
  /** Made by the gateway from the canonical texts of the columns. */
  | { readonly kind: 'hash'; readonly columns: readonly Column[]; readonly hash: RowHash }
  /** The same for all entities at all times. */
  | { readonly kind: 'none' };

/** A stamp that statements can compare. */
export type EngineStamp =
  { readonly kind: 'counter' | 'rowversion'; readonly column: Column } | { readonly kind: 'xmin' };

export function isEngineStamp(stamp: Stamp): stamp is EngineStamp {
  return stamp.kind !== 'hash' && stamp.kind !== 'none';
}

export function isRelation(member: Member): member is Relation {
  return member.kind === 'relatedEntity' || member.kind === 'relatedEntities';
}

/** The relations of a dataclass. */
export function relationsOf({ members }: Pick<Dataclass, 'members'>): Relation[] {
  return [...members.values()].filter(isRelation);
}

/** Whether the entities of a relation to many can be saved with their parent. */
export function takesLists({ kind, hops, target, readOnly }: Relation): boolean {
  // Without a key, stored entities could not be told from new ones.
  return (
    kind === 'relatedEntities' && hops.length === 1 && readOnly === null && target.key.length > 0
  );
}

/** The stored attribute of a member: for an alias, that of another entity. */
export function attributeOf(member: StorageAttribute | AliasAttribute): StorageAttribute {
  return member.kind === 'alias' ? member.aliased : member;
}

/** Whether a member is an attribute of the entity's own row. */
export function isStored(member: Member): member is StorageAttribute {
  return member.kind === 'storage' || member.kind === 'calculated';
}

/** The settings of `config.yaml` for the model. Those that are left out are false or empty. */
export interface ModelSettings {
  readonly ignoreCase: boolean;
  readonly readOnly: boolean;
  readonly requireStamp: boolean;
  /** Whether a negative stamp overwrites where a stamp is required. */
  readonly compatibility?: { readonly overrideStamp: boolean };
  /** Whether dates without time are answered as `d!m!yyyy`. */
  readonly simpleDates?: boolean;
  /** The key of stamps that are hashes. */
  readonly stampKey?: () => string;
  /** PostgreSQL's where it is left out. */
  readonly dialect?: 'postgres' | 'tsql';
  /** Functions that expressions may call besides the harmless ones. */
  readonly sqlFunctions?: readonly string[];
  /** Whether `!=` in a restriction finds null. */
  readonly nullsMatchNotEqual?: boolean;
  /** The file that the schema was read from; left out where that is the database. */
  readonly schemaFile?: string | undefined;
  /** Whether what does not fit the schema is left out of what is served: the model has it among its dataclasses still. */
  readonly leavesOut?: boolean;
}
