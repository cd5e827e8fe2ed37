import type { JsonValue } from './json.ts';
import type { Keyed, SaveStatus } from './values.ts';

/** The types of a model. */
export interface ModelTypes {
  readonly dataclasses: Readonly<Record<string, DataclassTypes>>;
  readonly functions: Readonly<Record<string, FunctionTypes>>;
  readonly singletons: Readonly<Record<string, Readonly<Record<string, FunctionTypes>>>>;
}

/** The types of a dataclass. */
export interface DataclassTypes {
  readonly name: string;
  /** An entity with all attributes, relations deferred. */
  readonly entity: object;
  /** The value of the key, an object where it has several parts; never without a key. */
  readonly key: unknown;
  readonly insert: unknown;
  readonly update: unknown;
  /** The dataclasses that relations to one lead to. */
  readonly one: Readonly<Record<string, DataclassTypes>>;
  /** The dataclasses that relations to many lead to. */
  readonly many: Readonly<Record<string, DataclassTypes>>;
  readonly functions: Readonly<Record<string, FunctionTypes>>;
}

/** The types of a function. */
export interface FunctionTypes {
  readonly on: 'dataStore' | 'dataClass' | 'entityCollection' | 'entity';
  readonly parameters: readonly unknown[];
  readonly result: unknown;
}

/** The result of a function that answers a collection of entities. */
export type EntitiesOf<T> = { readonly entities: T };

/** The result of a function that answers one entity. */
export type EntityOf<T> = { readonly entity: T };

/** A page of entities. */
export interface Page<Entity> {
  /** How many entities there are in all. */
  readonly __COUNT: number;
  /** How many were skipped. */
  readonly __FIRST: number;
  readonly __ENTITIES: readonly Entity[];
  /** How many entities the page has. */
  readonly __SENT: number;
  readonly __GlobalStamp: number;
}

/** An entity with the attributes and paths of a list: `lastName,employer.name`. Of a list that is only known at run time, nothing is known. */
export type Shaped<T extends DataclassTypes, List extends string> = string extends List
  ? Readonly<Record<string, unknown>>
  : Shape<T, Items<List>>;

/** A list, or the compiler's message in its place where the dataclass does not have a name in it. */
export type Checked<T extends DataclassTypes, List extends string> = string extends List
  ? List
  : [Unknown<T, Items<List>>] extends [never]
    ? List
    : Unknown<T, Items<List>>;

/** The values at the end of a path, which may go on into the properties of an object. */
export type ValueAt<T extends DataclassTypes, Path extends string> = string extends Path
  ? unknown
  : Path extends keyof T['entity']
    ? NonNullable<T['entity'][Path]>
    : Path extends `${infer Own}.${infer Rest}`
      ? [Target<T, Own>] extends [never]
        ? Own extends keyof T['entity']
          ? JsonValue
          : never
        : ValueAt<Target<T, Own>, Rest>
      : never;

/** A path of {@link ValueAt}, or the compiler's message in its place where it leads nowhere. */
export type CheckedPath<T extends DataclassTypes, Path extends string> = [
  ValueAt<T, Path>,
] extends [never]
  ? `${T['name']} has no attribute "${Path}"`
  : Path;

/** The items of a list, as a union. */
type Items<List extends string> = List extends `${infer Item},${infer Rest}`
  ? Trimmed<Item> | Items<Rest>
  : Trimmed<List>;

type Trimmed<Text extends string> = Text extends ` ${infer Rest}` | `${infer Rest} `
  ? Trimmed<Rest>
  : Text;

type Head<Item extends string> = Item extends `${infer Name}.${string}` ? Name : Item;

type Tail<Item extends string, Name extends string> = Item extends `${Name}.${infer Rest}`
  ? Rest
  : never;

/** The dataclass that a relation leads to. */
type Target<T extends DataclassTypes, Relation extends string> = Relation extends keyof T['one']
  ? T['one'][Relation]
  : Relation extends keyof T['many']
    ? T['many'][Relation]
    : never;

type Shape<T extends DataclassTypes, Item extends string> = [Item] extends ['*']
  ? T['entity']
  : Members<T, Item, Asked<T['entity'], Item>>;

type Asked<Entity, Item extends string> = Extract<
  Head<Item> | ('*' extends Item ? keyof Entity : '__KEY' | '__STAMP' | '__TIMESTAMP'),
  keyof Entity
>;

type Members<T extends DataclassTypes, Item extends string, Own extends keyof T['entity']> = {
  [Name in Own]: Member<T, Name, Tail<Item, Name & string>>;
};

type Member<T extends DataclassTypes, Name extends keyof T['entity'], Item extends string> = [
  Item,
] extends [never]
  ? T['entity'][Name]
  : Name extends keyof T['one']
    ? Shape<T['one'][Name], Item> | Extract<T['entity'][Name], null>
    : Name extends keyof T['many']
      ? Page<Shape<T['many'][Name], Item>>
      : never;

/** Sentences about the names in a list that the dataclass does not have. */
type Unknown<T extends DataclassTypes, Item extends string> = Item extends '*' | keyof T['entity']
  ? never
  : Item extends `${infer Own}.${infer Rest}`
    ? [Target<T, Own>] extends [never]
      ? `${T['name']} has no relation "${Own}"`
      : Unknown<Target<T, Own>, Rest>
    : `${T['name']} has no attribute "${Item}"`;

/** The key of an entity: its value, an object where it has several parts, or the entity. */
export type KeyOf<T extends DataclassTypes> = [T['key']] extends [never] ? never : T['key'] | Keyed;

/** A saved entity; without a key, nothing says which row it is. */
export type Saved<T extends DataclassTypes, List extends string> = [T['key']] extends [never]
  ? SaveStatus
  : Shaped<T, List> & SaveStatus;

/** The functions that are called on something. */
export type FunctionsOn<T extends DataclassTypes, On extends FunctionTypes['on']> = {
  readonly [
    Name in keyof T['functions'] as T['functions'][Name]['on'] extends On ? Name : never
  ]: T['functions'][Name];
};

/** The dataclass of the entities that a function answers; never where it answers something else. */
export type AnsweredBy<Called> = Called extends {
  readonly result:
    EntitiesOf<infer T extends DataclassTypes> | EntityOf<infer T extends DataclassTypes>;
}
  ? T
  : never;

export type ParametersOf<Called> = Called extends { readonly parameters: infer Parameters }
  ? Parameters
  : never;

export type ResultOf<Called, List extends string> = Called extends { readonly result: infer Result }
  ? Result extends EntitiesOf<infer T extends DataclassTypes>
    ? Page<Shaped<T, List>>
    : Result extends EntityOf<infer T extends DataclassTypes>
      ? Shaped<T, List> | null
      : Result
  : never;
